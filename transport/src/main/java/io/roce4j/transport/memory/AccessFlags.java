// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

/**
 * Rights of memory regions, memory windows and queue pairs, with libibverbs' numbers ( {@code
 * ibv_access_flags}).
 *
 * <p>A remote access needs the right twice: in the queue pair (missing there: NAK 0x61) and in the
 * region or window (missing there: NAK 0x62).
 */
public final class AccessFlags {
  /** The local side may write: receive buffers, READ and atomic results, writable windows. */
  public static final int LOCAL_WRITE = 1;

  /** Peers may write. A region with it needs {@link #LOCAL_WRITE} too. */
  public static final int REMOTE_WRITE = 1 << 1;

  /** [rc 18-9] Peers may read. */
  public static final int REMOTE_READ = 1 << 2;

  /** Peers may run atomics. A region with it needs {@link #LOCAL_WRITE} too. */
  public static final int REMOTE_ATOMIC = 1 << 3;

  /** Windows may be bound to the region. */
  public static final int MW_BIND = 1 << 4;

  /** [rc 18-12] Addresses in requests count from 0, not from the address of the memory. */
  public static final int ZERO_BASED = 1 << 5;

  /** On-demand paging: a hint to adapters, all memory here is pageable. Accepted without effect. */
  public static final int ON_DEMAND = 1 << 6;

  /** Huge pages: a hint to adapters. Accepted without effect. */
  public static final int HUGETLB = 1 << 7;

  /** Relaxed PCI ordering: a hint to adapters. Accepted without effect. */
  public static final int RELAXED_ORDERING = 1 << 20;

  /** The three rights of peers. */
  public static final int REMOTE_MASK = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

  /** Every flag a region may be registered with. */
  // [rc 18-13] [rc 18-15]
  public static final int REGION_MASK =
      LOCAL_WRITE | REMOTE_MASK | MW_BIND | ZERO_BASED | ON_DEMAND | HUGETLB | RELAXED_ORDERING;

  /** Every flag a window may be bound with. */
  public static final int WINDOW_MASK = REMOTE_MASK | ZERO_BASED;

  /** Every flag a queue pair may have. */
  public static final int QUEUE_PAIR_MASK = LOCAL_WRITE | REMOTE_MASK;

  private AccessFlags() {}

  /**
   * Whether peers' writes or atomics come with the local write right they need [rc 18-8] [rc
   * 18-10].
   *
   * @param flags any combination
   * @return false when REMOTE_WRITE or REMOTE_ATOMIC stands without LOCAL_WRITE
   */
  public static boolean remoteWriteHasLocalWrite(int flags) {
    return (flags & (REMOTE_WRITE | REMOTE_ATOMIC)) == 0 || (flags & LOCAL_WRITE) != 0;
  }

  /**
   * The flags by name, for messages and tools.
   *
   * @param flags any combination
   * @return for example {@code LOCAL_WRITE|REMOTE_READ}; unknown bits in hex; {@code 0} for none
   */
  public static String names(int flags) {
    StringBuilder names = new StringBuilder();
    int rest = flags;
    rest = append(names, rest, LOCAL_WRITE, "LOCAL_WRITE");
    rest = append(names, rest, REMOTE_WRITE, "REMOTE_WRITE");
    rest = append(names, rest, REMOTE_READ, "REMOTE_READ");
    rest = append(names, rest, REMOTE_ATOMIC, "REMOTE_ATOMIC");
    rest = append(names, rest, MW_BIND, "MW_BIND");
    rest = append(names, rest, ZERO_BASED, "ZERO_BASED");
    rest = append(names, rest, ON_DEMAND, "ON_DEMAND");
    rest = append(names, rest, HUGETLB, "HUGETLB");
    rest = append(names, rest, RELAXED_ORDERING, "RELAXED_ORDERING");
    if (rest != 0) {
      append(names, rest, rest, "0x" + Integer.toHexString(rest));
    }
    return names.isEmpty() ? "0" : names.toString();
  }

  private static int append(StringBuilder names, int rest, int flag, String name) {
    if ((rest & flag) == 0) {
      return rest;
    }
    if (!names.isEmpty()) {
      names.append('|');
    }
    names.append(name);
    return rest & ~flag;
  }
}
