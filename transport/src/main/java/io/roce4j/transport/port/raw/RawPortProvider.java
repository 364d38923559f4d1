// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSupport;
import io.roce4j.transport.port.libc.SocketOptions;

/** Offers {@link RawPort} as {@code raw}; never taken by {@code auto}, which asks for no rights. */
public final class RawPortProvider implements PortProvider {
  /** For the service loader. */
  public RawPortProvider() {}

  @Override
  public String name() {
    return RawPort.NAME;
  }

  @Override
  public String description() {
    return "whole frames over AF_PACKET: strict ICRC, any source port, RoCEv1; needs CAP_NET_RAW";
  }

  @Override
  public int preference() {
    return -1;
  }

  @Override
  public String unavailableReason() {
    String reason = NativeSupport.unsupportedReason();
    if (reason != null) {
      return reason;
    }
    try (Libc libc = new Libc()) {
      int fd = libc.socket(SocketOptions.AF_PACKET, SocketOptions.SOCK_RAW, 0);
      if (fd >= 0) {
        libc.close(fd);
        return null;
      }
      return fd == -Errno.EPERM
          ? "needs CAP_NET_RAW: run as root, or give java the capability"
          : "the kernel gives no AF_PACKET socket: " + Errno.name(-fd);
    }
  }

  @Override
  public DatagramPort open(PortSettings settings) {
    return RawPort.open(settings);
  }
}
