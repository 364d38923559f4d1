// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.SourcePortEntropy;

/**
 * One end of a connection in the making, or a listener: librdmacm's {@code rdma_cm_id}.
 *
 * <p>A client calls {@link #resolveAddress}, {@link #resolveRoute}, {@link #queuePair} and {@link
 * #connect}; a server {@link #bindAddress} and {@link #listen}, and then, for the id of each
 * CONNECT_REQUEST, {@link #queuePair} and {@link #accept} or {@link #reject}. What comes of it is
 * told by the events of the channel. The queue pair is given in RESET, or in INIT with receives
 * posted; every further state change is made here, at once when a message arrives, whether or not
 * the application polls.
 *
 * <p>Methods may be called from any thread; each throws {@link VerbsException} with EINVAL when it
 * does not fit what was called before. They wait for nobody but the agent.
 */
public final class RdmaCmId implements AutoCloseable {
  private static final int FLOW_LABEL_BY_PORTS = -1;
  private static final int PORT_MAX = 0xFFFF;

  private final RdmaCm cm;
  private final CmEventChannel channel;
  private final PortSpace portSpace;
  private int localPort;
  private Gid remoteAddress = Gid.ZERO;
  private int remotePort;
  private AddressVector peer;
  private Destination destination;
  private boolean routed;
  private QueuePair queuePair;
  private boolean grantsRights;
  private int trafficClass;
  private int flowLabel = FLOW_LABEL_BY_PORTS;
  private int ackTimeoutCode = -1;
  private CmSession session;
  private CmListening listening;
  private volatile boolean closed;
  private volatile boolean requestDelivered;

  RdmaCmId(RdmaCm cm, CmEventChannel channel, PortSpace portSpace) {
    this.cm = cm;
    this.channel = channel;
    this.portSpace = portSpace;
  }

  // ---- Addresses ----

  /**
   * Gives the id a local address and port ({@code rdma_bind_addr}).
   *
   * @param address the endpoint's, or null or all zero for any
   * @param port 1 to 65535, or 0 for a free one
   * @throws VerbsException EADDRNOTAVAIL when the endpoint has another address, EINVAL when the id
   *     has a port already
   */
  public void bindAddress(Gid address, int port) {
    checkRange("port", port, 0, PORT_MAX);
    cm.run(
        () -> {
          checkOpen();
          if (localPort != 0) {
            throw invalid("the id is bound to port " + localPort + " already");
          }
          Gid own = cm.localAddress();
          if (address != null && !address.equals(Gid.ZERO) && !address.equals(own)) {
            throw new VerbsException(
                "EADDRNOTAVAIL", "address " + address + ": the endpoint has " + own);
          }
          localPort = port == 0 ? cm.takePort() : port;
        });
  }

  /**
   * Finds the way to a peer ({@code rdma_resolve_addr}); ADDR_RESOLVED or ADDR_ERROR follows.
   *
   * @param address the peer's, of the endpoint's IP version
   * @param port 1 to 65535
   * @throws VerbsException EINVAL, EAGAIN when too many events wait on the channel
   */
  public void resolveAddress(Gid address, int port) {
    checkRange("port", port, 1, PORT_MAX);
    cm.run(
        () -> {
          checkFresh();
          checkChannel();
          if (address.isIpv4() != cm.localAddress().isIpv4()) {
            throw invalid(
                "address "
                    + address
                    + " and the endpoint's "
                    + cm.localAddress()
                    + " differ in"
                    + " IP version");
          }
          if (localPort == 0) {
            localPort = cm.takePort();
          }
          remoteAddress = address;
          remotePort = port;
          try {
            peer = cm.address(address);
            destination = cm.destination(address);
            raise(CmEvent.of(CmEventType.ADDR_RESOLVED, this, 0));
          } catch (VerbsException e) {
            raise(CmEvent.of(CmEventType.ADDR_ERROR, this, CmEvent.HOST_UNREACHABLE));
          }
        });
  }

