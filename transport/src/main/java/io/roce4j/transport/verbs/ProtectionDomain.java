// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryFault;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.wire.memory.NativeRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Groups memory and queue pairs: a queue pair reaches only memory of its own domain.
 *
 * <p>All methods are control verbs; any thread.
 */
public final class ProtectionDomain implements ContextObject {
  private static final int MANAGEMENT_QPN = 1;

  private final RdmaContext context;
  private final int number;
  private int objects;
  private boolean open = true;

  ProtectionDomain(RdmaContext context, int number) {
    this.context = context;
    this.number = number;
  }

  /**
   * The number that memory checks compare.
   *
   * @return 1 or more
   */
  public int number() {
    return number;
  }

  /**
   * The context.
   *
   * @return where it was allocated
   */
  public RdmaContext context() {
    return context;
  }

  /**
   * Registers native memory at the address where it is.
   *
   * @param address first byte
   * @param length bytes, 1 or more
   * @param accessFlags {@link AccessFlags}; REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE
   * @return the region
   * @throws VerbsException EINVAL naming the value, ENOMEM when the table is full
   */
  public MemoryRegion register(long address, long length, int accessFlags) {
    return register(address, length, accessFlags, address, MemoryTable.NO_KEY_WISH, null);
  }

  /**
   * Registers native memory with wishes, for reproducible tests.
   *
   * @param address first byte
   * @param length bytes, 1 or more
   * @param accessFlags {@link AccessFlags}
   * @param startWish address that requests shall use for the first byte; ignored by ZERO_BASED
   * @param keyWish key from 0x100, or {@link MemoryTable#NO_KEY_WISH}
   * @return the region
   * @throws VerbsException EINVAL for what cannot be, a key in use included; ENOMEM
   */
  public MemoryRegion register(
      long address, long length, int accessFlags, long startWish, long keyWish) {
    return register(address, length, accessFlags, startWish, keyWish, null);
  }

  /**
   * Registers a whole off-heap block.
   *
   * @param region open until the memory region is closed
   * @param accessFlags {@link AccessFlags}
   * @return the region
   * @throws VerbsException as {@link #register(long, long, int)}
   */
  public MemoryRegion register(NativeRegion region, int accessFlags) {
    return register(
        region.address(),
        region.length(),
        accessFlags,
        region.address(),
        MemoryTable.NO_KEY_WISH,
        region);
  }

  /**
   * Registers the memory of an off-heap buffer.
   *
   * @param buffer not over a byte array
   * @param accessFlags {@link AccessFlags}
   * @return the region
   * @throws VerbsException EINVAL for a heap buffer, and as {@link #register(long, long, int)}
   */
  public MemoryRegion register(DirectBuffer buffer, int accessFlags) {
    if (buffer.byteArray() != null) {
      throw VerbsException.invalid("buffer lies on the Java heap: register off-heap memory");
    }
    return register(
        buffer.addressOffset(),
        buffer.capacity(),
        accessFlags,
        buffer.addressOffset(),
        MemoryTable.NO_KEY_WISH,
        buffer);
  }

  /**
   * Registers a direct ByteBuffer from position to limit; a mapped file is one too.
   *
   * @param buffer direct and writable
   * @param accessFlags {@link AccessFlags}
   * @return the region
   * @throws VerbsException EINVAL for a heap or read-only buffer, and as {@link #register(long,
   *     long, int)}
   */
  public MemoryRegion register(ByteBuffer buffer, int accessFlags) {
    if (!buffer.isDirect()) {
      throw VerbsException.invalid("ByteBuffer lies on the Java heap: use allocateDirect");
    }
    if (buffer.isReadOnly()) {
      throw VerbsException.invalid("ByteBuffer is read-only");
    }
    return register(MemorySegment.ofBuffer(buffer), accessFlags);
  }

  /**
   * Registers a native memory segment.
   *
   * @param segment native, writable, alive until the region is closed
   * @param accessFlags {@link AccessFlags}
   * @return the region
   * @throws VerbsException EINVAL for a heap or read-only segment, and as {@link #register(long,
   *     long, int)}
   */
  public MemoryRegion register(MemorySegment segment, int accessFlags) {
    if (!segment.isNative()) {
      throw VerbsException.invalid("MemorySegment lies on the Java heap: use an Arena's");
    }
    if (segment.isReadOnly()) {
      throw VerbsException.invalid("MemorySegment is read-only");
    }
    return register(
        segment.address(),
        segment.byteSize(),
        accessFlags,
        segment.address(),
        MemoryTable.NO_KEY_WISH,
        segment);
  }

  private MemoryRegion register(
      long address, long length, int accessFlags, long startWish, long keyWish, Object owner) {
    checkRegion(address, length, accessFlags);
    return context
        .control()
        .call(() -> registerNow(address, length, accessFlags, startWish, keyWish, owner));
  }

