// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

import static io.roce4j.transport.port.libc.SocketOptions.AF_INET;
import static io.roce4j.transport.port.libc.SocketOptions.AF_INET6;

import io.roce4j.wire.memory.NativeMemory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A socket by its descriptor, with scratch memory for options and addresses. Used by one thread at
 * a time; closed once.
 */
public final class NativeSocket implements AutoCloseable {
  /** Bytes of a sockaddr_in. */
  public static final int SOCKADDR_IN = 16;

  /** Bytes of a sockaddr_in6. */
  public static final int SOCKADDR_IN6 = 28;

  private static final int SCRATCH = 64;
  private static final int LENGTH_OFFSET = SCRATCH - 8;

  private final Libc libc;
  private final int fd;
  private final UnsafeBuffer scratch = NativeMemory.allocate("port-socket", SCRATCH, 16);
  private boolean closed;

  private NativeSocket(Libc libc, int fd) {
    this.libc = libc;
    this.fd = fd;
  }

  /**
   * Opens a socket that does not wait.
   *
   * @param libc calls of the thread that will use it
   * @param domain AF_*
   * @param type SOCK_*
   * @param protocol number
   * @return the socket
   * @throws NativeException with errno
   */
  public static NativeSocket open(Libc libc, int domain, int type, int protocol) {
    int flags = SocketOptions.SOCK_NONBLOCK | SocketOptions.SOCK_CLOEXEC;
    int fd = libc.socket(domain, type | flags, protocol);
    if (fd < 0) {
      throw new NativeException("socket", -fd);
    }
    return new NativeSocket(libc, fd);
  }

  /**
   * The descriptor.
   *
   * @return 0 or more
   */
  public int fd() {
    return fd;
  }

  /**
   * Binds to an IP address and UDP port.
   *
   * @param address local
   * @param port 0..65535
   * @return 0, or -errno
   */
  public int bind(InetAddress address, int port) {
    int length = writeSockaddr(scratch, 0, address, port, 0);
    return libc.bind(fd, scratch.addressOffset(), length);
  }

  /**
   * Binds to an address written by the caller.
   *
   * @param sockaddr its bytes, at most 56
   * @param length of it
   * @return 0, or -errno
   */
  public int bind(UnsafeBuffer sockaddr, int length) {
    return libc.bind(fd, sockaddr.addressOffset(), length);
  }

  /**
   * Sets an option whose value is an int.
   *
   * @param level SOL_*
   * @param option number
   * @param value number
   * @return 0, or -errno
   */
  public int set(int level, int option, int value) {
    scratch.putInt(0, value);
    return libc.setsockopt(fd, level, option, scratch.addressOffset(), Integer.BYTES);
  }

  /**
   * Sets an option that must work.
   *
   * @param level SOL_*
   * @param option number
   * @param value number
   * @param what named in the failure
   * @throws NativeException with errno
   */
  public void require(int level, int option, int value, String what) {
    int result = set(level, option, value);
    if (result < 0) {
      throw new NativeException(what, -result);
    }
  }

  /**
   * Joins or leaves an IP multicast group.
   *
   * @param group IPv4 or IPv6 multicast address, of the socket's family
   * @param interfaceIndex where
   * @param join true to join, false to leave
   * @return 0, or -errno
   */
  public int membership(InetAddress group, int interfaceIndex, boolean join) {
    byte[] bytes = group.getAddress();
    scratch.setMemory(0, SCRATCH, (byte) 0);
    scratch.putBytes(0, bytes);
    if (group instanceof Inet6Address) {
      scratch.putInt(16, interfaceIndex);
      int option = join ? SocketOptions.IPV6_ADD_MEMBERSHIP : SocketOptions.IPV6_DROP_MEMBERSHIP;
      return libc.setsockopt(fd, SocketOptions.SOL_IPV6, option, scratch.addressOffset(), 20);
    }
    scratch.putInt(8, interfaceIndex);
    int option = join ? SocketOptions.IP_ADD_MEMBERSHIP : SocketOptions.IP_DROP_MEMBERSHIP;
    return libc.setsockopt(fd, SocketOptions.SOL_IP, option, scratch.addressOffset(), 12);
  }

