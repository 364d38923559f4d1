// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors.NativeIoException;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.SocketOptions;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/**
 * A bound UDP socket and the channel over it. The socket is bound on the thread that opens the
 * port, so that errors come at once; the channel joins the event loop on the thread that drives it.
 */
final class NettySocket implements AutoCloseable {
  private final LinuxSocket socket;
  private final DatagramChannel channel;

  private NettySocket(LinuxSocket socket, DatagramChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  /**
   * Opens a socket.
   *
   * @return the socket, or null when the port is taken
   */
  static NettySocket open(NettyTransport transport, PortSettings settings, int port) {
    boolean ipv6 = settings.bindAddress() instanceof Inet6Address;
    LinuxSocket socket = null;
    try {
      // Always of the address's own family: on a dual-stack socket the options below would not
      // reach IPv4 packets [FC-51].
      socket =
          LinuxSocket.newSocketDgram(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
      if (ipv6) {
        socket.setIntOpt(SocketOptions.SOL_IPV6, SocketOptions.IPV6_V6ONLY, 1);
        socket.setIntOpt(
            SocketOptions.SOL_IPV6, SocketOptions.IPV6_MTU_DISCOVER, SocketOptions.PMTUDISC_DO);
        socket.setIntOpt(SocketOptions.SOL_UDP, SocketOptions.UDP_NO_CHECK6_RX, 1);
        socket.setIntOpt(
            SocketOptions.SOL_IPV6,
            SocketOptions.IPV6_MULTICAST_IF,
            LocalInterface.of(settings.bindAddress()).index());
      } else {
        socket.setIntOpt(
            SocketOptions.SOL_IP, SocketOptions.IP_MTU_DISCOVER, SocketOptions.PMTUDISC_DO);
      }
      socket.bind(new InetSocketAddress(settings.bindAddress(), port));
      return new NettySocket(socket, transport.adopt(socket.intValue()));
    } catch (IOException e) {
      if (socket != null) {
        closeAfter(socket, e);
      }
      if (e instanceof NativeIoException failure && failure.expectedErr() == -Errno.EADDRINUSE) {
        return null;
      }
      throw new PortException(
          "cannot open UDP port "
              + port
              + " on "
              + settings.bindAddress().getHostAddress()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private static void closeAfter(LinuxSocket socket, IOException failure) {
    try {
      socket.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  DatagramChannel channel() {
    return channel;
  }

  /** Closes the socket beneath the channel: for when no loop runs that could close the channel. */
  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      socket.close();
    }
  }
}