  private MemoryRegion registerNow(
      long address, long length, int accessFlags, long startWish, long keyWish, Object owner) {
    checkOpen();
    long start = (accessFlags & AccessFlags.ZERO_BASED) != 0 ? 0 : startWish;
    int slot = context.memoryTable().register(address, start, length, accessFlags, number, keyWish);
    checkSlot(slot, keyWish, start, length);
    MemoryRegion region = new MemoryRegion(this, slot, owner, start, length, accessFlags);
    retain();
    context.track(region);
    return region;
  }

  private void checkSlot(int slot, long keyWish, long start, long length) {
    if (slot >= 0) {
      return;
    }
    switch (-slot) {
      case MemoryFault.TABLE_FULL ->
          throw new VerbsException(
              "ENOMEM",
              "no room for another memory region or window: limit "
                  + context.deviceAttributes().maxMr());
      case MemoryFault.KEY_TAKEN ->
          throw VerbsException.invalid(
              "key 0x" + Long.toHexString(keyWish) + " is below 0x100 or its index is in use");
      default ->
          throw VerbsException.invalid(
              "region 0x" + Long.toHexString(start) + " + " + length + " passes 2^64");
    }
  }

  static void checkRegion(long address, long length, int accessFlags) {
    if (address == 0) {
      throw VerbsException.invalid("address 0 is no memory");
    }
    if (length < 1) {
      throw VerbsException.invalid("region length " + length + ": must be at least 1");
    }
    int unknown = accessFlags & ~AccessFlags.REGION_MASK;
    if (unknown != 0) {
      throw VerbsException.invalid("access flags " + AccessFlags.names(unknown) + " not supported");
    }
    if (!AccessFlags.remoteWriteHasLocalWrite(accessFlags)) {
      throw VerbsException.invalid(
          "access "
              + AccessFlags.names(accessFlags)
              + ": REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
    }
  }

  /**
   * Allocates an unbound memory window.
   *
   * @param type {@link MemoryWindow#TYPE_1} or {@link MemoryWindow#TYPE_2}
   * @return the window
   * @throws VerbsException EINVAL for another type, ENOMEM when the table is full
   */
  public MemoryWindow allocateWindow(int type) {
    return allocateWindow(type, MemoryTable.NO_KEY_WISH);
  }

  /**
   * Allocates an unbound memory window with a wished key, for reproducible tests.
   *
   * @param type {@link MemoryWindow#TYPE_1} or {@link MemoryWindow#TYPE_2}
   * @param keyWish key from 0x100, or {@link MemoryTable#NO_KEY_WISH}
   * @return the window
   * @throws VerbsException EINVAL for another type or a key in use, ENOMEM when the table is full
   */
  public MemoryWindow allocateWindow(int type, long keyWish) {
    if (type != MemoryWindow.TYPE_1 && type != MemoryWindow.TYPE_2) {
      throw VerbsException.invalid("memory window type " + type + ": allowed 1 2");
    }
    return context
        .control()
        .call(
            () -> {
              checkOpen();
              int kind =
                  type == MemoryWindow.TYPE_1
                      ? MemoryTable.WINDOW_TYPE_1
                      : MemoryTable.WINDOW_TYPE_2;
              int slot = context.memoryTable().allocateWindow(kind, number, keyWish);
              checkSlot(slot, keyWish, 0, 0);
              MemoryWindow window = new MemoryWindow(this, slot, type);
              retain();
              context.track(window);
              return window;
            });
  }

  /**
   * Makes an address handle for datagrams.
   *
   * @param address destination
   * @return the handle
   * @throws VerbsException ENOMEM when there are too many
   */
  public AddressHandle createAddressHandle(AddressVector address) {
    return context
        .control()
        .call(
            () -> {
              checkOpen();
              context.checkIpVersion(address);
              AddressHandle handle = context.addAddressHandle(this, address);
              retain();
              return handle;
            });
  }

  void removeAddressHandle(AddressHandle handle) {
    context.removeAddressHandle(handle);
    release();
  }

  /**
   * Makes a shared receive queue.
   *
   * @param maxWr receives outstanding, 1..device limit
   * @param maxSge scatter entries a receive, 0..device limit
   * @return the queue
   * @throws VerbsException EINVAL for a size out of range, ENOMEM when there are too many
   */
  public SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
    DeviceAttributes limits = context.deviceAttributes();
    checkLimit("maxWr", maxWr, 1, limits.maxSrqWr());
    checkLimit("maxSge", maxSge, 0, limits.maxSge());
    return context
        .control()
        .call(
            () -> {
              checkOpen();
              context.rings().take("shared receive queue", ReceiveQueue.bytes(maxWr, maxSge));
              SharedReceiveQueue queue =
                  new SharedReceiveQueue(this, context.takeSharedQueueNumber(), maxWr, maxSge);
              retain();
              context.track(queue);
              return queue;
            });
  }

