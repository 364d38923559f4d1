// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

import java.util.Arrays;

/**
 * The keys of one endpoint: regions and windows by 32-bit key, with the checks of every access.
 *
 * <p>A key is an index of 24 bits and a variant byte below it; lkey and rkey of a region are the
 * same number. Indices and variants are drawn from the context's seed, so that nobody can compute
 * another's key; a wish is granted for reproducible tests.
 *
 * <p>Written by the control path under the agent's ownership; read by the agent thread for every
 * packet, and by a posting thread that looks up inline sources in regions it was handed. Nothing is
 * allocated after registration. Addresses and lengths in requests are the peer's: all arithmetic is
 * unsigned and cannot wrap [rc 18-5] [FC-20].
 */
public final class MemoryTable {
  /** Largest number of entries, one per 24-bit index but 0. */
  public static final int CAPACITY_MAX = (1 << 24) - 1;

  /** No wish for a key. */
  public static final long NO_KEY_WISH = -1;

  /** Kind of entry: a memory region. */
  public static final int REGION = 1;

  /** Kind of entry: a type 1 memory window. */
  public static final int WINDOW_TYPE_1 = 2;

  /** Kind of entry: a type 2 memory window (2B: bound to one queue pair). */
  public static final int WINDOW_TYPE_2 = 3;

  // One entry is eight longs, most of the time one cache line.
  private static final int STRIDE_SHIFT = 3;
  private static final int KEY_AND_PD = 0;
  private static final int START = 1;
  private static final int LENGTH = 2;
  private static final int NATIVE = 3;
  private static final int ACCESS_AND_KIND = 4;
  private static final int QPN_AND_PARENT = 5;
  private static final int WINDOW_COUNT = 6;
  private static final int NEXT_FREE = 7;

  private static final int VALID_BIT = 1 << 31;
  private static final int KIND_MASK = 0xff;
  private static final int NO_SLOT = -1;
  private static final int VARIANT_BITS = 8;

  private final KeyIndex index = new KeyIndex();
  private final KeySource keys;
  private final int capacityMax;
  private long[] words = new long[16 << STRIDE_SHIFT];
  private int slots;
  private int freeHead = NO_SLOT;
  private int live;

