// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Source ports of paths: a hash picks a slot of the port's pool, so that the paths of a connection
 * fall on different links of an ECMP fabric and a move of the entropy falls on another one [FC-41].
 *
 * <p>With several planes slot s leaves through plane s modulo planes. Pure; the numbers that make
 * the hash come in.
 */
final class EntropyPool {
  /** What a source port is for: the data of a path. */
  static final int DATA = 0;

  /** What a source port is for: acknowledgements of a path the other way. */
  static final int ACKNOWLEDGEMENT = 1;

  /** What a source port is for: a control message. */
  static final int CONTROL = 2;

  private final long connection;
  private final int slots;
  private final int planes;

  /**
   * The ports of one connection.
   *
   * @param connection what tells the connection from others
   * @param slots source ports the port has, 1 or more
   * @param planes planes, 1 or more; with fewer slots than planes the plane has no say
   */
  EntropyPool(long connection, int slots, int planes) {
    this.connection = connection;
    this.slots = slots;
    this.planes = planes <= slots ? planes : 1;
  }

  /** Slots that leave through each plane. */
  int slotsPerPlane() {
    return slots / planes;
  }

  /**
   * The slot of a path.
   *
   * @param half 0 request, 1 response
   * @param path 0..254
   * @param epoch 0..255
   * @param use {@link #DATA}, {@link #ACKNOWLEDGEMENT} or {@link #CONTROL}
   * @param attempt 0, then 1, 2 ... when the slot is taken
   * @param plane 0..planes-1
   * @return 0..slots-1
   */
  int slot(int half, int path, int epoch, int use, int attempt, int plane) {
    long key = (long) attempt << 32 | (long) use << 20 | (long) half << 16 | path << 8 | epoch;
    long hash = mix(mix(connection) ^ key);
    int choice = (int) ((hash >>> 1) % slotsPerPlane());
    return planes == 1 ? choice : choice * planes + plane % planes;
  }

  /** Scrambles 64 bits (the finaliser of SplitMix64). */
  static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
