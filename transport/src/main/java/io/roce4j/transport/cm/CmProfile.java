// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.engine.TransportProfile;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;

/** Profile {@code cm}: what stands behind queue pair 1. {@link RdmaCm#open} asks for it. */
public final class CmProfile implements TransportProfile {
  static final String NAME = "cm";

  /** Made by the service loader. */
  public CmProfile() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean supports(int queuePairType) {
    return queuePairType == QueuePairType.UD;
  }

  @Override
  public int transportClasses(int queuePairType) {
    return 1 << Opcode.CLASS_UD;
  }

  @Override
  public ConnectionEngine create(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    if (queuePair.qpNum() != Bth.GSI_QP) {
      throw new VerbsException(
          "EINVAL",
          "profile cm is for queue pair 1, this is " + queuePair.qpNum() + ": use RdmaCm.open");
    }
    return new CmEngine(context, slot);
  }
}
