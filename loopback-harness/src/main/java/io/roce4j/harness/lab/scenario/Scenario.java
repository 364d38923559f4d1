// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.Topology;
import java.util.List;

/**
 * What a lab runs: one fabric, one traffic, several schemes side by side on the same seeds.
 *
 * @param name of the lab
 * @param about what it shows, one or more sentences
 * @param topology hosts, switches and cables
 * @param traffic who sends what to whom
 * @param payload whether packets carry it
 * @param schemes what is compared, 1 or more
 * @param faults what goes wrong and when
 * @param limitNs virtual time at which a run is given up
 * @param standstillNs how long no message may complete before a run is given up as stuck
 * @param seeds runs of each scheme, 1 or more
 * @param samples what is recorded over time
 * @param claims what the run must show
 */
public record Scenario(
    String name,
    String about,
    Topology topology,
    TrafficPlan traffic,
    Payload payload,
    List<Scheme> schemes,
    List<Fault> faults,
    long limitNs,
    long standstillNs,
    int seeds,
    SamplePlan samples,
    List<Claim> claims) {
  /** What packets carry behind their headers. */
  public enum Payload {
    /** All bytes. */
    CARRIED,
    /** Where they stand in the pattern of all messages; the ICRC is still that of all bytes. */
    PATTERN
  }

  /** Copies the lists. */
  public Scenario {
    schemes = List.copyOf(schemes);
    faults = List.copyOf(faults);
    claims = List.copyOf(claims);
  }

  /**
   * This with other schemes.
   *
   * @param others 1 or more
   * @return the changed copy
   */
  public Scenario withSchemes(List<Scheme> others) {
    return new Scenario(
        name,
        about,
        topology,
        traffic,
        payload,
        others,
        faults,
        limitNs,
        standstillNs,
        seeds,
        samples,
        claims);
  }

  /**
   * This without claims, for schemes that are not those they are about.
   *
   * @return the changed copy
   */
  public Scenario withoutClaims() {
    return new Scenario(
        name,
        about,
        topology,
        traffic,
        payload,
        schemes,
        faults,
        limitNs,
        standstillNs,
        seeds,
        samples,
        List.of());
  }

  /**
   * This with another number of runs.
   *
   * @param count runs of each scheme, 1 or more
   * @return the changed copy
   */
  public Scenario withSeeds(int count) {
    return new Scenario(
        name,
        about,
        topology,
        traffic,
        payload,
        schemes,
        faults,
        limitNs,
        standstillNs,
        count,
        samples,
        claims);
  }

  /**
   * The rate of a host's line: of the first host's cables, all planes together.
   *
   * @return bits per second
   */
  public long hostBitsPerSecond() {
    return hostBitsPerSecond(topology);
  }

  static long hostBitsPerSecond(Topology topology) {
    for (Topology.Link link : topology.links()) {
      if (Math.min(link.from(), link.to()) == 0) {
        return link.cable().bitsPerSecond() * topology.planes();
      }
    }
    throw new IllegalStateException("a topology has a cable to each host");
  }
}
