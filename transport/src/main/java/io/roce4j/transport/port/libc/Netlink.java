// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Questions to the kernel's routing and neighbour tables (rtnetlink). The kernel answers within the
 * sending call, so nothing waits. Used by one thread at a time; allocates nothing per question.
 */
public final class Netlink implements AutoCloseable {
  /** Route type: a host reached through an interface. */
  public static final int RTN_UNICAST = 1;

  /** Route type: an address of this host. */
  public static final int RTN_LOCAL = 2;

  /** Route type: a multicast group. */
  public static final int RTN_MULTICAST = 5;

  private static final int NETLINK_ROUTE = 0;
  private static final int RTM_NEWROUTE = 24;
  private static final int RTM_GETROUTE = 26;
  private static final int RTM_NEWNEIGH = 28;
  private static final int RTM_GETNEIGH = 30;
  private static final int NLM_F_REQUEST = 1;
  private static final int NLMSG_ERROR = 2;

  private static final int HEADER = 16;
  private static final int BODY = 12;
  private static final int ATTRIBUTES = HEADER + BODY;
  private static final int ATTRIBUTE_HEADER = 4;
  private static final int RTA_DST = 1;
  private static final int RTA_OIF = 4;
  private static final int RTA_GATEWAY = 5;
  private static final int NDA_DST = 1;
  private static final int NDA_LLADDR = 2;
  private static final int MAC_LENGTH = 6;

  // NUD_REACHABLE, STALE, DELAY, PROBE, NOARP, PERMANENT: the states in which the address is valid.
  private static final int VALID_STATES = 0xDE;

  private static final int REQUEST = 128;
  private static final int REPLY = 8192;

  private final Libc libc;
  private final NativeSocket socket;
  private final UnsafeBuffer memory = NativeMemory.allocate("port-netlink", REQUEST + REPLY, 16);
  private int sequence;
  private int replyLength;

  private int routeType;
  private int outInterface;
  private long gatewayHigh;
  private long gatewayLow;

  /**
   * Opens a netlink socket in the caller's network namespace.
   *
   * @param libc calls of the thread that will ask
   * @throws NativeException with errno
   */
  public Netlink(Libc libc) {
    this.libc = libc;
    this.socket =
        NativeSocket.open(libc, SocketOptions.AF_NETLINK, SocketOptions.SOCK_RAW, NETLINK_ROUTE);
  }

  /**
   * Asks how an address is reached; the accessors give the answer.
   *
   * @param high first half of the address in GID form
   * @param low second half
   * @param interfaceIndex to ask for this interface only (link-local addresses), or 0
   * @return 0, or -errno when there is no route
   */
  public int route(long high, long low, int interfaceIndex) {
    boolean ipv4 = Gid.isIpv4Mapped(high, low);
    begin(RTM_GETROUTE);
    memory.putByte(HEADER, (byte) (ipv4 ? SocketOptions.AF_INET : SocketOptions.AF_INET6));
    memory.putByte(HEADER + 1, (byte) (ipv4 ? 32 : 128));
    int at = putAddress(ATTRIBUTES, RTA_DST, ipv4, high, low);
    if (interfaceIndex != 0) {
      putAttributeHeader(at, RTA_OIF, Integer.BYTES);
      memory.putInt(at + ATTRIBUTE_HEADER, interfaceIndex);
      at += ATTRIBUTE_HEADER + Integer.BYTES;
    }
    int error = ask(at, RTM_NEWROUTE);
    if (error < 0) {
      return error;
    }
    routeType = memory.getByte(REQUEST + HEADER + 7);
    outInterface = 0;
    gatewayHigh = 0;
    gatewayLow = 0;
    for (int a = firstAttribute(); a >= 0; a = nextAttribute(a)) {
      switch (attributeType(a)) {
        case RTA_OIF -> outInterface = memory.getInt(a + ATTRIBUTE_HEADER);
        case RTA_GATEWAY -> takeGateway(a + ATTRIBUTE_HEADER, ipv4);
        default -> {
          // Metrics, tables and the like.
        }
      }
    }
    return 0;
  }

  private void takeGateway(int at, boolean ipv4) {
    if (ipv4) {
      gatewayLow = Gid.mappedLow(memory.getInt(at, ByteOrder.BIG_ENDIAN));
    } else {
      gatewayHigh = memory.getLong(at, ByteOrder.BIG_ENDIAN);
      gatewayLow = memory.getLong(at + 8, ByteOrder.BIG_ENDIAN);
    }
  }

  /**
   * Of the last route: its kind.
   *
   * @return {@link #RTN_UNICAST}, {@link #RTN_LOCAL} or another of the kernel's types
   */
  public int routeType() {
    return routeType;
  }

  /**
   * Of the last route: where packets leave.
   *
   * @return interface index
   */
  public int outInterface() {
    return outInterface;
  }

