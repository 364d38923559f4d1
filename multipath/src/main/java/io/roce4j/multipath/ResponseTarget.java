// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.packet.Opcode;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** Places answers to this side's own READs and atomics: the target of the response half. */
final class ResponseTarget implements FragmentTarget {
  private static final int ATOMIC_BYTES = 8;

  private final StreamSet streams;
  private final UnsafeBuffer original = new UnsafeBuffer(new byte[ATOMIC_BYTES]);

  ResponseTarget(StreamSet streams) {
    this.streams = streams;
  }

  /**
   * Everything is accepted: an answer nobody waits for was flushed meanwhile, and one that is wrong
   * fails its work request here. Refusing would keep the responder sending.
   */
  @Override
  public int place(MxPacketView view, long nowNs) {
    return ACCEPTED;
  }

  /** Completes work requests, so it runs when the fragment is in the tracker. */
  @Override
  public void onPlaced(MxPacketView view, long nowNs) {
    MxStream stream = streams.ofId(Mxth.streamId(view.buffer(), view.headOffset()));
    if (stream == null) {
      return;
    }
    StreamSender sender = stream.sender;
    int msn = view.msn();
    if (view.opcode() == Opcode.MX_ATOMIC_RESP) {
      original.putLong(0, view.atomicOriginal(), ByteOrder.nativeOrder());
      sender.placeResult(msn, 0, ATOMIC_BYTES, original, 0, ATOMIC_BYTES, nowNs);
    } else if (view.readSyndrome() != 0) {
      int reason = view.readSyndrome();
      boolean terminal = NackReason.isTerminal(reason);
      sender.onResultRefused(msn, terminal ? reason : NackReason.OPERATION, nowNs);
    } else {
      sender.placeResult(
          msn,
          view.messageOffset(),
          view.messageLength(),
          (UnsafeBuffer) view.buffer(),
          view.payloadOffset(),
          view.payloadLength(),
          nowNs);
    }
  }

  @Override
  public long notReadyWaitUs(MxPacketView view) {
    return 0;
  }

  @Override
  public int receiveLimit(int streamId) {
    return 0;
  }

  @Override
  public int nextStream() {
    return 0;
  }
}