  /**
   * Joins or leaves a multicast group of Ethernet addresses; for AF_PACKET.
   *
   * @param mac 48 bits, first byte in bits 47..40
   * @param interfaceIndex where
   * @param join true to join, false to leave
   * @return 0, or -errno
   */
  public int frameMembership(long mac, int interfaceIndex, boolean join) {
    scratch.setMemory(0, SCRATCH, (byte) 0);
    scratch.putInt(0, interfaceIndex);
    scratch.putShort(6, (short) 6);
    scratch.putLong(8, mac << 16, ByteOrder.BIG_ENDIAN);
    int option = join ? SocketOptions.PACKET_ADD_MEMBERSHIP : SocketOptions.PACKET_DROP_MEMBERSHIP;
    return libc.setsockopt(fd, SocketOptions.SOL_PACKET, option, scratch.addressOffset(), 16);
  }

  /**
   * Sets an option whose value is a struct.
   *
   * @param level SOL_*
   * @param option number
   * @param value its bytes
   * @param length how many
   * @return 0, or -errno
   */
  public int set(int level, int option, UnsafeBuffer value, int length) {
    return libc.setsockopt(fd, level, option, value.addressOffset(), length);
  }

  /**
   * Reads an option whose value is an int.
   *
   * @param level SOL_*
   * @param option number
   * @return the value
   * @throws NativeException with errno
   */
  public int get(int level, int option) {
    scratch.putInt(LENGTH_OFFSET, Integer.BYTES);
    int result =
        libc.getsockopt(
            fd, level, option, scratch.addressOffset(), scratch.addressOffset() + LENGTH_OFFSET);
    if (result < 0) {
      throw new NativeException("getsockopt " + option, -result);
    }
    return scratch.getInt(0);
  }

  /**
   * Reads an option whose value is a struct, into memory of the caller.
   *
   * @param level SOL_*
   * @param option number
   * @param value receives it
   * @param room bytes of it
   * @return bytes written, or -errno
   */
  public int get(int level, int option, UnsafeBuffer value, int room) {
    scratch.putInt(LENGTH_OFFSET, room);
    int result =
        libc.getsockopt(
            fd, level, option, value.addressOffset(), scratch.addressOffset() + LENGTH_OFFSET);
    return result < 0 ? result : scratch.getInt(LENGTH_OFFSET);
  }

  /**
   * Asks for a socket buffer: beyond the system's limit where the process may, else within it.
   *
   * @param receive true for the receive buffer
   * @param bytes wanted
   * @return what the kernel grants, in its own accounting (twice the payload room)
   */
  public int bufferBytes(boolean receive, int bytes) {
    int forced = receive ? SocketOptions.SO_RCVBUFFORCE : SocketOptions.SO_SNDBUFFORCE;
    int plain = receive ? SocketOptions.SO_RCVBUF : SocketOptions.SO_SNDBUF;
    if (set(SocketOptions.SOL_SOCKET, forced, bytes) < 0) {
      require(SocketOptions.SOL_SOCKET, plain, bytes, "socket buffer");
    }
    return get(SocketOptions.SOL_SOCKET, plain);
  }

  /**
   * Writes a sockaddr_in or sockaddr_in6.
   *
   * @param buffer receives it
   * @param offset first byte
   * @param address IPv4 or IPv6
   * @param port UDP port
   * @param flowLabel of IPv6, 0..0xFFFFF
   * @return its length
   */
  public static int writeSockaddr(
      UnsafeBuffer buffer, int offset, InetAddress address, int port, int flowLabel) {
    byte[] bytes = address.getAddress();
    buffer.setMemory(offset, SOCKADDR_IN6, (byte) 0);
    buffer.putShort(offset + 2, (short) port, ByteOrder.BIG_ENDIAN);
    if (address instanceof Inet6Address ipv6) {
      buffer.putShort(offset, (short) AF_INET6);
      buffer.putInt(offset + 4, flowLabel, ByteOrder.BIG_ENDIAN);
      buffer.putBytes(offset + 8, bytes);
      buffer.putInt(offset + 24, ipv6.getScopeId());
      return SOCKADDR_IN6;
    }
    buffer.putShort(offset, (short) AF_INET);
    buffer.putBytes(offset + 4, bytes);
    return SOCKADDR_IN;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      libc.close(fd);
      NativeMemory.release(scratch);
    }
  }
}
