// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryFault;
import io.roce4j.transport.memory.MemoryTable;

/**
 * Memory that requests may touch: any off-heap bytes, with a 64-bit base and length, under one key.
 *
 * <p>The memory is the application's: it must stay allocated until {@link #close} returned. Closing
 * makes the key dead at once; work requests that still use it complete with LOC_PROT_ERR.
 */
public final class MemoryRegion implements ContextObject {
  private final RdmaContext context;
  private final int slot;
  private final int key;
  // Keeps a ByteBuffer or MemorySegment from being collected while peers can reach it.
  private Object owner;
  private ProtectionDomain pd;
  private long address;
  private long length;
  private int access;
  private boolean open = true;

  MemoryRegion(ProtectionDomain pd, int slot, Object owner, long address, long length, int access) {
    this.pd = pd;
    this.context = pd.context();
    this.slot = slot;
    this.key = context.memoryTable().key(slot);
    this.owner = owner;
    this.address = address;
    this.length = length;
    this.access = access;
  }

  /**
   * Key for this side's scatter-gather entries.
   *
   * @return 32 bits
   */
  public int lkey() {
    return key;
  }

  /**
   * Key for peers; the same number as the lkey.
   *
   * @return 32 bits
   */
  public int rkey() {
    return key;
  }

  /**
   * Address of the first byte in requests: where the memory is, unless another was wished, or 0 for
   * a zero-based region.
   *
   * @return unsigned
   */
  public long address() {
    return address;
  }

  /**
   * Size.
   *
   * @return bytes, 1 or more
   */
  public long length() {
    return length;
  }

  /**
   * Rights.
   *
   * @return {@link AccessFlags}
   */
  public int access() {
    return access;
  }

  /**
   * The protection domain.
   *
   * @return where it is registered now
   */
  public ProtectionDomain protectionDomain() {
    return pd;
  }

  /**
   * Changes memory, rights and domain, keeping the keys: {@code ibv_rereg_mr}.
   *
   * @param newDomain of the same context
   * @param nativeAddress where the memory is
   * @param newLength bytes, 1 or more
   * @param accessFlags {@link AccessFlags}
   * @throws VerbsException EINVAL when windows are bound, or for what {@link
   *     ProtectionDomain#register(long, long, int)} refuses
   */
  public void reregister(
      ProtectionDomain newDomain, long nativeAddress, long newLength, int accessFlags) {
    ProtectionDomain.checkRegion(nativeAddress, newLength, accessFlags);
    context.control().run(() -> reregisterNow(newDomain, nativeAddress, newLength, accessFlags));
  }

  private void reregisterNow(
      ProtectionDomain newDomain, long nativeAddress, long newLength, int accessFlags) {
    checkOpen();
    newDomain.checkOpen();
    long start = (accessFlags & AccessFlags.ZERO_BASED) != 0 ? 0 : nativeAddress;
    int fault =
        context
            .memoryTable()
            .reregister(slot, nativeAddress, start, newLength, accessFlags, newDomain.number());
    if (fault != MemoryFault.OK) {
      throw VerbsException.invalid("memory region cannot change: " + MemoryFault.name(fault));
    }
    pd.release();
    newDomain.retain();
    pd = newDomain;
    address = start;
    length = newLength;
    access = accessFlags;
    owner = null;
  }

  /**
   * Deregisters. A second call does nothing.
   *
   * @throws VerbsException EINVAL while memory windows are bound to it
   */
  @Override
  public void close() {
    context.control().run(this::closeNow);
  }

  private void closeNow() {
    if (!open) {
      return;
    }
    MemoryTable table = context.memoryTable();
    if (table.deregister(slot) != MemoryFault.OK) {
      throw VerbsException.invalid(
          "memory region 0x"
              + Integer.toHexString(key)
              + " has bound memory windows: unbind or invalidate them first");
    }
    open = false;
    context.untrack(this);
    owner = null;
    pd.release();
  }

  private void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("memory region 0x" + Integer.toHexString(key) + " is closed");
    }
  }

  /** Whether it may be used, for the binding of windows. */
  boolean isOpen() {
    return open;
  }

  @Override
  public String toString() {
    return "MemoryRegion 0x"
        + Long.toHexString(address)
        + "+"
        + length
        + " key 0x"
        + Integer.toHexString(key)
        + " "
        + AccessFlags.names(access)
        + (owner == null ? "" : " of " + owner.getClass().getSimpleName());
  }
}
