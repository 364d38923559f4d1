// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;

/** What differs between Netty's two native transports. */
enum NettyTransport {
  /** epoll: segmented sends, coalesced receives. */
  EPOLL("epoll") {
    @Override
    Throwable unavailable() {
      return Epoll.unavailabilityCause();
    }

    @Override
    IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }

    @Override
    DatagramChannel adopt(int descriptor) {
      return new EpollDatagramChannel(descriptor);
    }

    @Override
    void coalesce(DatagramChannel channel) {
      // Not together with MAX_DATAGRAM_PAYLOAD_SIZE, which loses the segment size [FC-49].
      channel.config().setOption(EpollChannelOption.UDP_GRO, true);
    }

    @Override
    boolean segments() {
      return EpollDatagramChannel.isSegmentedDatagramPacketSupported();
    }
  },

  /** io_uring: segmented sends; a receive completes for one datagram. */
  IO_URING("io_uring") {
    @Override
    Throwable unavailable() {
      return IoUring.unavailabilityCause();
    }

    @Override
    IoHandlerFactory handlers() {
      return IoUringIoHandler.newFactory(new IoUringIoHandlerConfig().setRingSize(1024));
    }

    @Override
    DatagramChannel adopt(int descriptor) {
      return new IoUringDatagramChannel(descriptor);
    }

    @Override
    void coalesce(DatagramChannel channel) {
      // There is no such option: the kernel cuts coalesced datagrams up before they arrive.
    }

    @Override
    boolean segments() {
      return true;
    }
  };

  private final String portName;

  NettyTransport(String portName) {
    this.portName = portName;
  }

  String portName() {
    return portName;
  }

  /** Why it cannot work here in a few words, or null. */
  String unavailableReason() {
    Throwable cause = unavailable();
    if (cause == null) {
      return null;
    }
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return "Netty's native library does not load: " + cause.getMessage();
  }

  abstract Throwable unavailable();

  abstract IoHandlerFactory handlers();

  /** A channel over a bound socket. */
  abstract DatagramChannel adopt(int descriptor);

  abstract void coalesce(DatagramChannel channel);

  abstract boolean segments();
}