  /**
   * Makes a queue pair in RESET.
   *
   * @param settings copied
   * @return the queue pair
   * @throws VerbsException EINVAL naming the value and the limit; EBUSY for a wished number in use;
   *     ENOMEM when there are too many
   */
  public QueuePair createQueuePair(QueuePairSettings settings) {
    QueuePairSettings copy = settings.copy();
    checkSettings(copy);
    return context.control().call(() -> createNow(copy));
  }

  private QueuePair createNow(QueuePairSettings settings) {
    checkOpen();
    settings.sendCq().checkOpen();
    settings.recvCq().checkOpen();
    if (settings.srq() != null) {
      settings.srq().checkOpen();
    }
    context.checkQueuePairRoom();
    long ringBytes = QueuePair.ringBytes(settings);
    context.rings().take("queue pair", ringBytes);
    int qpn;
    try {
      qpn = takeNumber(settings);
    } catch (VerbsException e) {
      context.rings().give(ringBytes);
      throw e;
    }
    ControlPlane plane = context.controlPlane();
    QueuePair queuePair = new QueuePair(this, settings, qpn);
    try {
      plane.attach(queuePair);
    } catch (VerbsException e) {
      queuePair.freeRings();
      plane.releaseQpn(qpn);
      throw e;
    }
    queuePair.retainParts();
    retain();
    return queuePair;
  }

  private int takeNumber(QueuePairSettings settings) {
    int qpn = context.controlPlane().allocateQpn(settings.qpNumWish(), settings.type());
    if (qpn == ControlPlane.QPN_TAKEN) {
      throw new VerbsException("EBUSY", "qpNum " + settings.qpNumWish() + " is in use");
    }
    if (qpn < 0) {
      throw new VerbsException(
          "ENOMEM", "no queue pair number left: limit " + context.deviceAttributes().maxQp());
    }
    return qpn;
  }

  private void checkSettings(QueuePairSettings s) {
    DeviceAttributes limits = context.deviceAttributes();
    if (s.type() != QueuePairType.RC
        && s.type() != QueuePairType.UC
        && s.type() != QueuePairType.UD) {
      throw VerbsException.invalid("queue pair type " + s.type() + ": allowed RC UC UD");
    }
    if (s.sendCq() == null || s.recvCq() == null) {
      throw VerbsException.invalid("a queue pair needs sendCq and recvCq");
    }
    if (s.sendCq().context() != context || s.recvCq().context() != context) {
      throw VerbsException.invalid("completion queue of another context");
    }
    if (s.srq() != null && s.srq().protectionDomain() != this) {
      throw VerbsException.invalid("shared receive queue of another protection domain");
    }
    checkLimit("maxSendWr", s.maxSendWr(), 1, limits.maxQpWr());
    checkLimit("maxRecvWr", s.maxRecvWr(), 0, limits.maxQpWr());
    checkLimit("maxSendSge", s.maxSendSge(), 0, limits.maxSge());
    checkLimit("maxRecvSge", s.maxRecvSge(), 0, limits.maxSge());
    checkLimit("maxInlineData", s.maxInlineData(), 0, limits.maxInlineData());
    checkLimit("ackEveryPackets", s.ackEveryPackets(), 0, 1 << 16);
    // A number wider than the field is refused, not cut; 0 and 1 are the management queue pairs'
    // [FC-10].
    if (s.qpNumWish() != 0) {
      checkLimit("qpn", s.qpNumWish(), 1, 0xFF_FFFF);
    }
    // The management queue pair has an engine of its own, which the endpoint looks up.
    if (s.type() != QueuePairType.RC
        && !"rc".equals(s.profile())
        && s.qpNumWish() != MANAGEMENT_QPN) {
      throw VerbsException.invalid(
          "profile " + s.profile() + " is for RC only, this is " + QueuePairType.name(s.type()));
    }
  }

  static void checkLimit(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw VerbsException.invalid(name + " " + value + ": allowed " + min + ".." + max);
    }
  }

  void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("protection domain " + number + " is deallocated");
    }
  }

  void retain() {
    objects++;
  }

  void release() {
    objects--;
  }

  /**
   * Deallocates. A second call does nothing.
   *
   * @throws VerbsException EBUSY while regions, windows, queue pairs, shared queues or address
   *     handles are left in it
   */
  @Override
  public void close() {
    context
        .control()
        .run(
            () -> {
              if (!open) {
                return;
              }
              if (objects != 0) {
                throw new VerbsException(
                    "EBUSY",
                    "protection domain " + number + " still has " + objects + " objects in it");
              }
              open = false;
              context.protectionDomainClosed(this);
            });
  }
}
