// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.MxPacketView;

/**
 * Where the fragments of a receive half go: streams for the request half, the requester's own READs
 * and atomics for the response half. The half has dealt with duplicates and windows.
 */
interface FragmentTarget {
  /** {@link #place}: the fragment is in its place. */
  int ACCEPTED = 0;

  /**
   * Checks a fragment completely, then places it. Nothing is copied and no state changes when it is
   * refused.
   *
   * @param view a numbered packet that is not a VOID, new to this half
   * @param nowNs time of the endpoint, ns
   * @return {@link #ACCEPTED} or the {@code NackReason} to refuse it with
   */
  int place(MxPacketView view, long nowNs);

  /**
   * A fragment that {@link #place} accepted is in the tracker: messages may complete now.
   *
   * @param view the packet
   * @param nowNs time of the endpoint, ns
   */
  void onPlaced(MxPacketView view, long nowNs);

  /**
   * How long a sender is told to wait after "receiver not ready".
   *
   * @param view the packet refused
   * @return microseconds
   */
  long notReadyWaitUs(MxPacketView view);

  /**
   * The receive limit of a stream for an acknowledgement.
   *
   * @param streamId the stream that caused it, or any when none did
   * @return first receive request not posted, 24 bits; -1 when there is no such stream
   */
  int receiveLimit(int streamId);

  /**
   * A stream to speak of in an acknowledgement nothing caused.
   *
   * @return a stream id, round robin; 0 when there is none
   */
  int nextStream();
}
