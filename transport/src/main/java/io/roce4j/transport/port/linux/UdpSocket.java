// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import static io.roce4j.transport.port.libc.SocketOptions.SOL_IP;
import static io.roce4j.transport.port.libc.SocketOptions.SOL_IPV6;
import static io.roce4j.transport.port.libc.SocketOptions.SOL_SOCKET;
import static io.roce4j.transport.port.libc.SocketOptions.SOL_UDP;

import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import java.net.Inet6Address;
import java.net.InetAddress;

/** Opens the UDP sockets of the native ports with the options RoCEv2 needs. Control path. */
final class UdpSocket {
  private UdpSocket() {}

  /**
   * Opens and binds a socket that never fragments. Unconnected: only then does Linux send
   * identification 0, which the ICRC is sealed with.
   *
   * @param libc calls of the port's thread
   * @param settings local address
   * @param port UDP port
   * @return the socket, or null when the port is taken
   * @throws PortException on any other failure
   */
  static NativeSocket open(Libc libc, PortSettings settings, int port) {
    return open(libc, settings, settings.bindAddress(), port);
  }

  /**
   * Opens a socket that receives a multicast group: bound to the group's address, since one that is
   * bound to a host's gets no datagrams of groups.
   *
   * @param libc calls of the port's thread
   * @param settings UDP port and buffer
   * @param group address
   * @param interfaceIndex where to join
   * @return a listening socket in the group
   * @throws PortException when the system refuses
   */
  static NativeSocket openGroup(
      Libc libc, PortSettings settings, InetAddress group, int interfaceIndex) {
    NativeSocket socket = open(libc, settings, group, settings.udpPort());
    if (socket == null) {
      throw new PortException(
          "group "
              + group.getHostAddress()
              + ": UDP port "
              + settings.udpPort()
              + " is held by a program that does not share it");
    }
    listen(socket, settings);
    int result = socket.membership(group, interfaceIndex, true);
    if (result < 0) {
      socket.close();
      throw new PortException(
          "group " + group.getHostAddress() + " cannot be joined: " + Errno.name(-result));
    }
    return socket;
  }

  private static NativeSocket open(
      Libc libc, PortSettings settings, InetAddress address, int port) {
    boolean ipv6 = settings.bindAddress() instanceof Inet6Address;
    NativeSocket socket = null;
    try {
      int family = ipv6 ? SocketOptions.AF_INET6 : SocketOptions.AF_INET;
      socket = NativeSocket.open(libc, family, SocketOptions.SOCK_DGRAM, 0);
      if (ipv6) {
        socket.require(SOL_IPV6, SocketOptions.IPV6_V6ONLY, 1, "IPV6_V6ONLY");
        socket.require(
            SOL_IPV6,
            SocketOptions.IPV6_MTU_DISCOVER,
            SocketOptions.PMTUDISC_DO,
            "IPV6_MTU_DISCOVER");
        socket.require(SOL_IPV6, SocketOptions.IPV6_FLOWINFO_SEND, 1, "IPV6_FLOWINFO_SEND");
      } else {
        socket.require(
            SOL_IP, SocketOptions.IP_MTU_DISCOVER, SocketOptions.PMTUDISC_DO, "IP_MTU_DISCOVER");
      }
      if (address.isMulticastAddress()) {
        // Several endpoints of one host may be in one group.
        socket.require(SOL_SOCKET, SocketOptions.SO_REUSEADDR, 1, "SO_REUSEADDR");
      } else if (ipv6) {
        int index = LocalInterface.of(address).index();
        socket.require(SOL_IPV6, SocketOptions.IPV6_MULTICAST_IF, index, "IPV6_MULTICAST_IF");
      }
      int bound = socket.bind(address, port);
      if (bound == -Errno.EADDRINUSE) {
        socket.close();
        return null;
      }
      if (bound < 0) {
        throw new NativeException("bind", -bound);
      }
      return socket;
    } catch (NativeException e) {
      if (socket != null) {
        socket.close();
      }
      throw explain(e, settings, port);
    }
  }

  private static PortException explain(NativeException e, PortSettings settings, int port) {
    String where = "UDP port " + port + " on " + settings.bindAddress().getHostAddress();
    return switch (e.errno()) {
      case Errno.EAFNOSUPPORT, Errno.EPROTONOSUPPORT ->
          new PortException("no IPv6 here: use an IPv4 address", e);
      case Errno.EACCES ->
          new PortException(
              where + " needs CAP_NET_BIND_SERVICE: choose --udp-port 1024 or above", e);
      case Errno.EADDRNOTAVAIL ->
          new PortException(where + " cannot be bound: the address is not of this host", e);
      default -> new PortException("cannot open " + where + ": " + e.getMessage(), e);
    };
  }

  /**
   * Makes a socket the listening one: buffer, coalescing, ECN, hop limit, overflow counter.
   *
   * @return whether the kernel coalesces (UDP_GRO, Linux 5.0)
   */
  static boolean listen(NativeSocket socket, PortSettings settings) {
    socket.bufferBytes(true, settings.receiveBufferBytes());
    socket.require(SOL_SOCKET, SocketOptions.SO_RXQ_OVFL, 1, "SO_RXQ_OVFL");
    if (settings.bindAddress() instanceof Inet6Address) {
      socket.require(SOL_IPV6, SocketOptions.IPV6_RECVTCLASS, 1, "IPV6_RECVTCLASS");
      socket.require(SOL_IPV6, SocketOptions.IPV6_RECVHOPLIMIT, 1, "IPV6_RECVHOPLIMIT");
      socket.require(SOL_UDP, SocketOptions.UDP_NO_CHECK6_RX, 1, "UDP_NO_CHECK6_RX");
    } else {
      socket.require(SOL_IP, SocketOptions.IP_RECVTOS, 1, "IP_RECVTOS");
      socket.require(SOL_IP, SocketOptions.IP_RECVTTL, 1, "IP_RECVTTL");
    }
    return socket.set(SOL_UDP, SocketOptions.UDP_GRO, 1) == 0;
  }

  /**
   * Makes a socket a sending one: buffer, and errors told in full. Without the latter Linux says
   * "sent" when its own queue discipline has dropped the packet. The price: an ICMP error for an
   * earlier packet makes a later send fail once, which the port tries again.
   */
  static void send(NativeSocket socket, PortSettings settings) {
    socket.bufferBytes(false, settings.sendBufferBytes());
    if (settings.bindAddress() instanceof Inet6Address) {
      socket.require(SOL_IPV6, SocketOptions.IPV6_RECVERR, 1, "IPV6_RECVERR");
    } else {
      socket.require(SOL_IP, SocketOptions.IP_RECVERR, 1, "IP_RECVERR");
    }
  }

  /**
   * Whether the kernel cuts long datagrams up on the way out (UDP_SEGMENT, Linux 4.18).
   *
   * @param socket any UDP socket; not changed
   * @return true when it does
   */
  static boolean segments(NativeSocket socket) {
    return socket.set(SOL_UDP, SocketOptions.UDP_SEGMENT, 0) == 0;
  }
}