  /**
   * Settles the path ({@code rdma_resolve_route}); ROUTE_RESOLVED follows. Call it after
   * ADDR_RESOLVED.
   *
   * @throws VerbsException EINVAL
   */
  public void resolveRoute() {
    cm.run(
        () -> {
          checkFresh();
          if (destination == null) {
            throw invalid("resolveRoute needs an address: call resolveAddress first");
          }
          int label =
              flowLabel == FLOW_LABEL_BY_PORTS
                  ? SourcePortEntropy.cmFlowLabel(localPort, remotePort)
                  : flowLabel;
          peer = peer.withFlowLabel(label).withTrafficClass(trafficClass);
          routed = true;
          raise(CmEvent.of(CmEventType.ROUTE_RESOLVED, this, 0));
        });
  }

  /**
   * The traffic class of the connection's packets, before {@link #resolveRoute}.
   *
   * @param value 0 to 255
   */
  public void trafficClass(int value) {
    checkRange("trafficClass", value, 0, 0xFF);
    cm.run(() -> trafficClass = value);
  }

  /**
   * The flow label of the connection, before {@link #resolveRoute}; without a call it follows from
   * the ports.
   *
   * @param value 0 to 0xFFFFF, of which the UDP source port is made
   */
  public void flowLabel(int value) {
    checkRange("flowLabel", value, 0, SourcePortEntropy.MAX_FLOW_LABEL);
    cm.run(() -> flowLabel = value);
  }

  /**
   * The ACK timeout of the queue pair, before {@code connect} or {@code accept}; without a call it
   * follows from the packet life and the peer's delay. The packet life told to the peer is one less
   * [FC-29].
   *
   * @param code 4.096 us times 2 to this power, 0 to 31; 0 switches the timer off, and says nothing
   *     of the packet life
   */
  public void ackTimeoutCode(int code) {
    checkRange("ackTimeoutCode", code, 0, CmTimes.CODE_MAX);
    cm.run(() -> ackTimeoutCode = code);
  }

  // ---- Queue pair ----

  /**
   * Gives the id its queue pair. Rights of the peer set in INIT stay; with one in RESET they are
   * WRITE, and READ and atomics when any are served.
   *
   * @param value RC (any profile), or UD in port space UDP, in RESET or INIT; a UD queue pair may
   *     also be in RTS
   * @throws VerbsException EINVAL
   */
  public void queuePair(QueuePair value) {
    cm.run(
        () -> {
          checkOpen();
          QueuePairWalk.check(value, portSpace);
          queuePair = value;
          grantsRights = false;
        });
  }

  /**
   * Makes the id's queue pair and takes it to INIT, so that receives can be posted ({@code
   * rdma_create_qp}).
   *
   * @param pd where
   * @param settings of the right type for the port space
   * @return the queue pair; closing it remains the caller's
   * @throws VerbsException as {@link ProtectionDomain#createQueuePair}
   */
  public QueuePair createQueuePair(ProtectionDomain pd, QueuePairSettings settings) {
    return cm.call(
        () -> {
          checkOpen();
          QueuePair made = pd.createQueuePair(settings);
          try {
            queuePair(made);
            if (portSpace != PortSpace.UDP) {
              initQueuePair();
            }
          } catch (VerbsException e) {
            made.close();
            throw e;
          }
          return made;
        });
  }

  // ---- Active ----

  /**
   * Asks the peer for a connection, or in port space UDP for its queue pair ({@code rdma_connect}).
   * ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR follows.
   *
   * @param parameters copied
   * @throws VerbsException EINVAL, also for private data that do not fit; ENOMEM when there are too
   *     many connections; EAGAIN when too many events wait on the channel. Nothing was sent then
   */
  public void connect(ConnectionParameters parameters) {
    cm.run(
        () -> {
          checkFresh();
          checkChannel();
          if (!routed) {
            throw invalid("connect needs a route: call resolveAddress and resolveRoute first");
          }
          checkQueuePair("connect");
          CmConnection connection = cm.newConnection();
          CmSession started = new CmSession(this, cm.protocol(), connection, null);
          try {
            started.connect(parameters);
          } catch (VerbsException e) {
            cm.protocol().core.close(connection);
            throw e;
          }
          session = started;
        });
  }

