// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * Queue pair number to {@link ConnectionSlot}: two array loads whatever the number of queue pairs.
 * A number nobody has costs no memory: pages appear when a queue pair is attached, never because a
 * packet asks.
 */
final class QpTable {

  private static final int PAGE_BITS = 10;
  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
  private static final int PAGES = 1 << (24 - PAGE_BITS);

  private final ConnectionSlot[][] pages = new ConnectionSlot[PAGES][];

  /** The slot of a queue pair number of 24 bits, or null. */
  ConnectionSlot get(int qpn) {
    ConnectionSlot[] page = pages[qpn >>> PAGE_BITS];
    return page == null ? null : page[qpn & PAGE_MASK];
  }

  /** Control path: may allocate a page. */
  void put(int qpn, ConnectionSlot slot) {
    int index = qpn >>> PAGE_BITS;
    if (pages[index] == null) {
      pages[index] = new ConnectionSlot[PAGE_MASK + 1];
    }
    pages[index][qpn & PAGE_MASK] = slot;
  }

  void remove(int qpn) {
    ConnectionSlot[] page = pages[qpn >>> PAGE_BITS];
    if (page != null) {
      page[qpn & PAGE_MASK] = null;
    }
  }
}
