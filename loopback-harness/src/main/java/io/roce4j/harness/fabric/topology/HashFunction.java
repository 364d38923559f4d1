// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * The functions with which switches turn a flow into a number. Deterministic, without allocation.
 *
 * <p>The input is four words: source and destination address (of IPv6 the last 32 bits), UDP ports
 * (source in the upper half), and a word for what else is hashed, 0 when nothing is. The seed goes
 * in first. With the same function and seed on every tier the second tier uses only a part of its
 * links: polarisation.
 */
public enum HashFunction {
  /** MurmurHash3, 32 bit: mixes well, the default. */
  MURMUR3 {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      int h = murmurBlock(murmurBlock(seed, source), destination);
      h = murmurBlock(murmurBlock(h, ports), extra) ^ INPUT_BYTES;
      h = (h ^ (h >>> 16)) * 0x85EB_CA6B;
      h = (h ^ (h >>> 13)) * 0xC2B2_AE35;
      return h ^ (h >>> 16);
    }
  },

  /** CRC-32 with the polynomial of Ethernet: linear, as in many switches. */
  CRC32 {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      return crc(Tables.CRC32, seed, source, destination, ports, extra);
    }
  },

  /** CRC-32C, the polynomial of Castagnoli. */
  CRC32C {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      return crc(Tables.CRC32C, seed, source, destination, ports, extra);
    }
  },

  /** CRC-16 with the polynomial of CCITT, 0x1021: the result has 16 bits. */
  CRC16_CCITT {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      return crc16(Tables.CRC16_CCITT, seed, source, destination, ports, extra);
    }
  },

  /** CRC-16 with the polynomial of IBM, 0x8005: the result has 16 bits. */
  CRC16_IBM {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      return crc16(Tables.CRC16_IBM, seed, source, destination, ports, extra);
    }
  },

  /** The words folded to 8 bits by exclusive or: weak on purpose, as found in old switches. */
  XOR_FOLD {
    @Override
    public int hash(int seed, int source, int destination, int ports, int extra) {
      int folded = seed ^ source ^ destination ^ ports ^ extra;
      folded ^= folded >>> 16;
      return (folded ^ (folded >>> 8)) & 0xFF;
    }
  };

  private static final int INPUT_BYTES = 16;

  /**
   * Hashes a flow.
   *
   * @param seed of the switch
   * @param source source address
   * @param destination destination address
   * @param ports source port in the upper, destination port in the lower half
   * @param extra flow label or destination queue pair, or 0
   * @return all 32 bits, the lower 16 or 8 only for the functions that have no more
   */
  public abstract int hash(int seed, int source, int destination, int ports, int extra);

  private static int murmurBlock(int state, int word) {
    int k = Integer.rotateLeft(word * 0xCC9E_2D51, 15) * 0x1B87_3593;
    return Integer.rotateLeft(state ^ k, 13) * 5 + 0xE654_6B64;
  }

  private static int crc(int[] table, int seed, int a, int b, int c, int d) {
    int crc = crcWord(table, crcWord(table, ~seed, a), b);
    return ~crcWord(table, crcWord(table, crc, c), d);
  }

  private static int crcWord(int[] table, int state, int word) {
    int crc = state;
    for (int shift = 24; shift >= 0; shift -= 8) {
      crc = table[(crc ^ (word >>> shift)) & 0xFF] ^ (crc >>> 8);
    }
    return crc;
  }

  private static int crc16(int[] table, int seed, int a, int b, int c, int d) {
    int folded = (seed ^ (seed >>> 16)) & 0xFFFF;
    int crc = crc16Word(table, crc16Word(table, folded, a), b);
    return crc16Word(table, crc16Word(table, crc, c), d);
  }

  private static int crc16Word(int[] table, int state, int word) {
    int crc = state;
    for (int shift = 24; shift >= 0; shift -= 8) {
      crc = (table[((crc >>> 8) ^ (word >>> shift)) & 0xFF] ^ (crc << 8)) & 0xFFFF;
    }
    return crc;
  }

  /** Byte tables of the polynomials. */
  private static final class Tables {
    private static final int[] CRC32 = reflected(0xEDB8_8320);
    private static final int[] CRC32C = reflected(0x82F6_3B78);
    private static final int[] CRC16_CCITT = forward(0x1021);
    private static final int[] CRC16_IBM = forward(0x8005);

    private static int[] reflected(int polynomial) {
      int[] table = new int[256];
      for (int i = 0; i < 256; i++) {
        int value = i;
        for (int bit = 0; bit < 8; bit++) {
          value = (value & 1) != 0 ? (value >>> 1) ^ polynomial : value >>> 1;
        }
        table[i] = value;
      }
      return table;
    }

    private static int[] forward(int polynomial) {
      int[] table = new int[256];
      for (int i = 0; i < 256; i++) {
        int value = i << 8;
        for (int bit = 0; bit < 8; bit++) {
          value = (value & 0x8000) != 0 ? (value << 1) ^ polynomial : value << 1;
        }
        table[i] = value & 0xFFFF;
      }
      return table;
    }
  }
}
