// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.nio;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;

/** Offers {@link NioPort} as {@code nio}. */
public final class NioPortProvider implements PortProvider {
  /** For the service loader. */
  public NioPortProvider() {}

  @Override
  public String name() {
    return NioPort.NAME;
  }

  @Override
  public String description() {
    return "the JDK's datagram channel, portable, one call a packet, without ECN";
  }

  @Override
  public int preference() {
    return 0;
  }

  @Override
  public String unavailableReason() {
    return null;
  }

  @Override
  public DatagramPort open(PortSettings settings) {
    return NioPort.open(settings);
  }
}
