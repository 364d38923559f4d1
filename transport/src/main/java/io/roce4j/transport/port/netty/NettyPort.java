// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
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
import io.roce4j.transport.port.TrainPort;
import io.roce4j.wire.ip.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * RoCEv2 over Netty's native datagram channels, epoll or io_uring.
 *
 * <p>All channels live on one {@link ManualIoEventLoop} that {@link #flush} and {@link #receive}
 * run, so the agent's thread does everything. The thread that calls one of them first owns the port
 * from then on; Netty allows no other. {@link #close} from another thread is for when that thread
 * has ended: it frees the UDP ports, but the event loop's own descriptors (and with io_uring the
 * memory the kernel may still write to) stay until the process ends.
 *
 * <p>Netty answers a send through a future, io_uring later than the call: the trains of a flush
 * stay in the queue until all are answered, and only then is the next lot handed over (so that
 * nothing is re-sealed while the kernel may be reading its neighbour).
 *
 * <p>Type of service is set per socket when it changes; the hop limit of a destination cannot be
 * set and is the host's default. Received ECN and identification are unknown. Packets cost some
 * objects.
 */
public final class NettyPort extends TrainPort {
  private static final int MESSAGES = 64;
  private static final int RECEIVE_SLOTS = 64;

  /** Datagrams or batches read at a time, and so the most receive slots in use when idle. */
  static final int READS = 32;

  private static final int MAX_STASHED = 1024;
  private static final long RETRY_NS = 20_000;
  private static final int CLOSE_ROUNDS = 1000;

  private final NettyTransport transport;
  private final ManualIoEventLoop loop;
  private final NettySocket listener;
  private final SourcePortPool<NettySocket> pool;
  private final PortCapabilities capabilities;
  private final ByteBuf transmitBytes;
  private final ReceiveSlots slots;
  private final BatchJoiner joiner;
  private final MulticastChannels groups;
  private final InFlight inFlight = new InFlight(MESSAGES);
  private final ArrayDeque<DatagramPacket> stash = new ArrayDeque<>();
  private final int[] slotTos;
  private final int[] slotRound;
  private int round;
  private int segmentLimit;
  private int handedOver;
  private long nextDeadlineNs = Long.MAX_VALUE;
  private boolean started;
  private boolean closed;

  /** An address as channels take it. */
  private static final class NettyRoute extends Route {
    private final InetSocketAddress address;

    NettyRoute(InetSocketAddress address) {
      this.address = address;
    }
  }

  private NettyPort(
      NettyTransport transport,
      PortSettings settings,
      LocalInterface local,
      NettySocket listener,
      SourcePortPool<NettySocket> pool) {
    super(settings, local);
    this.transport = transport;
    this.listener = listener;
    this.pool = pool;
    this.groups = new MulticastChannels(settings, local);
    loop = new ManualIoEventLoop(null, transport.handlers());
    segmentLimit = transport.segments() ? settings.maxTrainSegments() : 1;
    slotTos = new int[pool.size()];
    slotRound = new int[pool.size()];
    transmitBytes =
        Unpooled.wrappedBuffer(
            trains
                .buffer()
                .byteBuffer()
                .slice(trains.buffer().wrapAdjustment(), trains.buffer().capacity()));
    joiner = new BatchJoiner(this);
    slots = new ReceiveSlots(RECEIVE_SLOTS, READS, joiner::emit);
    joiner.slots(slots);
    capabilities =
        new PortCapabilities(
            transport.portName(),
            false,
            true,
            false,
            false,
            pool.size(),
            MAX_TRAIN_BYTES,
            settings.maxTrainSegments(),
            local.mtuBytes(),
            "");
    prepare(listener.channel());
    for (int i = 0; i < pool.size(); i++) {
      pool.socket(i).channel().config().setSendBufferSize(settings.sendBufferBytes());
      pool.socket(i).channel().config().setAutoRead(false);
    }
  }

  private void prepare(DatagramChannel channel) {
    channel.config().setReceiveBufferSize(settings.receiveBufferBytes());
    channel.config().setRecvByteBufAllocator(slots);
    transport.coalesce(channel);
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                arrived((DatagramPacket) message);
              }

              @Override
              public void channelReadComplete(ChannelHandlerContext context) {
                joiner.emit();
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                counters.rxErrors++;
              }
            });
  }

  /**
   * Opens the port.
   *
   * @param transport epoll or io_uring
   * @param settings address and sizes
   * @return an open port
   * @throws PortException when a UDP port is taken or the address is not local
   */
  static NettyPort open(NettyTransport transport, PortSettings settings) {
    if (settings.roceV1()) {
      throw new IllegalArgumentException(
          "port " + transport.portName() + " cannot send RoCEv1 frames: use --io raw");
    }
    LocalInterface local = LocalInterface.of(settings.bindAddress());
    NettySocket listener = NettySocket.open(transport, settings, settings.udpPort());
    if (listener == null) {
      throw PortHolder.inUse(settings.bindAddress(), settings.udpPort());
    }
    SourcePortPool<NettySocket> pool = null;
    try {
      pool = SourcePortPool.open(settings, port -> NettySocket.open(transport, settings, port));
      return new NettyPort(transport, settings, local, listener, pool);
    } catch (RuntimeException | OutOfMemoryError e) {
      if (pool != null) {
        pool.close();
      }
      try {
        listener.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
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
    return new NettyRoute(new InetSocketAddress(addressOf(gid), udpPort));
  }

  /** Joins the event loop on the driving thread, the first time. */
  private void start() {
    if (started) {
      if (!loop.inEventLoop()) {
        throw new IllegalStateException(
            "port "
                + transport.portName()
                + " belongs to the thread that drove it first; this is "
                + Thread.currentThread().getName());
      }
      return;
    }
    started = true;
    loop.setOwningThread(Thread.currentThread());
    join(listener);
    for (int i = 0; i < pool.size(); i++) {
      join(pool.socket(i));
    }
  }

  private void join(NettySocket socket) {
    EventLoopGroup group = loop;
    ChannelFuture joined = group.register(socket.channel());
    loop.runNow();
    if (!joined.isSuccess()) {
      throw new PortException(
          "port " + transport.portName() + " cannot join its event loop", joined.cause());
    }
  }

  @Override
  public int flush(long nowNs) {
    start();
    trains.end();
    followMtu(nowNs);
    handedOver = 0;
    nextDeadlineNs = Long.MAX_VALUE;
    boolean more = true;
    while (more && settled(nowNs)) {
      more = handOver(nowNs);
    }
    if (inFlight.count() > 0) {
      counters.refusedTrains++;
      nextDeadlineNs = Math.min(nextDeadlineNs, nowNs + RETRY_NS);
    }
    return handedOver;
  }

  /** Whether everything handed to Netty has been answered; deals with the answers. */
  private boolean settled(long nowNs) {
    if (inFlight.pending() > 0 && stash.size() < MAX_STASHED) {
      loop.runNow();
    }
    if (inFlight.pending() > 0) {
      return false;
    }
    for (int i = 0; i < inFlight.count(); i++) {
      settle(inFlight.train(i), inFlight.packets(i), inFlight.outcome(i), nowNs);
    }
    inFlight.clear();
    return true;
  }

  private void settle(long train, int packets, int outcome, long nowNs) {
    if (outcome == InFlight.SENT) {
      handedOver += packets;
      sent(train, packets, nowNs);
      return;
    }
    counters.lastTxErrno = outcome;
    switch (SendRefusal.of(outcome, packets)) {
      case SendRefusal.TOO_LONG -> refusedForSize(train, packets);
      case SendRefusal.UNREACHABLE -> unreachable(train, nowNs);
      default -> counters.refusedTrains++;
    }
  }

  /** Hands one piece of each train that is ready to Netty; whether there was one. */
  private boolean handOver(long nowNs) {
    round++;
    for (long train = trains.head(); train < trains.tail() && !inFlight.isFull(); train++) {
      if (isReady(train, nowNs) && !write(train)) {
        break;
      }
    }
    for (int slot = 0; slot < slotRound.length; slot++) {
      if (slotRound[slot] == round) {
        pool.socket(slot).channel().flush();
      }
    }
    return inFlight.count() > 0;
  }

  private boolean isReady(long train, long nowNs) {
    if (trains.isDone(train)) {
      return false;
    }
    long retryAtNs = waitingUntilNs(train, nowNs);
    nextDeadlineNs = Math.min(nextDeadlineNs, retryAtNs);
    return retryAtNs == Long.MAX_VALUE;
  }

  /** Whether the train could be written with its type of service in this round. */
  private boolean write(long train) {
    int slot = trains.pathSlot(train);
    DatagramChannel channel = pool.socket(slot).channel();
    int tos = trains.tos(train);
    if (slotTos[slot] != tos) {
      if (slotRound[slot] == round) {
        return false;
      }
      channel.config().setOption(ChannelOption.IP_TOS, tos);
      slotTos[slot] = tos;
    }
    int from = trains.sent(train);
    int limit = Math.min(segmentLimit, trains.pieceLimit(train));
    int packets = Math.min(limit, trains.count(train) - from);
    trains.seal(train, from, packets, headers(train));
    int at = trains.packetOffset(train, from);
    ByteBuf content = transmitBytes.retainedSlice(at, trains.pieceBytes(train, from, packets));
    InetSocketAddress to = ((NettyRoute) trains.destination(train).portState()).address;
    DatagramPacket packet =
        packets > 1
            ? new SegmentedDatagramPacket(content, trains.segmentBytes(train), to)
            : new DatagramPacket(content, to);
    channel.write(packet).addListener(inFlight.add(train, packets));
    slotRound[slot] = round;
    return true;
  }

  @Override
  public long nextDeadlineNs() {
    return nextDeadlineNs;
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
    start();
    int ofGroups = receiveGroups(groups, handler, limitPackets, nowNs);
    joiner.begin(handler, nowNs);
    while (!stash.isEmpty() && joiner.packets() < limitPackets) {
      joiner.take(stash.poll());
    }
    joiner.emit();
    // A run of the loop reads a few datagrams of each channel only; a receive that leaves a backlog
    // behind turns a burst into a time-out at the sender, and the time-out into a longer backlog.
    int before = -1;
    while (stash.isEmpty() && joiner.packets() > before && joiner.packets() < limitPackets) {
      before = joiner.packets();
      loop.runNow();
      joiner.emit();
    }
    return ofGroups + joiner.end();
  }

  private void arrived(DatagramPacket packet) {
    if (joiner.isOpen()) {
      joiner.take(packet);
    } else if (closed) {
      ReferenceCountUtil.release(packet);
    } else {
      stash.add(packet);
    }
  }

  /** Hands a joined batch on; for {@link BatchJoiner}. */
  int deliverJoined(
      DatagramHandler handler,
      int offset,
      int length,
      int segmentBytes,
      DatagramMeta meta,
      long nowNs) {
    return deliver(handler, slots.memory(), offset, length, segmentBytes, meta, nowNs);
  }

  /** Receive slots that Netty or a batch holds at the moment. */
  int slotsInUse() {
    return slots.inUse();
  }

  Gid address() {
    return localGid;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    groups.close();
    try {
      if (started && loop.inEventLoop()) {
        closeOnLoop();
      } else {
        pool.close();
        listener.close();
      }
    } catch (IOException e) {
      throw new PortException("the listening socket does not close: " + e.getMessage(), e);
    } finally {
      if (!started || loop.inEventLoop() || transport == NettyTransport.EPOLL) {
        slots.close();
        trains.close();
      }
    }
  }

  private void closeOnLoop() {
    while (!stash.isEmpty()) {
      ReferenceCountUtil.release(stash.poll());
    }
    ChannelFuture last = listener.channel().close();
    for (int i = 0; i < pool.size(); i++) {
      last = pool.socket(i).channel().close();
    }
    loop.runNow();
    Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    for (int i = 0; i < CLOSE_ROUNDS && !terminated.isDone(); i++) {
      loop.runNow();
    }
    if (!terminated.isDone() || !last.isDone()) {
      throw new PortException("port " + transport.portName() + " does not close its sockets");
    }
  }
}
