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
   * The next line, without its end; a last one may have none.
   *
   * @return the line, or {@link Line#end} when the stream has ended
   * @throws IOException when the stream fails
   */
  Line next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean any = false;
    boolean tooLong = false;
    while (true) {
      if (at == end) {
        at = 0;
        end = Math.max(0, in.read(block));
        if (end == 0) {
          return any ? finished(line, tooLong) : Line.end();
        }
      }
      any = true;
      int from = at;
      while (at < end && block[at] != '\n') {
        at++;
      }
      tooLong |= line.size() + (at - from) > limit;
      if (!tooLong) {
        line.write(block, from, at - from);
      }
      if (at < end) {
        at++;
        return finished(line, tooLong);
      }
    }
  }

  private static Line finished(ByteArrayOutputStream line, boolean tooLong) {
    return tooLong ? Line.tooLong() : Line.of(line.toByteArray());
  }
}
