// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

import static io.roce4j.transport.memory.AccessFlags.LOCAL_WRITE;
import static io.roce4j.transport.memory.AccessFlags.MW_BIND;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_ATOMIC;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_READ;
import static io.roce4j.transport.memory.AccessFlags.REMOTE_WRITE;
import static io.roce4j.transport.memory.AccessFlags.ZERO_BASED;
import static io.roce4j.transport.memory.MemoryTable.NO_KEY_WISH;
import static io.roce4j.transport.memory.MemoryTable.WINDOW_TYPE_1;
import static io.roce4j.transport.memory.MemoryTable.WINDOW_TYPE_2;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory windows of type 1 and 2 [rc 18]. */
class MemoryWindowTableTest {
  private static final int PD = 3;
  private static final int QPN = 20;
  private static final int OTHER_QPN = 21;
  private static final long NATIVE = 0x7000_0000_0000L;
  private static final int BINDABLE = LOCAL_WRITE | MW_BIND;

  private final MemoryTable table = new MemoryTable(100, 9);
  private int region;
  private int regionSlot;
  private int window1;
  private int window2;

  @BeforeEach
  void oneRegionAndOneWindowOfEachType() {
    regionSlot = table.register(NATIVE, 0x1000, 0x1000, BINDABLE, PD, NO_KEY_WISH);
    region = table.key(regionSlot);
    window1 = table.allocateWindow(WINDOW_TYPE_1, PD, NO_KEY_WISH);
    window2 = table.allocateWindow(WINDOW_TYPE_2, PD, NO_KEY_WISH);
  }

  private static int withVariant(int key, int variant) {
    return (key & ~0xff) | variant;
  }

  private int bind2(int variant, long address, long length, int access) {
    return table.bindWindow(
        WINDOW_TYPE_2,
        withVariant(table.key(window2), variant),
        region,
        address,
        length,
        access,
        PD,
        QPN);
  }

  // [rc 18-3] [rc 18-17]
  @Test
  void boundTypeTwoWindowOpensItsRangeUnderTheNewKeyToItsQueuePair() {
    int old = table.key(window2);
    assertEquals(MemoryFault.OK, bind2(0x5A, 0x1100, 0x200, REMOTE_WRITE));
    int key = withVariant(old, 0x5A);
    assertEquals(key, table.key(window2));
    assertTrue(table.isValid(window2));
    assertEquals(NATIVE + 0x100, table.resolve(key, 0x1100, 0x200, REMOTE_WRITE, PD, QPN));
    assertEquals(MemoryFault.OUT_OF_RANGE, table.check(key, 0x10FF, 1, REMOTE_WRITE, PD, QPN));
    assertEquals(MemoryFault.OUT_OF_RANGE, table.check(key, 0x1300, 1, REMOTE_WRITE, PD, QPN));
    assertEquals(MemoryFault.ACCESS_DENIED, table.check(key, 0x1100, 1, REMOTE_READ, PD, QPN));
    assertEquals(
        MemoryFault.WRONG_QUEUE_PAIR, table.check(key, 0x1100, 1, REMOTE_WRITE, PD, OTHER_QPN));
  }

