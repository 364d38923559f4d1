// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.ReceiveQueue;

/** Checks receives and copies them into a ring, for queue pairs and shared receive queues. */
final class ReceivePosting {
  private ReceivePosting() {}

  /** Claims and fills one slot; the caller publishes. */
  static int post(ReceiveQueue queue, ReceiveRequest request) {
    if (request.overfull || request.sgeCount > queue.sgeMax()) {
      return PostResult.TOO_MANY_SGES;
    }
    if (request.tooLong) {
      return PostResult.MESSAGE_TOO_LONG;
    }
    int slot = queue.claim(request.wrId);
    // [rc 13-2]
    if (slot == ReceiveQueue.FULL) {
      return PostResult.RECEIVE_QUEUE_FULL;
    }
    for (int i = 0; i < request.sgeCount; i++) {
      queue.addSge(slot, request.sgeAddress[i], request.sgeLength[i], request.sgeLkey[i]);
    }
    return PostResult.OK;
  }

  /** Fills slots up to the first bad request and publishes them together. */
  static long postList(ReceiveQueue queue, ReceiveRequest[] requests, int count) {
    int posted = 0;
    int result = PostResult.OK;
    while (posted < count && result == PostResult.OK) {
      result = post(queue, requests[posted]);
      if (result == PostResult.OK) {
        posted++;
      }
    }
    if (posted > 0) {
      queue.publish();
    }
    return PostResult.pack(result, posted);
  }
}
