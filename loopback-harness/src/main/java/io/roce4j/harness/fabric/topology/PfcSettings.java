// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * Priority flow control of the lossless classes (IEEE 802.1Q clause 36): when an ingress group
 * pauses its upstream, and what it can still take then. Immutable.
 *
 * @param xoffBytes pause at this shared use of an ingress group; {@link #DYNAMIC} at the dynamic
 *     threshold of the buffer
 * @param xonOffsetBytes resume when the use has fallen this far below the threshold, 0 or more
 * @param headroomBytes of each ingress group for what arrives after the pause; {@link #FITTING} for
 *     what the port's rate, cable and latency need
 * @param quanta pause time in units of 512 bit times, 1 to 65535; renewed at half time while the
 *     reason lasts
 * @param responseQuanta how long a paused port takes to stop, in the same units, 0 to 65535
 */
public record PfcSettings(
    long xoffBytes, long xonOffsetBytes, long headroomBytes, int quanta, int responseQuanta) {
  /** {@link #xoffBytes}: the dynamic threshold of the buffer. */
  public static final long DYNAMIC = 0;

  /** {@link #headroomBytes}: as much as the port needs. */
  public static final long FITTING = -1;

  /** The longest pause. */
  public static final int MAX_QUANTA = 0xFFFF;

  /** Bits of one quantum. */
  public static final int QUANTUM_BITS = 512;

  /** Bytes of a pause frame on the wire: 64 and preamble and gap. */
  public static final int FRAME_BYTES = 84;

  private static final long MAX_BYTES = 1L << 40;
  private static final PfcSettings DEFAULTS =
      new PfcSettings(DYNAMIC, 3_000, FITTING, MAX_QUANTA, 0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public PfcSettings {
    Limits.check("xoffBytes", xoffBytes, 0, MAX_BYTES);
    Limits.check("xonOffsetBytes", xonOffsetBytes, 0, MAX_BYTES);
    Limits.check("headroomBytes", headroomBytes, FITTING, MAX_BYTES);
    Limits.check("quanta", quanta, 1, MAX_QUANTA);
    Limits.check("responseQuanta", responseQuanta, 0, MAX_QUANTA);
  }

  /**
   * Dynamic threshold, resume 3,000 bytes below it, fitting headroom, the longest pause.
   *
   * @return the default settings
   */
  public static PfcSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with a fixed threshold.
   *
   * @param bytes pause at this shared use of an ingress group
   * @return the changed copy
   */
  public PfcSettings withXoffBytes(long bytes) {
    return new PfcSettings(bytes, xonOffsetBytes, headroomBytes, quanta, responseQuanta);
  }

  /**
   * This with another resume.
   *
   * @param bytes below the threshold
   * @return the changed copy
   */
  public PfcSettings withXonOffsetBytes(long bytes) {
    return new PfcSettings(xoffBytes, bytes, headroomBytes, quanta, responseQuanta);
  }

  /**
   * This with another headroom.
   *
   * @param bytes of each ingress group, or {@link #FITTING}
   * @return the changed copy
   */
  public PfcSettings withHeadroomBytes(long bytes) {
    return new PfcSettings(xoffBytes, xonOffsetBytes, bytes, quanta, responseQuanta);
  }

  /**
   * This with another pause time.
   *
   * @param value 1 to 65535
   * @return the changed copy
   */
  public PfcSettings withQuanta(int value) {
    return new PfcSettings(xoffBytes, xonOffsetBytes, headroomBytes, value, responseQuanta);
  }

  /**
   * This with slow peers.
   *
   * @param value how long a paused port takes to stop
   * @return the changed copy
   */
  public PfcSettings withResponseQuanta(int value) {
    return new PfcSettings(xoffBytes, xonOffsetBytes, headroomBytes, quanta, value);
  }

  /**
   * What still arrives after the decision to pause: a packet that the pause frame has to wait for,
   * the frame, both ways of the cable, the switch's latency, the peer's response, and the packet
   * that the peer has begun.
   *
   * @param cable to the peer
   * @param mtuBytes largest packet on the wire
   * @param latencyNs of the switch, from the last bit in to its accounting
   * @return bytes at the rate of the cable
   */
  public long fittingHeadroomBytes(Cable cable, int mtuBytes, long latencyNs) {
    double ns = 2.0 * cable.delayNs() + latencyNs;
    long inFlight = (long) Math.ceil(cable.bitsPerSecond() / 8e9 * ns);
    return 2L * mtuBytes + FRAME_BYTES + inFlight + (long) responseQuanta * QUANTUM_BITS / 8;
  }

  /**
   * How long a pause lasts.
   *
   * @param pauseQuanta units of 512 bit times
   * @param bitsPerSecond rate of the paused port
   * @return picoseconds
   */
  public static long quantaPs(int pauseQuanta, long bitsPerSecond) {
    // A double holds every product of the usual rates exactly; a long would overflow.
    return (long) ((double) pauseQuanta * QUANTUM_BITS * 1e12 / bitsPerSecond);
  }
}
