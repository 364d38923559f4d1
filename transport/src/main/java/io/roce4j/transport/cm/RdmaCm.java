// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.engine.TransportProfile;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The connection manager of an endpoint, in librdmacm's concepts: ids, event channels, resolve,
 * connect, listen, accept (IBA 1.4, chapter 12 and annex A11). It is queue pair 1 of the endpoint,
 * and as long as it is open the endpoint answers what peers send there.
 *
 * <p>Everything that time and peers cause happens in the agent's duty cycle: messages are answered,
 * repeated and given up, and queue pairs moved, whether or not the application polls its events.
 * Methods may be called from any thread.
 */
public final class RdmaCm implements AutoCloseable {
  private static final int FIRST_PORT = 49_152;
  private static final int PORTS = 16_384;

  private final RdmaContext context;
  private final CmSettings settings;
  private final List<TransportProfile> profiles = new ArrayList<>();
  private CmProtocol protocol;
  private int nextPort;
  private volatile boolean closed;

  private RdmaCm(RdmaContext context, CmSettings settings) {
    this.context = context;
    this.settings = settings;
    ServiceLoader.load(TransportProfile.class).forEach(profiles::add);
  }

  /**
   * Opens the connection manager of an endpoint: one at a time. After {@link #close} another may be
   * opened when the agent has let the connections of the one before part.
   *
   * @param context of the endpoint
   * @param settings limits and times
   * @param seed of the numbers that peers must not foresee: communication ids, PSNs, the node GUID.
   *     Take it from a random source, or the same for a run that is to be repeated; a process that
   *     starts again needs another
   * @return the connection manager
   * @throws VerbsException EBUSY when one is open, or has not parted from its connections yet
   */
  public static RdmaCm open(RdmaContext context, CmSettings settings, long seed) {
    RdmaCm cm = new RdmaCm(context, settings);
    context.control().run(() -> cm.start(seed));
    return cm;
  }

  private void start(long seed) {
    QueuePair before = context.queuePair(Bth.GSI_QP);
    if (before != null && before.engine() instanceof CmEngine engine) {
      protocol = engine.start(settings, seed);
      nextPort = protocol.core.numbers.below(PORTS);
      return;
    }
    open(seed);
  }

  private void open(long seed) {
    ProtectionDomain pd = context.allocateProtectionDomain();
    CompletionQueue cq = null;
    QueuePair queuePair;
    try {
      cq = context.createCompletionQueue(1);
      queuePair =
          pd.createQueuePair(
              new QueuePairSettings()
                  .type(QueuePairType.UD)
                  .profile(CmProfile.NAME)
                  .qpNumWish(Bth.GSI_QP)
                  .sendCq(cq)
                  .recvCq(cq)
                  .maxSendWr(1)
                  .maxRecvWr(0));
    } catch (VerbsException e) {
      if (cq != null) {
        cq.close();
      }
      pd.close();
      throw e;
    }
    protocol = ((CmEngine) queuePair.engine()).start(settings, seed);
    nextPort = protocol.core.numbers.below(PORTS);
    QueuePairs.readyDatagram(queuePair, Mad.GSI_QKEY, 0);
  }

  /**
   * A channel for the events of ids.
   *
   * @return a new channel
   */
  public CmEventChannel createEventChannel() {
    return new CmEventChannel(settings.maxEvents());
  }

  /**
   * A new id.
   *
   * @param channel where its events go
   * @param portSpace what it is for
   * @return the id, not bound
   */
  public RdmaCmId createId(CmEventChannel channel, PortSpace portSpace) {
    return new RdmaCmId(this, channel, portSpace);
  }

  /**
   * Limits and times.
   *
   * @return as given
   */
  public CmSettings settings() {
    return settings;
  }

  /**
   * The node GUID in REQ and REP.
   *
   * @return 64 bits
   */
  public long nodeGuid() {
    return protocol.core.guid;
  }

  /**
   * Connections in any state but idle, those in TIMEWAIT included.
   *
   * @return 0 to {@link CmSettings#maxConnections()}
   */
  public int connections() {
    return call(() -> protocol.core.table.size());
  }

  /**
   * Whether no message waits to leave or to be answered: what is said in farewell has been heard.
   *
   * @return true also while connections are established or in TIMEWAIT
   */
  public boolean isQuiet() {
    return call(protocol.core::isQuiet);
  }

  /**
   * Ends all connections and stops listening; no event comes any more. Queue pair 1 stays with the
   * endpoint, so that what is said in farewell leaves with the agent's next cycles.
   */
  @Override
  public void close() {
    run(
        () -> {
          if (closed) {
            return;
          }
          closed = true;
          protocol.closed = true;
          CmTable table = protocol.core.table;
          table.unlistenAll();
          for (int i = 0; i < table.end(); i++) {
            CmConnection connection = table.at(i);
            if (connection != null) {
              close(connection);
            }
          }
        });
  }

  private void close(CmConnection connection) {
    if (connection.consumer instanceof CmSession session) {
      session.close();
    } else {
      protocol.drop(connection);
    }
  }

  // ---- Package ----

  <T> T call(Supplier<T> action) {
    return context.control().call(action);
  }

  void run(Runnable action) {
    context.control().run(action);
  }

  CmProtocol protocol() {
    return protocol;
  }

  void checkOpen() {
    if (closed) {
      throw new VerbsException("EINVAL", "the connection manager is closed");
    }
  }

  Gid localAddress() {
    return new Gid(protocol.core.localGidHi(), protocol.core.localGidLo());
  }

  int peerUdpPort() {
    return settings.peerUdpPort();
  }

  AddressVector address(Gid peer) {
    return AddressVector.of(peer.high(), peer.low()).withUdpPort(settings.peerUdpPort());
  }

  Destination destination(Gid peer) {
    return protocol.core.destination(peer.high(), peer.low());
  }

  /** A port nobody asked for by number. */
  int takePort() {
    int port = FIRST_PORT + nextPort;
    nextPort = (nextPort + 1) % PORTS;
    return port;
  }

  CmConnection newConnection() {
    CmConnection connection = protocol.core.table.add(true);
    if (connection == null) {
      throw new VerbsException(
          "ENOMEM", "too many connections: limit " + settings.maxConnections());
    }
    return connection;
  }

  void listen(PortSpace space, int port, CmListener listener) {
    CmTable table = protocol.core.table;
    if (table.listeners() >= settings.maxListeners()) {
      throw new VerbsException("ENOMEM", "too many listeners: limit " + settings.maxListeners());
    }
    if (!table.listen(space.serviceId(port), listener)) {
      throw new VerbsException("EADDRINUSE", "somebody listens at port " + port + " of " + space);
    }
  }

  void unlisten(PortSpace space, int port) {
    protocol.core.table.unlisten(space.serviceId(port));
  }

  /** How much of a peer's private data is the offer of a transport. */
  int offerLength(byte[] data) {
    if (data.length == 0) {
      return 0;
    }
    UnsafeBuffer buffer = new UnsafeBuffer(data);
    for (TransportProfile profile : profiles) {
      int length = profile.offerLength(buffer, 0, data.length);
      if (length > 0) {
        return length;
      }
    }
    return 0;
  }
}
