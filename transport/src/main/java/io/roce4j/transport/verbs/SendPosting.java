// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SendQueue;

/**
 * Checks sends at post time and copies them into the ring. The order is libibverbs': type, lists,
 * lengths, addresses. Local keys are not checked here; a bad one completes with LOC_PROT_ERR.
 */
final class SendPosting {
  private SendPosting() {}

  /** Returns 0 or why the request cannot be posted on this queue pair. */
  static int check(QueuePair queuePair, SendRequest r) {
    // [rc 13-6] [rc U1]
    if (!isAllowed(queuePair.type(), r.opcode)) {
      return PostResult.OPCODE_NOT_ALLOWED;
    }
    SendQueue queue = queuePair.sendQueue();
    // [rc 13-3]
    if (r.overfull || (r.sgeCount > queue.sgeMax() && (r.flags & SendFlags.INLINE) == 0)) {
      return PostResult.TOO_MANY_SGES;
    }
    if (r.opcode == WorkRequestOpcode.BIND_MW) {
      return checkBind(r);
    }
    if (r.opcode == WorkRequestOpcode.LOCAL_INV) {
      return PostResult.OK;
    }
    if ((r.flags & SendFlags.INLINE) != 0) {
      int result = checkInline(queuePair, r);
      if (result != PostResult.OK) {
        return result;
      }
    }
    long length = length(r);
    // [rc 13-8] [rc 13-13] [rc U10]
    if (length > SendRequest.MESSAGE_LENGTH_MAX) {
      return PostResult.MESSAGE_TOO_LONG;
    }
    if (isAtomic(r.opcode)) {
      return checkAtomic(r, length);
    }
    return queuePair.type() == QueuePairType.UD
        ? checkDatagram(queuePair, r, length)
        : PostResult.OK;
  }

  /** Copies a checked request into a claimed slot. */
  static void write(QueuePair queuePair, SendRequest r, int slot) {
    SendQueue queue = queuePair.sendQueue();
    int flags = queuePair.isSignalAll() ? r.flags | SendFlags.SIGNALED : r.flags;
    queue.setRequest(slot, r.wrId, r.opcode, flags);
    if (r.opcode == WorkRequestOpcode.BIND_MW) {
      queue.setBind(
          slot,
          r.window.tableKind(),
          r.windowNewKey,
          r.windowRegion == null ? 0 : r.windowRegion.lkey(),
          r.windowAddress,
          r.windowLength,
          r.windowAccess);
      return;
    }
    queue.setRemote(slot, r.remoteVa, r.rkey);
    queue.setAtomic(slot, r.compareAdd, r.swap);
    queue.setImmediate(slot, r.immediate, r.invalidateRkey);
    queue.setDatagram(
        slot, r.addressHandle == null ? 0 : r.addressHandle.number(), r.remoteQpn, r.remoteQkey);
    if (r.opcode == WorkRequestOpcode.LOCAL_INV) {
      return;
    }
    writeBytes(queue, r, slot);
  }

  private static void writeBytes(SendQueue queue, SendRequest r, int slot) {
    if (r.inlineBuffer != null) {
      queue.addInline(slot, r.inlineBuffer, r.inlineOffset, r.inlineLength);
    } else if ((r.flags & SendFlags.INLINE) != 0) {
      for (int i = 0; i < r.sgeCount; i++) {
        // [rc 13-11]
        queue.addInline(slot, r.inlineSource[i], r.sgeLength[i]);
      }
    } else {
      for (int i = 0; i < r.sgeCount; i++) {
        queue.addSge(slot, r.sgeAddress[i], r.sgeLength[i], r.sgeLkey[i]);
      }
    }
  }

  private static int checkInline(QueuePair queuePair, SendRequest r) {
    // [rc 13-5]
    if (r.opcode == WorkRequestOpcode.RDMA_READ || isAtomic(r.opcode)) {
      return PostResult.INLINE_NOT_ALLOWED;
    }
    // [rc 13-4]
    if (length(r) > queuePair.sendQueue().inlineMax()) {
      return PostResult.INLINE_TOO_LONG;
    }
    if (r.inlineBuffer != null) {
      return PostResult.OK;
    }
    MemoryTable table = queuePair.memoryTable();
    for (int i = 0; i < r.sgeCount; i++) {
      long source = 0;
      if (r.sgeLength[i] != 0) {
        source = table.locate(r.sgeLkey[i], r.sgeAddress[i], r.sgeLength[i]);
      }
      if (source < 0) {
        return PostResult.INLINE_UNREADABLE;
      }
      r.inlineSource[i] = source;
    }
    return PostResult.OK;
  }

  // [rc 13-7]
  private static int checkAtomic(SendRequest r, long length) {
    if (length < 8) {
      return PostResult.ATOMIC_BUFFER_TOO_SHORT;
    }
    return (r.remoteVa & 7) != 0 ? PostResult.ATOMIC_MISALIGNED : PostResult.OK;
  }

  private static int checkDatagram(QueuePair queuePair, SendRequest r, long length) {
    // [rc D2]
    AddressHandle handle = r.addressHandle;
    if (handle == null
        || !handle.isOpen()
        || handle.protectionDomain() != queuePair.protectionDomain()) {
      return PostResult.ADDRESS_HANDLE_MISSING;
    }
    if ((r.remoteQpn & ~QueuePair.QPN_MASK) != 0) {
      return PostResult.QPN_OUT_OF_RANGE;
    }
    // [rc 24-17] [rc D1]
    return length > queuePair.activeMtuBytes() ? PostResult.MESSAGE_TOO_LONG : PostResult.OK;
  }

  private static int checkBind(SendRequest r) {
    if (r.window == null || !r.window.isOpen() || r.window.type() != MemoryWindow.TYPE_2) {
      return PostResult.WINDOW_NOT_ALLOWED;
    }
    return r.windowRegion == null || (r.windowAccess & ~AccessFlags.WINDOW_MASK) != 0
        ? PostResult.WINDOW_NOT_ALLOWED
        : PostResult.OK;
  }

  private static long length(SendRequest r) {
    return r.inlineBuffer != null ? r.inlineLength : r.totalLength;
  }

  private static boolean isAtomic(int opcode) {
    return opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP
        || opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD;
  }

  private static boolean isAllowed(int type, int opcode) {
    return switch (opcode) {
      case WorkRequestOpcode.SEND, WorkRequestOpcode.SEND_WITH_IMM -> true;
      case WorkRequestOpcode.RDMA_WRITE,
          WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
          WorkRequestOpcode.LOCAL_INV,
          WorkRequestOpcode.BIND_MW ->
          type != QueuePairType.UD;
      case WorkRequestOpcode.RDMA_READ,
          WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
          WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
          WorkRequestOpcode.SEND_WITH_INV ->
          type == QueuePairType.RC;
      default -> false;
    };
  }
}
