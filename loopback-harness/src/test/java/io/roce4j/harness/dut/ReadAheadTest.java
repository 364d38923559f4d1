// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.SequenceInputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread that reads ahead: how far, and how it ends. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadAheadTest {
  private static final String OPEN_LIVE =
      "{\"id\":1,\"cmd\":\"open\",\"port\":\"control\",\"bind\":\"::1\",\"clock\":\"system\"}\n";

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static InputStream failing(Supplier<Error> error) {
    return new InputStream() {
      @Override
      public int read() {
        throw error.get();
      }

      @Override
      public int read(byte[] target, int offset, int length) {
        throw error.get();
      }
    };
  }

  private static String serve(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter log = new StringWriter();
    new DutServer(in, out, new PrintWriter(log, true), null).serve();
    assertTrue(log.toString().startsWith("dut: the requests end: "), log::toString);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Idle and with a live endpoint, the two ways to wait for a line. */
  @ParameterizedTest
  @ValueSource(strings = {"", OPEN_LIVE})
  void readerThatEndsByAnErrorEndsTheConversationBehindItsAnswers(String before)
      throws IOException {
    List<Supplier<Error>> errors =
        List.of(
            () -> new OutOfMemoryError("Java heap space"),
            StackOverflowError::new,
            () -> new AssertionError("ours"));
    for (Supplier<Error> error : errors) {
      InputStream in =
          new SequenceInputStream(bytes(before + "{\"id\":2,\"cmd\":\"nope\"}\n"), failing(error));
      List<String> answers = serve(in).lines().toList();
      assertEquals(before.isEmpty() ? 1 : 2, answers.size());
      assertTrue(answers.getLast().startsWith("{\"id\":2,\"ok\":false"), answers::toString);
    }
  }

  @Test
  void noMoreThanTwoOfTheLargestLinesAreReadBeforeOneIsAnswered()
      throws IOException, InterruptedException {
    byte[] line = new byte[DutSession.LINE_BYTES_MAX + 1];
    Arrays.fill(line, (byte) ' ');
    line[DutSession.LINE_BYTES_MAX] = '\n';
    AtomicLong read = new AtomicLong();
    long all = 6L * line.length;
    InputStream in =
        new InputStream() {
          @Override
          public int read() {
            throw new UnsupportedOperationException();
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            long from = read.get();
            int at = (int) (from % line.length);
            int count = (int) Math.min(Math.min(length, line.length - at), all - from);
            System.arraycopy(line, at, target, offset, count);
            read.addAndGet(count);
            return count == 0 ? -1 : count;
          }
        };
    ByteArrayOutputStream kept = new ByteArrayOutputStream();
    AtomicLong most = new AtomicLong();
    OutputStream out =
        new OutputStream() {
          private int answered;

          @Override
          public void write(int b) {
            kept.write(b);
            if (b == '\n') {
              answered++;
            }
          }

          @Override
          public void write(byte[] b, int offset, int length) throws IOException {
            // Time for the reader to go as far as it may.
            try {
              TimeUnit.MILLISECONDS.sleep(50);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            most.accumulateAndGet(read.get() - (long) answered * line.length, Math::max);
            kept.write(b, offset, length);
          }
        };
    StringWriter log = new StringWriter();
    new DutServer(in, out, new PrintWriter(log, true), null).serve();
    assertEquals("", log.toString());
    assertEquals(6, kept.toString(StandardCharsets.UTF_8).lines().count());
    // The one being answered, and one behind it.
    assertTrue(most.get() <= 2L * line.length + (64 << 10), most::toString);
  }
}
