// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * FLUSH extended header (IBA 1.5, memory placement extensions).
 *
 * <pre>
 * bits 31..6  reserved
 * bits  5..4  selectivity: 0 the range of the RETH, 1 the whole memory region
 * bits  3..0  placement type: bit 0 global visibility, bit 1 persistence
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Feth {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  /** Selectivity: flush the range the RETH names. */
  public static final int SELECT_RANGE = 0;

  /** Selectivity: flush the whole memory region. */
  public static final int SELECT_REGION = 1;

  /** Placement bit: make the data globally visible. */
  public static final int GLOBAL_VISIBILITY = 1;

  /** Placement bit: make the data persistent. */
  public static final int PERSISTENCE = 2;

  private static final int SELECTIVITY_SHIFT = 4;
  private static final int SELECTIVITY_MASK = 3;
  private static final int PLACEMENT_MASK = 0xF;

  private Feth() {}

  /**
   * What is to be flushed.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..3; 0 and 1 are defined
   */
  public static int selectivity(DirectBuffer buffer, int offset) {
    return (buffer.getInt(offset, BIG_ENDIAN) >>> SELECTIVITY_SHIFT) & SELECTIVITY_MASK;
  }

  /**
   * Sets what {@link #selectivity} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..3; only the low 2 bits are used
   */
  public static void selectivity(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset, BIG_ENDIAN) & ~(SELECTIVITY_MASK << SELECTIVITY_SHIFT);
    int field = (value & SELECTIVITY_MASK) << SELECTIVITY_SHIFT;
    buffer.putInt(offset, other | field, BIG_ENDIAN);
  }

  /**
   * How far the data have to get.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..15: {@link #GLOBAL_VISIBILITY} and {@link #PERSISTENCE} are defined bits
   */
  public static int placement(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN) & PLACEMENT_MASK;
  }

  /**
   * Sets what {@link #placement} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..15; only the low 4 bits are used
   */
  public static void placement(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset, BIG_ENDIAN) & ~PLACEMENT_MASK;
    buffer.putInt(offset, other | (value & PLACEMENT_MASK), BIG_ENDIAN);
  }

  /**
   * Writes the whole header, reserved bits as zero.
   *
   * @param buffer receives 4 bytes
   * @param offset first byte of the header
   * @param selectivity 0..3; only the low 2 bits are used
   * @param placement 0..15; only the low 4 bits are used
   */
  public static void write(MutableDirectBuffer buffer, int offset, int selectivity, int placement) {
    int word =
        ((selectivity & SELECTIVITY_MASK) << SELECTIVITY_SHIFT) | (placement & PLACEMENT_MASK);
    buffer.putInt(offset, word, BIG_ENDIAN);
  }
}
