// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

import static io.roce4j.transport.memory.AccessFlags.LOCAL_WRITE;
import static io.roce4j.transport.memory.AccessFlags.MW_BIND;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_ATOMIC;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_READ;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_WRITE;
import static io.roce4j.transport.memory.MemoryTable.NO_KEY_WISH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table never follows an address, so the tests use addresses where nothing is. */
class MemoryTableTest {
  private static final int PD = 5;
  private static final int QPN = 17;
  private static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | MW_BIND;
  private static final long NATIVE = 0x7000_0000_0000L;

  private final MemoryTable table = new MemoryTable(1000, 42);

  private int region(long start, long length, int access) {
    int slot = table.register(NATIVE, start, length, access, PD, NO_KEY_WISH);
    assertTrue(slot >= 0);
    return table.key(slot);
  }

  private int check(int key, long va, long length, int need) {
    return table.check(key, va, length, need, PD, QPN);
  }

  @Test
  void accessInsideTheRegionFindsTheMemory() {
    int key = region(0x1000, 0x2000, ALL);
    assertEquals(NATIVE, table.resolve(key, 0x1000, 0x2000, REMOTE_WRITE, PD, QPN));
    assertEquals(NATIVE + 0x1FFF, table.resolve(key, 0x2FFF, 1, REMOTE_READ, PD, QPN));
    assertEquals(NATIVE + 0x10, table.nativeAddress(key, 0x1010));
  }

  // [rc 18-5]
  @ParameterizedTest(name = "[FC-20] va {0} length {1}: {2}")
  @CsvSource({
    // One byte past the end, and the exact end.
    "0x2FFF, 0x2, OUT_OF_RANGE",
    "0x2FFF, 0x1, OK",
    "0x1000, 0x2000, OK",
    "0x1000, 0x2001, OUT_OF_RANGE",
    "0xFFF, 0x1, OUT_OF_RANGE",
    "0x3000, 0x1, OUT_OF_RANGE",
    // Address plus length is 0 modulo 2^64, or wraps into the region.
    "0xFFFFFFFFFFFFFC00, 0x400, OUT_OF_RANGE",
    "0xFFFFFFFFFFFFFC00, 0x1500, OUT_OF_RANGE",
    "0xFFFFFFFFFFFFFFFF, 0x1, OUT_OF_RANGE",
    "0x8000000000000000, 0x1, OUT_OF_RANGE",
    "0x1000, 0xFFFFFFFFFFFFFFFF, OUT_OF_RANGE",
    "0x1000, 0x8000000000000000, OUT_OF_RANGE",
    "0x1001, 0xFFFFFFFFFFFFFFFF, OUT_OF_RANGE",
    "0x1FFF, 0xFFFFFFFFFFFFF001, OUT_OF_RANGE",
  })
  void rangeCheckDoesNotWrap(String va, String length, String expected) {
    int key = region(0x1000, 0x2000, ALL);
    int fault =
        check(
            key,
            Long.parseUnsignedLong(va.substring(2), 16),
            Long.parseUnsignedLong(length.substring(2), 16),
            REMOTE_READ);
    assertEquals(expected, MemoryFault.name(fault));
  }

