// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import io.roce4j.transport.port.BatchedTrainPort;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortHolder;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Route;
import io.roce4j.transport.port.SendRefusal;
import io.roce4j.transport.port.SourcePortPool;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.LinkState;
import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * RoCEv2 over native UDP sockets: a train is one segmented datagram, several trains go in one
 * {@code sendmmsg}, whole coalesced batches come from {@code recvmmsg}, with type of service and
 * hop limit per train and the received ECN of each batch.
 *
 * <p>All sockets are unconnected with "do not fragment", so that packet k of a segmented datagram
 * leaves with identification k (Linux counts from 0 for each call). Nothing is allocated per
 * packet. Datagrams the kernel dropped because this host read too slowly are counted apart from
 * network loss ({@code rxSocketOverflow}).
 */
public final class LinuxPort extends BatchedTrainPort {
  /** Name in command lines. */
  public static final String NAME = "linux";

  /** What kernels before 6.10 take of segments in one call. */
  private static final int COMMON_SEGMENT_LIMIT = 64;

  private static final int SEND_MESSAGES = 32;
  private static final int RECEIVE_MESSAGES = 16;
  private static final int CONTROL_BYTES = 128;
  private static final int ROUTE_BYTES = 32;
  private static final long DROP_CHECK_NS = 20_000_000;
  private static final int MEMORY_FIGURES = 64;
  private static final int DROPS = 32;
  private static final long OVERFLOW_MASK = 0xFFFF_FFFFL;

  private final Libc libc;
  private final NativeSocket listener;
  private final SourcePortPool<NativeSocket> pool;
  private final int[] poolDescriptors;
  private final SendBatch sendBatch;
  private final ReceiveBatch receiveBatch;
  private final PortCapabilities capabilities;
  private final LinkState link;
  private final UnsafeBuffer memoryFigures =
      NativeMemory.allocate("port-socket", MEMORY_FIGURES, 8);
  private final DatagramMeta meta = new DatagramMeta();
  private final long transmitAddress;

  // The listening socket first, then those of multicast groups.
  private NativeSocket[] sources;
  private Gid[] sourceGids;
  private int source;

  private int segmentLimit;
  private int stagedPackets;
  private int received;
  private int nextReceived;
  private long overflowSeen;
  private long lastDropCheckNs;
  private boolean closed;

  /** An address as system calls take it. */
  private static final class LinuxRoute extends Route {
    private final UnsafeBuffer sockaddr = new UnsafeBuffer(new byte[ROUTE_BYTES]);
    private final int hopLimit;

    LinuxRoute(int hopLimit) {
      this.hopLimit = hopLimit;
    }
  }

  private LinuxPort(
      PortSettings settings,
      LocalInterface local,
      Libc libc,
      NativeSocket listener,
      SourcePortPool<NativeSocket> pool,
      boolean segments,
      int controlBytes) {
    super(settings, local, SEND_MESSAGES);
    this.libc = libc;
    this.listener = listener;
    this.pool = pool;
    sources = new NativeSocket[] {listener};
    sourceGids = new Gid[] {localGid};
    poolDescriptors = new int[pool.size()];
    for (int i = 0; i < poolDescriptors.length; i++) {
      poolDescriptors[i] = pool.socket(i).fd();
    }
    segmentLimit = segments ? settings.maxTrainSegments() : 1;
    sendBatch = new SendBatch(SEND_MESSAGES, isIpv6());
    receiveBatch = new ReceiveBatch(RECEIVE_MESSAGES, isIpv6(), controlBytes);
    receiveBatch.reset(RECEIVE_MESSAGES);
    link = new LinkState(libc, listener.fd(), local.name());
    transmitAddress = trains.buffer().addressOffset();
    meta.idKnowledge = isIpv6() ? DatagramMeta.ID_KNOWN : DatagramMeta.ID_UNKNOWN;
    IpUdpFields ip = meta.ip;
    ip.addresses(0, 0, localGid.high(), localGid.low()).ports(0, settings.udpPort());
    capabilities =
        new PortCapabilities(
            NAME,
            true,
            true,
            false,
            false,
            pool.size(),
            MAX_TRAIN_BYTES,
            settings.maxTrainSegments(),
            local.mtuBytes(),
            "");
  }

