// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that cannot be lost silently: a PrintWriter keeps an IOException to itself, so
 * the first one leaves here as a {@link ToolException}, which ends the tool at once. What is
 * written afterwards is dropped.
 */
final class CheckedOutput extends OutputStream {
  private final OutputStream stream;
  private boolean hasFailed;

  CheckedOutput(OutputStream stream) {
    this.stream = stream;
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (hasFailed) {
      return;
    }
    try {
      stream.write(bytes, offset, length);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public void flush() {
    if (hasFailed) {
      return;
    }
    try {
      stream.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private ToolException failed(IOException e) {
    hasFailed = true;
    return ToolException.machine(
        "standard output: write failed: "
            + IoReason.of(e)
            + "; what was written before is not the whole output",
        e);
  }
}
