// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.packet.Opcode;

/** The InfiniBand transports RC, UC and UD: profile name {@code rc}, the default. */
public final class IbProfile implements TransportProfile {

  /** Made by the service loader. */
  public IbProfile() {}

  @Override
  public String name() {
    return "rc";
  }

  @Override
  public boolean supports(int queuePairType) {
    return queuePairType == QueuePairType.RC
        || queuePairType == QueuePairType.UC
        || queuePairType == QueuePairType.UD;
  }

  @Override
  public int transportClasses(int queuePairType) {
    return switch (queuePairType) {
      case QueuePairType.RC -> (1 << Opcode.CLASS_RC) | (1 << Opcode.CLASS_CNP);
      case QueuePairType.UC -> (1 << Opcode.CLASS_UC) | (1 << Opcode.CLASS_CNP);
      default -> 1 << Opcode.CLASS_UD;
    };
  }

  @Override
  public ConnectionEngine create(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    return switch (queuePair.type()) {
      case QueuePairType.RC -> new RcConnection(context, slot, queuePair);
      case QueuePairType.UC -> new UcConnection(context, slot, queuePair);
      default -> new UdEndpoint(context, slot, queuePair);
    };
  }
}
