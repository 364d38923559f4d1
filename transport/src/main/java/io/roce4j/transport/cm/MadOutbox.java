// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.Destination;
import io.roce4j.wire.cm.Mad;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Messages on their way to the port, oldest first; bounded. Agent thread. */
final class MadOutbox {
  private final int capacity;
  private final UnsafeBuffer bytes;
  private final Destination[] destinations;
  private final CmConnection[] requests;
  private int head;
  private int size;

  MadOutbox(int capacity) {
    this.capacity = capacity;
    this.bytes = new UnsafeBuffer(new byte[capacity * Mad.LENGTH]);
    this.destinations = new Destination[capacity];
    this.requests = new CmConnection[capacity];
  }

  /**
   * Takes a copy of a message.
   *
   * @param request the connection that repeats it until it is answered, or null
   * @return false when there is no room
   */
  boolean add(DirectBuffer mad, Destination to, CmConnection request) {
    if (size == capacity) {
      return false;
    }
    int tail = (head + size++) % capacity;
    bytes.putBytes(tail * Mad.LENGTH, mad, 0, Mad.LENGTH);
    destinations[tail] = to;
    requests[tail] = request;
    return true;
  }

  boolean isEmpty() {
    return size == 0;
  }

  Destination destination() {
    return destinations[head];
  }

  /** The connection that repeats the oldest message, or null. */
  CmConnection request() {
    return requests[head];
  }

  void copyTo(MutableDirectBuffer target, int offset) {
    target.putBytes(offset, bytes, head * Mad.LENGTH, Mad.LENGTH);
  }

  void remove() {
    destinations[head] = null;
    requests[head] = null;
    head = (head + 1) % capacity;
    size--;
  }
}
