// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.engine.TransportProfile;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.packet.Opcode;
import org.agrona.DirectBuffer;

/**
 * The MX transport: profile name {@code mx}, for RC queue pairs whose peer speaks MX too. A queue
 * pair of this profile that gets no negotiation block from its peer is served with plain RC.
 */
public final class MxProfile implements TransportProfile {
  /** Made by the service loader. */
  public MxProfile() {}

  @Override
  public String name() {
    return "mx";
  }

  @Override
  public boolean supports(int queuePairType) {
    return queuePairType == QueuePairType.RC;
  }

  @Override
  public int transportClasses(int queuePairType) {
    return 1 << Opcode.CLASS_MX | 1 << Opcode.CLASS_RC | 1 << Opcode.CLASS_CNP;
  }

  @Override
  public int offerLength(DirectBuffer data, int offset, int length) {
    boolean offered = NegotiationBlock.check(data, offset, length) == MxFault.OK;
    return offered ? NegotiationBlock.LENGTH : 0;
  }

  @Override
  public ConnectionEngine create(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    if (queuePair.sharedReceiveQueue() != null) {
      throw new VerbsException(
          "EOPNOTSUPP",
          "profile mx has no shared receive queues: a message names its receive request by index,"
              + " which a shared queue gives to whoever comes first; use a receive queue of its"
              + " own");
    }
    return new MxEngine(context, slot, queuePair);
  }
}
