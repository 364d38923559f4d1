// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** What a stream tells its connection. */
interface StreamOwner {
  /**
   * A stream has completed a work request in error, or a completion found no room: its queue pair
   * goes to ERR.
   *
   * @param stream the stream
   * @param nowNs time of the endpoint, ns
   */
  void onStreamFailed(MxStream stream, long nowNs);

  /**
   * An answer arrived, which proves that its request is in at the peer.
   *
   * @param cpsn fragment of the request
   * @param nowNs time of the endpoint, ns
   */
  void onRequestProven(int cpsn, long nowNs);
}