  // ---- Passive ----

  /**
   * Lets peers ask for connections at the id's port ({@code rdma_listen}).
   *
   * @param backlog requests that may wait for {@code accept} or {@code reject}; one more is
   *     refused. 0 for as many as there may be connections
   * @throws VerbsException EINVAL, EADDRINUSE when another id listens there, ENOMEM when there are
   *     too many listeners
   */
  public void listen(int backlog) {
    checkRange("backlog", backlog, 0, Integer.MAX_VALUE);
    cm.run(
        () -> {
          checkFresh();
          if (localPort == 0) {
            localPort = cm.takePort();
          }
          int limit = backlog == 0 ? Integer.MAX_VALUE : backlog;
          CmListening started = new CmListening(this, cm.protocol(), limit);
          cm.listen(portSpace, localPort, started);
          listening = started;
        });
  }

  /**
   * Accepts a request ({@code rdma_accept}): the queue pair is ready when this returns, and
   * ESTABLISHED follows when the peer is. In port space UDP nothing follows.
   *
   * @param parameters copied; the depths are cut to what the peer asked for
   * @throws VerbsException EINVAL, also for private data that do not fit; the request then waits on
   */
  public void accept(ConnectionParameters parameters) {
    cm.run(
        () -> {
          checkAwaiting("accept");
          checkQueuePair("accept");
          session.accept(parameters);
        });
  }

  /**
   * Rejects a request ({@code rdma_reject}).
   *
   * @param privateData at most 148 bytes, in port space UDP 136
   * @throws VerbsException EINVAL, also for private data that do not fit
   */
  public void reject(byte... privateData) {
    cm.run(
        () -> {
          checkAwaiting("reject");
          session.reject(privateData);
        });
  }

  /**
   * Asks the peer of an unanswered request for more time, with an MRA.
   *
   * @param serviceTimeoutCode 4.096 us times 2 to this power, 0 to 31
   * @throws VerbsException EINVAL
   */
  public void needTime(int serviceTimeoutCode) {
    checkRange("serviceTimeoutCode", serviceTimeoutCode, 0, CmTimes.CODE_MAX);
    cm.run(
        () -> {
          checkAwaiting("needTime");
          if (portSpace == PortSpace.UDP) {
            throw invalid("needTime: datagram services have no message for it");
          }
          session.needTime(serviceTimeoutCode);
        });
  }

  /**
   * The peer has sent data, so that it must be ready although its RTU is missing ({@code
   * rdma_notify} with COMM_EST). Does nothing when the connection waits for no RTU.
   */
  public void notifyEstablished() {
    cm.run(
        () -> {
          if (session != null && session.state().awaitsReady()) {
            session.establish();
          }
        });
  }

  // ---- The end ----

  /**
   * Ends the connection ({@code rdma_disconnect}): the queue pair goes to ERR at once, DISCONNECTED
   * follows when the peer knows, TIMEWAIT_EXIT when its number may be used again.
   *
   * @throws VerbsException EINVAL when there is no connection
   */
  public void disconnect() {
    cm.run(
        () -> {
          checkOpen();
          if (session == null || session.state() != CmState.ESTABLISHED) {
            throw invalid("disconnect: the id is not connected, it is " + description());
          }
          session.disconnect();
        });
  }

  /**
   * Gives the id up ({@code rdma_destroy_id}): a request is rejected, a connection ended, a
   * listener's unseen requests are refused; no event comes any more. The queue pair stays the
   * caller's, and is in ERR when it was connected. A second call does nothing.
   */
  @Override
  public void close() {
    cm.run(
        () -> {
          if (closed) {
            return;
          }
          closed = true;
          if (listening != null) {
            cm.unlisten(portSpace, localPort);
            listening.close();
          }
          if (session != null) {
            session.drop();
          }
        });
  }

