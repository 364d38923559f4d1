// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/** A packet on its way. */
final class Packet implements Comparable<Packet> {
  final UnsafeBuffer bytes = new UnsafeBuffer(new byte[4400]);
  int length;

  /** Sending endpoint, 0 or 1. */
  int from;

  int slot;
  int tos;
  long sentNs;
  boolean marked;
  long arrivalNs;
  long order;

  int opcode() {
    return Bth.opcode(bytes, 0);
  }

  /** Carries a CPSN. */
  boolean isNumbered() {
    return opcode() >= Opcode.MX_WRITE && opcode() <= Opcode.MX_VOID;
  }

  boolean isProbe() {
    return opcode() == Opcode.MX_PROBE;
  }

  boolean isSack() {
    return opcode() == Opcode.MX_SACK || opcode() == Opcode.MX_PROBE_ACK;
  }

  boolean isControl() {
    return opcode() == Opcode.MX_CTRL;
  }

  /** Path carried or spoken of. */
  int path() {
    return isNumbered() || opcode() == Opcode.MX_NACK
        ? Mxth.pathId(bytes, Bth.LENGTH)
        : bytes.getByte(Bth.LENGTH) & 0xFF;
  }

  int psn() {
    return Bth.psn(bytes, 0);
  }

  int pseq() {
    return Mxth.pseq(bytes, Bth.LENGTH);
  }

  boolean isRetransmission() {
    return isNumbered() && (Mxth.tflags(bytes, Bth.LENGTH) & Mxth.RETRANSMISSION) != 0;
  }

  boolean isLast() {
    int flags = Mxmh.mflags(bytes, Bth.LENGTH + Mxth.LENGTH);
    return isNumbered() && opcode() != Opcode.MX_VOID && (flags & Mxmh.LAST) != 0;
  }

  @Override
  public int compareTo(Packet other) {
    int byTime = Long.compare(arrivalNs, other.arrivalNs);
    return byTime != 0 ? byTime : Long.compare(order, other.order);
  }
}
