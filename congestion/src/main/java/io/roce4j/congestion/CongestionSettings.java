// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a controller is made from: the link, the packet size, the base round trip time and named
 * parameters as text. Immutable; control path. Parameter values are read and checked when a
 * controller is made, against the {@link CongestionParameter} list of its provider.
 */
public final class CongestionSettings {

  /** Least and greatest link rate, bit/s: 1 kbit/s and 100 Tbit/s. */
  private static final long MIN_LINK = 1_000L;

  private static final long MAX_LINK = 100_000_000_000_000L;
  private static final int MIN_MTU = 16;
  private static final int MAX_MTU = 65_535;
  private static final long MAX_BASE_RTT_NS = 10_000_000_000L;

  private final long linkBitsPerSecond;
  private final int mtuBytes;
  private final long baseRttNs;
  private final Map<String, String> parameters;

  private CongestionSettings(
      long linkBitsPerSecond, int mtuBytes, long baseRttNs, Map<String, String> parameters) {
    this.linkBitsPerSecond = linkBitsPerSecond;
    this.mtuBytes = mtuBytes;
    this.baseRttNs = baseRttNs;
    this.parameters = parameters;
  }

  /**
   * Settings without parameters.
   *
   * @param linkBitsPerSecond rate of the sender's link, bit/s, 1 kbit/s to 100 Tbit/s
   * @param mtuBytes payload bytes of a full packet, 16 to 65535
   * @param baseRttNs round trip time without queues, ns, 1 ns to 10 s
   * @return the settings
   * @throws IllegalArgumentException naming the value and the limit
   */
  public static CongestionSettings of(long linkBitsPerSecond, int mtuBytes, long baseRttNs) {
    require("link rate", "bit/s", linkBitsPerSecond, MIN_LINK, MAX_LINK);
    require("MTU", "bytes", mtuBytes, MIN_MTU, MAX_MTU);
    require("base RTT", "ns", baseRttNs, 1, MAX_BASE_RTT_NS);
    return new CongestionSettings(linkBitsPerSecond, mtuBytes, baseRttNs, Map.of());
  }

  /**
   * These settings with one parameter set, replacing an earlier value of the same name.
   *
   * @param name parameter
   * @param value text, for instance {@code 40Mbit}
   * @return new settings
   */
  public CongestionSettings with(String name, String value) {
    Map<String, String> next = new LinkedHashMap<>(parameters);
    next.put(name, value);
    return new CongestionSettings(
        linkBitsPerSecond, mtuBytes, baseRttNs, java.util.Collections.unmodifiableMap(next));
  }

  /**
   * These settings with one assignment as written on a command line.
   *
   * @param assignment {@code name=value}
   * @return new settings
   * @throws IllegalArgumentException when there is no name or no value
   */
  public CongestionSettings with(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals <= 0 || equals == assignment.length() - 1) {
      throw new IllegalArgumentException(
          "'" + assignment + "' is not a parameter assignment; write name=value, such as g=1/256");
    }
    return with(assignment.substring(0, equals).trim(), assignment.substring(equals + 1).trim());
  }

  /**
   * These settings with several parameters set.
   *
   * @param values name to text, for instance from a scenario file
   * @return new settings
   */
  public CongestionSettings withAll(Map<String, String> values) {
    CongestionSettings next = this;
    for (Map.Entry<String, String> entry : values.entrySet()) {
      next = next.with(entry.getKey(), entry.getValue());
    }
    return next;
  }

  /**
   * These settings for another link rate, the parameters kept.
   *
   * @param bitsPerSecond rate of the sender's link, bit/s
   * @return new settings
   * @throws IllegalArgumentException naming the value and the limit
   */
  public CongestionSettings withLink(long bitsPerSecond) {
    require("link rate", "bit/s", bitsPerSecond, MIN_LINK, MAX_LINK);
    return new CongestionSettings(bitsPerSecond, mtuBytes, baseRttNs, parameters);
  }

  /**
   * Rate of the sender's link.
   *
   * @return bit/s
   */
  public long linkBitsPerSecond() {
    return linkBitsPerSecond;
  }

  /**
   * Payload of a full packet.
   *
   * @return bytes
   */
  public int mtuBytes() {
    return mtuBytes;
  }

  /**
   * Round trip time without queues.
   *
   * @return ns
   */
  public long baseRttNs() {
    return baseRttNs;
  }

  /**
   * Bandwidth-delay product of link rate and base round trip time.
   *
   * @return bytes, at least one MTU
   */
  public long bdpBytes() {
    return Math.max(mtuBytes, (long) (linkBitsPerSecond / 8.0 * baseRttNs / 1e9));
  }

  /**
   * The parameters that were set, as text.
   *
   * @return name to value, unmodifiable
   */
  public Map<String, String> parameters() {
    return parameters;
  }

  /**
   * Value of a parameter: what was set, else its default for these settings.
   *
   * @param parameter the description
   * @return the value in the base unit of the parameter, within its limits
   * @throws IllegalArgumentException naming parameter, value and limits
   */
  public double value(CongestionParameter parameter) {
    String text = parameters.get(parameter.name());
    return text != null
        ? parameter.parse(text)
        : parameter.check(parameter.defaultValue().applyAsDouble(this));
  }

  /**
   * {@link #value} as a whole number, rounded to the nearest.
   *
   * @param parameter the description
   * @return the value in the base unit
   */
  public long longValue(CongestionParameter parameter) {
    return Math.round(value(parameter));
  }

  /**
   * {@link #value} as yes or no.
   *
   * @param parameter a {@link ParameterUnit#FLAG}
   * @return true when on
   */
  public boolean flag(CongestionParameter parameter) {
    return value(parameter) != 0;
  }

  /**
   * {@link #value} as the chosen word.
   *
   * @param parameter a {@link ParameterUnit#CHOICE}
   * @return one of its choices
   */
  public String choice(CongestionParameter parameter) {
    return parameter.choices().get((int) value(parameter));
  }

  @Override
  public String toString() {
    return "link="
        + ParameterUnit.BITS_PER_SECOND.format((double) linkBitsPerSecond)
        + " mtu="
        + mtuBytes
        + " baseRtt="
        + ParameterUnit.NANOSECONDS.format((double) baseRttNs)
        + (parameters.isEmpty() ? "" : " " + parameters);
  }

  private static void require(String what, String unit, long value, long minimum, long maximum) {
    if (value < minimum || value > maximum) {
      throw new IllegalArgumentException(
          what + " " + value + " " + unit + ": must be from " + minimum + " to " + maximum);
    }
  }
}
