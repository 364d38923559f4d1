// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index sees what is missing. That nothing is: {@link DocumentationTest}. */
class RequirementIndexTest {
  @Test
  void gapsAreSeen(@TempDir Path folder) throws IOException {
    Path main = folder.resolve("Engine.java");
    Files.writeString(
        main,
        """
        /** Does [rc 1-3]. */
        class Engine {
          int field; // [rc 1-1]

          /** Also [rc
           * 1-2]. */
          void act() {}

          void other() {
            // [rc 9-9] [rc 1]
          }
        }
        """);
    Path test = folder.resolve("EngineTest.java");
    Files.writeString(
        test,
        """
        class EngineTest {
          // [rc 1-1..2] [FC-17]
          @Test
          void acts() {}

          // [rc 1-3]
          void helps() {}
        }
        """);
    RequirementIndex index = new RequirementIndex();
    index.addRules(
        List.of(
            "# remark", "## 1 States", "1-1\ta", "1-2\tb", "1-3\tc", "1-4\td", "1-5\te\tbecause"));
    index.addMarks(RequirementMarks.of(List.of(main)), true);
    index.addMarks(RequirementMarks.of(List.of(test)), false);
    assertEquals(
        List.of(
            "no rule 9-9, which Engine.other names",
            "1-3 stands in EngineTest.helps, which is no test method",
            "no test of 1-3: c",
            "no test of 1-4: d",
            "no code for 1-4: d",
            "1 exceptions of 5 rules"),
        index.faults());
    assertTrue(index.page().contains("| 1-1 | a | Engine.field | EngineTest.acts |"), index::page);
    assertTrue(index.page().contains("| 1-2 | b | Engine.act | EngineTest.acts |"), index::page);
    assertTrue(index.page().contains("| 1-3 | c | Engine | "), index::page);
    assertTrue(index.page().contains("| 1-5 | e | not here: because | |"), index::page);
  }
}
