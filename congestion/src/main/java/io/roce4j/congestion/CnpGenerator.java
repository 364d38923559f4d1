// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Notification point of DCQCN: decides for each CE-marked data packet whether a congestion
 * notification packet is due. Per flow at most one is sent in any interval (50 us in Zhu et al.,
 * SIGCOMM 2015, section 3; {@code np_min_time_between_cnps} of adapters).
 *
 * <p>The caller sends the notification in the priority class and never for a notification or a pure
 * acknowledgement. One thread; allocates nothing.
 */
public final class CnpGenerator {

  /** The paper's interval, ns. */
  public static final long DEFAULT_INTERVAL_NS = 50_000;

  private final long intervalNs;
  private final long[] lastSentNs;
  private final boolean[] everSent;
  private long markedPackets;
  private long sent;

  /**
   * A notification point.
   *
   * @param intervalNs least time between two notifications of a flow, ns, 0 or more
   * @param flows number of flows, numbered from 0
   * @throws IllegalArgumentException naming the value and the limit
   */
  public CnpGenerator(long intervalNs, int flows) {
    if (intervalNs < 0) {
      throw new IllegalArgumentException("CNP interval " + intervalNs + " ns: must be 0 or more");
    }
    if (flows < 1) {
      throw new IllegalArgumentException("flows " + flows + ": must be 1 or more");
    }
    this.intervalNs = intervalNs;
    this.lastSentNs = new long[flows];
    this.everSent = new boolean[flows];
  }

  /**
   * CE-marked data packets of a flow arrived.
   *
   * @param nowNs time of the endpoint, ns
   * @param flow flow number
   * @param packets how many, 1 or more
   * @return true when a notification is to be sent now
   */
  public boolean onMarked(long nowNs, int flow, long packets) {
    markedPackets += packets;
    if (everSent[flow] && nowNs - lastSentNs[flow] < intervalNs) {
      return false;
    }
    everSent[flow] = true;
    lastSentNs[flow] = nowNs;
    sent++;
    return true;
  }

  /**
   * A flow number starts anew, for another flow.
   *
   * @param flow flow number
   */
  public void reset(int flow) {
    everSent[flow] = false;
  }

  /**
   * CE-marked packets seen ({@code np_ecn_marked_roce_packets}).
   *
   * @return count since the start
   */
  public long markedPackets() {
    return markedPackets;
  }

  /**
   * Notifications asked for ({@code np_cnp_sent}).
   *
   * @return count since the start
   */
  public long sent() {
    return sent;
  }
}