  // ---- Questions ----

  /**
   * The channel of the id's events.
   *
   * @return as given
   */
  public CmEventChannel channel() {
    return channel;
  }

  /**
   * What the ports mean.
   *
   * @return as given
   */
  public PortSpace portSpace() {
    return portSpace;
  }

  /**
   * The local port.
   *
   * @return 0 when not bound yet
   */
  public int localPort() {
    return localPort;
  }

  /**
   * The peer's address.
   *
   * @return all zero when there is no peer yet
   */
  public Gid remoteAddress() {
    return remoteAddress;
  }

  /**
   * The peer's port.
   *
   * @return 0 when there is no peer yet
   */
  public int remotePort() {
    return remotePort;
  }

  /**
   * The queue pair.
   *
   * @return null when none was given
   */
  public QueuePair queuePair() {
    return queuePair;
  }

  // ---- Package ----

  /** Where the queue pair sends. */
  AddressVector peer() {
    return peer;
  }

  Destination destination() {
    return destination;
  }

  int ackTimeoutCode() {
    return ackTimeoutCode;
  }

  boolean grantsRights() {
    return grantsRights;
  }

  /** Takes a queue pair that is in RESET to INIT; its rights are then ours to set. */
  void initQueuePair() {
    if (queuePair.state() == QueuePairState.RESET) {
      QueuePairWalk.toInit(queuePair);
      grantsRights = true;
    }
  }

  PeerRequest readRequest(CmView view, DatagramMeta meta) {
    return PeerRequest.read(view, meta, portSpace, cm.localAddress(), cm.peerUdpPort());
  }

  /** The id of a request that this one got. */
  RdmaCmId child(PeerRequest request) {
    RdmaCmId child = new RdmaCmId(cm, channel, portSpace);
    child.localPort = localPort;
    child.peer = request.address;
    child.remoteAddress = new Gid(request.address.gidHi(), request.address.gidLo());
    child.remotePort = request.port;
    return child;
  }

  void session(CmSession value) {
    session = value;
  }

  void raise(CmEvent event) {
    if (!closed) {
      channel.add(event);
    }
  }

  /** An event is about to be given to the application; false when nobody wants it any more. */
  boolean deliver(CmEvent event) {
    if (closed) {
      return false;
    }
    if (event.type() == CmEventType.CONNECT_REQUEST) {
      requestDelivered = true;
    }
    return true;
  }

  boolean isRequestDelivered() {
    return requestDelivered;
  }

  void markClosed() {
    closed = true;
  }

  int offerLength(byte[] data) {
    return cm.offerLength(data);
  }

  // ---- Checks ----

  private void checkOpen() {
    if (closed) {
      throw invalid("the id is closed");
    }
    cm.checkOpen();
  }

  /** Neither listening nor connecting yet. */
  private void checkFresh() {
    checkOpen();
    if (listening != null || session != null) {
      throw invalid("the id is " + description() + " already");
    }
  }

  private void checkAwaiting(String verb) {
    checkOpen();
    if (session == null || !session.state().awaitsApplication()) {
      throw invalid(verb + ": the id has no unanswered request, it is " + description());
    }
  }

  private void checkQueuePair(String verb) {
    if (queuePair == null) {
      throw invalid(verb + " needs a queue pair: call queuePair or createQueuePair first");
    }
    QueuePairWalk.check(queuePair, portSpace);
  }

  private void checkChannel() {
    if (!channel.hasRoom()) {
      throw new VerbsException(
          "EAGAIN",
          channel.waiting() + " events wait on the channel: poll them before asking for more");
    }
  }

  private String description() {
    if (listening != null) {
      return "listening";
    }
    return session == null ? "idle" : session.state().toString();
  }

  private static void checkRange(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw invalid(name + " " + value + ": allowed " + least + ".." + most);
    }
  }

  private static VerbsException invalid(String message) {
    return new VerbsException("EINVAL", message);
  }
}