  /**
   * Of the last route: whether there is a gateway.
   *
   * @return false when the address is on the link
   */
  public boolean hasGateway() {
    return gatewayHigh != 0 || gatewayLow != 0;
  }

  /**
   * Of the last route: the gateway.
   *
   * @return first half of its address in GID form
   */
  public long gatewayHigh() {
    return gatewayHigh;
  }

  /**
   * Of the last route: the gateway.
   *
   * @return second half of its address in GID form
   */
  public long gatewayLow() {
    return gatewayLow;
  }

  /**
   * Looks a neighbour's Ethernet address up.
   *
   * @param interfaceIndex the link it is on
   * @param high first half of its address in GID form
   * @param low second half
   * @return 48 bits, first byte in bits 47..40; or -1 when the table has no valid entry
   */
  public long neighbour(int interfaceIndex, long high, long low) {
    boolean ipv4 = Gid.isIpv4Mapped(high, low);
    begin(RTM_GETNEIGH);
    memory.putByte(HEADER, (byte) (ipv4 ? SocketOptions.AF_INET : SocketOptions.AF_INET6));
    memory.putInt(HEADER + 4, interfaceIndex);
    int end = putAddress(ATTRIBUTES, NDA_DST, ipv4, high, low);
    if (ask(end, RTM_NEWNEIGH) < 0) {
      return -1;
    }
    int state = memory.getShort(REQUEST + HEADER + 8);
    if ((state & VALID_STATES) == 0) {
      return -1;
    }
    for (int a = firstAttribute(); a >= 0; a = nextAttribute(a)) {
      if (attributeType(a) == NDA_LLADDR && attributeLength(a) == ATTRIBUTE_HEADER + MAC_LENGTH) {
        long head = memory.getInt(a + ATTRIBUTE_HEADER, ByteOrder.BIG_ENDIAN) & 0xFFFF_FFFFL;
        long tail = memory.getShort(a + ATTRIBUTE_HEADER + 4, ByteOrder.BIG_ENDIAN) & 0xFFFF;
        return head << 16 | tail;
      }
    }
    return -1;
  }

  private void begin(int type) {
    memory.setMemory(0, REQUEST, (byte) 0);
    memory.putShort(4, (short) type);
    memory.putShort(6, (short) NLM_F_REQUEST);
    memory.putInt(8, ++sequence);
  }

  private int putAddress(int at, int type, boolean ipv4, long high, long low) {
    if (ipv4) {
      putAttributeHeader(at, type, Integer.BYTES);
      memory.putInt(at + ATTRIBUTE_HEADER, (int) low, ByteOrder.BIG_ENDIAN);
      return at + ATTRIBUTE_HEADER + Integer.BYTES;
    }
    putAttributeHeader(at, type, Gid.LENGTH);
    memory.putLong(at + ATTRIBUTE_HEADER, high, ByteOrder.BIG_ENDIAN);
    memory.putLong(at + ATTRIBUTE_HEADER + 8, low, ByteOrder.BIG_ENDIAN);
    return at + ATTRIBUTE_HEADER + Gid.LENGTH;
  }

  private void putAttributeHeader(int at, int type, int length) {
    memory.putShort(at, (short) (ATTRIBUTE_HEADER + length));
    memory.putShort(at + 2, (short) type);
  }

  /** Sends the request and reads answers until the one to it. */
  private int ask(int length, int expectedType) {
    memory.putInt(0, length);
    long address = memory.addressOffset();
    long sent = libc.sendto(socket.fd(), address, length, 0, 0, 0);
    if (sent < 0) {
      return (int) sent;
    }
    while (true) {
      long got = libc.recv(socket.fd(), address + REQUEST, REPLY, 0);
      if (got < HEADER + Integer.BYTES) {
        return got < 0 ? (int) got : -Errno.EINVAL;
      }
      if (memory.getInt(REQUEST + 8) != sequence) {
        continue;
      }
      replyLength = (int) Math.min(got, memory.getInt(REQUEST));
      int type = memory.getShort(REQUEST + 4);
      if (type == NLMSG_ERROR) {
        return memory.getInt(REQUEST + HEADER);
      }
      return type == expectedType ? 0 : -Errno.EINVAL;
    }
  }

  private int firstAttribute() {
    return checked(REQUEST + ATTRIBUTES);
  }

  private int nextAttribute(int at) {
    return checked(at + BitUtil.align(attributeLength(at), 4));
  }

  private int checked(int at) {
    int end = REQUEST + replyLength;
    boolean whole =
        at + ATTRIBUTE_HEADER <= end
            && attributeLength(at) >= ATTRIBUTE_HEADER
            && at + attributeLength(at) <= end;
    return whole ? at : -1;
  }

  private int attributeLength(int at) {
    return memory.getShort(at) & 0xFFFF;
  }

  private int attributeType(int at) {
    return memory.getShort(at + 2) & 0x3FFF;
  }

  @Override
  public void close() {
    socket.close();
    NativeMemory.release(memory);
  }
}
