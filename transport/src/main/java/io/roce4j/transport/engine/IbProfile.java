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
    return queuePairType == QueuePairType.RC;
  }

  @Override
  public int transportClasses(int queuePairType) {
    return 1 << Opcode.CLASS_RC | 1 << Opcode.CLASS_CNP;
  }

  @Override
  public ConnectionEngine create(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    return new RcConnection(context, slot, queuePair);
  }
}
