// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

/**
 * What the ICRC covers of the headers in front of the BTH, as the port that carries the packet
 * knows it (RoCEv2 annex A17, ICRC section).
 *
 * <p>Lengths are not held: they follow from the packet. Addresses are in GID form, IPv4 as {@code
 * ::ffff:a.b.c.d}. Mutable and reusable by one thread; all fields are public words that the methods
 * set together.
 */
public final class IpUdpFields {
  /** RoCEv2 over IPv4. */
  public static final int IPV4 = 4;

  /** RoCEv2 over IPv6. */
  public static final int IPV6 = 6;

  /** RoCEv1: a GRH instead of IP and UDP. */
  public static final int GRH = 1;

  /** The UDP destination port of RoCEv2. */
  public static final int ROCE_PORT = 4791;

  /** IPv4 fragment word with only "do not fragment" set: what every RoCEv2 sender uses. */
  public static final int DONT_FRAGMENT = 0x4000;

  private static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;

  private int encapsulation = IPV4;
  private long sourceHigh;
  private long sourceLow = IPV4_MAPPED;
  private long destinationHigh;
  private long destinationLow = IPV4_MAPPED;
  private int sourcePort;
  private int destinationPort = ROCE_PORT;
  private int identification;
  private int fragmentWord = DONT_FRAGMENT;

  /** Makes fields of IPv4 from 0.0.0.0 to 0.0.0.0, port 0 to 4791, identification 0, DF set. */
  public IpUdpFields() {}

  /**
   * Describes an IPv4 carrier with "do not fragment" set and identification 0.
   *
   * @param sourceAddress a.b.c.d with a in bits 31..24
   * @param destinationAddress the same
   * @param sourcePort 0..65535
   * @param destinationPort 0..65535
   * @return this
   */
  public IpUdpFields ipv4(
      int sourceAddress, int destinationAddress, int sourcePort, int destinationPort) {
    encapsulation = IPV4;
    addresses(
        0,
        IPV4_MAPPED | (sourceAddress & 0xFFFF_FFFFL),
        0,
        IPV4_MAPPED | (destinationAddress & 0xFFFF_FFFFL));
    ports(sourcePort, destinationPort);
    identification = 0;
    fragmentWord = DONT_FRAGMENT;
    return this;
  }

  /**
   * Describes an IPv6 carrier.
   *
   * @param sourceHigh first eight address bytes, big-endian
   * @param sourceLow last eight
   * @param destinationHigh first eight address bytes, big-endian
   * @param destinationLow last eight
   * @param sourcePort 0..65535
   * @param destinationPort 0..65535
   * @return this
   */
  public IpUdpFields ipv6(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort) {
    encapsulation = IPV6;
    addresses(sourceHigh, sourceLow, destinationHigh, destinationLow);
    ports(sourcePort, destinationPort);
    return this;
  }

  /**
   * Describes a RoCEv1 carrier.
   *
   * @param sourceHigh first eight bytes of the SGID, big-endian
   * @param sourceLow last eight
   * @param destinationHigh first eight bytes of the DGID, big-endian
   * @param destinationLow last eight
   * @return this
   */
  public IpUdpFields grh(
      long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
    encapsulation = GRH;
    addresses(sourceHigh, sourceLow, destinationHigh, destinationLow);
    ports(0, 0);
    return this;
  }

  /**
   * Takes over all fields of another.
   *
   * @param other left unchanged
   * @return this
   */
  public IpUdpFields set(IpUdpFields other) {
    encapsulation = other.encapsulation;
    addresses(other.sourceHigh, other.sourceLow, other.destinationHigh, other.destinationLow);
    ports(other.sourcePort, other.destinationPort);
    identification = other.identification;
    fragmentWord = other.fragmentWord;
    return this;
  }

  /**
   * Sets both addresses, leaving the encapsulation as it is.
   *
   * @param sourceHigh first eight bytes of the source GID, big-endian
   * @param sourceLow last eight
   * @param destinationHigh first eight bytes of the destination GID, big-endian
   * @param destinationLow last eight
   * @return this
   */
  public IpUdpFields addresses(
      long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
    this.sourceHigh = sourceHigh;
    this.sourceLow = sourceLow;
    this.destinationHigh = destinationHigh;
    this.destinationLow = destinationLow;
    return this;
  }

  /**
   * Sets both UDP ports.
   *
   * @param sourcePort 0..65535; only the low 16 bits are used
   * @param destinationPort 0..65535; only the low 16 bits are used
   * @return this
   */
  public IpUdpFields ports(int sourcePort, int destinationPort) {
    this.sourcePort = sourcePort & 0xFFFF;
    this.destinationPort = destinationPort & 0xFFFF;
    return this;
  }

  /**
   * Sets the IPv4 identification.
   *
   * @param identification 0..65535; only the low 16 bits are used
   * @return this
   */
  public IpUdpFields identification(int identification) {
    this.identification = identification & 0xFFFF;
    return this;
  }

  /**
   * Sets the IPv4 flags and fragment offset.
   *
   * @param fragmentWord bytes 6 and 7 of the IPv4 header; only the low 16 bits are used
   * @return this
   */
  public IpUdpFields fragmentWord(int fragmentWord) {
    this.fragmentWord = fragmentWord & 0xFFFF;
    return this;
  }

  /**
   * Which headers stand in front of the BTH.
   *
   * @return {@link #IPV4}, {@link #IPV6} or {@link #GRH}
   */
  public int encapsulation() {
    return encapsulation;
  }

  /**
   * First half of the source GID.
   *
   * @return eight bytes, big-endian
   */
  public long sourceHigh() {
    return sourceHigh;
  }

  /**
   * Second half of the source GID.
   *
   * @return eight bytes, big-endian
   */
  public long sourceLow() {
    return sourceLow;
  }

  /**
   * First half of the destination GID.
   *
   * @return eight bytes, big-endian
   */
  public long destinationHigh() {
    return destinationHigh;
  }

  /**
   * Second half of the destination GID.
   *
   * @return eight bytes, big-endian
   */
  public long destinationLow() {
    return destinationLow;
  }

  /**
   * UDP source port.
   *
   * @return 0..65535
   */
  public int sourcePort() {
    return sourcePort;
  }

  /**
   * UDP destination port.
   *
   * @return 0..65535
   */
  public int destinationPort() {
    return destinationPort;
  }

  /**
   * IPv4 identification.
   *
   * @return 0..65535
   */
  public int identification() {
    return identification;
  }

  /**
   * IPv4 flags and fragment offset.
   *
   * @return 0..65535
   */
  public int fragmentWord() {
    return fragmentWord;
  }
}
