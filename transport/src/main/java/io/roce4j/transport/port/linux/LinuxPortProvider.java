// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.NativeSupport;

/** Offers {@link LinuxPort} as {@code linux}. */
public final class LinuxPortProvider implements PortProvider {
  /** For the service loader. */
  public LinuxPortProvider() {}

  @Override
  public String name() {
    return LinuxPort.NAME;
  }

  @Override
  public String description() {
    return "native UDP sockets with segmented sends, coalesced receives and ECN";
  }

  @Override
  public int preference() {
    return 100;
  }

  @Override
  public String unavailableReason() {
    return NativeSupport.unsupportedReason();
  }

  @Override
  public DatagramPort open(PortSettings settings) {
    return LinuxPort.open(settings);
  }
}