  // [rc 18-5]
  @ParameterizedTest(name = "[rc 18] [FC-20] seed {0}")
  @ValueSource(longs = {11, 12, 13})
  void rangeCheckAgreesWithUnboundedArithmetic(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] corners = {0, 1, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 1L << 32, -4096};
    for (int i = 0; i < 5000; i++) {
      long start = corner(random, corners);
      long length = 1 + (corner(random, corners) >>> random.nextInt(2, 64));
      int slot = table.register(NATIVE, start, length, ALL, PD, NO_KEY_WISH);
      BigInteger end = unsigned(start).add(unsigned(length));
      assertEquals(end.bitLength() <= 64 || isTwoTo64(end), slot >= 0);
      if (slot < 0) {
        continue;
      }
      long va = random.nextBoolean() ? start + corner(random, corners) : corner(random, corners);
      long size = random.nextBoolean() ? length : corner(random, corners);
      boolean inside =
          unsigned(va).compareTo(unsigned(start)) >= 0
              && unsigned(va).add(unsigned(size)).compareTo(end) <= 0;
      assertEquals(
          inside ? MemoryFault.OK : MemoryFault.OUT_OF_RANGE,
          check(table.key(slot), va, size, REMOTE_READ),
          () -> "start " + start + " length " + length + " va " + va + " size " + size);
      assertEquals(MemoryFault.OK, table.deregister(slot));
    }
  }

  private static long corner(SplittableRandom random, long[] corners) {
    return random.nextInt(3) == 0
        ? random.nextLong()
        : corners[random.nextInt(corners.length)] + random.nextInt(-3, 4);
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private static boolean isTwoTo64(BigInteger value) {
    return value.equals(BigInteger.ONE.shiftLeft(64));
  }

  @Test
  void regionMayEndAtTheTopOfTheAddressSpaceAndNotBeyond() {
    int key = region(-0x1000, 0x1000, ALL);
    assertEquals(MemoryFault.OK, check(key, -1, 1, REMOTE_READ));
    assertEquals(MemoryFault.OUT_OF_RANGE, check(key, -1, 2, REMOTE_READ));
    assertEquals(
        -MemoryFault.OUT_OF_RANGE, table.register(NATIVE, -0x1000, 0x1001, ALL, PD, NO_KEY_WISH));
  }

  @Test
  void regionsPassTwoGibibytes() {
    long threeGiB = 3L << 30;
    int key = region(0x1000, threeGiB, ALL);
    long last = 0x1000 + threeGiB - 1;
    assertEquals(NATIVE + threeGiB - 1, table.resolve(key, last, 1, REMOTE_WRITE, PD, QPN));
    assertEquals(NATIVE, table.resolve(key, 0x1000, threeGiB, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OUT_OF_RANGE, check(key, 0x1000, threeGiB + 1, REMOTE_READ));
    assertEquals(MemoryFault.OK, check(key, 0x1000 + (1L << 31), 1L << 30, REMOTE_READ));
  }

  // [rc 18-1] [rc 18-3] [rc 18-4] [rc 18-5]
  @Test
  void checksComeInTheOrderOfTheSpecification() {
    int key = region(0x1000, 0x1000, LOCAL_WRITE);
    assertEquals(MemoryFault.UNKNOWN_KEY, table.check(key ^ 1, 0, 1, REMOTE_READ, 99, QPN));
    assertEquals(MemoryFault.UNKNOWN_KEY, table.check(0, 0, 1, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.WRONG_PROTECTION_DOMAIN, table.check(key, 0, 1, REMOTE_READ, 99, QPN));
    assertEquals(MemoryFault.ACCESS_DENIED, check(key, 0, 1, REMOTE_READ));
    assertEquals(MemoryFault.OUT_OF_RANGE, check(key, 0, 1, LOCAL_WRITE));
    assertEquals(MemoryFault.OK, check(key, 0x1000, 1, LOCAL_WRITE));
  }

  // [rc 18-8] [rc 18-9]
  @Test
  void everyNeededRightMustBeThere() {
    int key = region(0x1000, 0x1000, LOCAL_WRITE | REMOTE_WRITE);
    assertEquals(MemoryFault.OK, check(key, 0x1000, 8, REMOTE_WRITE));
    assertEquals(MemoryFault.ACCESS_DENIED, check(key, 0x1000, 8, REMOTE_READ));
    assertEquals(MemoryFault.ACCESS_DENIED, check(key, 0x1000, 8, REMOTE_WRITE | REMOTE_ATOMIC));
  }

  // [rc 18-1] [rc 18-2]
  @Test
  void deregisteredKeyIsDeadAtOnceAndWhenItsSlotIsUsedAgain() {
    int slot = table.register(NATIVE, 0x1000, 0x1000, ALL, PD, NO_KEY_WISH);
    int old = table.key(slot);
    assertEquals(MemoryFault.OK, table.deregister(slot));
    assertEquals(MemoryFault.UNKNOWN_KEY, check(old, 0x1000, 1, REMOTE_READ));
    for (int i = 0; i < 100; i++) {
      int again = table.register(NATIVE, 0x1000, 0x1000, ALL, PD, NO_KEY_WISH);
      assertEquals(MemoryFault.UNKNOWN_KEY, check(old, 0x1000, 1, REMOTE_READ));
      table.deregister(again);
    }
    assertEquals(0, table.size());
  }

  @Test
  void keysAreSpreadOverTheWholeRange() {
    Set<Integer> topBytes = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      topBytes.add(region(0x1000, 1, ALL) >>> 24);
    }
    assertTrue(topBytes.size() > 230, topBytes.size() + " of 256 leading bytes");
  }

  @Test
  void wishedKeyIsGrantedOnce() {
    int slot = table.register(NATIVE, 0x1000, 1, ALL, PD, 0x102);
    assertEquals(0x102, table.key(slot));
    assertEquals(-MemoryFault.KEY_TAKEN, table.register(NATIVE, 0, 1, ALL, PD, 0x102));
    // The index is what must be free, whatever the variant byte.
    assertEquals(-MemoryFault.KEY_TAKEN, table.register(NATIVE, 0, 1, ALL, PD, 0x1FF));
    assertEquals(-MemoryFault.KEY_TAKEN, table.register(NATIVE, 0, 1, ALL, PD, 0xFF));
    assertEquals(0xFFFF_FF07, table.key(table.register(NATIVE, 0x1000, 1, ALL, PD, 0xFFFF_FF07L)));
  }

  @Test
  void fullTableSaysSo() {
    MemoryTable small = new MemoryTable(2, 1);
    assertEquals(0, small.register(NATIVE, 0, 1, ALL, PD, NO_KEY_WISH));
    assertEquals(1, small.register(NATIVE, 0, 1, ALL, PD, NO_KEY_WISH));
    assertEquals(-MemoryFault.TABLE_FULL, small.register(NATIVE, 0, 1, ALL, PD, NO_KEY_WISH));
    assertEquals(
        -MemoryFault.TABLE_FULL, small.allocateWindow(MemoryTable.WINDOW_TYPE_1, PD, NO_KEY_WISH));
    assertThrows(IllegalArgumentException.class, () -> new MemoryTable(0, 1));
  }

  @Test
  void reregisteringKeepsTheKeyAndChangesEverythingElse() {
    int slot = table.register(NATIVE, 0x1000, 0x1000, ALL, PD, NO_KEY_WISH);
    int key = table.key(slot);
    assertEquals(
        MemoryFault.OK, table.reregister(slot, NATIVE + 64, 0x8000, 0x10, LOCAL_WRITE, PD + 1));
    assertEquals(MemoryFault.WRONG_PROTECTION_DOMAIN, check(key, 0x8000, 1, LOCAL_WRITE));
    assertEquals(NATIVE + 65, table.resolveLocal(key, 0x8001, 1, LOCAL_WRITE, PD + 1));
    assertEquals(
        -MemoryFault.OUT_OF_RANGE, table.resolveLocal(key, 0x1000, 1, LOCAL_WRITE, PD + 1));
  }

  // [rc 18-6] [rc 18-7]
  @Test
  void localKeysNeedRegionDomainRightAndRange() {
    int key = region(0x1000, 0x1000, 0);
    assertEquals(NATIVE, table.resolveLocal(key, 0x1000, 0x1000, 0, PD));
    assertEquals(-MemoryFault.ACCESS_DENIED, table.resolveLocal(key, 0x1000, 1, LOCAL_WRITE, PD));
    assertEquals(
        -MemoryFault.WRONG_PROTECTION_DOMAIN, table.resolveLocal(key, 0x1000, 1, 0, PD + 1));
    assertEquals(-MemoryFault.OUT_OF_RANGE, table.resolveLocal(key, 0x1000, 0x1001, 0, PD));
    assertEquals(-MemoryFault.UNKNOWN_KEY, table.resolveLocal(key + 1, 0x1000, 1, 0, PD));
  }

  @Test
  void inlineSourcesAreFoundByAnyKeyButOnlyInRegions() {
    int key = region(0x1000, 0x100, 0);
    assertEquals(NATIVE + 4, table.locate(key, 0x1004, 8));
    assertEquals(NATIVE + 4, table.locate(0xdead, 0x1004, 8));
    assertEquals(-MemoryFault.OUT_OF_RANGE, table.locate(key, 0x10FF, 2));
    assertEquals(-MemoryFault.OUT_OF_RANGE, table.locate(key, 0x5000, 1));
  }
}
