// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

/**
 * Limits and times of a connection manager. Immutable; each {@code with} method gives a changed
 * copy and throws {@link IllegalArgumentException} naming value and limits when the value is out of
 * range.
 */
public final class CmSettings {
  private static final CmSettings DEFAULTS = new CmSettings();
  private static final long MS_NS = 1_000_000;
  private static final int RETRIES_MAX = 15;

  private int maxConnections = 4_096;
  private int maxListeners = 256;
  private int maxOutbound = 1_024;
  private int maxEvents = 4_096;
  private int responseTimeoutCode = 20;
  private int packetLifeCode = 16;
  private int ackDelayCode = 15;
  private int cmRetries = RETRIES_MAX;
  private int minRnrTimer = 12; // [rc 6-16] [FC-16]
  private long peerWaitMaxNs = 120_000 * MS_NS;
  private long nodeGuid;
  private int peerUdpPort = 4_791;

  private CmSettings() {}

  private CmSettings(CmSettings other) {
    this.maxConnections = other.maxConnections;
    this.maxListeners = other.maxListeners;
    this.maxOutbound = other.maxOutbound;
    this.maxEvents = other.maxEvents;
    this.responseTimeoutCode = other.responseTimeoutCode;
    this.packetLifeCode = other.packetLifeCode;
    this.ackDelayCode = other.ackDelayCode;
    this.cmRetries = other.cmRetries;
    this.minRnrTimer = other.minRnrTimer;
    this.peerWaitMaxNs = other.peerWaitMaxNs;
    this.nodeGuid = other.nodeGuid;
    this.peerUdpPort = other.peerUdpPort;
  }

  /**
   * The defaults: those of Linux.
   *
   * @return the settings
   */
  public static CmSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Connections in any state, those in TIMEWAIT included; more are refused.
   *
   * @return default 4096
   */
  public int maxConnections() {
    return maxConnections;
  }

  /**
   * Changes {@link #maxConnections()}.
   *
   * @param value 1 to 1048576
   * @return a changed copy
   */
  public CmSettings withMaxConnections(int value) {
    CmSettings copy = new CmSettings(this);
    copy.maxConnections = (int) inRange("maxConnections", value, 1, 1 << 20);
    return copy;
  }

  /**
   * Ids that listen.
   *
   * @return default 256
   */
  public int maxListeners() {
    return maxListeners;
  }

  /**
   * Changes {@link #maxListeners()}.
   *
   * @param value 1 to 65536
   * @return a changed copy
   */
  public CmSettings withMaxListeners(int value) {
    CmSettings copy = new CmSettings(this);
    copy.maxListeners = (int) inRange("maxListeners", value, 1, 1 << 16);
    return copy;
  }

  /**
   * Messages that may wait for the port; one more is dropped, and repeated by its timer.
   *
   * @return default 1024
   */
  public int maxOutbound() {
    return maxOutbound;
  }

  /**
   * Changes {@link #maxOutbound()}.
   *
   * @param value 1 to 65536
   * @return a changed copy
   */
  public CmSettings withMaxOutbound(int value) {
    CmSettings copy = new CmSettings(this);
    copy.maxOutbound = (int) inRange("maxOutbound", value, 1, 1 << 16);
    return copy;
  }

  /**
   * Events of one channel that nobody has polled, above which nothing new begins on it: requests of
   * peers are refused, {@code connect} and {@code resolveAddress} fail. Events of connections that
   * exist are never lost.
   *
   * @return default 4096
   */
  public int maxEvents() {
    return maxEvents;
  }

  /**
   * Changes {@link #maxEvents()}.
   *
   * @param value 1 to 1048576
   * @return a changed copy
   */
  public CmSettings withMaxEvents(int value) {
    CmSettings copy = new CmSettings(this);
    copy.maxEvents = (int) inRange("maxEvents", value, 1, 1 << 20);
    return copy;
  }

  /**
   * Code of the time a side has to answer, sent in REQ: 4.096 us times 2 to this power.
   *
   * @return default 20, about 4 s
   */
  public int responseTimeoutCode() {
    return responseTimeoutCode;
  }

  /**
   * Changes {@link #responseTimeoutCode()}.
   *
   * @param value 0 to 31
   * @return a changed copy
   */
  public CmSettings withResponseTimeoutCode(int value) {
    CmSettings copy = new CmSettings(this);
    copy.responseTimeoutCode = (int) inRange("responseTimeoutCode", value, 0, CmTimes.CODE_MAX);
    return copy;
  }

