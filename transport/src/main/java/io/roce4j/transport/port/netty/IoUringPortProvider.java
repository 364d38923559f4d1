// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;

/** Offers {@link NettyPort} over io_uring as {@code io_uring}. */
public final class IoUringPortProvider implements PortProvider {
  /** For the service loader. */
  public IoUringPortProvider() {}

  @Override
  public String name() {
    return NettyTransport.IO_URING.portName();
  }

  @Override
  public String description() {
    return "Netty's io_uring channel with segmented sends, without ECN; slower than epoll";
  }

  @Override
  public int preference() {
    return -1;
  }

  @Override
  public String unavailableReason() {
    return NettyTransport.IO_URING.unavailableReason();
  }

  @Override
  public DatagramPort open(PortSettings settings) {
    return NettyPort.open(NettyTransport.IO_URING, settings);
  }
}
