// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receive memory that Netty reads into: slots with headroom, so that what arrives can be handed on
 * without a copy. A slot is free while nobody but this class holds it.
 */
final class ReceiveSlots extends DefaultMaxMessagesRecvByteBufAllocator {
  static final int MAX_DATAGRAM = 65536;
  static final int HEADROOM = BitUtil.align(Icrc.HEADROOM, 64);
  private static final int SLOT = HEADROOM + MAX_DATAGRAM;

  private final UnsafeBuffer memory;
  private final ByteBuf[] slots;
  private final Runnable beforeReuse;
  private int next;

  /**
   * Makes slots.
   *
   * @param count slots for Netty; one more in front is the spare
   * @param reads datagrams or batches read at a time
   * @param beforeReuse called before a slot is given out again
   */
  ReceiveSlots(int count, int reads, Runnable beforeReuse) {
    super(reads);
    this.beforeReuse = beforeReuse;
    memory = NativeMemory.allocate("port-receive", (count + 1) * SLOT, 4096);
    ByteBuffer bytes = memory.byteBuffer();
    slots = new ByteBuf[count];
    for (int i = 0; i < count; i++) {
      int start = memory.wrapAdjustment() + (i + 1) * SLOT + HEADROOM;
      slots[i] = Unpooled.wrappedBuffer(bytes.slice(start, MAX_DATAGRAM)).clear();
    }
  }

  UnsafeBuffer memory() {
    return memory;
  }

  /**
   * Where bytes of a received buffer lie in {@link #memory()}.
   *
   * @return offset, or -1 when they lie elsewhere
   */
  int offsetOf(ByteBuf content) {
    if (!content.hasMemoryAddress()) {
      return -1;
    }
    long offset = content.memoryAddress() + content.readerIndex() - memory.addressOffset();
    return offset >= 0 && offset < memory.capacity() ? (int) offset : -1;
  }

  /** Slots that somebody else holds. */
  int inUse() {
    int held = 0;
    for (ByteBuf slot : slots) {
      held += slot.refCnt() > 1 ? 1 : 0;
    }
    return held;
  }

  /** Copies foreign memory into the spare slot, which starts at {@link #HEADROOM}. */
  void copyToSpare(ByteBuf content) {
    ByteBuffer target = memory.byteBuffer().duplicate();
    int start = memory.wrapAdjustment() + HEADROOM;
    target.limit(start + content.readableBytes()).position(start);
    content.getBytes(content.readerIndex(), target);
  }

  @Override
  public ExtendedHandle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return MAX_DATAGRAM;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        beforeReuse.run();
        for (int i = 0; i < slots.length; i++) {
          ByteBuf slot = slots[next];
          next = (next + 1) % slots.length;
          if (slot.refCnt() == 1) {
            return slot.clear().retain();
          }
        }
        return allocator.directBuffer(MAX_DATAGRAM);
      }
    };
  }

  void close() {
    NativeMemory.release(memory);
  }
}
