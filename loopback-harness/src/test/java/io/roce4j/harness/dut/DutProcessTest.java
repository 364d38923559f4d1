// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.Main;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.packet.WireFault;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tool as a process: answers one by one while the input is open, exit 0 at its end. */
class DutProcessTest {
  private static final int LIMIT_SECONDS = 60;

  private static Process start(List<String> jvmOptions, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(
        List.of(
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Main.class.getName(),
            "dut"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** The memory does not hold the largest lines: each has its answer, and so has what follows. */
  @Test
  void linesThatMemoryIsTooShortForAreAnsweredAndTheEndIsSeen()
      throws IOException, InterruptedException {
    Process process = start(List.of("-Xmx40m", "-XX:+UseSerialGC"));
    byte[] large = new byte[16 << 20];
    Arrays.fill(large, (byte) ' ');
    large[large.length - 1] = '\n';
    OutputStream in = process.getOutputStream();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (int round = 0; round < 3; round++) {
        in.write(large);
        in.write("{\"id\":2,\"cmd\":\"nope\"}\n".getBytes(StandardCharsets.UTF_8));
        in.flush();
        String first = out.readLine();
        assertTrue(first.startsWith("{\"id\":null,\"ok\":false,\"error\":\"ENOMEM\""), first);
        String second = out.readLine();
        assertTrue(second.startsWith("{\"id\":2,\"ok\":false,\"error\":\"UNKNOWN"), second);
      }
      in.close();
      assertEquals(null, out.readLine());
      assertEquals(true, process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void answersComeOneByOneAndTheEndOfInputIsTheEnd(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path capture = folder.resolve("dut.pcap");
    Process process = start(List.of(), "--pcap", capture.toString());
    OutputStream in = process.getOutputStream();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      List<String> answers = new ArrayList<>();
      for (String line :
          List.of(
              "{\"id\":1,\"cmd\":\"open\",\"port\":\"control\",\"bind\":\"192.0.2.2\"}",
              "nonsense",
              // [FC-01] A good packet for a queue pair that is not there.
              "{\"id\":3,\"cmd\":\"inject\",\"frames\":[\"45020030000040004011b6b7c0000201"
                  + "c0000202c00012b7001c00000430ffff0000001180000064410000005ef16a93\"]}",
              "{\"id\":2,\"cmd\":\"alloc_pd\"}")) {
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
        answers.add(out.readLine().replaceAll(",\"(proto|message)\".*", ",...}"));
      }
      assertEquals(
          List.of(
              "{\"id\":1,\"ok\":true,...}",
              "{\"id\":null,\"ok\":false,\"error\":\"BAD_JSON\",...}",
              "{\"id\":3,\"ok\":true,\"results\":[\"drop_unknown_qp\"]}",
              "{\"id\":2,\"ok\":true,\"pd\":1}"),
          answers);
      in.close();
      assertEquals(null, out.readLine());
      assertEquals(true, process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
      try (CaptureReader reader = CaptureReader.open(capture)) {
        CapturedPacket packet = new CapturedPacket();
        FrameDissector dissector = new FrameDissector();
        assertEquals(true, reader.next(packet));
        assertEquals(WireFault.OK, dissector.dissect(packet));
        assertEquals("192.0.2.1", dissector.source().toString());
        assertEquals(false, reader.next(packet));
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
