// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;

/** Offers {@link NettyPort} over epoll as {@code epoll}. */
public final class EpollPortProvider implements PortProvider {
  /** For the service loader. */
  public EpollPortProvider() {}

  @Override
  public String name() {
    return NettyTransport.EPOLL.portName();
  }

  @Override
  public String description() {
    return "Netty's epoll channel with segmented sends and coalesced receives, without ECN";
  }

  @Override
  public int preference() {
    return 50;
  }

  @Override
  public String unavailableReason() {
    return NettyTransport.EPOLL.unavailableReason();
  }

  @Override
  public DatagramPort open(PortSettings settings) {
    return NettyPort.open(NettyTransport.EPOLL, settings);
  }
}
