// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.sim.Timeline;
import java.util.SplittableRandom;

/**
 * What goes wrong in a fabric and when: each call puts one fault on the timeline. Times are virtual
 * and must not have passed; an end of {@link #NEVER} is none. Cables are named by one of their
 * ports, such as {@code leaf0>spine1}; unknown names are refused at once.
 */
public final class FabricFaults {
  /** An end that does not come. */
  public static final long NEVER = Long.MAX_VALUE;

  private final Fabric fabric;

  FabricFaults(Fabric fabric) {
    this.fabric = fabric;
  }

  private void at(long ns, Runnable change) {
    if (ns != NEVER) {
      long ps = Math.multiplyExact(ns, Timeline.PS_PER_NS);
      fabric.timeline().schedule(ps, (kind, argument) -> change.run(), 0, 0);
    }
  }

  private static void checkOrder(String what, long fromNs, long untilNs) {
    if (fromNs < 0 || untilNs <= fromNs) {
      throw new IllegalArgumentException(
          what + " from " + fromNs + " ns until " + untilNs + " ns: must end after it begins");
    }
  }

  /**
   * A cable is down, both directions: what is on it and in its queues is lost.
   *
   * @param port one direction of the cable
   * @param fromNs when it goes down
   * @param untilNs when it comes up
   * @return this
   */
  public FabricFaults down(String port, long fromNs, long untilNs) {
    checkOrder("cable " + port + " down", fromNs, untilNs);
    fabric.port(port);
    at(fromNs, () -> fabric.setCableUp(port, false));
    at(untilNs, () -> fabric.setCableUp(port, true));
    return this;
  }

  /**
   * A cable goes down and up again and again, with exponential times.
   *
   * @param port one direction of the cable
   * @param meanUpNs mean time between failures, 1 or more
   * @param meanDownNs mean time to repair, 1 or more
   * @param carrierNs how long it stays down after each repair, until both ends agree, 0 or more
   * @param fromNs when the first time up begins
   * @param untilNs from when on it is up for good, not {@link #NEVER}
   * @return this
   */
  public FabricFaults flap(
      String port, long meanUpNs, long meanDownNs, long carrierNs, long fromNs, long untilNs) {
    checkOrder("cable " + port + " flapping", fromNs, untilNs);
    if (meanUpNs < 1 || meanDownNs < 1 || carrierNs < 0 || untilNs == NEVER) {
      throw new IllegalArgumentException(
          "flapping of "
              + port
              + ": meanUpNs "
              + meanUpNs
              + " and meanDownNs "
              + meanDownNs
              + " must be at least 1, carrierNs "
              + carrierNs
              + " at least 0, and there must be an end");
    }
    SplittableRandom random = fabric.streams().stream("flap." + port);
    long nowNs = fromNs + exponential(random, meanUpNs);
    while (nowNs < untilNs) {
      long upNs = Math.min(untilNs, nowNs + exponential(random, meanDownNs) + carrierNs);
      down(port, nowNs, upNs);
      nowNs = upNs + exponential(random, meanUpNs);
    }
    return this;
  }

  private static long exponential(SplittableRandom random, long meanNs) {
    return 1 + (long) (-StrictMath.log(1 - random.nextDouble()) * meanNs);
  }

  /**
   * A cable gets another rate or delay, both directions.
   *
   * @param port one direction of the cable
   * @param atNs when
   * @param cable the new rate and delay
   * @return this
   */
  public FabricFaults cable(String port, long atNs, Cable cable) {
    fabric.port(port);
    at(atNs, () -> fabric.setCable(port, cable));
    return this;
  }

  /**
   * One direction of a cable is impaired: loss, corruption, black hole, jitter and the rest.
   *
   * @param port the direction
   * @param impairment what happens to packets sent from then on
   * @param fromNs when it begins
   * @param untilNs when it ends
   * @return this
   */
  public FabricFaults impair(String port, PortImpairment impairment, long fromNs, long untilNs) {
    checkOrder("impairment of " + port, fromNs, untilNs);
    fabric.port(port);
    at(fromNs, () -> fabric.impair(port, impairment));
    at(untilNs, () -> fabric.impair(port, PortImpairment.none()));
    return this;
  }

  /**
   * A switch is off: all its cables are down.
   *
   * @param name of the switch
   * @param fromNs when it goes off
   * @param untilNs when it is back
   * @return this
   */
  public FabricFaults switchOff(String name, long fromNs, long untilNs) {
    checkOrder("switch " + name + " off", fromNs, untilNs);
    for (FabricPort port : fabric.switchOf(name).ports) {
      down(port.name(), fromNs, untilNs);
    }
    return this;
  }

  /**
   * A switch is up and swallows every packet.
   *
   * @param name of the switch
   * @param fromNs when it begins
   * @param untilNs when it ends
   * @return this
   */
  public FabricFaults blackHole(String name, long fromNs, long untilNs) {
    checkOrder("black hole " + name, fromNs, untilNs);
    FabricSwitch hole = fabric.switchOf(name);
    at(fromNs, () -> hole.setBlackHole(true));
    at(untilNs, () -> hole.setBlackHole(false));
    return this;
  }

  /**
   * A host takes no packets: they are lost at its NIC.
   *
   * @param host its number
   * @param fromNs when it begins
   * @param untilNs when it ends
   * @return this
   */
  public FabricFaults stall(int host, long fromNs, long untilNs) {
    checkOrder("stall of host " + host, fromNs, untilNs);
    FabricHost stalled = fabric.host(host);
    at(fromNs, () -> stalled.setStalled(true));
    at(untilNs, () -> stalled.setStalled(false));
    return this;
  }

  /**
   * A broken host sends pause frames again and again, in all planes, until its NIC's watchdog ends
   * that or somebody repairs it.
   *
   * @param host its number
   * @param classes bit for each class it pauses, 1 to 255
   * @param quanta of each frame, 1 to 65535
   * @param everyNs time between frames, 1 or more
   * @param fromNs when it begins
   * @param untilNs when it ends
   * @return this
   */
  public FabricFaults pauseStorm(
      int host, int classes, int quanta, long everyNs, long fromNs, long untilNs) {
    checkOrder("pause storm of host " + host, fromNs, untilNs);
    if (classes < 1 || classes > 0xFF || quanta < 1 || quanta > 0xFFFF || everyNs < 1) {
      throw new IllegalArgumentException(
          "pause storm of host "
              + host
              + ": classes "
              + classes
              + " allowed 1 to 255, quanta "
              + quanta
              + " allowed 1 to 65535, everyNs "
              + everyNs
              + " at least 1");
    }
    FabricHost broken = fabric.host(host);
    at(fromNs, () -> broken.storm(classes, quanta, everyNs, untilNs));
    return this;
  }
}
