// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One frame of a capture, filled in by {@link CaptureReader#next}. The bytes are lent until the
 * next call; nothing is copied.
 */
public final class CapturedPacket {
  /** What {@link #direction} returns when the file does not say. */
  public static final int UNKNOWN = 0;

  /** The frame was received by the capturing host. */
  public static final int INBOUND = 1;

  /** The frame was sent by the capturing host. */
  public static final int OUTBOUND = 2;

  long number;
  long timeNs;
  int linkType;
  int interfaceIndex;
  int capturedLength;
  int originalLength;
  int direction;
  DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
  int offset;
  int commentOffset;
  int commentLength;

  /** Makes an empty packet to be filled by a reader. */
  public CapturedPacket() {}

  /** {@return position in the file, from 1} */
  public long number() {
    return number;
  }

  /** {@return capture time in nanoseconds since 1970; 0 when the file does not say} */
  public long timeNs() {
    return timeNs;
  }

  /** {@return link type of the frame, see {@link LinkType}} */
  public int linkType() {
    return linkType;
  }

  /** {@return capturing interface, from 0; always 0 in pcap files} */
  public int interfaceIndex() {
    return interfaceIndex;
  }

  /** {@return bytes present, 0..262,144} */
  public int capturedLength() {
    return capturedLength;
  }

  /**
   * {@return bytes the frame had on the wire, at least {@link #capturedLength}; more when a snap
   * length cut it}
   */
  public int originalLength() {
    return originalLength;
  }

  /** {@return {@link #UNKNOWN}, {@link #INBOUND} or {@link #OUTBOUND}} */
  public int direction() {
    return direction;
  }

  /** {@return the buffer that holds the frame} */
  public DirectBuffer buffer() {
    return buffer;
  }

  /** {@return index of the frame's first byte in {@link #buffer}} */
  public int offset() {
    return offset;
  }

  /** {@return the comment a pcapng file attaches to the frame; empty when there is none} */
  public String comment() {
    if (commentLength == 0) {
      return "";
    }
    byte[] bytes = new byte[commentLength];
    buffer.getBytes(commentOffset, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