  /**
   * An empty table.
   *
   * @param capacityMax most regions and windows together, 1..{@link #CAPACITY_MAX}
   * @param seed from which the keys are drawn
   * @throws IllegalArgumentException when the capacity is out of range
   */
  public MemoryTable(int capacityMax, long seed) {
    if (capacityMax < 1 || capacityMax > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "memory table capacity " + capacityMax + ": allowed 1.." + CAPACITY_MAX);
    }
    this.capacityMax = capacityMax;
    this.keys = new KeySource(seed);
  }

  /**
   * Adds a region. The caller has checked the flags and owns the memory until {@link #deregister}.
   *
   * @param nativeAddress where the memory is
   * @param start the address requests use for its first byte; 0 for a zero-based region
   * @param length bytes, 1 or more, and start + length does not pass 2^64
   * @param access {@link AccessFlags}
   * @param pdId protection domain
   * @param keyWish the key to use, 0x100..0xFFFFFFFF, or {@link #NO_KEY_WISH}
   * @return the slot, 0 or more, or a negated {@link MemoryFault}: TABLE_FULL, KEY_TAKEN,
   *     OUT_OF_RANGE
   */
  public int register(
      long nativeAddress, long start, long length, int access, int pdId, long keyWish) {
    if (length < 1 || Long.compareUnsigned(length - 1, ~start) > 0) {
      return -MemoryFault.OUT_OF_RANGE;
    }
    int slot = allocate(REGION, pdId, keyWish);
    if (slot >= 0) {
      int base = slot << STRIDE_SHIFT;
      words[base + START] = start;
      words[base + LENGTH] = length;
      words[base + NATIVE] = nativeAddress;
      words[base + ACCESS_AND_KIND] = pack(access, REGION | VALID_BIT);
    }
    return slot;
  }

  /**
   * Changes a region in place, keeping its key: {@code ibv_rereg_mr}.
   *
   * @param slot of a region
   * @param nativeAddress as for {@link #register}
   * @param start as for {@link #register}
   * @param length as for {@link #register}
   * @param access {@link AccessFlags}
   * @param pdId protection domain
   * @return 0, or {@link MemoryFault#WINDOWS_BOUND} or OUT_OF_RANGE
   */
  public int reregister(
      int slot, long nativeAddress, long start, long length, int access, int pdId) {
    int base = slot << STRIDE_SHIFT;
    if (words[base + WINDOW_COUNT] != 0) {
      // [rc 18-19]
      return MemoryFault.WINDOWS_BOUND;
    }
    if (length < 1 || Long.compareUnsigned(length - 1, ~start) > 0) {
      return MemoryFault.OUT_OF_RANGE;
    }
    words[base + KEY_AND_PD] = pack(key(slot), pdId);
    words[base + START] = start;
    words[base + LENGTH] = length;
    words[base + NATIVE] = nativeAddress;
    words[base + ACCESS_AND_KIND] = pack(access, REGION | VALID_BIT);
    return MemoryFault.OK;
  }

  /**
   * Removes a region; its key is dead at once.
   *
   * @param slot of a region
   * @return 0, or {@link MemoryFault#WINDOWS_BOUND}: the region stays
   */
  public int deregister(int slot) {
    if (words[(slot << STRIDE_SHIFT) + WINDOW_COUNT] != 0) {
      return MemoryFault.WINDOWS_BOUND;
    }
    free(slot);
    return MemoryFault.OK;
  }

  /**
   * Adds an unbound window.
   *
   * @param kind {@link #WINDOW_TYPE_1} or {@link #WINDOW_TYPE_2}
   * @param pdId protection domain
   * @param keyWish as for {@link #register}
   * @return the slot, or a negated fault: TABLE_FULL, KEY_TAKEN
   */
  public int allocateWindow(int kind, int pdId, long keyWish) {
    int slot = allocate(kind, pdId, keyWish);
    if (slot >= 0) {
      words[(slot << STRIDE_SHIFT) + ACCESS_AND_KIND] = pack(0, kind);
    }
    return slot;
  }

  /**
   * Removes a window, bound or not.
   *
   * @param slot of a window
   */
  public void freeWindow(int slot) {
    unbind(slot);
    free(slot);
  }

  /**
   * Executes a bind [rc 18-16] [rc 18-17]. Type 1: a bound window is bound anew, length 0 unbinds.
   * Type 2: the window must be free, and belongs to the queue pair afterwards.
   *
   * @param kind the kind the work request is for
   * @param newKey index bits of the window, with its new variant byte
   * @param regionKey key of the region
   * @param address first byte, in the region's addresses
   * @param length bytes, unsigned
   * @param access {@link AccessFlags#WINDOW_MASK} flags
   * @param pdId protection domain of the queue pair
   * @param qpn the queue pair
   * @return 0 or a fault; after a fault the window is as before
   */
  public int bindWindow(
      int kind,
      int newKey,
      int regionKey,
      long address,
      long length,
      int access,
      int pdId,
      int qpn) {
    int slot = index.slotOf(newKey >>> VARIANT_BITS);
    if (slot < 0) {
      return MemoryFault.KEY_INDEX_DIFFERS;
    }
    int base = slot << STRIDE_SHIFT;
    int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
    if ((kindAndState & KIND_MASK) != kind) {
      return MemoryFault.WRONG_KIND;
    }
    if (pdOf(base) != pdId) {
      return MemoryFault.WRONG_PROTECTION_DOMAIN;
    }
    if (kind == WINDOW_TYPE_2 && kindAndState < 0) {
      return MemoryFault.WINDOW_BOUND;
    }
    if (length == 0) {
      return unbindByLengthZero(kind, slot, newKey, pdId);
    }
    int fault = checkBind(kind, regionKey, address, length, access, pdId);
    if (fault != MemoryFault.OK) {
      return fault;
    }
    unbind(slot);
    int parent = index.slotOf(regionKey >>> VARIANT_BITS);
    int parentBase = parent << STRIDE_SHIFT;
    words[parentBase + WINDOW_COUNT]++;
    words[base + KEY_AND_PD] = pack(newKey, pdId);
    words[base + START] = (access & AccessFlags.ZERO_BASED) != 0 ? 0 : address;
    words[base + LENGTH] = length;
    words[base + NATIVE] = words[parentBase + NATIVE] + (address - words[parentBase + START]);
    words[base + QPN_AND_PARENT] = pack(qpn, parent);
    words[base + ACCESS_AND_KIND] = pack(access, kind | VALID_BIT);
    return MemoryFault.OK;
  }

  private int unbindByLengthZero(int kind, int slot, int newKey, int pdId) {
    if (kind != WINDOW_TYPE_1) {
      return MemoryFault.ZERO_LENGTH;
    }
    unbind(slot);
    words[(slot << STRIDE_SHIFT) + KEY_AND_PD] = pack(newKey, pdId);
    return MemoryFault.OK;
  }

  // [rc 18-11] [rc 18-18]
  private int checkBind(int kind, int regionKey, long address, long length, int access, int pdId) {
    int parent = find(regionKey);
    if (parent < 0) {
      return MemoryFault.UNKNOWN_KEY;
    }
    int base = parent << STRIDE_SHIFT;
    int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
    if ((kindAndState & KIND_MASK) != REGION) {
      return MemoryFault.WRONG_KIND;
    }
    if (kindAndState >= 0) {
      return MemoryFault.INVALID_STATE;
    }
    if (pdOf(base) != pdId) {
      return MemoryFault.WRONG_PROTECTION_DOMAIN;
    }
    int regionAccess = (int) words[base + ACCESS_AND_KIND];
    if ((regionAccess & AccessFlags.MW_BIND) == 0) {
      return MemoryFault.ACCESS_DENIED;
    }
    if ((access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0
        && (regionAccess & AccessFlags.LOCAL_WRITE) == 0) {
      return MemoryFault.ACCESS_DENIED;
    }
    boolean zeroBasedWindow = (access & AccessFlags.ZERO_BASED) != 0;
    boolean zeroBasedRegion = (regionAccess & AccessFlags.ZERO_BASED) != 0;
    if ((zeroBasedWindow && kind == WINDOW_TYPE_1) || (zeroBasedRegion && !zeroBasedWindow)) {
      return MemoryFault.ZERO_BASED_MISMATCH;
    }
    return inRange(base, address, length) ? MemoryFault.OK : MemoryFault.OUT_OF_RANGE;
  }

  /**
   * Executes LOCAL_INV or the invalidate of a SEND: frees a type 2 window bound to this queue pair.
   * Everything else (unknown key, region, type 1 window, other queue pair's window) is refused [rc
   * 18-20].
   *
   * @param key the window's key
   * @param pdId protection domain of the queue pair
   * @param qpn the queue pair
   * @return 0 or a fault
   */
  public int invalidate(int key, int pdId, int qpn) {
    int slot = find(key);
    if (slot < 0) {
      return MemoryFault.UNKNOWN_KEY;
    }
    int base = slot << STRIDE_SHIFT;
    int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
    if ((kindAndState & KIND_MASK) != WINDOW_TYPE_2) {
      return MemoryFault.WRONG_KIND;
    }
    if (kindAndState >= 0) {
      return MemoryFault.INVALID_STATE;
    }
    if (pdOf(base) != pdId) {
      return MemoryFault.WRONG_PROTECTION_DOMAIN;
    }
    if ((int) words[base + QPN_AND_PARENT] != qpn) {
      return MemoryFault.WRONG_QUEUE_PAIR;
    }
    unbind(slot);
    return MemoryFault.OK;
  }

  /**
   * Frees every type 2 window bound to a queue pair, when that is destroyed or reset.
   *
   * @param qpn the queue pair
   */
  public void unbindWindowsOf(int qpn) {
    for (int slot = 0; slot < slots; slot++) {
      int base = slot << STRIDE_SHIFT;
      int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
      if (kindAndState == (WINDOW_TYPE_2 | VALID_BIT)
          && (int) words[base + QPN_AND_PARENT] == qpn) {
        unbind(slot);
      }
    }
  }

  /**
   * [rc 18-1..5] Checks a peer's access and finds the memory: one lookup a packet. Callers skip it
   * for length 0, where neither key nor address is checked.
   *
   * @param key rkey as received
   * @param va first byte as received
   * @param length bytes, unsigned
   * @param needAccess one or more of {@link AccessFlags#REMOTE_MASK}; all are needed
   * @param pdId protection domain of the queue pair
   * @param qpn the queue pair
   * @return the native address, 0 or more, or a negated {@link MemoryFault}
   */
  public long resolve(int key, long va, long length, int needAccess, int pdId, int qpn) {
    int slot = find(key);
    if (slot < 0) {
      return -MemoryFault.UNKNOWN_KEY;
    }
    int base = slot << STRIDE_SHIFT;
    int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
    if (kindAndState >= 0) {
      return -MemoryFault.INVALID_STATE;
    }
    if (pdOf(base) != pdId) {
      return -MemoryFault.WRONG_PROTECTION_DOMAIN;
    }
    if ((kindAndState & KIND_MASK) == WINDOW_TYPE_2 && (int) words[base + QPN_AND_PARENT] != qpn) {
      return -MemoryFault.WRONG_QUEUE_PAIR;
    }
    if (((int) words[base + ACCESS_AND_KIND] & needAccess) != needAccess) {
      return -MemoryFault.ACCESS_DENIED;
    }
    if (!inRange(base, va, length)) {
      return -MemoryFault.OUT_OF_RANGE;
    }
    return words[base + NATIVE] + (va - words[base + START]);
  }

  /**
   * [rc 18-6] [rc 18-7] As {@link #resolve} for a local key: only regions count, windows are for
   * peers.
   *
   * @param lkey from a scatter-gather entry
   * @param address first byte
   * @param length bytes, unsigned
   * @param needAccess {@link AccessFlags#LOCAL_WRITE} to write, 0 to read
   * @param pdId protection domain of the queue pair
   * @return the native address, 0 or more, or a negated {@link MemoryFault}
   */
  public long resolveLocal(int lkey, long address, long length, int needAccess, int pdId) {
    int slot = find(lkey);
    if (slot < 0) {
      return -MemoryFault.UNKNOWN_KEY;
    }
    int base = slot << STRIDE_SHIFT;
    if ((int) (words[base + ACCESS_AND_KIND] >>> 32) != (REGION | VALID_BIT)) {
      return -MemoryFault.WRONG_KIND;
    }
    if (pdOf(base) != pdId) {
      return -MemoryFault.WRONG_PROTECTION_DOMAIN;
    }
    if (((int) words[base + ACCESS_AND_KIND] & needAccess) != needAccess) {
      return -MemoryFault.ACCESS_DENIED;
    }
    if (!inRange(base, address, length)) {
      return -MemoryFault.OUT_OF_RANGE;
    }
    return words[base + NATIVE] + (address - words[base + START]);
  }

  /**
   * As {@link #resolve} when only the verdict matters.
   *
   * @param key rkey as received
   * @param va first byte as received
   * @param length bytes, unsigned
   * @param needAccess {@link AccessFlags} needed
   * @param pdId protection domain of the queue pair
   * @param qpn the queue pair
   * @return 0 or a {@link MemoryFault}
   */
  public int check(int key, long va, long length, int needAccess, int pdId, int qpn) {
    long address = resolve(key, va, length, needAccess, pdId, qpn);
    return address < 0 ? (int) -address : MemoryFault.OK;
  }

  /**
   * Where an address of a region or window is, right after a good {@link #check} of the same key.
   *
   * @param key a key in use
   * @param va an address inside
   * @return the native address
   * @throws IllegalStateException when the key is unknown, which a good check excludes
   */
  public long nativeAddress(int key, long va) {
    int slot = find(key);
    if (slot < 0) {
      throw new IllegalStateException("key 0x" + Integer.toHexString(key) + " was not checked");
    }
    int base = slot << STRIDE_SHIFT;
    return words[base + NATIVE] + (va - words[base + START]);
  }

  /**
   * Finds inline source bytes whose key is not checked [rc 13-11]: first by the key given, then in
   * any region, because memory outside every region is never read.
   *
   * @param lkey a hint, may be anything
   * @param address first byte
   * @param length bytes
   * @return the native address, or -{@link MemoryFault#OUT_OF_RANGE}
   */
  public long locate(int lkey, long address, long length) {
    int hinted = find(lkey);
    if (hinted >= 0 && isRegion(hinted) && inRange(hinted << STRIDE_SHIFT, address, length)) {
      return nativeOf(hinted, address);
    }
    for (int slot = 0; slot < slots; slot++) {
      if (isRegion(slot) && inRange(slot << STRIDE_SHIFT, address, length)) {
        return nativeOf(slot, address);
      }
    }
    return -MemoryFault.OUT_OF_RANGE;
  }

  /**
   * The key of a slot now.
   *
   * @param slot of a live entry
   * @return the 32-bit key
   */
  public int key(int slot) {
    return (int) words[(slot << STRIDE_SHIFT) + KEY_AND_PD];
  }

  /**
   * Whether the entry can be used: a region always, a window while bound.
   *
   * @param slot of a live entry
   * @return true when valid
   */
  public boolean isValid(int slot) {
    return words[(slot << STRIDE_SHIFT) + ACCESS_AND_KIND] < 0;
  }

  /**
   * How many regions and windows there are.
   *
   * @return 0..capacity
   */
  public int size() {
    return live;
  }

  private boolean isRegion(int slot) {
    return (int) (words[(slot << STRIDE_SHIFT) + ACCESS_AND_KIND] >>> 32) == (REGION | VALID_BIT);
  }

  private long nativeOf(int slot, long address) {
    int base = slot << STRIDE_SHIFT;
    return words[base + NATIVE] + (address - words[base + START]);
  }

  /** Offset first, then compared with what is left: no sum that could wrap [FC-20]. */
  private boolean inRange(int base, long address, long length) {
    long offset = address - words[base + START];
    long size = words[base + LENGTH];
    return Long.compareUnsigned(offset, size) <= 0
        && Long.compareUnsigned(length, size - offset) <= 0;
  }

  private int pdOf(int base) {
    return (int) (words[base + KEY_AND_PD] >>> 32);
  }

  private int find(int key) {
    int slot = index.slotOf(key >>> VARIANT_BITS);
    return slot >= 0 && key(slot) == key ? slot : NO_SLOT;
  }

  private int allocate(int kind, int pdId, long keyWish) {
    if (live == capacityMax) {
      return -MemoryFault.TABLE_FULL;
    }
    int key;
    if (keyWish == NO_KEY_WISH) {
      key = drawKey();
    } else {
      key = (int) keyWish;
      if (key >>> VARIANT_BITS == 0 || index.slotOf(key >>> VARIANT_BITS) >= 0) {
        return -MemoryFault.KEY_TAKEN;
      }
    }
    int slot = takeSlot();
    int base = slot << STRIDE_SHIFT;
    words[base + KEY_AND_PD] = pack(key, pdId);
    words[base + QPN_AND_PARENT] = pack(0, NO_SLOT);
    words[base + WINDOW_COUNT] = 0;
    words[base + ACCESS_AND_KIND] = pack(0, kind);
    index.put(key >>> VARIANT_BITS, slot);
    live++;
    return slot;
  }

  private int drawKey() {
    int key = keys.next();
    while (key >>> VARIANT_BITS == 0 || index.slotOf(key >>> VARIANT_BITS) >= 0) {
      key = keys.next();
    }
    return key;
  }

  private int takeSlot() {
    int slot = freeHead;
    if (slot != NO_SLOT) {
      freeHead = (int) words[(slot << STRIDE_SHIFT) + NEXT_FREE];
      return slot;
    }
    if (slots << STRIDE_SHIFT == words.length) {
      words = Arrays.copyOf(words, words.length * 2);
    }
    return slots++;
  }

  private void free(int slot) {
    int base = slot << STRIDE_SHIFT;
    index.remove(key(slot) >>> VARIANT_BITS);
    words[base + ACCESS_AND_KIND] = 0;
    words[base + KEY_AND_PD] = 0;
    words[base + NEXT_FREE] = freeHead;
    freeHead = slot;
    live--;
  }

  private void unbind(int slot) {
    int base = slot << STRIDE_SHIFT;
    int kindAndState = (int) (words[base + ACCESS_AND_KIND] >>> 32);
    if (kindAndState >= 0) {
      return;
    }
    int parent = (int) (words[base + QPN_AND_PARENT] >>> 32);
    words[(parent << STRIDE_SHIFT) + WINDOW_COUNT]--;
    words[base + QPN_AND_PARENT] = pack(0, NO_SLOT);
    words[base + ACCESS_AND_KIND] = pack(0, kindAndState & KIND_MASK);
  }

  private static long pack(int low, int high) {
    return ((long) high << 32) | (low & 0xFFFF_FFFFL);
  }
}
