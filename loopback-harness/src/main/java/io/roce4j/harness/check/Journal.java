// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The account of a run, one line an event, made of bytes that depend on the run alone: the same
 * seed gives the same bytes. Lines go to a stream; the digest covers all of them and the tail keeps
 * the last ones for a failure.
 *
 * <p>A line is {@code TIME WHO WHAT name=value ...}, time in nanoseconds with three decimals. One
 * thread; nothing is allocated per line.
 */
public final class Journal {
  private static final int CHUNK = 1 << 16;
  private static final int LINE_LIMIT = 1 << 10;
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final OutputStream sink;
  private final MessageDigest digest;
  private byte[] chunk = new byte[CHUNK];
  private byte[] previous = new byte[CHUNK];
  private int length;
  private int previousLength;
  private int lineStart;
  private long lines;

  /**
   * Makes an empty journal.
   *
   * @param sink gets every byte; {@link OutputStream#nullOutputStream()} keeps only digest and tail
   */
  public Journal(OutputStream sink) {
    this.sink = sink;
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * Begins a line.
   *
   * @param timePs when, picoseconds, 0 or more
   * @param who endpoint or link
   * @param what happened, one word
   * @return this
   */
  public Journal begin(long timePs, String who, String what) {
    if (length > CHUNK - LINE_LIMIT) {
      spill();
    }
    lineStart = length;
    decimal(timePs / 1_000);
    put('.');
    int picoseconds = (int) (timePs % 1_000);
    put((char) ('0' + picoseconds / 100));
    put((char) ('0' + picoseconds / 10 % 10));
    put((char) ('0' + picoseconds % 10));
    put(' ');
    text(who);
    put(' ');
    text(what);
    return this;
  }

  /**
   * Adds a decimal value.
   *
   * @param name of the value
   * @param value any
   * @return this
   */
  public Journal field(String name, long value) {
    name(name);
    decimal(value);
    return this;
  }

  /**
   * Adds a hexadecimal value.
   *
   * @param name of the value
   * @param value any, written with 0x and without leading zeros
   * @return this
   */
  public Journal hex(String name, long value) {
    name(name);
    text("0x");
    int digits = Math.max(1, (67 - Long.numberOfLeadingZeros(value)) / 4);
    for (int i = digits - 1; i >= 0; i--) {
      put((char) DIGITS[(int) (value >>> (4 * i)) & 15]);
    }
    return this;
  }

  /**
   * Adds a word.
   *
   * @param name of the value
   * @param value without blanks
   * @return this
   */
  public Journal field(String name, String value) {
    name(name);
    text(value);
    return this;
  }

  /** Ends the line. */
  public void end() {
    put('\n');
    lines++;
  }

  /**
   * Lines so far.
   *
   * @return 0 or more
   */
  public long lines() {
    return lines;
  }

  /**
   * Ends the journal: writes what is left.
   *
   * @return the SHA-256 of all bytes, 64 hex digits
   */
  public String finish() {
    spill();
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * The last lines.
   *
   * @param limit how many at most
   * @return text, as far back as two chunks reach
   */
  public String tail(int limit) {
    String text =
        new String(previous, 0, previousLength, StandardCharsets.US_ASCII)
            + new String(chunk, 0, length, StandardCharsets.US_ASCII);
    int from = text.length();
    for (int i = 0; i <= limit && from > 0; i++) {
      from = text.lastIndexOf('\n', from - 1);
    }
    return text.substring(from + 1);
  }

  private void spill() {
    digest.update(chunk, 0, length);
    try {
      sink.write(chunk, 0, length);
    } catch (IOException e) {
      throw new UncheckedIOException("the journal cannot be written", e);
    }
    byte[] swap = previous;
    previous = chunk;
    previousLength = length;
    chunk = swap;
    length = 0;
  }

  private void name(String name) {
    put(' ');
    text(name);
    put('=');
  }

  private void text(String text) {
    for (int i = 0; i < text.length(); i++) {
      put(text.charAt(i));
    }
  }

  private void decimal(long value) {
    if (value < 0) {
      put('-');
      if (value == Long.MIN_VALUE) {
        text("9223372036854775808");
        return;
      }
    }
    long rest = Math.abs(value);
    int digits = 1;
    for (long bound = 10; digits < 19 && rest >= bound; bound *= 10) {
      digits++;
    }
    for (int i = digits - 1; i >= 0; i--) {
      chunk[length + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  private void put(char character) {
    if (length - lineStart >= LINE_LIMIT) {
      throw new IllegalStateException("a journal line has at most " + LINE_LIMIT + " bytes");
    }
    chunk[length++] = (byte) character;
  }
}
