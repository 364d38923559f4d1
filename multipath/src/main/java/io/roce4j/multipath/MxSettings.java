// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NegotiationBlock;

/**
 * What one side of MX connections offers and how it behaves. Immutable; each {@code with} method
 * gives a changed copy and throws {@link IllegalArgumentException} naming value and limits.
 */
public final class MxSettings {
  /** Everything this implementation can do. */
  public static final int ALL_CAPABILITIES =
      NegotiationBlock.CAP_SEND_MATCH
          | NegotiationBlock.CAP_READ
          | NegotiationBlock.CAP_ATOMIC
          | NegotiationBlock.CAP_HINT
          | NegotiationBlock.CAP_TRIM_NACK
          | NegotiationBlock.CAP_PROBE
          | NegotiationBlock.CAP_STREAMS
          | NegotiationBlock.CAP_EPOCH_MOVE
          | NegotiationBlock.CAP_HOST_PENALTY;

  private static final MxSettings DEFAULTS = new MxSettings();

  private int paths = 16;
  private int planes = 1;
  private int trackerUnits = 16;
  private int ackEvery = 4;
  private int maxAckDelayUs = 50;
  private int streams = 16;
  private int capabilities = ALL_CAPABILITIES;
  private int weight = 1;
  private int weightMax = 16;
  private int trainPackets = 64;
  private int controlTos = 0xB8;
  private long ackDelayFloorNs = 50_000;
  private int sendersMax = 4096;
  private String selector = PathSelectors.DEFAULT;

  private MxSettings() {}

  private MxSettings(MxSettings other) {
    this.paths = other.paths;
    this.planes = other.planes;
    this.trackerUnits = other.trackerUnits;
    this.ackEvery = other.ackEvery;
    this.maxAckDelayUs = other.maxAckDelayUs;
    this.streams = other.streams;
    this.capabilities = other.capabilities;
    this.weight = other.weight;
    this.weightMax = other.weightMax;
    this.trainPackets = other.trainPackets;
    this.controlTos = other.controlTos;
    this.ackDelayFloorNs = other.ackDelayFloorNs;
    this.sendersMax = other.sendersMax;
    this.selector = other.selector;
  }

  /**
   * The defaults.
   *
   * @return settings that suit two hosts with real sockets
   */
  public static MxSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Paths of a connection.
   *
   * @return 1..255, 16 unless changed
   */
  public int paths() {
    return paths;
  }

  /**
   * Changes {@link #paths()}.
   *
   * @param value 1..255
   * @return a changed copy
   */
  public MxSettings withPaths(int value) {
    MxSettings copy = new MxSettings(this);
    copy.paths = (int) inRange("paths", value, 1, Mxth.PATH_ID_MAX + 1);
    return copy;
  }

  /**
   * Planes of the fabric this port reaches; path p and source-port slot s belong to plane p and s
   * modulo the planes.
   *
   * @return 1..255, 1 unless changed
   */
  public int planes() {
    return planes;
  }

  /**
   * Changes {@link #planes()}.
   *
   * @param value 1..255
   * @return a changed copy
   */
  public MxSettings withPlanes(int value) {
    MxSettings copy = new MxSettings(this);
    copy.planes = (int) inRange("planes", value, 1, 255);
    return copy;
  }

  /**
   * Receive window for CPSNs in units of 128. Four bandwidth-delay products ride through random
   * loss, eight through the death of a path or plane.
   *
   * @return 1..255, 16 unless changed: 2048 packets
   */
  public int trackerUnits() {
    return trackerUnits;
  }

  /**
   * Changes {@link #trackerUnits()}.
   *
   * @param value 1..255
   * @return a changed copy
   */
  public MxSettings withTrackerUnits(int value) {
    MxSettings copy = new MxSettings(this);
    copy.trackerUnits = (int) inRange("trackerUnits", value, 1, 255);
    return copy;
  }

  /**
   * Packets of a path per acknowledgement.
   *
   * @return 1..64, 4 unless changed
   */
  public int ackEvery() {
    return ackEvery;
  }

  /**
   * Changes {@link #ackEvery()}.
   *
   * @param value 1..64
   * @return a changed copy
   */
  public MxSettings withAckEvery(int value) {
    MxSettings copy = new MxSettings(this);
    copy.ackEvery = (int) inRange("ackEvery", value, 1, NegotiationBlock.ACK_EVERY_MAX);
    return copy;
  }

  /**
   * Longest time an acknowledgement may be held back.
   *
   * @return microseconds, 0..65535, 50 unless changed
   */
  public int maxAckDelayUs() {
    return maxAckDelayUs;
  }

  /**
   * Changes {@link #maxAckDelayUs()}.
   *
   * @param value 0..65535
   * @return a changed copy
   */
  public MxSettings withMaxAckDelayUs(int value) {
    MxSettings copy = new MxSettings(this);
    copy.maxAckDelayUs = (int) inRange("maxAckDelayUs", value, 0, 0xFFFF);
    return copy;
  }

  /**
   * Least time an acknowledgement is held back when nothing asks for it, within {@link
   * #maxAckDelayUs}: what the clock and scheduling of the host make sensible.
   *
   * @return ns, 50,000 unless changed; 5,000 suits virtual time
   */
  public long ackDelayFloorNs() {
    return ackDelayFloorNs;
  }

