// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The streams of a connection as the source of its request half: round robin, a stream keeps its
 * turn for one train's worth of fragments.
 */
final class RequestSource implements FragmentSource {
  private static final int TURN = 16;

  private final StreamSet streams;
  private final int weight;
  private SendHalf half;
  private int current;
  private int turn;

  /**
   * Sends what the streams have.
   *
   * @param streams the connection's streams
   * @param weight fair-share weight of all of them
   */
  RequestSource(StreamSet streams, int weight) {
    this.streams = streams;
    this.weight = weight;
  }

  /** The half this is the source of; set once. */
  void half(SendHalf sendHalf) {
    this.half = sendHalf;
  }

  @Override
  public int nextLength(long nowNs) {
    int count = streams.count();
    if (turn >= TURN) {
      turn = 0;
      current++;
    }
    for (int i = 0; i < count; i++) {
      if (current >= count) {
        current = 0;
      }
      int length = streams.get(current).sender.nextLength(nowNs);
      if (length != NOTHING) {
        return length;
      }
      turn = 0;
      current++;
    }
    return NOTHING;
  }

  @Override
  public void take(FragmentTable fragments, int at, int cpsn) {
    turn++;
    streams.get(current).sender.take(fragments, at, cpsn);
  }

  private StreamSender sender(FragmentTable fragments, int at) {
    return streams.ofSlot(fragments.stream(at)).sender;
  }

  @Override
  public int packetLength(FragmentTable fragments, int at) {
    return sender(fragments, at).packetLength(fragments, at);
  }

  @Override
  public int write(FragmentTable fragments, int at, UnsafeBuffer buffer, int bthOffset) {
    return sender(fragments, at).write(fragments, at, buffer, bthOffset);
  }

  @Override
  public boolean isSolicited(FragmentTable fragments, int at) {
    return sender(fragments, at).isSolicited(fragments, at);
  }

  @Override
  public void onLocalFault(FragmentTable fragments, int at, int status, long nowNs) {
    sender(fragments, at).onLocalFault(fragments, at, status, nowNs);
  }

  @Override
  public void onAcked(FragmentTable fragments, int at, long nowNs) {
    sender(fragments, at).onAcked(fragments, at, half.cpsnOf(at), nowNs);
  }

  @Override
  public void onHeldEnded(FragmentTable fragments, int at) {
    sender(fragments, at).hold.remove(at);
  }

  @Override
  public int streamId(int streamSlot) {
    return streams.ofSlot(streamSlot).id;
  }

  @Override
  public int weight(int streamSlot) {
    return weight;
  }

  @Override
  public long backlogBytes() {
    return streams.backlogBytes;
  }

  @Override
  public void onNotReady(FragmentTable fragments, int at, int cpsn, long waitNs, long nowNs) {
    sender(fragments, at).onNotReady(at, cpsn, waitNs, nowNs);
  }

  @Override
  public void onRefused(FragmentTable fragments, int at, int reason, long nowNs) {
    sender(fragments, at).onRefused(fragments, at, reason, nowNs);
  }
}
