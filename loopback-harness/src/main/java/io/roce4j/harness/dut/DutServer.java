// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Holds one conversation: reads lines, answers them in order, and runs a live endpoint in between.
 * A thread of its own reads, because nothing else tells the end of a stream without waiting for it;
 * everything else is the caller's thread's.
 */
final class DutServer {
  private static final int LINES_AHEAD = 8;
  private static final int SPINS = 2_000;
  private static final long PARK_US = 100;

  private final OutputStream out;
  private final PrintWriter log;
  private final DutCapture capture;
  private final LineSource source;
  private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(LINES_AHEAD);
  private int idleTurns;

  /**
   * A conversation that has not begun.
   *
   * @param in requests
   * @param out answers
   * @param log where faults of our own are told
   * @param capture sees the packets of every endpoint, or null
   */
  DutServer(InputStream in, OutputStream out, PrintWriter log, DutCapture capture) {
    this.out = out;
    this.log = log;
    this.capture = capture;
    this.source = new LineSource(in, DutSession.LINE_BYTES_MAX);
  }

  /**
   * Answers until the requests end.
   *
   * @throws IOException when the answers can no longer be written
   */
  void serve() throws IOException {
    Thread reader = new Thread(this::read, "dut-reader");
    reader.setDaemon(true);
    reader.start();
    try (DutSession session = new DutSession(log, capture)) {
      Line line = await(session);
      while (!line.isEnd()) {
        out.write(line.isTooLong() ? session.answerTooLong() : session.answer(line.bytes()));
        out.write('\n');
        out.flush();
        line = await(session);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      reader.interrupt();
    }
  }

  private Line await(DutSession session) throws InterruptedException {
    idleTurns = 0;
    while (session.isLive()) {
      Line line = lines.poll();
      if (line == null) {
        line = session.turn() == 0 ? rest() : working();
      }
      if (line != null) {
        return line;
      }
    }
    return lines.take();
  }

  private Line working() {
    idleTurns = 0;
    return null;
  }

  /** A live endpoint with nothing to do: spin for a while, then wait for a line in small steps. */
  private Line rest() throws InterruptedException {
    if (idleTurns < SPINS) {
      idleTurns++;
      Thread.onSpinWait();
      return null;
    }
    return lines.poll(PARK_US, TimeUnit.MICROSECONDS);
  }

  private void read() {
    try {
      Line line = next();
      while (!line.isEnd()) {
        lines.put(line);
        line = next();
      }
      lines.put(line);
    } catch (InterruptedException e) {
      // The conversation is over; nobody takes lines any more.
      Thread.currentThread().interrupt();
    }
  }

  private Line next() {
    try {
      return source.next();
    } catch (IOException e) {
      log.println("dut: the requests end: " + e.getMessage());
      return Line.end();
    }
  }
}
