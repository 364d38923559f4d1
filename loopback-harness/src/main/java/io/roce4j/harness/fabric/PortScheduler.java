// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;

/**
 * Which class a port serves next: strict classes first, the higher number before the lower, then
 * the others by deficit round robin (Shreedhar and Varghese 1995); shapers hold a class back.
 */
final class PortScheduler {
  static final int NOTHING = -1;

  private static final int CLASSES = TrafficClasses.COUNT;
  private static final int QUANTUM_BYTES = 4_400;
  private static final double PS_PER_SECOND = 1e12;

  private final int strictMask;
  private final int shapedMask;
  private final int[] quanta = new int[CLASSES];
  private final double[] psPerByte = new double[CLASSES];
  private final long[] deficits = new long[CLASSES];
  private final long[] notBeforePs = new long[CLASSES];
  private int current;

  PortScheduler(TrafficClasses classes) {
    int strict = 0;
    int shaped = 0;
    for (int number = 0; number < CLASSES; number++) {
      TrafficClass served = classes.get(number);
      strict |= served.isStrict() ? 1 << number : 0;
      quanta[number] = served.weight() * QUANTUM_BYTES;
      if (served.maxBytesPerSecond() > 0) {
        shaped |= 1 << number;
        psPerByte[number] = PS_PER_SECOND / served.maxBytesPerSecond();
      }
    }
    strictMask = strict;
    shapedMask = shaped;
  }

  /**
   * Chooses a class and takes the bytes of its first packet into account.
   *
   * @param backlog bit for each class in which packets wait
   * @param ready those of them that may be sent
   * @return a class, or {@link #NOTHING} when all that wait are held back
   */
  int pick(int backlog, int ready, PortQueues queues, FabricCore core) {
    if (ready == 0) {
      return NOTHING;
    }
    int strict = ready & strictMask;
    int chosen;
    if (strict != 0) {
      chosen = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(strict);
    } else if ((backlog & (backlog - 1)) == 0) {
      chosen = Integer.numberOfTrailingZeros(ready);
      deficits[chosen] = 0;
    } else {
      chosen = roundRobin(ready, queues, core);
    }
    if ((shapedMask >>> chosen & 1) != 0) {
      long busyPs = (long) Math.ceil(core.facts.wireBytes(queues.head(chosen)) * psPerByte[chosen]);
      notBeforePs[chosen] = Math.max(core.timeline.nowPs(), notBeforePs[chosen]) + busyPs;
    }
    return chosen;
  }

  /** Those of some classes that no shaper holds back. */
  int unshaped(int backlog, long nowPs) {
    int ready = backlog;
    for (int rest = backlog & shapedMask; rest != 0; rest &= rest - 1) {
      int number = Integer.numberOfTrailingZeros(rest);
      if (notBeforePs[number] > nowPs) {
        ready &= ~(1 << number);
      }
    }
    return ready;
  }

  private int roundRobin(int ready, PortQueues queues, FabricCore core) {
    while (true) {
      if ((ready >>> current & 1) != 0) {
        int wireBytes = core.facts.wireBytes(queues.head(current));
        if (deficits[current] >= wireBytes) {
          deficits[current] -= wireBytes;
          return current;
        }
      } else {
        deficits[current] = 0; // Who does not wait saves nothing up.
      }
      current = (current + 1) % CLASSES;
      deficits[current] += quanta[current];
    }
  }

  /** When a shaper lets a class go on; 0 when none holds it back. */
  long notBeforePs(int trafficClass) {
    return notBeforePs[trafficClass];
  }
}
