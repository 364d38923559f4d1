// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import io.roce4j.wire.memory.NativeMemory;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Tells the agent which queue pairs have new work: queue pair numbers from any posting thread.
 *
 * <p>A flag in each send queue keeps it to one message a queue pair until the agent has looked. A
 * full ring loses nothing: the agent is told to look at every queue pair instead.
 */
public final class DoorbellRing implements AutoCloseable {
  /** Called for each queue pair with new work, on the agent thread. */
  @FunctionalInterface
  public interface Listener {
    /**
     * New work was posted. The listener calls {@link #answer} before it reads the queue's tails.
     *
     * @param qpn number of the queue pair; it may be gone by now
     */
    void onDoorbell(int qpn);
  }

  private static final int TYPE = 1;
  private static final int MESSAGE_LENGTH = 4;
  private static final int BYTES_PER_MESSAGE = 16;
  private static final int MESSAGES_MIN = 4;

  private final UnsafeBuffer storage;
  private final UnsafeBuffer overflow;
  private final ManyToOneRingBuffer ring;
  private final MessageHandler handler = this::onMessage;
  private Listener listener;

  /**
   * An empty ring.
   *
   * @param messages doorbells it holds before it overflows, 1..2^20
   */
  public DoorbellRing(int messages) {
    int capacity = RingLayout.slots(Math.max(messages, MESSAGES_MIN)) * BYTES_PER_MESSAGE;
    storage =
        NativeMemory.allocate(
            "doorbells", capacity + RingBufferDescriptor.TRAILER_LENGTH, RingLayout.ALIGNMENT);
    overflow = NativeMemory.allocate("doorbells", RingLayout.ALIGNMENT, RingLayout.ALIGNMENT);
    ring = new ManyToOneRingBuffer(storage);
  }

  /**
   * Announces work on a queue pair, after the queue was published. Any posting thread; allocates
   * nothing and never waits.
   *
   * @param flag send queue of the queue pair, whose flag is used for receives too
   * @param qpn number of the queue pair
   */
  public void ring(SendQueue flag, int qpn) {
    if (!flag.raiseDoorbell()) {
      return;
    }
    int index = ring.tryClaim(TYPE, MESSAGE_LENGTH);
    if (index < 0) {
      overflow.putIntVolatile(0, 1);
      return;
    }
    ring.buffer().putInt(index, qpn);
    ring.commit(index);
  }

  /**
   * Lowers a queue pair's flag, so that the next post rings again. Call it before reading the
   * tails. Agent thread.
   *
   * @param flag send queue of the queue pair
   */
  public static void answer(SendQueue flag) {
    flag.lowerDoorbell();
  }

  /**
   * Hands over what was rung. Agent thread.
   *
   * @param target called once a message
   * @param limit most messages
   * @return how many were handed over
   */
  public int drain(Listener target, int limit) {
    listener = target;
    return ring.read(handler, limit);
  }

  /**
   * Whether doorbells were lost to a full ring since the last call: then the agent answers and
   * looks at every queue pair. Agent thread.
   *
   * @return true once per overflow
   */
  public boolean takeOverflow() {
    return overflow.getIntVolatile(0) != 0 && overflow.getAndSetInt(0, 0) != 0;
  }

  private void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
    listener.onDoorbell(buffer.getInt(index));
  }

  /**
   * Whether {@link #drain} and {@link #takeOverflow} would find nothing now.
   *
   * @return false when somebody has rung, or is about to have.
   */
  public boolean isEmpty() {
    return ring.producerPosition() == ring.consumerPosition() && overflow.getIntVolatile(0) == 0;
  }

  /** Frees the ring. Nobody may ring or drain any more. */
  @Override
  public void close() {
    NativeMemory.release(storage);
    NativeMemory.release(overflow);
  }
}
