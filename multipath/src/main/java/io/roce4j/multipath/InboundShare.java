// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.MxPacketView;

/** What a receiving port grants one sender, plane by plane: the source of fair-share hints. */
interface InboundShare {
  /**
   * A numbered packet of the sender arrived, whatever becomes of it: a gap or a duplicate counts as
   * arrival.
   *
   * @param view the packet
   * @param path the path it came over
   * @param stamp the sender's clock, 8 ns units
   * @param nowNs time of the endpoint, ns
   */
  void onData(MxPacketView view, ReceivePath path, int stamp, long nowNs);

  /**
   * The share now.
   *
   * @param plane plane of the receiving port
   * @param nowNs time of the endpoint, ns
   * @return a {@code FairShareHint}, NONE when there is nothing to say
   */
  int hint(int plane, long nowNs);

  /**
   * Generation of the share last given out.
   *
   * @param plane plane of the receiving port
   * @return 0..255
   */
  int generation(int plane);

  /** The sender is gone. Control path. */
  void release();
}
