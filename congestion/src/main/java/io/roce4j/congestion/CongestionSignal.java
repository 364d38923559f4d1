// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * A fact about the network that a controller may need. A tool compares what a controller
 * {@linkplain CongestionControllerProvider#needs() needs} with what a port can see, and refuses or
 * warns when the controller would run blind.
 */
public enum CongestionSignal {
  /**
   * CE marks (RFC 3168) on this sender's packets come back to it, as congestion notification
   * packets (RoCEv2 annex A17) or as counts in acknowledgements.
   */
  ECN,
  /** Round trip time samples that are finer than the queueing delay of interest. */
  RTT,
  /** Losses, whether by acknowledgement gap or by timer. */
  LOSS,
  /** Headers of packets whose payload a switch cut off. */
  TRIM,
  /** Fair shares computed by the receiver. */
  HINT,
  /** In-band telemetry of the switches: queue length, bytes sent, link rate per hop. */
  INT,
  /** Permission to send, granted by the receiver byte by byte. */
  CREDIT
}
