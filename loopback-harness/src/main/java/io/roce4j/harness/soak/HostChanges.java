// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.host.HostCounters;
import io.roce4j.harness.host.HostCounters.Change;
import io.roce4j.transport.port.LocalInterface;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The drop and error counters of this host before and after a run. They count for the whole host:
 * other traffic moves them too.
 *
 * @param changes counter by counter, empty where the system has none
 */
record HostChanges(List<Change> changes) {
  /** Reads the counters when made, and again when the run is over. */
  static final class Reading {
    private final Set<String> interfaces;
    private final HostCounters before;

    /** Reads them, for the interfaces of these addresses. */
    Reading(InetAddress... addresses) {
      interfaces =
          Arrays.stream(addresses)
              .map(address -> LocalInterface.of(address).name())
              .collect(Collectors.toCollection(TreeSet::new));
      before = HostCounters.read(interfaces);
    }

    HostChanges end() {
      return new HostChanges(HostCounters.read(interfaces).since(before));
    }
  }

  /** One line: what moved, or that nothing did. */
  void print(PrintWriter out) {
    if (changes.isEmpty()) {
      return;
    }
    String groups =
        changes.stream().map(Change::group).distinct().collect(Collectors.joining(", "));
    String moved =
        changes.stream()
            .filter(change -> change.moved() != 0)
            .map(
                change ->
                    String.format(
                        Locale.ROOT,
                        "%s %s +%,d (%,d to %,d)",
                        change.group(),
                        change.name(),
                        change.moved(),
                        change.before(),
                        change.after()))
            .collect(Collectors.joining(", "));
    out.println(
        "  drops and errors counted by this host: "
            + (moved.isEmpty() ? "none (" + groups + ")" : moved));
  }

  /** Everything, before and after. */
  void addTo(ObjectNode run) {
    if (changes.isEmpty()) {
      return;
    }
    ObjectNode host = run.putObject("hostCounters");
    for (Change change : changes) {
      ObjectNode value = host.withObjectProperty(change.group()).putObject(change.name());
      value.put("before", change.before());
      value.put("after", change.after());
    }
  }
}
