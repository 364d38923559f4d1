// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.random.SeededStreams;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** {@code mx-permutation}: every host sends to one other host over a leaf-spine, hashed paths. */
final class PermutationLab implements MxLab {
  private static final int HOSTS_A_LEAF = 8;
  private static final int MESSAGE = 2 << 20;
  private static final int PATHS = 32;
  private static final long BASE_RTT_NS = 10_000;

  @Override
  public String name() {
    return "mx-permutation";
  }

  @Override
  public String about() {
    return "A permutation of 2 MiB messages on a non-blocking leaf-spine, start-up included.";
  }

  @Override
  public String setting() {
    return "8x8 leaf-spine, 64 hosts, 100 Gbit/s, base RTT 10 us, marks from 100 kB, "
        + PATHS
        + " hashed paths mx-fair; payload over line rate";
  }

  @Override
  public List<LabCase> run(LabSize size, Consumer<LabCase> done) {
    int leaves = size.scaled(8, 2);
    double[] sums = new double[3];
    double[] single = new double[2];
    for (int i = 0; i < size.seeds(); i++) {
      FabricRun.Result many = run(leaves, PATHS, size.firstSeed() + i);
      sums[0] += many.mean() / FabricRun.LINE / size.seeds();
      sums[1] += many.least() / FabricRun.LINE / size.seeds();
      sums[2] += many.jain() / size.seeds();
      FabricRun.Result one = run(leaves, 1, size.firstSeed() + i);
      single[0] += one.mean() / FabricRun.LINE / size.seeds();
      single[1] += one.least() / FabricRun.LINE / size.seeds();
    }
    List<LabCase> cases = new ArrayList<>();
    cases.add(
        LabCase.atLeast(
            "mean of the flows", sums[0], 0.85, 0.91, "1 path " + LabCase.number(single[0])));
    cases.add(
        LabCase.atLeast(
            "slowest flow", sums[1], 0.75, 0.85, "1 path " + LabCase.number(single[1])));
    cases.add(LabCase.atLeast("Jain's index", sums[2], 0.99, 0.999, ""));
    cases.forEach(done);
    return cases;
  }

  private static FabricRun.Result run(int leaves, int paths, long seed) {
    // 5 ns a metre: with two hops of cable each way and store and forward about 10 us there and
    // back.
    Cable cable = new Cable(FabricRun.LINE, 750);
    FabricRun fabric =
        new FabricRun(
            Topologies.leafSpine(leaves, HOSTS_A_LEAF, HOSTS_A_LEAF, cable, cable),
            FabricRun.marking(),
            FabricRun.virtualTime(paths),
            "mx-fair",
            BASE_RTT_NS);
    int hosts = leaves * HOSTS_A_LEAF;
    int[] to = permutation(hosts, new SeededStreams(seed).stream("permutation"));
    return fabric.run(
        seed,
        MESSAGE,
        (traffic, connection) -> {
          for (int host = 0; host < hosts; host++) {
            traffic.add(host, to[host], FabricRun.plan(MESSAGE, 1, 1, connection));
          }
        });
  }

  /** A random cycle through all hosts: nobody sends to itself. */
  static int[] permutation(int hosts, SplittableRandom random) {
    int[] order = new int[hosts];
    for (int i = 0; i < hosts; i++) {
      int j = random.nextInt(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    int[] to = new int[hosts];
    for (int i = 0; i < hosts; i++) {
      to[order[i]] = order[(i + 1) % hosts];
    }
    return to;
  }
}
