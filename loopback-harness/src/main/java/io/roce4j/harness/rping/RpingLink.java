// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import io.roce4j.multipath.MxReport;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeRegion;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The queue pair and memory of one side: messages of 16 bytes that name a buffer, and the buffers.
 *
 * <pre>
 * message: address 64 | rkey 32 | size 32, big-endian
 * memory:  received message | sent message | buffer 1 | buffer 2
 * </pre>
 */
final class RpingLink implements AutoCloseable {
  /** Bytes of a message. */
  static final int MESSAGE_BYTES = 16;

  private static final int SENT_AT = 64;
  private static final int BUFFERS_AT = 128;
  private static final int ADDRESS_AT = 0;
  private static final int RKEY_AT = 8;
  private static final int SIZE_AT = 12;
  private static final int DEPTH = 8;

  private final int size;
  private final NativeRegion memory;
  private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion region;
  private final QueuePair queuePair;
  private final WorkCompletion completion = new WorkCompletion();
  private final SendRequest request = new SendRequest();

  /** What went wrong, or null. */
  private String fault;

  /**
   * Makes the queue pair of an id, in INIT, with a receive posted.
   *
   * @param size bytes of each of the two buffers
   * @param profile transport of the queue pair
   */
  RpingLink(RdmaContext context, RdmaCmId id, int size, String profile) {
    this.size = size;
    memory = NativeRegion.allocate("rping", BUFFERS_AT + 2L * size);
    memory.window(bytes, 0, BUFFERS_AT + 2 * size);
    pd = context.allocateProtectionDomain();
    region =
        pd.register(
            memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE);
    cq = context.createCompletionQueue(2 * DEPTH);
    queuePair =
        id.createQueuePair(
            pd,
            new QueuePairSettings()
                .type(QueuePairType.RC)
                .profile(profile)
                .sendCq(cq)
                .recvCq(cq)
                .maxSendWr(DEPTH)
                .maxRecvWr(DEPTH));
    receive();
  }

  /** The opcode of the next completion, or -1; a failed one becomes the fault. */
  int poll() {
    if (!cq.poll(completion)) {
      return -1;
    }
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      fail("a work request ended in " + WorkCompletionStatus.name(completion.status()));
      return -1;
    }
    return completion.opcode();
  }

  /** Whether the message that was received last has the length a message has; else a fault. */
  boolean isMessageGood() {
    if (completion.byteLength() != MESSAGE_BYTES) {
      fail(
          "the peer sent "
              + completion.byteLength()
              + " bytes where "
              + MESSAGE_BYTES
              + " are due: is it rping?");
      return false;
    }
    return true;
  }

  String fault() {
    return fault;
  }

  void fail(String reason) {
    if (fault == null) {
      fault = reason;
    }
  }

  /** Posts a receive for the next message. */
  void receive() {
    check(
        "receive",
        queuePair.postReceive(
            new ReceiveRequest().sge(memory.address(), MESSAGE_BYTES, region.lkey())));
  }

  /** Sends a message that names a buffer, 0 or 1. */
  void sendBuffer(int buffer) {
    bytes.putLong(SENT_AT + ADDRESS_AT, addressOf(buffer), ByteOrder.BIG_ENDIAN);
    bytes.putInt(SENT_AT + RKEY_AT, region.rkey(), ByteOrder.BIG_ENDIAN);
    bytes.putInt(SENT_AT + SIZE_AT, size, ByteOrder.BIG_ENDIAN);
    sendAgain();
  }

  /** Sends a message whose content does not matter. */
  void sendAgain() {
    request
        .clear()
        .opcode(WorkRequestOpcode.SEND)
        .signaled(true)
        .sge(memory.address() + SENT_AT, MESSAGE_BYTES, region.lkey());
    check("SEND", queuePair.postSend(request));
  }

  /** Bytes of the buffer that the received message names. */
  long peerSize() {
    return bytes.getInt(SIZE_AT, ByteOrder.BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /** READs the peer's buffer into the first of ours. */
  void read(int length) {
    remote(WorkRequestOpcode.RDMA_READ, length);
  }

  /** WRITEs the first of our buffers into the peer's. */
  void write(int length) {
    remote(WorkRequestOpcode.RDMA_WRITE, length);
  }

  private void remote(int opcode, int length) {
    request
        .clear()
        .opcode(opcode)
        .signaled(true)
        .sge(addressOf(0), length, region.lkey())
        .remote(
            bytes.getLong(ADDRESS_AT, ByteOrder.BIG_ENDIAN),
            bytes.getInt(RKEY_AT, ByteOrder.BIG_ENDIAN));
    check(WorkRequestOpcode.name(opcode), queuePair.postSend(request));
  }

  private void check(String what, int result) {
    if (result != PostResult.OK) {
      fail("posting a " + what + " was refused: " + PostResult.name(result));
    }
  }

  private long addressOf(int buffer) {
    return memory.address() + BUFFERS_AT + (long) buffer * size;
  }

  void put(int buffer, byte[] content) {
    bytes.putBytes(BUFFERS_AT + buffer * size, content);
  }

  byte[] get(int buffer) {
    byte[] content = new byte[size];
    bytes.getBytes(BUFFERS_AT + buffer * size, content);
    return content;
  }

  /** Whether the two sides agreed on MX. */
  boolean speaksMx() {
    return MxReport.of(queuePair).isPresent();
  }

  int size() {
    return size;
  }

  @Override
  public void close() {
    queuePair.close();
    cq.close();
    region.close();
    pd.close();
    memory.close();
  }
}
