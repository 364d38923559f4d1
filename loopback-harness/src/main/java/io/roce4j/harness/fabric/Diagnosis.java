// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Why a fabric stands still: who waits for whom. A queue that is paused waits for the queues of its
 * peer that hold the bytes for which it was paused; a queue that nobody waits behind, because a
 * host pauses it or its cable is down, is a root. A circle of waits is a deadlock: it stays when
 * the load is gone.
 *
 * @param waits one line for each wait, from the root ports on
 * @param roots the queues at which the waiting begins, each with its reason
 * @param deadlock the queues of a circle in its order, none when there is no circle
 */
public record Diagnosis(List<String> waits, List<String> roots, List<String> deadlock) {

  /** A queue of a port. */
  private record Queue(FabricPort port, int trafficClass) {
    @Override
    public String toString() {
      return port.name() + " class " + trafficClass;
    }
  }

  /** Looks at a fabric as it stands. */
  static Diagnosis of(List<FabricPort> ports) {
    Map<Queue, List<Queue>> waitsFor = new LinkedHashMap<>();
    List<String> roots = new ArrayList<>();
    for (FabricPort port : ports) {
      for (int trafficClass = 0; trafficClass < TrafficClasses.COUNT; trafficClass++) {
        Queue queue = new Queue(port, trafficClass);
        boolean waits = port.packets(trafficClass) > 0;
        if (waits && port.isPaused(trafficClass)) {
          waitsFor.put(queue, behind(queue, roots));
        } else if (waits && port.isHeldBack()) {
          roots.add(queue + ": held back by a shaper");
        }
      }
    }
    List<String> lines = new ArrayList<>();
    waitsFor.forEach((queue, others) -> others.forEach(other -> lines.add(line(queue, other))));
    return new Diagnosis(List.copyOf(lines), List.copyOf(roots), circle(waitsFor));
  }

  private static String line(Queue queue, Queue other) {
    return queue
        + " ("
        + queue.port().packets(queue.trafficClass())
        + " packets) is paused by "
        + queue.port().peer().name
        + ", whose queue "
        + other
        + " holds its bytes";
  }

  /** The queues of the peer that hold what was sent through a paused queue. */
  private static List<Queue> behind(Queue queue, List<String> roots) {
    FabricPort port = queue.port();
    List<Queue> others = new ArrayList<>();
    if (!(port.peer() instanceof FabricSwitch peer) || peer.pauseSender() == null) {
      roots.add(queue + ": paused by " + port.peer().name + " itself");
      return others;
    }
    for (FabricPort out : peer.ports) {
      boolean holds =
          peer.pauseSender().held(port.peerPort(), out.index(), queue.trafficClass()) > 0;
      if (holds) {
        others.add(new Queue(out, queue.trafficClass()));
        if (!out.isPaused(queue.trafficClass())) {
          roots.add(new Queue(out, queue.trafficClass()) + ": busy, or slower than what comes in");
        }
      }
    }
    if (others.isEmpty()) {
      roots.add(queue + ": paused by " + peer.name + ", which holds nothing of it any more");
    }
    return others;
  }

  private static List<String> circle(Map<Queue, List<Queue>> waitsFor) {
    Set<Queue> finished = new LinkedHashSet<>();
    for (Queue start : waitsFor.keySet()) {
      List<Queue> found = search(start, waitsFor, new ArrayList<>(), finished);
      if (!found.isEmpty()) {
        return found.stream().map(Queue::toString).toList();
      }
    }
    return List.of();
  }

  private static List<Queue> search(
      Queue at, Map<Queue, List<Queue>> waitsFor, List<Queue> way, Set<Queue> finished) {
    int seen = way.indexOf(at);
    if (seen >= 0) {
      return way.subList(seen, way.size());
    }
    if (finished.contains(at)) {
      return List.of();
    }
    way.add(at);
    for (Queue next : waitsFor.getOrDefault(at, List.of())) {
      List<Queue> found = search(next, waitsFor, way, finished);
      if (!found.isEmpty()) {
        return found;
      }
    }
    way.removeLast();
    finished.add(at);
    return List.of();
  }

  /**
   * Whether there is a circle of waits.
   *
   * @return true for a deadlock
   */
  public boolean isDeadlock() {
    return !deadlock.isEmpty();
  }

  /**
   * The diagnosis for people.
   *
   * @return lines: the circle or the roots, then the waits
   */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (isDeadlock()) {
      lines.add("deadlock: " + String.join(" waits for ", deadlock) + " waits for the first");
    }
    roots.stream().distinct().forEach(root -> lines.add("root: " + root));
    lines.addAll(waits);
    if (lines.isEmpty()) {
      lines.add("no queue is paused: the endpoints wait for time-outs or have nothing to send");
    }
    return lines;
  }
}
