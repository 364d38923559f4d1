// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.harness.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The tool as a process: answers one by one while the input is open, exit 0 at its end. */
class DutProcessTest {
  private static final int LIMIT_SECONDS = 60;

  @Test
  void answersComeOneByOneAndTheEndOfInputIsTheEnd() throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Main.class.getName(),
            "dut");
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    OutputStream in = process.getOutputStream();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      List<String> answers = new ArrayList<>();
      for (String line :
          List.of(
              "{\"id\":1,\"cmd\":\"open\",\"port\":\"control\",\"bind\":\"192.0.2.2\"}",
              "nonsense",
              "{\"id\":2,\"cmd\":\"alloc_pd\"}")) {
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
        answers.add(out.readLine().replaceAll(",\"(proto|message)\".*", ",...}"));
      }
      assertEquals(
          List.of(
              "{\"id\":1,\"ok\":true,...}",
              "{\"id\":null,\"ok\":false,\"error\":\"BAD_JSON\",...}",
              "{\"id\":2,\"ok\":true,\"pd\":1}"),
          answers);
      in.close();
      assertEquals(null, out.readLine());
      assertEquals(true, process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }
}