  // [rc 18-3] [rc 18-16]
  @Test
  void boundTypeOneWindowServesEveryQueuePairOfTheDomain() {
    int key = withVariant(table.key(window1), 0x11);
    assertEquals(
        MemoryFault.OK,
        table.bindWindow(WINDOW_TYPE_1, key, region, 0x1000, 16, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OK, table.check(key, 0x1000, 16, REMOTE_READ, PD, OTHER_QPN));
    assertEquals(
        MemoryFault.WRONG_PROTECTION_DOMAIN,
        table.check(key, 0x1000, 16, REMOTE_READ, PD + 1, QPN));
  }

  // [rc 18-16] [rc 18-19]
  @Test
  void typeOneIsBoundAnewAndUnboundByLengthZero() {
    int first = withVariant(table.key(window1), 1);
    int second = withVariant(first, 2);
    assertEquals(
        MemoryFault.OK,
        table.bindWindow(WINDOW_TYPE_1, first, region, 0x1000, 16, REMOTE_READ, PD, QPN));
    assertEquals(
        MemoryFault.OK,
        table.bindWindow(WINDOW_TYPE_1, second, region, 0x1800, 16, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.UNKNOWN_KEY, table.check(first, 0x1000, 1, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OK, table.check(second, 0x1800, 1, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.WINDOWS_BOUND, table.deregister(regionSlot));
    assertEquals(
        MemoryFault.OK,
        table.bindWindow(WINDOW_TYPE_1, withVariant(first, 3), 0, 0, 0, 0, PD, QPN));
    assertEquals(
        MemoryFault.INVALID_STATE,
        table.check(withVariant(first, 3), 0x1800, 1, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OK, table.deregister(regionSlot));
  }

  // [rc 18-17]
  @Test
  void typeTwoMustBeFreeAndNotEmpty() {
    assertEquals(MemoryFault.ZERO_LENGTH, bind2(1, 0x1000, 0, REMOTE_READ));
    assertEquals(MemoryFault.OK, bind2(1, 0x1000, 8, REMOTE_READ));
    assertEquals(MemoryFault.WINDOW_BOUND, bind2(2, 0x1000, 8, REMOTE_READ));
    // The refused bind left the first one alone.
    assertEquals(
        MemoryFault.OK,
        table.check(withVariant(table.key(window2), 1), 0x1000, 8, REMOTE_READ, PD, QPN));
  }

  // [rc 18-11] [rc 18-18]
  @Test
  void eachBindPreconditionIsRefusedByItsName() {
    assertEquals(MemoryFault.OUT_OF_RANGE, bind2(1, 0x1000, 0x1001, REMOTE_READ));
    assertEquals(MemoryFault.OUT_OF_RANGE, bind2(1, -0x400, 0x2000, REMOTE_READ));
    int plain = table.key(table.register(NATIVE, 0x1000, 8, LOCAL_WRITE, PD, NO_KEY_WISH));
    int readOnly = table.key(table.register(NATIVE, 0x1000, 8, MW_BIND, PD, NO_KEY_WISH));
    int foreign = table.key(table.register(NATIVE, 0x1000, 8, BINDABLE, PD + 1, NO_KEY_WISH));
    int key = withVariant(table.key(window2), 7);
    assertEquals(MemoryFault.ACCESS_DENIED, bindTo(key, plain, REMOTE_READ));
    assertEquals(MemoryFault.ACCESS_DENIED, bindTo(key, readOnly, REMOTE_WRITE));
    assertEquals(MemoryFault.ACCESS_DENIED, bindTo(key, readOnly, REMOTE_ATOMIC));
    assertEquals(MemoryFault.WRONG_PROTECTION_DOMAIN, bindTo(key, foreign, REMOTE_READ));
    assertEquals(MemoryFault.UNKNOWN_KEY, bindTo(key, region ^ 1, REMOTE_READ));
    assertEquals(MemoryFault.WRONG_KIND, bindTo(key, table.key(window1), REMOTE_READ));
    assertEquals(MemoryFault.KEY_INDEX_DIFFERS, bindTo(0x0000_0101, region, REMOTE_READ));
    assertEquals(
        MemoryFault.WRONG_KIND,
        table.bindWindow(WINDOW_TYPE_1, key, region, 0x1000, 8, REMOTE_READ, PD, QPN));
    assertEquals(
        MemoryFault.WRONG_PROTECTION_DOMAIN,
        table.bindWindow(WINDOW_TYPE_2, key, region, 0x1000, 8, REMOTE_READ, PD + 1, QPN));
    assertEquals(MemoryFault.OK, bindTo(key, readOnly, REMOTE_READ));
  }

  private int bindTo(int key, int target, int access) {
    return table.bindWindow(WINDOW_TYPE_2, key, target, 0x1000, 8, access, PD, QPN);
  }

  // [rc 18-12]
  @Test
  void zeroBasedWindowsCountFromTheirOwnStart() {
    assertEquals(MemoryFault.OK, bind2(9, 0x1200, 0x100, REMOTE_WRITE | ZERO_BASED));
    int key = table.key(window2);
    assertEquals(NATIVE + 0x200, table.resolve(key, 0, 0x100, REMOTE_WRITE, PD, QPN));
    assertEquals(NATIVE + 0x2FF, table.resolve(key, 0xFF, 1, REMOTE_WRITE, PD, QPN));
    assertEquals(MemoryFault.OUT_OF_RANGE, table.check(key, 0x1200, 1, REMOTE_WRITE, PD, QPN));
  }

  // [rc 18-12] [rc 18-16] [rc 18-18]
  @Test
  void zeroBasedRegionTakesOnlyZeroBasedWindowsAndTypeOneNone() {
    int zeroBased =
        table.key(table.register(NATIVE, 0, 0x1000, BINDABLE | ZERO_BASED, PD, NO_KEY_WISH));
    int key2 = withVariant(table.key(window2), 1);
    int key1 = withVariant(table.key(window1), 1);
    assertEquals(
        MemoryFault.ZERO_BASED_MISMATCH,
        table.bindWindow(WINDOW_TYPE_2, key2, zeroBased, 0x10, 8, REMOTE_READ, PD, QPN));
    assertEquals(
        MemoryFault.ZERO_BASED_MISMATCH,
        table.bindWindow(
            WINDOW_TYPE_1, key1, region, 0x1000, 8, REMOTE_READ | ZERO_BASED, PD, QPN));
    assertEquals(
        MemoryFault.OK,
        table.bindWindow(
            WINDOW_TYPE_2, key2, zeroBased, 0x10, 8, REMOTE_READ | ZERO_BASED, PD, QPN));
    assertEquals(NATIVE + 0x10, table.resolve(key2, 0, 8, REMOTE_READ, PD, QPN));
  }

  // [rc 18-2] [rc 18-17] [rc 18-20]
  @Test
  void invalidateFreesATypeTwoWindowOfThisQueuePairOnly() {
    assertEquals(MemoryFault.INVALID_STATE, table.invalidate(table.key(window2), PD, QPN));
    bind2(4, 0x1000, 8, REMOTE_READ);
    int key = table.key(window2);
    assertEquals(MemoryFault.UNKNOWN_KEY, table.invalidate(key ^ 1, PD, QPN));
    assertEquals(MemoryFault.WRONG_QUEUE_PAIR, table.invalidate(key, PD, OTHER_QPN));
    assertEquals(MemoryFault.WRONG_PROTECTION_DOMAIN, table.invalidate(key, PD + 1, QPN));
    assertEquals(MemoryFault.WRONG_KIND, table.invalidate(region, PD, QPN));
    assertEquals(MemoryFault.WRONG_KIND, table.invalidate(table.key(window1), PD, QPN));
    assertEquals(MemoryFault.OK, table.check(key, 0x1000, 8, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OK, table.invalidate(key, PD, QPN));
    assertEquals(MemoryFault.INVALID_STATE, table.check(key, 0x1000, 8, REMOTE_READ, PD, QPN));
    assertEquals(MemoryFault.OK, bind2(5, 0x1000, 8, REMOTE_READ));
  }

  // [rc 18-19]
  @Test
  void regionWithBoundWindowsStays() {
    bind2(4, 0x1000, 8, REMOTE_READ);
    assertEquals(MemoryFault.WINDOWS_BOUND, table.deregister(regionSlot));
    assertEquals(
        MemoryFault.WINDOWS_BOUND, table.reregister(regionSlot, NATIVE, 0, 8, BINDABLE, PD));
    table.freeWindow(window2);
    assertEquals(MemoryFault.OK, table.deregister(regionSlot));
  }

  @Test
  void destroyedQueuePairFreesItsTypeTwoWindows() {
    bind2(4, 0x1000, 8, REMOTE_READ);
    int key1 = withVariant(table.key(window1), 1);
    table.bindWindow(WINDOW_TYPE_1, key1, region, 0x1000, 8, REMOTE_READ, PD, QPN);
    table.unbindWindowsOf(OTHER_QPN);
    assertTrue(table.isValid(window2));
    table.unbindWindowsOf(QPN);
    assertEquals(false, table.isValid(window2));
    assertTrue(table.isValid(window1));
  }

  @Test
  void windowsAreNoLocalKeys() {
    bind2(4, 0x1000, 8, REMOTE_READ | REMOTE_WRITE);
    assertEquals(-MemoryFault.WRONG_KIND, table.resolveLocal(table.key(window2), 0x1000, 8, 0, PD));
  }
}
