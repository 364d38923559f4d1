// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
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
  private static final long LOOK_MS = 100;

  /** Bytes of all lines that are read and not yet answered: one of the largest. */
  private static final int BYTES_AHEAD = DutSession.LINE_BYTES_MAX;

  private final OutputStream out;
  private final PrintWriter log;
  private final DutCapture capture;
  private final LineSource source;
  private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(LINES_AHEAD);
  private final Semaphore room = new Semaphore(BYTES_AHEAD);
  private Thread reader;
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
    reader = new Thread(this::read, "dut-reader");
    reader.setDaemon(true);
    reader.start();
    try (DutSession session = new DutSession(log, capture)) {
      Line line = await(session);
      while (!line.isEnd()) {
        out.write(answer(session, line));
        out.write('\n');
        out.flush();
        room.release(line.bytes().length);
        line = await(session);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      reader.interrupt();
    }
  }

  private static byte[] answer(DutSession session, Line line) {
    if (line.isTooLong()) {
      return session.answerTooLong();
    }
    return line.isNoMemory() ? session.answerNoMemory() : session.answer(line.bytes());
  }

  private Line await(DutSession session) throws InterruptedException {
    idleTurns = 0;
    while (session.isLive()) {
      Line line = lines.poll();
      if (line == null && !reader.isAlive()) {
        break;
      }
      if (line == null) {
        line = session.turn() == 0 ? rest() : working();
      }
      if (line != null) {
        return line;
      }
    }
    Line line = null;
    while (line == null) {
      boolean reading = reader.isAlive();
      line = lines.poll(LOOK_MS, TimeUnit.MILLISECONDS);
      if (line == null && !reading) {
        // However the reader ended, it put all that it will.
        line = Line.end();
      }
    }
    return line;
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
        room.acquire(line.bytes().length);
        lines.put(line);
        line = next();
      }
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
    } catch (Error e) {
      // Said here: the thread that answers sees only that no more lines come.
      log.println("dut: the requests end: " + e);
      return Line.end();
    }
  }
}
