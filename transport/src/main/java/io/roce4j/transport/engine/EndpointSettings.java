// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import java.util.Objects;

/**
 * How an endpoint's engines behave. Immutable; each {@code with} method gives a changed copy and
 * throws {@link IllegalArgumentException} naming value and limits when the value is out of range.
 */
public final class EndpointSettings {

  private static final EndpointSettings DEFAULTS = new EndpointSettings();

  /**
   * Notifications are as far apart as the congestion controller of the queue pair asks: the two
   * ends of a connection run the same algorithm, and each has its own interval.
   */
  public static final long AS_THE_CONTROLLER_ASKS = -1;

  private int windowPackets = 512;
  private int trainPackets = 64;
  private int ackRequestPackets = 32;
  private int receiveBurstPackets = 256;
  private int transmitTrains = 64;
  private int cnpTos = 0xC2;
  private long cnpIntervalNs = AS_THE_CONTROLLER_ASKS;
  private long linkBitsPerSecond = 100_000_000_000L;
  private long baseRttNs = 20_000;
  private int sourcePacketsPerSecond = 1_000_000;
  private int sourceBurstPackets = 65_536;
  private long pacerCatchUpNs = 100_000;
  private boolean endToEndCredits = true;
  private boolean unsolicitedCredits = true;
  private boolean congestionNotification = true;
  private boolean perQueuePairCounters = false;
  private IcrcMode icrcMode = IcrcMode.AUTO;
  private EventSink events = EventSink.NONE;
  private SourceFilter sourceFilter = SourceFilter.ALLOW_ALL;

  private EndpointSettings() {}

  private EndpointSettings(EndpointSettings other) {
    this.windowPackets = other.windowPackets;
    this.trainPackets = other.trainPackets;
    this.ackRequestPackets = other.ackRequestPackets;
    this.receiveBurstPackets = other.receiveBurstPackets;
    this.transmitTrains = other.transmitTrains;
    this.cnpTos = other.cnpTos;
    this.cnpIntervalNs = other.cnpIntervalNs;
    this.linkBitsPerSecond = other.linkBitsPerSecond;
    this.baseRttNs = other.baseRttNs;
    this.sourcePacketsPerSecond = other.sourcePacketsPerSecond;
    this.sourceBurstPackets = other.sourceBurstPackets;
    this.pacerCatchUpNs = other.pacerCatchUpNs;
    this.endToEndCredits = other.endToEndCredits;
    this.unsolicitedCredits = other.unsolicitedCredits;
    this.congestionNotification = other.congestionNotification;
    this.perQueuePairCounters = other.perQueuePairCounters;
    this.icrcMode = other.icrcMode;
    this.events = other.events;
    this.sourceFilter = other.sourceFilter;
  }

  /**
   * The defaults.
   *
   * @return settings that suit two hosts with real sockets.
   */
  public static EndpointSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Most request packets a connection has unacknowledged. The default suits real sockets with
   * buffers of a few MiB.
   *
   * @return 2 to 4194304; 512 unless changed.
   */
  public int windowPackets() {
    return windowPackets;
  }

  /**
   * Changes {@link #windowPackets()}.
   *
   * @param value 2 to 4194304.
   * @return a changed copy.
   */
  public EndpointSettings withWindowPackets(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.windowPackets = (int) inRange("windowPackets", value, 2, 4194304);
    return copy;
  }

  /**
   * Most packets in one train. 1 is a system call for each packet.
   *
   * @return 1 to 65535; 64 unless changed.
   */
  public int trainPackets() {
    return trainPackets;
  }

  /**
   * Changes {@link #trainPackets()}.
   *
   * @param value 1 to 65535.
   * @return a changed copy.
   */
  public EndpointSettings withTrainPackets(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.trainPackets = (int) inRange("trainPackets", value, 1, 65535);
    return copy;
  }

  /**
   * Packets of a long message after which one asks for an acknowledgement, so that the window moves
   * on before the message ends [rc Q2]; at most half the window is used.
   *
   * @return 1 to 4194304; 32 unless changed.
   */
  public int ackRequestPackets() {
    return ackRequestPackets;
  }

  /**
   * Changes {@link #ackRequestPackets()}.
   *
   * @param value 1 to 4194304.
   * @return a changed copy.
   */
  public EndpointSettings withAckRequestPackets(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.ackRequestPackets = (int) inRange("ackRequestPackets", value, 1, 4194304);
    return copy;
  }

