// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.unix.Errors.NativeIoException;
import io.roce4j.transport.port.libc.Errno;

/** Messages that are with Netty: what they carry and, once Netty says, what became of them. */
final class InFlight {
  /** Not answered yet. */
  static final int PENDING = -1;

  /** Taken by the network. */
  static final int SENT = 0;

  private final Slot[] slots;
  private int count;
  private int pending;

  /** Learns the outcome of one message; reused, so that a message costs no listener. */
  private final class Slot implements ChannelFutureListener {
    private long train;
    private int packets;
    private int outcome;

    @Override
    public void operationComplete(ChannelFuture future) {
      pending--;
      if (future.isSuccess()) {
        outcome = SENT;
      } else if (future.cause() instanceof NativeIoException failure) {
        outcome = -failure.expectedErr();
      } else {
        // The channel was closed under us, or Netty refused the message itself.
        outcome = Errno.EINVAL;
      }
    }
  }

  InFlight(int limit) {
    slots = new Slot[limit];
    for (int i = 0; i < limit; i++) {
      slots[i] = new Slot();
    }
  }

  boolean isFull() {
    return count == slots.length;
  }

  int count() {
    return count;
  }

  /** Messages that Netty has not answered yet. */
  int pending() {
    return pending;
  }

  /** Notes a message; the result listens to its future. */
  ChannelFutureListener add(long train, int packets) {
    Slot slot = slots[count++];
    slot.train = train;
    slot.packets = packets;
    slot.outcome = PENDING;
    pending++;
    return slot;
  }

  long train(int message) {
    return slots[message].train;
  }

  int packets(int message) {
    return slots[message].packets;
  }

  /** {@link #SENT}, or the error number. */
  int outcome(int message) {
    return slots[message].outcome;
  }

  void clear() {
    count = 0;
  }
}
