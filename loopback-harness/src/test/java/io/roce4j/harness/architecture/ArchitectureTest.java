// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.architecture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import io.roce4j.harness.architecture.ArchitectureRules.NamedRule;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Evaluates the architecture rules on all modules, and on the fixtures made to break them. */
class ArchitectureTest {
  private static final String FIXTURE = ArchitectureTest.class.getPackageName() + ".fixture";

  private static JavaClasses ours;
  private static JavaClasses fixtures;

  @BeforeAll
  static void readClasses() {
    ours =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.roce4j");
    fixtures = new ClassFileImporter().importPackages(FIXTURE);
  }

  static List<NamedRule> rules() {
    return new ArchitectureRules("io.roce4j").all();
  }

  static List<NamedRule> rulesOfFixtures() {
    return new ArchitectureRules(FIXTURE).all();
  }

  @Test
  void classesOfEveryModuleAreSeen() {
    Set<String> modules =
        ours.stream()
            .map(c -> c.getPackageName().replaceAll("^io\\.roce4j\\.([a-z]+).*", "$1"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(
        modules.containsAll(Set.of("congestion", "harness", "transport", "wire")),
        modules::toString);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void holds(NamedRule rule) {
    rule.rule().check(ours);
  }

  @ParameterizedTest
  @MethodSource("rulesOfFixtures")
  void findsTheFixtureThatBreaksIt(NamedRule rule) {
    EvaluationResult result = rule.rule().evaluate(fixtures);
    assertTrue(result.hasViolation(), () -> rule.name() + " finds nothing to say");
    String report = result.getFailureReport().toString();
    assertTrue(report.contains("." + rule.offender()), () -> rule.offender() + " not in " + report);
  }

  @ParameterizedTest
  @MethodSource("rulesOfFixtures")
  void acceptsWhatKeepsToTheRules(NamedRule rule) {
    EvaluationResult result = rule.rule().evaluate(fixtures);
    String report = result.getFailureReport().toString();
    assertTrue(!report.contains("WellBehaved"), report);
  }
}
