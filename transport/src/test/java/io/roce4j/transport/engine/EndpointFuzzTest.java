// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.AfterAll;

/**
 * Any bytes as the doings of a hostile peer and a busy application; see {@link HostileScript}. As a
 * test it replays the corpus beside it in the resources; {@code wire/fuzz/run endpoint} lets Jazzer
 * search for new inputs.
 */
class EndpointFuzzTest {
  @AfterAll
  static void close() {
    HostileScript.close();
  }

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a script
   */
  public static void fuzzerTestOneInput(byte[] data) {
    HostileScript.play(data);
  }
}
