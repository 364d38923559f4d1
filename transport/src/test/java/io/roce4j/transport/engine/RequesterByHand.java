// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A requester whose requests a test reads by hand and whose answers it makes by hand. */
abstract class RequesterByHand {
  static final int PSN = HandFed.SEND_PSN;
  static final int MTU = 1024;
  static final int UNLIMITED = 0x1F;
  HandFed hand;
  EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
    wish.retryCnt = 2;
    wish.rnrRetry = 3;
    hand.rts(wish);
  }

  @AfterEach
  void close() {
    hand.close();
  }

  void reopen() {
    hand.qp.close();
    hand.rts(wish);
  }

  void send(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.SEND, 0, length));
  }

  void write(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.RDMA_WRITE, 0, length).remote(0x9000, 0x77));
  }

  void read(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.RDMA_READ, 65_536, length).remote(0x9000, 0x77));
  }

  void fetchAdd(long wrId) {
    hand.post(
        hand.send(wrId, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 131_072, 8)
            .remote(0x9000, 0x77)
            .atomic(3, 0));
  }

  void ack(int psn) {
    answer(psn, UNLIMITED);
  }

  void answer(int psn, int syndrome) {
    hand.packet(Opcode.RC_ACK, psn).aeth(syndrome, 0).inject();
  }

  void response(int opcode, int psn, int bytes) {
    hand.packet(opcode, psn).aeth(UNLIMITED, 0).bytes(bytes, psn).inject();
  }

  static long ackTimeoutNs(int code) {
    return 4_096L << code;
  }
}