  /**
   * Packets taken from the port in one receive burst.
   *
   * @return 1 to 1048576; 256 unless changed.
   */
  public int receiveBurstPackets() {
    return receiveBurstPackets;
  }

  /**
   * Changes {@link #receiveBurstPackets()}.
   *
   * @param value 1 to 1048576.
   * @return a changed copy.
   */
  public EndpointSettings withReceiveBurstPackets(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.receiveBurstPackets = (int) inRange("receiveBurstPackets", value, 1, 1048576);
    return copy;
  }

  /**
   * Most trains in one transmit pass.
   *
   * @return 1 to 1048576; 64 unless changed.
   */
  public int transmitTrains() {
    return transmitTrains;
  }

  /**
   * Changes {@link #transmitTrains()}.
   *
   * @param value 1 to 1048576.
   * @return a changed copy.
   */
  public EndpointSettings withTransmitTrains(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.transmitTrains = (int) inRange("transmitTrains", value, 1, 1048576);
    return copy;
  }

  /**
   * TOS of congestion notifications: DSCP 48, ECT(0), as adapters send them.
   *
   * @return 0 to 255; 0xC2 unless changed.
   */
  public int cnpTos() {
    return cnpTos;
  }

  /**
   * Changes {@link #cnpTos()}.
   *
   * @param value 0 to 255.
   * @return a changed copy.
   */
  public EndpointSettings withCnpTos(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.cnpTos = (int) inRange("cnpTos", value, 0, 255);
    return copy;
  }

  /**
   * Least time between two congestion notifications of one queue pair, ns.
   *
   * @return 0 to 1000000000, or {@link #AS_THE_CONTROLLER_ASKS}, which it is unless changed.
   */
  public long cnpIntervalNs() {
    return cnpIntervalNs;
  }

  /**
   * Changes {@link #cnpIntervalNs()}.
   *
   * @param value 0 to 1000000000, or {@link #AS_THE_CONTROLLER_ASKS}.
   * @return a changed copy.
   */
  public EndpointSettings withCnpIntervalNs(long value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.cnpIntervalNs = inRange("cnpIntervalNs", value, AS_THE_CONTROLLER_ASKS, 1000000000);
    return copy;
  }

  /**
   * Rate of the link that congestion controllers assume, bit/s.
   *
   * @return 1000 to 100000000000000; 100_000_000_000 unless changed.
   */
  public long linkBitsPerSecond() {
    return linkBitsPerSecond;
  }

  /**
   * Changes {@link #linkBitsPerSecond()}.
   *
   * @param value 1000 to 100000000000000.
   * @return a changed copy.
   */
  public EndpointSettings withLinkBitsPerSecond(long value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.linkBitsPerSecond = inRange("linkBitsPerSecond", value, 1000, 100000000000000L);
    return copy;
  }

  /**
   * Round trip time without queues that congestion controllers assume, ns.
   *
   * @return 1 to 10000000000; 20_000 unless changed.
   */
  public long baseRttNs() {
    return baseRttNs;
  }

  /**
   * Changes {@link #baseRttNs()}.
   *
   * @param value 1 to 10000000000.
   * @return a changed copy.
   */
  public EndpointSettings withBaseRttNs(long value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.baseRttNs = inRange("baseRttNs", value, 1, 10000000000L);
    return copy;
  }

  /**
   * Packets a second from one source address for which no connection vouches: datagrams, and
   * whatever is refused. More are dropped and counted as {@code drop_source_limit}, before they
   * cost an ICRC, a receive or a trace event. Packets that connections take have no limit: dropping
   * them would cost their sender more than it saves here. 0 is no limit.
   *
   * @return 0 to 1000000000; 1000000 unless changed.
   */
  public int sourcePacketsPerSecond() {
    return sourcePacketsPerSecond;
  }

  /**
   * Changes {@link #sourcePacketsPerSecond()}.
   *
   * @param value 0 to 1000000000.
   * @return a changed copy.
   */
  public EndpointSettings withSourcePacketsPerSecond(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.sourcePacketsPerSecond = (int) inRange("sourcePacketsPerSecond", value, 0, 1000000000);
    return copy;
  }

  /**
   * Packets of that kind which one source address may send at once.
   *
   * @return 1 to 1048576; 65536 unless changed.
   */
  public int sourceBurstPackets() {
    return sourceBurstPackets;
  }

