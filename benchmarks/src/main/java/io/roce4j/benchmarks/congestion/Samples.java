// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.benchmarks.congestion;

import java.util.SplittableRandom;
import java.util.zip.CRC32;

/** What the benchmarks feed to controllers, drawn before, and the yardstick beside them. */
final class Samples {
  /** Events of one invocation. */
  static final int EVENTS = 1024;

  /** Link of the controllers, bit/s. */
  static final long LINK = 100_000_000_000L;

  /** Payload of a packet and its round trip without queue. */
  static final int MTU = 4096;

  static final long BASE_RTT_NS = 10_000;

  /** A packet's time on the link, ns. */
  static final long GAP_NS = 331;

  /** One event in so many carries a mark. */
  static final int MARK_EVERY = 32;

  private static final int YARDSTICK_BYTES = 64;

  /** Round trip times on both sides of all thresholds. */
  final long[] rttNs = new long[EVENTS];

  private final byte[] bytes = new byte[EVENTS + YARDSTICK_BYTES];
  private final CRC32 crc = new CRC32();

  Samples() {
    SplittableRandom random = new SplittableRandom(1);
    double queueNs = 0;
    for (int i = 0; i < EVENTS; i++) {
      queueNs = Math.min(600_000, Math.max(0, queueNs + random.nextDouble(-20_000, 20_500)));
      rttNs[i] = BASE_RTT_NS + (long) queueNs;
    }
    random.nextBytes(bytes);
  }

  /** The yardstick: as many checksums as there are events. */
  long crc32Of64Bytes() {
    long sum = 0;
    for (int i = 0; i < EVENTS; i++) {
      crc.reset();
      crc.update(bytes, i, YARDSTICK_BYTES);
      sum += crc.getValue();
    }
    return sum;
  }
}
