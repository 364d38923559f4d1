// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.nio;

import io.roce4j.transport.port.BatchedTrainPort;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.MulticastChannels;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortHolder;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Route;
import io.roce4j.transport.port.SendRefusal;
import io.roce4j.transport.port.SourcePortPool;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import jdk.net.ExtendedSocketOptions;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * RoCEv2 over {@link DatagramChannel}: works everywhere, costs one system call a packet.
 *
 * <p>A channel listens on the bound address and UDP port; a pool of channels, one for each source
 * port, sends. All are unconnected with {@code IP_DONTFRAGMENT}, because only then does Linux send
 * identification 0, which the ICRC is sealed with. The family of the channels is that of the
 * address (a dual-stack channel would not apply the type of service to IPv4) [FC-51].
 *
 * <p>The hop limit of a destination cannot be set on a datagram channel: packets carry the host's
 * default. Received ECN and identification are unknown. {@code receive} caches one sender address
 * only: senders or source ports that alternate cost a few objects a packet.
 */
public final class NioPort extends BatchedTrainPort {
  /** Name in command lines. */
  public static final String NAME = "nio";

  private static final int HEADROOM = BitUtil.align(Icrc.HEADROOM, 64);
  private static final int MAX_DATAGRAM = 65536;

  private final DatagramChannel listener;
  private final SourcePortPool<DatagramChannel> pool;
  private final int[] slotTos;
  private final Integer[] boxedTos = new Integer[256];
  private final PortCapabilities capabilities;
  private final ByteBuffer transmitBytes;
  private final UnsafeBuffer receiveBuffer =
      NativeMemory.allocate("port-receive", HEADROOM + MAX_DATAGRAM, 4096);
  private final ByteBuffer receiveBytes;
  private final DatagramMeta meta = new DatagramMeta();
  private final MulticastChannels groups;

  private InetSocketAddress lastSender;
  private Gid lastSenderGid;
  private long stagedTrain;
  private boolean closed;

  /** An address as channels take it. */
  private static final class NioRoute extends Route {
    private final InetSocketAddress address;

    NioRoute(InetSocketAddress address) {
      this.address = address;
    }
  }

  private NioPort(
      PortSettings settings,
      LocalInterface local,
      DatagramChannel listener,
      SourcePortPool<DatagramChannel> pool) {
    super(settings, local, 1);
    this.listener = listener;
    this.pool = pool;
    this.groups = new MulticastChannels(settings, local);
    this.slotTos = new int[pool.size()];
    for (int i = 0; i < boxedTos.length; i++) {
      boxedTos[i] = i;
    }
    capabilities =
        new PortCapabilities(
            NAME,
            false,
            true,
            false,
            false,
            pool.size(),
            MAX_TRAIN_BYTES,
            settings.maxTrainSegments(),
            local.mtuBytes(),
            "");
    transmitBytes = view(trains.buffer());
    receiveBytes = view(receiveBuffer);
  }

  /**
   * Opens the port.
   *
   * @param settings address and sizes
   * @return an open port
   * @throws PortException when a UDP port is taken or the address is not local
   */
  public static NioPort open(PortSettings settings) {
    if (settings.roceV1()) {
      throw new IllegalArgumentException("port nio cannot send RoCEv1 frames: use --io raw");
    }
    LocalInterface local = LocalInterface.of(settings.bindAddress());
    DatagramChannel listener =
        channel(
            settings,
            settings.udpPort(),
            StandardSocketOptions.SO_RCVBUF,
            settings.receiveBufferBytes());
    if (listener == null) {
      throw PortHolder.inUse(settings.bindAddress(), settings.udpPort());
    }
    try {
      SourcePortPool<DatagramChannel> pool =
          SourcePortPool.open(
              settings,
              port ->
                  channel(
                      settings, port, StandardSocketOptions.SO_SNDBUF, settings.sendBufferBytes()));
      return new NioPort(settings, local, listener, pool);
    } catch (RuntimeException e) {
      closeAfter(listener, e);
      throw e;
    }
  }

