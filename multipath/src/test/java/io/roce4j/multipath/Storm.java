// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Weather drawn from a seed: every path has its own delay and jitter, packets of every kind are
 * lost, doubled and marked, single source ports swallow everything for a while. Ends on demand. It
 * also watches what leaves: transmission numbers of a path never repeat and never skip.
 */
final class Storm extends Weather {
  private final SplittableRandom random;
  private final double[] loss = new double[4];
  private final double twin;
  private final double mark;
  private final double reorder;
  private final long jitterNs;
  private final long[] pathNs = new long[256];
  private final int deadBuckets;
  private final int bucketSalt;
  private final boolean deadForward;
  private final boolean deadBackward;
  private final Map<Integer, Integer> lastPseq = new HashMap<>();
  private final Map<Integer, Long> lastArrival = new HashMap<>();
  private boolean over;
  String violation;

  Storm(SplittableRandom random, long baseNs) {
    super(baseNs);
    this.random = random;
    double worst = random.nextInt(4) == 0 ? 0.5 : 0.15;
    for (int i = 0; i < loss.length; i++) {
      loss[i] = random.nextInt(3) == 0 ? 0 : random.nextDouble() * worst;
    }
    this.twin = random.nextInt(3) == 0 ? random.nextDouble() * 0.1 : 0;
    this.mark = random.nextInt(3) == 0 ? random.nextDouble() * 0.2 : 0;
    this.reorder = random.nextInt(4) == 0 ? random.nextDouble() * 0.05 : 0;
    this.jitterNs = random.nextInt(3) == 0 ? baseNs / 2 : 0;
    for (int i = 0; i < pathNs.length; i++) {
      pathNs[i] = baseNs + (random.nextBoolean() ? (long) (random.nextDouble() * 9 * baseNs) : 0);
    }
    this.deadBuckets = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0;
    this.bucketSalt = random.nextInt();
    this.deadForward = random.nextBoolean();
    this.deadBackward = !deadForward || random.nextBoolean();
  }

  /** Everything arrives from now on, except through what is dead for good. */
  void end() {
    over = true;
  }

  private int kind(Packet packet) {
    return packet.isNumbered() ? 0 : packet.isSack() ? 1 : packet.isControl() ? 3 : 2;
  }

  private boolean isDead(Packet packet) {
    if (over || deadBuckets == 0 || (packet.from == 0 ? !deadForward : !deadBackward)) {
      return false;
    }
    int hash = (packet.slot * 31 + bucketSalt) * 0x9E3779B1;
    return (hash >>> 8) % 8 < deadBuckets;
  }

  private void watch(Packet packet) {
    if (!packet.isNumbered()) {
      return;
    }
    int half = Mxth.tflags(packet.bytes, Bth.LENGTH) & Mxth.RESPONSE_HALF;
    int key = packet.from << 16 | half << 8 | packet.path();
    Integer last = lastPseq.put(key, packet.pseq());
    if (packet.pseq() != (last == null ? 0 : last + 1)) {
      violation = "path " + key + ": pseq " + packet.pseq() + " after " + last;
    }
  }

  @Override
  int fate(Packet packet) {
    watch(packet);
    if (over) {
      return PASS;
    }
    if (isDead(packet) || random.nextDouble() < loss[kind(packet)]) {
      return DROP;
    }
    return (random.nextDouble() < twin ? TWIN : 0) | (random.nextDouble() < mark ? MARK : 0);
  }

  @Override
  long delayNs(Packet packet) {
    long delay = packet.isControl() ? super.delayNs(packet) : pathNs[packet.path()];
    if (jitterNs > 0) {
      delay += random.nextLong(jitterNs);
    }
    if (!over && random.nextDouble() < reorder) {
      return delay + random.nextLong(4 * super.delayNs(packet));
    }
    // Jitter alone keeps the order within a path and class.
    int key =
        packet.from << 20 | (packet.isNumbered() || packet.isProbe() ? 1 : 0) << 16 | packet.slot;
    long arrival = Math.max(packet.sentNs + delay, lastArrival.getOrDefault(key, 0L));
    lastArrival.put(key, arrival);
    return arrival - packet.sentNs;
  }
}
