// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;

/**
 * Which BTH opcode a packet of a work request has, by its place in the message [wire 5] [rc Q1].
 */
final class RcOpcodes {

  private RcOpcodes() {}

  /**
   * The RC opcode of a packet.
   *
   * @param request work request opcode of a SEND or WRITE kind.
   * @param first whether it is the first packet of the message.
   * @param last whether it is the last packet of the message.
   */
  static int ofPacket(int request, boolean first, boolean last) {
    boolean write = isWrite(request);
    if (!last) {
      return first
          ? (write ? Opcode.RC_WRITE_FIRST : Opcode.RC_SEND_FIRST)
          : (write ? Opcode.RC_WRITE_MIDDLE : Opcode.RC_SEND_MIDDLE);
    }
    return switch (request) {
      case WorkRequestOpcode.RDMA_WRITE -> first ? Opcode.RC_WRITE_ONLY : Opcode.RC_WRITE_LAST;
      case WorkRequestOpcode.RDMA_WRITE_WITH_IMM ->
          first ? Opcode.RC_WRITE_ONLY_IMM : Opcode.RC_WRITE_LAST_IMM;
      case WorkRequestOpcode.SEND_WITH_IMM ->
          first ? Opcode.RC_SEND_ONLY_IMM : Opcode.RC_SEND_LAST_IMM;
      case WorkRequestOpcode.SEND_WITH_INV ->
          first ? Opcode.RC_SEND_ONLY_INV : Opcode.RC_SEND_LAST_INV;
      default -> first ? Opcode.RC_SEND_ONLY : Opcode.RC_SEND_LAST;
    };
  }

  static boolean isWrite(int request) {
    return request == WorkRequestOpcode.RDMA_WRITE
        || request == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
  }

  /** SE goes with SENDs and WRITE with immediate only, whatever the flag says [rc 17-1]. */
  static boolean maySolicit(int request) {
    return request != WorkRequestOpcode.RDMA_WRITE;
  }
}