  /**
   * Code of a packet's life in the network: with the response timeout it makes the interval between
   * two REQs, with {@link #ackDelayCode()} the ACK timeout of queue pairs.
   *
   * @return default 16, about 0.26 s: REQs leave every 4.6 s, the ACK timeout code is 17
   */
  public int packetLifeCode() {
    return packetLifeCode;
  }

  /**
   * Changes {@link #packetLifeCode()}.
   *
   * @param value 0 to 31; 18 is what older kernels take
   * @return a changed copy
   */
  public CmSettings withPacketLifeCode(int value) {
    CmSettings copy = new CmSettings(this);
    copy.packetLifeCode = (int) inRange("packetLifeCode", value, 0, CmTimes.CODE_MAX);
    return copy;
  }

  /**
   * Code of the time until an acknowledgement leaves, sent in REP.
   *
   * @return default 15, about 0.13 s
   */
  public int ackDelayCode() {
    return ackDelayCode;
  }

  /**
   * Changes {@link #ackDelayCode()}.
   *
   * @param value 0 to 31
   * @return a changed copy
   */
  public CmSettings withAckDelayCode(int value) {
    CmSettings copy = new CmSettings(this);
    copy.ackDelayCode = (int) inRange("ackDelayCode", value, 0, CmTimes.CODE_MAX);
    return copy;
  }

  /**
   * How often an unanswered message is sent again; REQ tells it to the peer.
   *
   * @return default 15
   */
  public int cmRetries() {
    return cmRetries;
  }

  /**
   * Changes {@link #cmRetries()}.
   *
   * @param value 0 to 15
   * @return a changed copy
   */
  public CmSettings withCmRetries(int value) {
    CmSettings copy = new CmSettings(this);
    copy.cmRetries = (int) inRange("cmRetries", value, 0, RETRIES_MAX);
    return copy;
  }

  /**
   * Timer code in the RNR NAKs of connected queue pairs.
   *
   * @return default 12, 0.64 ms; Linux takes 0, which is 655 ms
   */
  public int minRnrTimer() {
    return minRnrTimer;
  }

  /**
   * Changes {@link #minRnrTimer()}.
   *
   * @param value 0 to 31
   * @return a changed copy
   */
  public CmSettings withMinRnrTimer(int value) {
    CmSettings copy = new CmSettings(this);
    copy.minRnrTimer = (int) inRange("minRnrTimer", value, 0, CmTimes.CODE_MAX);
    return copy;
  }

  /**
   * Longest wait a peer's codes can cause: the codes reach beyond two hours.
   *
   * @return ns, default 120 s
   */
  public long peerWaitMaxNs() {
    return peerWaitMaxNs;
  }

  /**
   * Changes {@link #peerWaitMaxNs()}.
   *
   * @param value 1 ms to one hour, in ns
   * @return a changed copy
   */
  public CmSettings withPeerWaitMaxNs(long value) {
    CmSettings copy = new CmSettings(this);
    copy.peerWaitMaxNs = inRange("peerWaitMaxNs", value, MS_NS, 3_600_000 * MS_NS);
    return copy;
  }

  /**
   * Node GUID in REQ and REP. Peers recognize repeated requests and stale connections by it: two
   * processes must not share one, and one that was restarted needs another, or has to wait until
   * its old connections are over.
   *
   * @return default 0, for one drawn from the seed and the endpoint's address
   */
  public long nodeGuid() {
    return nodeGuid;
  }

  /**
   * Changes {@link #nodeGuid()}.
   *
   * @param value 64 bits, 0 for one drawn from the seed
   * @return a changed copy
   */
  public CmSettings withNodeGuid(long value) {
    CmSettings copy = new CmSettings(this);
    copy.nodeGuid = value;
    return copy;
  }

  /**
   * UDP port of the peers' endpoints, for two endpoints on one IPv6 loopback address.
   *
   * @return default 4791
   */
  public int peerUdpPort() {
    return peerUdpPort;
  }

  /**
   * Changes {@link #peerUdpPort()}.
   *
   * @param value 1 to 65535
   * @return a changed copy
   */
  public CmSettings withPeerUdpPort(int value) {
    CmSettings copy = new CmSettings(this);
    copy.peerUdpPort = (int) inRange("peerUdpPort", value, 1, 0xFFFF);
    return copy;
  }

  private static long inRange(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "CM " + name + " " + value + ": allowed " + least + " to " + most);
    }
    return value;
  }
}
