// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionParameter;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.FairShareParameters;
import io.roce4j.congestion.PathUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds the congestion guide to the code: its tables list what the controllers take. */
class CongestionGuideTest {

  private static final Path GUIDE = Path.of("").toAbsolutePath().resolve("CONGESTION.md");
  private static final CongestionSettings REFERENCE =
      CongestionSettings.of(100_000_000_000L, 4096, 10_000);

  private static String guide;

  @BeforeAll
  static void read() throws IOException {
    guide = Files.readString(GUIDE);
  }

  /** The table of a parameter list as the guide has to show it. */
  private static String table(List<CongestionParameter> parameters) {
    StringBuilder table = new StringBuilder();
    table.append("| parameter | default | values | meaning | source |\n");
    table.append("| --- | --- | --- | --- | --- |\n");
    for (CongestionParameter p : parameters) {
      String values =
          p.choices().isEmpty()
              ? p.format(p.minimum()) + " to " + p.format(p.maximum())
              : String.join(", ", p.choices());
      table.append(
          "| `%s` | %s | %s | %s | %s |\n"
              .formatted(
                  p.name(), p.format(REFERENCE.value(p)), values, p.description(), p.source()));
    }
    return table.toString();
  }

  @Test
  void theGuideListsEveryParameterOfEveryController() {
    StringBuilder missing = new StringBuilder();
    for (String name : CongestionControllers.names()) {
      List<CongestionParameter> parameters = CongestionControllers.provider(name).parameters();
      if (!guide.contains("`" + name + "`")) {
        missing.append("no word of ").append(name).append('\n');
      }
      if (!parameters.isEmpty() && !name.equals("dctcp") && !guide.contains(table(parameters))) {
        missing.append("### `").append(name).append("`\n").append(table(parameters));
      }
    }
    if (!guide.contains(table(FairShareParameters.all()))) {
      missing.append(table(FairShareParameters.all()));
    }
    assertEquals("", missing.toString());
  }

  @Test
  void theExampleIsFoundByNameAndTakesItsParameter() {
    CongestionController dctcp = CongestionControllers.create("dctcp", REFERENCE.with("g=1/4"));
    assertEquals(125_000, dctcp.windowBytes());
    assertTrue(
        assertThrows(
                IllegalArgumentException.class,
                () -> CongestionControllers.create("dctcp", REFERENCE.with("g=2")))
            .getMessage()
            .startsWith("g=2: must be from"));
    assertEquals(
        125_000,
        CongestionControllers.createMultipath("dctcp", REFERENCE, 8, 1, PathUse.CONNECTION_WISE)
            .windowBytes());
  }

  /** alpha moves to the marked part with gain g, and a round with marks cuts by half of alpha. */
  @Test
  void theExampleFollowsDctcpsRule() {
    CongestionController dctcp = CongestionControllers.create("dctcp", REFERENCE.with("g=1/4"));
    dctcp.onAck(0, 4096, 1, 0, 10_000, 10_000, 0, false);
    dctcp.onAck(10_000, 4096, 1, 1, 10_000, 10_000, 0, false);
    double alpha = 1 + 0.25 * (0.5 - 1);
    double window = 125_000 * (1 - alpha / 2);
    assertEquals((long) window, dctcp.windowBytes());
    dctcp.onAck(20_000, 4096, 1, 0, 10_000, 10_000, 0, false);
    window += 4096;
    assertEquals((long) window, dctcp.windowBytes());
    dctcp.onLoss(25_000, 4096, 0);
    dctcp.onAck(30_000, 4096, 1, 0, 10_000, 10_000, 0, false);
    assertEquals((long) (window / 2), dctcp.windowBytes());
    dctcp.onPto(40_000);
    assertEquals(8192, dctcp.windowBytes());
  }
}