  /**
   * Changes {@link #sourceBurstPackets()}.
   *
   * @param value 1 to 1048576.
   * @return a changed copy.
   */
  public EndpointSettings withSourceBurstPackets(int value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.sourceBurstPackets = (int) inRange("sourceBurstPackets", value, 1, 1048576);
    return copy;
  }

  /**
   * Lateness of the agent that the pacer makes good, ns.
   *
   * @return 0 to 1000000000; 100_000 unless changed.
   */
  public long pacerCatchUpNs() {
    return pacerCatchUpNs;
  }

  /**
   * Changes {@link #pacerCatchUpNs()}.
   *
   * @param value 0 to 1000000000.
   * @return a changed copy.
   */
  public EndpointSettings withPacerCatchUpNs(long value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.pacerCatchUpNs = inRange("pacerCatchUpNs", value, 0, 1000000000);
    return copy;
  }

  /**
   * Whether acknowledgements tell how many receives are posted [rc 5-4]; off, they say "unlimited",
   * as rxe does.
   *
   * @return true unless changed.
   */
  public boolean endToEndCredits() {
    return endToEndCredits;
  }

  /**
   * Changes {@link #endToEndCredits()}.
   *
   * @param value the new value.
   * @return a changed copy.
   */
  public EndpointSettings withEndToEndCredits(boolean value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.endToEndCredits = value;
    return copy;
  }

  /**
   * Whether a peer that has used up the receives it was told of hears of new ones in an
   * acknowledgement it did not ask for [rc 5-9]; off, it learns of them when it tries.
   *
   * @return true unless changed; has no effect without {@link #endToEndCredits()}.
   */
  public boolean unsolicitedCredits() {
    return unsolicitedCredits;
  }

  /**
   * Changes {@link #unsolicitedCredits()}.
   *
   * @param value the new value.
   * @return a changed copy.
   */
  public EndpointSettings withUnsolicitedCredits(boolean value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.unsolicitedCredits = value;
    return copy;
  }

  /**
   * Whether CE-marked RC data make congestion notifications.
   *
   * @return true unless changed.
   */
  public boolean congestionNotification() {
    return congestionNotification;
  }

  /**
   * Changes {@link #congestionNotification()}.
   *
   * @param value the new value.
   * @return a changed copy.
   */
  public EndpointSettings withCongestionNotification(boolean value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.congestionNotification = value;
    return copy;
  }

  /**
   * Whether each queue pair has counters of its own besides the endpoint's.
   *
   * @return false unless changed.
   */
  public boolean perQueuePairCounters() {
    return perQueuePairCounters;
  }

  /**
   * Changes {@link #perQueuePairCounters()}.
   *
   * @param value the new value.
   * @return a changed copy.
   */
  public EndpointSettings withPerQueuePairCounters(boolean value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.perQueuePairCounters = value;
    return copy;
  }

  /**
   * How strictly the ICRC of received packets is checked.
   *
   * @return the setting in force.
   */
  public IcrcMode icrcMode() {
    return icrcMode;
  }

  /**
   * Changes {@link #icrcMode()}.
   *
   * @param value not null.
   * @return a changed copy.
   */
  public EndpointSettings withIcrcMode(IcrcMode value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.icrcMode = Objects.requireNonNull(value, "icrcMode");
    return copy;
  }

  /**
   * Where typed events go.
   *
   * @return the setting in force.
   */
  public EventSink events() {
    return events;
  }

  /**
   * Changes {@link #events()}.
   *
   * @param value not null.
   * @return a changed copy.
   */
  public EndpointSettings withEvents(EventSink value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.events = Objects.requireNonNull(value, "events");
    return copy;
  }

  /**
   * From which addresses packets are taken.
   *
   * @return the setting in force.
   */
  public SourceFilter sourceFilter() {
    return sourceFilter;
  }

  /**
   * Changes {@link #sourceFilter()}.
   *
   * @param value not null.
   * @return a changed copy.
   */
  public EndpointSettings withSourceFilter(SourceFilter value) {
    EndpointSettings copy = new EndpointSettings(this);
    copy.sourceFilter = Objects.requireNonNull(value, "sourceFilter");
    return copy;
  }

  private static long inRange(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " " + value + ": must be from " + least + " to " + most);
    }
    return value;
  }
}
