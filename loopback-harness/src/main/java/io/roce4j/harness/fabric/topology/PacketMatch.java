// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import io.roce4j.wire.packet.Opcode;
import java.util.BitSet;

/**
 * Which packets a rule is about: all conditions together. Immutable.
 *
 * @param opcodes BTH opcodes, none for all
 * @param minBytes least bytes from BTH to ICRC
 * @param maxBytes most bytes from BTH to ICRC
 * @param buckets 1 for all flows; n to take one of n parts of them, by source port
 * @param bucket which part, 0 to buckets - 1
 */
public record PacketMatch(BitSet opcodes, int minBytes, int maxBytes, int buckets, int bucket) {
  private static final int MAX_BYTES = 65_507;
  private static final PacketMatch ALL = new PacketMatch(new BitSet(), 0, MAX_BYTES, 1, 0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public PacketMatch {
    Limits.check("minBytes", minBytes, 0, MAX_BYTES);
    Limits.check("maxBytes", maxBytes, minBytes, MAX_BYTES);
    Limits.check("buckets", buckets, 1, 65_536);
    Limits.check("bucket", bucket, 0, buckets - 1L);
    opcodes = (BitSet) opcodes.clone();
  }

  /**
   * Every packet.
   *
   * @return the match
   */
  public static PacketMatch all() {
    return ALL;
  }

  /**
   * Packets of some operations.
   *
   * @param codes BTH opcodes, 0 to 255 each
   * @return the match
   */
  public static PacketMatch ofOpcodes(int... codes) {
    BitSet set = new BitSet();
    for (int code : codes) {
      Limits.check("opcode", code, 0, 255);
      set.set(code);
    }
    return new PacketMatch(set, 0, MAX_BYTES, 1, 0);
  }

  /**
   * Acknowledgements and negative ones of reliable connections, and nothing else.
   *
   * @return the match
   */
  public static PacketMatch acknowledgements() {
    return ofOpcodes(Opcode.RC_ACK);
  }

  /**
   * This for packets of some sizes.
   *
   * @param least bytes from BTH to ICRC
   * @param most bytes from BTH to ICRC
   * @return the changed copy
   */
  public PacketMatch ofBytes(int least, int most) {
    return new PacketMatch(opcodes, least, most, buckets, bucket);
  }

  /**
   * This for a part of the flows.
   *
   * @param which 0 to of - 1
   * @param of parts, by source port
   * @return the changed copy
   */
  public PacketMatch ofBucket(int which, int of) {
    return new PacketMatch(opcodes, minBytes, maxBytes, of, which);
  }
}
