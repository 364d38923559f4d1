// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.collections.Int2ObjectHashMap;

/** The streams of a connection: by slot, by number on the wire, and as a list without gaps. */
final class StreamSet {
  private final MxStream[] bySlot;
  private final MxStream[] list;
  private final Int2ObjectHashMap<MxStream> byId = new Int2ObjectHashMap<>();
  private int count;

  /** Payload posted on all streams and not numbered yet. */
  long backlogBytes;

  /** An empty set with room for so many streams. */
  StreamSet(int capacity) {
    this.bySlot = new MxStream[capacity];
    this.list = new MxStream[capacity];
  }

  int count() {
    return count;
  }

  /** One of the streams, 0..count-1; the order changes when streams leave. */
  MxStream get(int index) {
    return list[index];
  }

  MxStream ofSlot(int slot) {
    return bySlot[slot];
  }

  /** The stream of a number, or null. */
  MxStream ofId(int id) {
    return byId.get(id);
  }

  /** A free slot, or -1. Control path. */
  int freeSlot() {
    for (int slot = 0; slot < bySlot.length; slot++) {
      if (bySlot[slot] == null) {
        return slot;
      }
    }
    return -1;
  }

  /** Adds a stream. Control path. */
  void add(MxStream stream) {
    bySlot[stream.slot] = stream;
    list[count++] = stream;
    byId.put(stream.id, stream);
  }

  /** Removes a stream. Control path. */
  void remove(MxStream stream) {
    bySlot[stream.slot] = null;
    byId.remove(stream.id);
    for (int i = 0; i < count; i++) {
      if (list[i] == stream) {
        list[i] = list[--count];
        list[count] = null;
        return;
      }
    }
  }
}
