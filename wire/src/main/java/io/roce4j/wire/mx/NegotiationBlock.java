// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What one side of a connection offers before MX is used: 32 bytes in RDMA-CM private data, in
 * front of the application's, or in an out-of-band exchange.
 *
 * <pre>
 *  0  magic "MXP1" 32
 *  4  version 8 | capabilities 24
 *  8  max paths 8 | planes 8 | tracker 8 (units of 128 packets) | ack every 8
 * 12  max ack delay 16 (microseconds) | connection QPN 24, first 16 bits
 * 16  QPN, last 8 bits | reserved 8 | streams 16
 * 20  first CPSN 24 | reserved 8
 * 24  join connection 24 | stream 16, first 8 bits
 * 28  stream, last 8 bits | reserved 24
 * </pre>
 *
 * <p>A peer that sends no block, another magic or version 0 is served with plain RC. Control path:
 * an immutable value, any thread.
 *
 * @param version 1..255; {@link #VERSION} is written
 * @param capabilities bits of {@code CAP_*}
 * @param maxPaths 1..255
 * @param planes 1..255
 * @param trackerUnits receive window for CPSNs in units of 128, 1..255
 * @param ackEvery packets per acknowledgement, 1..64
 * @param maxAckDelayUs 0..65535
 * @param connQpn 0..0xFFFFFF
 * @param streams 1..65535
 * @param isn first CPSN of both send halves of this side, 0..0xFFFFFF
 * @param joinConn connection QPN of the peer to join, 0 for a new connection
 * @param stream stream to be in that connection, 0..65535
 */
public record NegotiationBlock(
    int version,
    int capabilities,
    int maxPaths,
    int planes,
    int trackerUnits,
    int ackEvery,
    int maxAckDelayUs,
    int connQpn,
    int streams,
    int isn,
    int joinConn,
    int stream) {
  /** Bytes of the block. */
  public static final int LENGTH = 32;

  /** "MXP1". */
  public static final int MAGIC = 0x4D58_5031;

  /** The version this code speaks. */
  public static final int VERSION = 1;

  /** Capability: SEND packets name their receive request. */
  public static final int CAP_SEND_MATCH = 1;

  /** Capability: READ. */
  public static final int CAP_READ = 1 << 1;

  /** Capability: atomics. */
  public static final int CAP_ATOMIC = 1 << 2;

  /** Capability: fair-share hints. */
  public static final int CAP_HINT = 1 << 3;

  /** Capability: trimmed packets are answered. */
  public static final int CAP_TRIM_NACK = 1 << 4;

  /** Capability: probes, with 1024 transmissions of history. */
  public static final int CAP_PROBE = 1 << 5;

  /** Capability: several streams in one connection. */
  public static final int CAP_STREAMS = 1 << 6;

  /** Capability: a path may change its source port at any time. */
  public static final int CAP_EPOCH_MOVE = 1 << 7;

  /** Capability: the receiving host may ask to be spared. */
  public static final int CAP_HOST_PENALTY = 1 << 8;

  /** Packets in one tracker unit. */
  public static final int TRACKER_UNIT = 128;

  /** Largest {@link #ackEvery}: the vector then still covers four acknowledgements. */
  public static final int ACK_EVERY_MAX = 64;

  /**
   * Checks every range.
   *
   * @throws IllegalArgumentException when a value does not fit, with the value and its limits
   */
  public NegotiationBlock {
    range("version", version, 1, 255);
    range("capabilities", capabilities, 0, 0xFF_FFFF);
    range("maxPaths", maxPaths, 1, Mxth.PATH_ID_MAX + 1);
    range("planes", planes, 1, 255);
    range("trackerUnits", trackerUnits, 1, 255);
    range("ackEvery", ackEvery, 1, ACK_EVERY_MAX);
    range("maxAckDelayUs", maxAckDelayUs, 0, 0xFFFF);
    range("connQpn", connQpn, 0, 0xFF_FFFF);
    range("streams", streams, 1, 0xFFFF);
    range("isn", isn, 0, 0xFF_FFFF);
    range("joinConn", joinConn, 0, 0xFF_FFFF);
    range("stream", stream, 0, 0xFFFF);
  }

  private static void range(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "MX " + name + " " + value + " is outside " + min + ".." + max);
    }
  }

  /**
   * Judges bytes of a peer before {@link #read}.
   *
   * @param buffer holds the block
   * @param offset first byte
   * @param length bytes there are; more than {@link #LENGTH} is the application's
   * @return {@link MxFault#OK}, or why the peer is to be served with plain RC
   */
  public static int check(DirectBuffer buffer, int offset, int length) {
    if (length < LENGTH) {
      return MxFault.TRUNCATED;
    }
    if (buffer.getInt(offset, BIG_ENDIAN) != MAGIC) {
      return MxFault.BAD_MAGIC;
    }
    if (buffer.getByte(offset + 4) == 0) {
      return MxFault.BAD_VERSION;
    }
    boolean zero =
        buffer.getByte(offset + 8) == 0
            || buffer.getByte(offset + 9) == 0
            || buffer.getByte(offset + 10) == 0
            || buffer.getShort(offset + 18) == 0;
    int ackEvery = buffer.getByte(offset + 11) & 0xFF;
    return zero || ackEvery == 0 || ackEvery > ACK_EVERY_MAX ? MxFault.BAD_LENGTH : MxFault.OK;
  }

  /**
   * Reads a block that {@link #check} found good.
   *
   * @param buffer holds the block
   * @param offset first byte
   * @return the block
   */
  public static NegotiationBlock read(DirectBuffer buffer, int offset) {
    return new NegotiationBlock(
        buffer.getByte(offset + 4) & 0xFF,
        low24(buffer, offset + 5),
        buffer.getByte(offset + 8) & 0xFF,
        buffer.getByte(offset + 9) & 0xFF,
        buffer.getByte(offset + 10) & 0xFF,
        buffer.getByte(offset + 11) & 0xFF,
        buffer.getShort(offset + 12, BIG_ENDIAN) & 0xFFFF,
        low24(buffer, offset + 14),
        buffer.getShort(offset + 18, BIG_ENDIAN) & 0xFFFF,
        low24(buffer, offset + 20),
        low24(buffer, offset + 24),
        buffer.getShort(offset + 27, BIG_ENDIAN) & 0xFFFF);
  }

  /**
   * Writes the block.
   *
   * @param buffer receives {@link #LENGTH} bytes
   * @param offset first byte
   */
  public void write(MutableDirectBuffer buffer, int offset) {
    buffer.setMemory(offset, LENGTH, (byte) 0);
    buffer.putInt(offset, MAGIC, BIG_ENDIAN);
    buffer.putByte(offset + 4, (byte) version);
    Sackh.putLow24(buffer, offset + 5, capabilities);
    buffer.putByte(offset + 8, (byte) maxPaths);
    buffer.putByte(offset + 9, (byte) planes);
    buffer.putByte(offset + 10, (byte) trackerUnits);
    buffer.putByte(offset + 11, (byte) ackEvery);
    buffer.putShort(offset + 12, (short) maxAckDelayUs, BIG_ENDIAN);
    Sackh.putLow24(buffer, offset + 14, connQpn);
    buffer.putShort(offset + 18, (short) streams, BIG_ENDIAN);
    Sackh.putLow24(buffer, offset + 20, isn);
    Sackh.putLow24(buffer, offset + 24, joinConn);
    buffer.putShort(offset + 27, (short) stream, BIG_ENDIAN);
  }

  /**
   * What both sides may use: the common capabilities, the smaller limits, the larger
   * acknowledgement delay. Identity (QPN, first CPSN, join, stream) stays that of the peer.
   *
   * @param peer the block of the other side
   * @return the common ground, with the peer's identity
   */
  public NegotiationBlock common(NegotiationBlock peer) {
    return new NegotiationBlock(
        Math.min(version, peer.version),
        capabilities & peer.capabilities,
        Math.min(maxPaths, peer.maxPaths),
        Math.min(planes, peer.planes),
        Math.min(trackerUnits, peer.trackerUnits),
        Math.min(ackEvery, peer.ackEvery),
        Math.max(maxAckDelayUs, peer.maxAckDelayUs),
        peer.connQpn,
        Math.min(streams, peer.streams),
        peer.isn,
        peer.joinConn,
        peer.stream);
  }

  /**
   * Whether a capability is in the block.
   *
   * @param capability one of {@code CAP_*}
   * @return true when its bit is set
   */
  public boolean has(int capability) {
    return (capabilities & capability) != 0;
  }

  private static int low24(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset) & 0xFF) << 16
        | (buffer.getShort(offset + 1, BIG_ENDIAN) & 0xFFFF);
  }
}
