// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Lines of a stream, each with a limit, so that a client cannot fill the memory with one. */
final class LineSource {
  private static final int BLOCK = 64 << 10;

  private final InputStream in;
  private final int limit;
  private final byte[] block = new byte[BLOCK];
  private int at;
  private int end;

  LineSource(InputStream in, int limit) {
    this.in = in;
    this.limit = limit;
  }

  /**
   * The next line, without its end; a last one may have none. A line that memory is too short for
   * is read to its end and given up.
   *
   * @return the line, or {@link Line#end} when the stream has ended
   * @throws IOException when the stream fails
   */
  Line next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean any = false;
    Line lost = null;
    while (true) {
      if (at == end) {
        at = 0;
        end = Math.max(0, in.read(block));
        if (end == 0) {
          return any ? finished(line, lost) : Line.end();
        }
      }
      any = true;
      int from = at;
      while (at < end && block[at] != '\n') {
        at++;
      }
      if (lost == null) {
        lost = keep(line, from);
      }
      if (lost != null) {
        line = null;
      }
      if (at < end) {
        at++;
        return finished(line, lost);
      }
    }
  }

  /** Adds what has been read; what stands in the line's place when it cannot be kept, or null. */
  private Line keep(ByteArrayOutputStream line, int from) {
    if (line.size() + (at - from) > limit) {
      return Line.tooLong();
    }
    try {
      line.write(block, from, at - from);
      return null;
    } catch (OutOfMemoryError e) {
      return Line.noMemory();
    }
  }

  private static Line finished(ByteArrayOutputStream line, Line lost) {
    if (lost != null) {
      return lost;
    }
    try {
      return Line.of(line.toByteArray());
    } catch (OutOfMemoryError e) {
      return Line.noMemory();
    }
  }
}