  private static void closeAfter(DatagramChannel channel, Throwable failure) {
    try {
      channel.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** A bound channel, or null when the port is taken. */
  private static DatagramChannel channel(
      PortSettings settings, int port, SocketOption<Integer> bufferOption, int bufferBytes) {
    boolean ipv6 = settings.bindAddress() instanceof Inet6Address;
    DatagramChannel channel = openFamily(ipv6);
    try {
      if (!channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
        throw new IOException("no IP_DONTFRAGMENT, without which the ICRC cannot be sealed");
      }
      channel.configureBlocking(false);
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      channel.setOption(StandardSocketOptions.IP_TOS, 0);
      channel.setOption(
          StandardSocketOptions.IP_MULTICAST_IF,
          NetworkInterface.getByIndex(LocalInterface.of(settings.bindAddress()).index()));
      channel.setOption(bufferOption, bufferBytes);
      channel.bind(new InetSocketAddress(settings.bindAddress(), port));
      return channel;
    } catch (IOException e) {
      closeAfter(channel, e);
      if (String.valueOf(e.getMessage()).contains("in use")) {
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

  private static DatagramChannel openFamily(boolean ipv6) {
    try {
      return DatagramChannel.open(
          ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
    } catch (UnsupportedOperationException e) {
      throw new PortException("no IPv6 here: use an IPv4 address", e);
    } catch (IOException e) {
      throw new PortException("cannot open a UDP socket: " + e.getMessage(), e);
    }
  }

  /** A view of a buffer's memory with a position and limit of its own. */
  private static ByteBuffer view(UnsafeBuffer buffer) {
    ByteBuffer bytes = buffer.byteBuffer().duplicate();
    bytes.clear();
    return bytes.slice(buffer.wrapAdjustment(), buffer.capacity());
  }

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public int sourcePort(int pathSlot) {
    return pool.port(pathSlot);
  }

  @Override
  protected Route route(Gid gid, int udpPort, int hopLimit, int flowLabel) {
    return new NioRoute(new InetSocketAddress(addressOf(gid), udpPort));
  }

  @Override
  protected int segmentLimit() {
    return 1;
  }

  @Override
  protected boolean mixesPathSlots() {
    return false;
  }

  @Override
  protected void stage(int message, long train, int from, int packets) {
    stagedTrain = train;
    int at = trains.packetOffset(train, from);
    transmitBytes.limit(at + trains.packetLength(train, from)).position(at);
  }

  @Override
  protected int submit(int pathSlot, int count) {
    NioRoute route = (NioRoute) trains.destination(stagedTrain).portState();
    int bytes = transmitBytes.remaining();
    try {
      DatagramChannel channel = pool.socket(pathSlot);
      int tos = trains.tos(stagedTrain);
      if (slotTos[pathSlot] != tos) {
        channel.setOption(StandardSocketOptions.IP_TOS, boxedTos[tos]);
        slotTos[pathSlot] = tos;
      }
      return channel.send(transmitBytes, route.address) == bytes ? 1 : SendRefusal.BUSY;
    } catch (IOException e) {
      return refusal(e, bytes);
    }
  }

  /** The JDK gives the error only as text, in the system's wording. */
  private int refusal(IOException e, int bytes) {
    String text = String.valueOf(e.getMessage());
    int mtu = local.currentMtuBytes();
    if (text.contains("too long") || (mtu > 0 && bytes > mtu - (isIpv6() ? 48 : 28))) {
      return SendRefusal.TOO_LONG;
    }
    return text.contains("buffer space") || text.contains("memory")
        ? SendRefusal.BUSY
        : SendRefusal.UNREACHABLE;
  }

  @Override
  protected void join(Gid group) {
    groups.join(group);
  }

  @Override
  protected void leave(Gid group) {
    groups.leave(group);
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int packets = receiveGroups(groups, handler, limitPackets, nowNs);
    while (packets < limitPackets) {
      receiveBytes.limit(HEADROOM + MAX_DATAGRAM).position(HEADROOM);
      try {
        SocketAddress sender = listener.receive(receiveBytes);
        if (sender == null) {
          return packets;
        }
        int length = receiveBytes.position() - HEADROOM;
        if (length > 0) {
          describe((InetSocketAddress) sender);
          packets += deliver(handler, receiveBuffer, HEADROOM, length, length, meta, nowNs);
        }
      } catch (IOException e) {
        counters.rxErrors++;
        return packets;
      }
    }
    return packets;
  }

  private void describe(InetSocketAddress sender) {
    if (!sender.equals(lastSender)) {
      lastSender = sender;
      lastSenderGid = Gid.ofAddress(sender.getAddress().getAddress());
    }
    int port = sender.getPort();
    if (isIpv6()) {
      meta.ip.ipv6(
          lastSenderGid.high(),
          lastSenderGid.low(),
          localGid.high(),
          localGid.low(),
          port,
          settings.udpPort());
      meta.idKnowledge = DatagramMeta.ID_KNOWN;
    } else {
      meta.ip.ipv4(lastSenderGid.ipv4(), localGid.ipv4(), port, settings.udpPort());
      meta.idKnowledge = DatagramMeta.ID_UNKNOWN;
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    groups.close();
    pool.close();
    try {
      listener.close();
    } catch (IOException e) {
      throw new PortException("the listening socket does not close: " + e.getMessage(), e);
    } finally {
      NativeMemory.release(receiveBuffer);
      trains.close();
    }
  }
}