  /**
   * Opens the port.
   *
   * @param settings address and sizes
   * @return an open port
   * @throws PortException when a UDP port is taken, the address is not local, or this is no Linux
   */
  public static LinuxPort open(PortSettings settings) {
    return open(settings, CONTROL_BYTES);
  }

  /**
   * Opens the port with room for control messages of the caller's choice: too little makes the
   * kernel truncate them, which the port has to notice [FC-49].
   *
   * @param settings address and sizes
   * @param controlBytes 0 to 128
   * @return an open port
   */
  static LinuxPort open(PortSettings settings, int controlBytes) {
    if (settings.roceV1()) {
      throw new IllegalArgumentException("port linux cannot send RoCEv1 frames: use --io raw");
    }
    LocalInterface local = LocalInterface.of(settings.bindAddress());
    Libc libc = new Libc();
    NativeSocket listener = null;
    SourcePortPool<NativeSocket> pool = null;
    try {
      listener = UdpSocket.open(libc, settings, settings.udpPort());
      if (listener == null) {
        throw PortHolder.inUse(settings.bindAddress(), settings.udpPort());
      }
      UdpSocket.listen(listener, settings);
      pool = SourcePortPool.open(settings, port -> sender(libc, settings, port));
      boolean segments = UdpSocket.segments(pool.socket(0));
      return new LinuxPort(settings, local, libc, listener, pool, segments, controlBytes);
    } catch (RuntimeException | OutOfMemoryError e) {
      if (pool != null) {
        pool.close();
      }
      if (listener != null) {
        listener.close();
      }
      libc.close();
      if (e instanceof NativeException) {
        throw new PortException("cannot set up the sockets: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  private static NativeSocket sender(Libc libc, PortSettings settings, int port) {
    NativeSocket socket = UdpSocket.open(libc, settings, port);
    if (socket != null) {
      UdpSocket.send(socket, settings);
    }
    return socket;
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
    LinuxRoute route = new LinuxRoute(hopLimit);
    NativeSocket.writeSockaddr(route.sockaddr, 0, addressOf(gid), udpPort, flowLabel);
    return route;
  }

  @Override
  protected int segmentLimit() {
    return segmentLimit;
  }

  @Override
  protected boolean mixesPathSlots() {
    return false;
  }

  @Override
  protected void stage(int message, long train, int from, int packets) {
    LinuxRoute route = (LinuxRoute) trains.destination(train).portState();
    sendBatch.stage(
        message,
        route.sockaddr,
        transmitAddress + trains.packetOffset(train, from),
        trains.pieceBytes(train, from, packets),
        packets > 1 ? trains.segmentBytes(train) : 0,
        trains.tos(train),
        route.hopLimit);
    if (message == 0) {
      stagedPackets = packets;
    }
  }

  @Override
  protected int submit(int pathSlot, int count) {
    int fd = poolDescriptors[pathSlot];
    int result = libc.sendmmsg(fd, sendBatch.address(), count, SocketOptions.MSG_DONTWAIT);
    if (result > 0) {
      return result;
    }
    if (SendRefusal.of(-result, stagedPackets) != SendRefusal.BUSY) {
      // It may be the echo of an earlier packet (an ICMP error), which is told once.
      result = libc.sendmmsg(fd, sendBatch.address(), count, SocketOptions.MSG_DONTWAIT);
      if (result > 0) {
        return result;
      }
    }
    return refusal(-result);
  }

  private int refusal(int errno) {
    counters.lastTxErrno = errno;
    if (stagedPackets > 1) {
      if (errno == Errno.EIO) {
        // The way out cannot segment at all (no checksum offload): single packets from now on.
        segmentLimit = 1;
      } else if (errno == Errno.EINVAL && stagedPackets > COMMON_SEGMENT_LIMIT) {
        segmentLimit = COMMON_SEGMENT_LIMIT;
      }
    }
    return SendRefusal.of(errno, stagedPackets);
  }

  @Override
  protected int currentMtuBytes() {
    return link.mtuBytes();
  }

  /** The control message tells of drops only with the next packet; the socket always. */
  @Override
  protected void housekeeping(long nowNs) {
    super.housekeeping(nowNs);
    if (nowNs - lastDropCheckNs >= DROP_CHECK_NS) {
      lastDropCheckNs = nowNs;
      int got =
          listener.get(
              SocketOptions.SOL_SOCKET, SocketOptions.SO_MEMINFO, memoryFigures, MEMORY_FIGURES);
      if (got >= DROPS + Integer.BYTES) {
        noteOverflow(memoryFigures.getInt(DROPS) & OVERFLOW_MASK);
      }
    }
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int packets = 0;
    while (packets < limitPackets) {
      if (nextReceived == received && !receiveMore()) {
        return packets;
      }
      packets += handOver(nextReceived++, handler, nowNs);
    }
    return packets;
  }

  /**
   * The listening socket and those of groups take turns; one call, as long as there is no group.
   */
  private boolean receiveMore() {
    receiveBatch.reset(received);
    received = 0;
    nextReceived = 0;
    for (int i = 0; i < sources.length; i++) {
      source = source + 1 < sources.length ? source + 1 : 0;
      int result =
          libc.recvmmsg(
              sources[source].fd(),
              receiveBatch.address(),
              RECEIVE_MESSAGES,
              SocketOptions.MSG_DONTWAIT);
      if (result > 0) {
        received = result;
        Gid to = sourceGids[source];
        meta.ip.addresses(0, 0, to.high(), to.low());
        return true;
      }
      if (result < 0 && result != -Errno.EAGAIN && result != -Errno.EINTR) {
        counters.rxErrors++;
      }
    }
    return false;
  }

  @Override
  protected void join(Gid group) {
    NativeSocket socket;
    try {
      socket = UdpSocket.openGroup(libc, settings, addressOf(group), local.index());
    } catch (PortException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    sources = ArrayUtil.add(sources, socket);
    sourceGids = ArrayUtil.add(sourceGids, group);
  }

  @Override
  protected void leave(Gid group) {
    for (int i = 1; i < sources.length; i++) {
      if (sourceGids[i].equals(group)) {
        sources[i].close();
        sources = ArrayUtil.remove(sources, i);
        sourceGids = ArrayUtil.remove(sourceGids, i);
        source = 0;
        return;
      }
    }
  }

  private int handOver(int message, DatagramHandler handler, long nowNs) {
    int length = receiveBatch.length(message);
    if (receiveBatch.isTruncated(message)) {
      counters.rxTruncated++;
      return 0;
    }
    receiveBatch.examine(message);
    if (source == 0) {
      noteOverflow(receiveBatch.overflow());
    }
    if (length == 0) {
      return 0;
    }
    receiveBatch.addresses(message, meta.ip);
    meta.tos = receiveBatch.tos();
    meta.ecn = meta.tos < 0 ? DatagramMeta.ECN_UNKNOWN : meta.tos & 3;
    meta.hopLimit = receiveBatch.hopLimit();
    int segmentBytes = receiveBatch.segmentBytes();
    if (segmentBytes <= 0 || segmentBytes > length) {
      segmentBytes = length;
    }
    return deliver(
        handler,
        receiveBatch.data(),
        receiveBatch.offset(message),
        length,
        segmentBytes,
        meta,
        nowNs);
  }

  private void noteOverflow(long now) {
    long fresh = freshDrops(overflowSeen, now);
    counters.rxSocketOverflow += fresh;
    overflowSeen = overflowSeen + fresh & OVERFLOW_MASK;
  }

  /**
   * The kernel's counter is cumulative and 32 bits wide. A packet carries the count of the moment
   * it was queued, which may be older than what the socket itself told since: that is no news.
   */
  static long freshDrops(long seen, long now) {
    return Math.max(0, (int) (now - seen));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    pool.close();
    for (NativeSocket each : sources) {
      each.close();
    }
    sendBatch.close();
    receiveBatch.close();
    link.close();
    NativeMemory.release(memoryFigures);
    trains.close();
    libc.close();
  }
}
