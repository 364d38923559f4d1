// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * Counters of one port, from its opening. Written by the agent's thread only; other threads read
 * them through the published counters of the agent.
 */
public final class PortCounters {

  /** Packets handed to the network. */
  public long txPackets;

  /** Trains handed to the network. */
  public long txTrains;

  /** UDP payload bytes handed to the network. */
  public long txBytes;

  /** Packets received and handed to the handler. */
  public long rxPackets;

  /** Batches received. */
  public long rxBatches;

  /** UDP payload bytes received. */
  public long rxBytes;

  /** Times a train was refused for local reasons and kept for a later flush. */
  public long refusedTrains;

  /** Trains cut into smaller ones and sealed again because the network refused their size. */
  public long recutTrains;

  /** Packets that could never leave and were given up, each with a named error. */
  public long txErrors;

  /** Of {@link #txErrors}: packets longer than the interface takes (EMSGSIZE). */
  public long txTooLong;

  /**
   * Of {@link #txErrors}: packets whose destination could not be reached for a second (interface
   * down, address gone, no route, no permission), or whose neighbour on the link does not answer.
   */
  public long txUnreachable;

  /** Number of the last error that a send was refused with, by the system's numbering; 0: none. */
  public int lastTxErrno;

  /** Errors reported by the receive call. */
  public long rxErrors;

  /** Received batches thrown away because data or control information was truncated. */
  public long rxTruncated;

  /** Packets the kernel dropped because the receive socket was full: pressure of this host. */
  public long rxSocketOverflow;

  /** Makes counters that are all zero. */
  public PortCounters() {}
}
