// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import io.roce4j.harness.lab.report.LabTable;
import io.roce4j.harness.lab.report.SchemeSummary;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.ScenarioReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * All congestion controllers side by side on the same seeds: 2, 8 and 32 flows without end into one
 * host, and 8, 32 and 64 hosts that write to one at once. Each case is a scenario of its own, made
 * from one of two shipped texts.
 */
final class ControllersLab {
  static final String NAME = "controllers";
  static final String ABOUT =
      "All congestion controllers side by side: 2, 8 and 32 flows, and incasts of 8, 32 and 64.";

  private static final String FLOWS = "controllers/flows";
  private static final String INCAST = "controllers/incast";

  /**
   * One case.
   *
   * @param title for people
   * @param scenario of this case
   */
  record Case(String title, Scenario scenario) {
    private Case with(Scenario other) {
      return new Case(title, other);
    }
  }

  private final List<Case> cases;

  private ControllersLab(List<Case> cases) {
    this.cases = List.copyOf(cases);
  }

  static ControllersLab all() {
    List<Case> cases = new ArrayList<>();
    for (int senders : new int[] {2, 8, 32}) {
      cases.add(new Case(senders + " flows", scenario(FLOWS, senders)));
    }
    for (int senders : new int[] {8, 32, 64}) {
      cases.add(new Case("Incast of " + senders, scenario(INCAST, senders)));
    }
    return new ControllersLab(cases);
  }

  private static Scenario scenario(String text, int senders) {
    String filled =
        ShippedLabs.text(text + ".yaml")
            .replace("@N@", Integer.toString(senders))
            .replace("@HOSTS@", Integer.toString(senders + 1))
            .replace("@FAIR@", String.format(Locale.ROOT, "%.4f", 1.0 / (senders + 1)));
    return ScenarioReader.read(NAME, filled);
  }

  ControllersLab withSeeds(int seeds) {
    return new ControllersLab(
        cases.stream().map(each -> each.with(each.scenario().withSeeds(seeds))).toList());
  }

  /** With some of the controllers only; the names must be known. */
  ControllersLab only(List<String> schemes) {
    return new ControllersLab(
        cases.stream()
            .map(
                each ->
                    each.with(
                        each.scenario()
                            .withSchemes(
                                each.scenario().schemes().stream()
                                    .filter(scheme -> schemes.contains(scheme.name()))
                                    .toList())))
            .toList());
  }

  List<Case> cases() {
    return cases;
  }

  /** What a page says of all cases: seeds, parameters, and a table each. */
  static String page(List<Case> cases, List<List<SchemeSummary>> results, long seed) {
    StringBuilder text = new StringBuilder();
    text.append("Means over ").append(cases.get(0).scenario().seeds()).append(" seeds from ");
    text.append(seed).append(".\n");
    for (int i = 0; i < cases.size(); i++) {
      Case each = cases.get(i);
      text.append("\n## ").append(each.title()).append("\n\n");
      text.append(each.scenario().topology()).append("; ");
      text.append(each.scenario().about().strip()).append("\n\n");
      text.append(LabTable.markdown(results.get(i)));
      String parameters = parameters(each.scenario());
      if (!parameters.isEmpty()) {
        text.append("\nNot at their defaults: ").append(parameters).append(".\n");
      }
    }
    return text.toString();
  }

  private static String parameters(Scenario scenario) {
    return scenario.schemes().stream()
        .filter(scheme -> !scheme.congestionParameters().isEmpty())
        .map(scheme -> scheme.name() + " " + sorted(scheme.congestionParameters()))
        .collect(Collectors.joining(", "));
  }

  private static String sorted(Map<String, String> parameters) {
    return new TreeMap<>(parameters)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
  }
}
