// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives the multicast groups of a port that has no socket options of its own for it: one channel
 * for each group, bound to the group's address, since a socket bound to a host's address gets no
 * datagrams of groups. Costs nothing while there is no group; a few objects a datagram otherwise.
 * Agent's thread.
 */
public final class MulticastChannels implements AutoCloseable {
  private static final int HEADROOM = BitUtil.align(Icrc.HEADROOM, 64);
  private static final int MAX_DATAGRAM = 65_536;

  /** Takes a datagram. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes one.
     *
     * @param buffer lent for the call, with headroom in front of the offset
     * @param offset first byte
     * @param length bytes
     * @param meta where it came from and which group it is for
     */
    void onDatagram(UnsafeBuffer buffer, int offset, int length, DatagramMeta meta);
  }

  private record Group(Gid gid, DatagramChannel channel) {}

  private final PortSettings settings;
  private final LocalInterface local;
  private final List<Group> groups = new ArrayList<>();
  private final DatagramMeta meta = new DatagramMeta();
  private UnsafeBuffer buffer;
  private ByteBuffer bytes;

  /**
   * Prepares for groups.
   *
   * @param settings of the port
   * @param local its interface
   */
  public MulticastChannels(PortSettings settings, LocalInterface local) {
    this.settings = settings;
    this.local = local;
  }

  /**
   * Joins a group.
   *
   * @param group of the port's address family
   * @throws IllegalArgumentException when the system refuses
   */
  public void join(Gid group) {
    if (buffer == null) {
      buffer = NativeMemory.allocate("port-receive", HEADROOM + MAX_DATAGRAM, 4096);
      ByteBuffer all = buffer.byteBuffer().duplicate();
      all.clear();
      bytes = all.slice(buffer.wrapAdjustment(), buffer.capacity());
    }
    try {
      groups.add(new Group(group, open(InetAddress.getByAddress(group.toAddress()))));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "group " + group + " cannot be joined on " + local.name() + ": " + e.getMessage(), e);
    }
  }

  private DatagramChannel open(InetAddress group) throws IOException {
    boolean ipv4 = group.getAddress().length == 4;
    DatagramChannel channel =
        DatagramChannel.open(ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    try {
      channel.configureBlocking(false);
      // Several endpoints of one host may be in one group.
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBufferBytes());
      channel.bind(new InetSocketAddress(scoped(group), settings.udpPort()));
      channel.join(group, NetworkInterface.getByIndex(local.index()));
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e instanceof IOException failure ? failure : new IOException(e.getMessage(), e);
    }
  }

  private InetAddress scoped(InetAddress group) throws UnknownHostException {
    return group.isMCLinkLocal() && group.getAddress().length == Gid.LENGTH
        ? java.net.Inet6Address.getByAddress(null, group.getAddress(), local.index())
        : group;
  }

  /**
   * Leaves a group; one that was not joined is left already.
   *
   * @param group as joined
   */
  public void leave(Gid group) {
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).gid().equals(group)) {
        close(groups.remove(i));
        return;
      }
    }
  }

  /**
   * Takes what has arrived for the groups.
   *
   * @param sink takes each datagram
   * @param limit most datagrams
   * @return datagrams taken; or -1 when a channel failed
   */
  public int receive(Sink sink, int limit) {
    int taken = 0;
    for (int i = 0; i < groups.size() && taken < limit; i++) {
      Group group = groups.get(i);
      try {
        while (taken < limit && receiveOne(group, sink)) {
          taken++;
        }
      } catch (IOException e) {
        return -1;
      }
    }
    return taken;
  }

  private boolean receiveOne(Group group, Sink sink) throws IOException {
    bytes.limit(HEADROOM + MAX_DATAGRAM).position(HEADROOM);
    InetSocketAddress sender = (InetSocketAddress) group.channel().receive(bytes);
    if (sender == null) {
      return false;
    }
    int length = bytes.position() - HEADROOM;
    if (length > 0) {
      Gid from = Gid.ofAddress(sender.getAddress().getAddress());
      Gid to = group.gid();
      int port = sender.getPort();
      if (to.isIpv4()) {
        meta.ip.ipv4(from.ipv4(), to.ipv4(), port, settings.udpPort());
        meta.idKnowledge = DatagramMeta.ID_UNKNOWN;
      } else {
        meta.ip.ipv6(from.high(), from.low(), to.high(), to.low(), port, settings.udpPort());
        meta.idKnowledge = DatagramMeta.ID_KNOWN;
      }
      sink.onDatagram(buffer, HEADROOM, length, meta);
    }
    return true;
  }

  private static void close(Group group) {
    try {
      group.channel().close();
    } catch (IOException e) {
      throw new PortException("the socket of group " + group.gid() + " does not close", e);
    }
  }

  @Override
  public void close() {
    groups.forEach(MulticastChannels::close);
    groups.clear();
    if (buffer != null) {
      NativeMemory.release(buffer);
      buffer = null;
    }
  }
}