  /**
   * Changes {@link #ackDelayFloorNs()}.
   *
   * @param value 0..1,000,000,000 ns
   * @return a changed copy
   */
  public MxSettings withAckDelayFloorNs(long value) {
    MxSettings copy = new MxSettings(this);
    copy.ackDelayFloorNs = inRange("ackDelayFloorNs", value, 0, 1_000_000_000);
    return copy;
  }

  /**
   * Streams a connection may carry.
   *
   * @return 1..1024, 16 unless changed
   */
  public int streams() {
    return streams;
  }

  /**
   * Changes {@link #streams()}.
   *
   * @param value 1..1024
   * @return a changed copy
   */
  public MxSettings withStreams(int value) {
    MxSettings copy = new MxSettings(this);
    copy.streams = (int) inRange("streams", value, 1, 1024);
    return copy;
  }

  /**
   * What is offered to the peer.
   *
   * @return {@code CAP_*} bits of {@link NegotiationBlock}
   */
  public int capabilities() {
    return capabilities;
  }

  /**
   * Changes {@link #capabilities()}.
   *
   * @param value bits of {@link #ALL_CAPABILITIES}
   * @return a changed copy
   */
  public MxSettings withCapabilities(int value) {
    if ((value & ~ALL_CAPABILITIES) != 0) {
      throw new IllegalArgumentException(
          String.format(
              "capabilities 0x%x has bits outside 0x%x, which is all there is",
              value, ALL_CAPABILITIES));
    }
    MxSettings copy = new MxSettings(this);
    copy.capabilities = value;
    return copy;
  }

  /**
   * Share of the receiving port this sender asks for, relative to others.
   *
   * @return 1..255, 1 unless changed
   */
  public int weight() {
    return weight;
  }

  /**
   * Changes {@link #weight()}.
   *
   * @param value 1..255
   * @return a changed copy
   */
  public MxSettings withWeight(int value) {
    MxSettings copy = new MxSettings(this);
    copy.weight = (int) inRange("weight", value, 1, 255);
    return copy;
  }

  /**
   * Largest weight a peer is granted, whatever it claims.
   *
   * @return 1..255, 16 unless changed
   */
  public int weightMax() {
    return weightMax;
  }

  /**
   * Changes {@link #weightMax()}.
   *
   * @param value 1..255
   * @return a changed copy
   */
  public MxSettings withWeightMax(int value) {
    MxSettings copy = new MxSettings(this);
    copy.weightMax = (int) inRange("weightMax", value, 1, 255);
    return copy;
  }

  /**
   * Most packets in one train. 1 sprays packet by packet.
   *
   * @return 1..64, 64 unless changed
   */
  public int trainPackets() {
    return trainPackets;
  }

  /**
   * Changes {@link #trainPackets()}.
   *
   * @param value 1..64
   * @return a changed copy
   */
  public MxSettings withTrainPackets(int value) {
    MxSettings copy = new MxSettings(this);
    copy.trainPackets = (int) inRange("trainPackets", value, 1, 64);
    return copy;
  }

  /**
   * TOS of acknowledgements and control messages: their class must not stand behind data.
   *
   * @return 0..255, 0xB8 (DSCP 46) unless changed
   */
  public int controlTos() {
    return controlTos;
  }

  /**
   * Changes {@link #controlTos()}.
   *
   * @param value 0..255
   * @return a changed copy
   */
  public MxSettings withControlTos(int value) {
    MxSettings copy = new MxSettings(this);
    copy.controlTos = (int) inRange("controlTos", value, 0, 255);
    return copy;
  }

  /**
   * Senders, two a connection, that the receiving port can be shared among; later ones get no
   * hints. The first connection of an endpoint decides.
   *
   * @return 1..65536, 4096 unless changed
   */
  public int sendersMax() {
    return sendersMax;
  }

  /**
   * Changes {@link #sendersMax()}.
   *
   * @param value 1..65536
   * @return a changed copy
   */
  public MxSettings withSendersMax(int value) {
    MxSettings copy = new MxSettings(this);
    copy.sendersMax = (int) inRange("sendersMax", value, 1, 65_536);
    return copy;
  }

  /**
   * Name of the path selector.
   *
   * @return one of {@link PathSelectors#names}
   */
  public String selector() {
    return selector;
  }

  /**
   * Changes {@link #selector()}.
   *
   * @param value one of {@link PathSelectors#names}
   * @return a changed copy
   */
  public MxSettings withSelector(String value) {
    PathSelectors.create(value, 1);
    MxSettings copy = new MxSettings(this);
    copy.selector = value;
    return copy;
  }

  /**
   * The block to send to the peer.
   *
   * @param connQpn this side's queue pair number
   * @param isn first CPSN of this side's send halves
   * @param joinConn connection QPN of the peer to join, 0 for a new connection
   * @param stream stream to be in that connection, 0 for a new connection
   * @return the block
   */
  public NegotiationBlock block(int connQpn, int isn, int joinConn, int stream) {
    return new NegotiationBlock(
        NegotiationBlock.VERSION,
        capabilities,
        paths,
        planes,
        trackerUnits,
        ackEvery,
        maxAckDelayUs,
        connQpn,
        streams,
        isn,
        joinConn,
        stream);
  }

  private static long inRange(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "MX " + name + " " + value + ": must be from " + least + " to " + most);
    }
    return value;
  }
}
