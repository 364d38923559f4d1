// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.List;

/** How much later than the propagation says a packet arrives. */
public sealed interface JitterModel {
  /**
   * Always the same, 0 for none.
   *
   * @param ns 0 or more
   */
  record Constant(long ns) implements JitterModel {
    /** Checks the range. */
    public Constant {
      Limits.check("delay ns", ns, 0, MAX_NS);
    }
  }

  /**
   * Uniform between two bounds.
   *
   * @param leastNs 0 or more
   * @param mostNs not below leastNs
   */
  record Uniform(long leastNs, long mostNs) implements JitterModel {
    /** Checks the ranges. */
    public Uniform {
      Limits.check("leastNs", leastNs, 0, MAX_NS);
      Limits.check("mostNs", mostNs, leastNs, MAX_NS);
    }
  }

  /**
   * Normal, cut at 0.
   *
   * @param meanNs 0 or more
   * @param sigmaNs 0 or more
   */
  record Normal(double meanNs, double sigmaNs) implements JitterModel {
    /** Checks the ranges. */
    public Normal {
      Limits.check("meanNs", meanNs, 0, MAX_NS);
      Limits.check("sigmaNs", sigmaNs, 0, MAX_NS);
    }
  }

  /**
   * Pareto: mostly near the scale, now and then very long; cut at a second.
   *
   * @param scaleNs the least, above 0
   * @param shape above 0; below 2 the variance has no bound
   */
  record Pareto(double scaleNs, double shape) implements JitterModel {
    /** Checks the ranges. */
    public Pareto {
      Limits.check("scaleNs", scaleNs, Double.MIN_VALUE, MAX_NS);
      Limits.check("shape", shape, 0.01, 1_000);
    }
  }

  /**
   * Drawn from measured values, each as likely as another.
   *
   * @param samplesNs 1 or more values, 0 or more each
   */
  record Measured(List<Long> samplesNs) implements JitterModel {
    /** Checks the ranges. */
    public Measured {
      samplesNs = List.copyOf(samplesNs);
      Limits.check("samples", samplesNs.size(), 1, 1 << 24);
      for (long sample : samplesNs) {
        Limits.check("sample ns", sample, 0, MAX_NS);
      }
    }
  }

  /** The longest delay, ns. */
  long MAX_NS = 1_000_000_000;

  /** No delay. */
  JitterModel NONE = new Constant(0);
}
