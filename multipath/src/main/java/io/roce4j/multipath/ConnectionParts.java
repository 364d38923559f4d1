// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.PortAttributes;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.wire.mx.NegotiationBlock;

/**
 * Everything a connection is made from, worked out from the attributes of its queue pair. Control
 * path.
 */
final class ConnectionParts {
  private final EngineContext context;
  private final QueuePair queuePair;
  private final QueuePairAttributes attributes;
  private final MxAttributes mx;
  private final MxParameters parameters;
  private final MxWire wire;
  private final EntropyPool entropy;
  private final long seed;

  /**
   * Works everything out.
   *
   * @param context the endpoint's shared parts
   * @param queuePair the queue pair the connection is made with
   * @param mx its MX attributes
   * @throws io.roce4j.transport.verbs.VerbsException when the destination cannot be reached
   */
  ConnectionParts(EngineContext context, QueuePair queuePair, MxAttributes mx) {
    this.context = context;
    this.queuePair = queuePair;
    this.attributes = queuePair.attributes();
    this.mx = mx;
    NegotiationBlock own = mx.settings().block(queuePair.qpNum(), 0, 0, 0);
    this.parameters =
        new MxParameters(
            mx.settings(),
            own.common(mx.peer()),
            attributes.pathMtuBytes(),
            context.settings().linkBitsPerSecond(),
            context.settings().baseRttNs(),
            context.settings().trainPackets(),
            context.settings().windowPackets(),
            context.settings().pacerCatchUpNs());
    AddressVector address = attributes.addressVector();
    this.wire =
        new MxWire(
            context.destination(address),
            queuePair.qpNum(),
            mx.peer().connQpn(),
            context.verbs().pkey(attributes.pkeyIndex()),
            address.trafficClass(),
            mx.settings().controlTos(),
            context.settings().events(),
            context.counters());
    this.seed =
        EntropyPool.mix(
            address.gidLo() ^ (long) queuePair.qpNum() << 32 ^ (long) mx.peer().connQpn() << 8);
    this.entropy = new EntropyPool(seed, context.pathSlots(), parameters.planes());
  }

  MxParameters parameters() {
    return parameters;
  }

  MxWire wire() {
    return wire;
  }

  EntropyPool entropy() {
    return entropy;
  }

  /** Seed of the connection's choices: the same run makes the same ones. */
  long seed() {
    return seed;
  }

  int isn() {
    return mx.isn();
  }

  int peerIsn() {
    return mx.peer().isn();
  }

  int maxDestReads() {
    return attributes.maxDestRdAtomic();
  }

  /** Room for READs and atomics waiting, being answered, and answered but not acknowledged. */
  int responseCapacity() {
    int streams = Math.min(4, parameters.streams());
    int wanted = 4 * maxDestReads() * streams;
    return Integer.highestOneBit(Math.max(16, wanted) * 2 - 1);
  }

  /**
   * Whether this side opens the streams, so that never both do: the side that asked, or else the
   * one with the higher address, then the higher connection QPN, then the higher UDP port: two
   * endpoints may share one address, as over IPv6 loopback, and number their queue pairs alike.
   */
  boolean active() {
    return switch (mx.opener()) {
      case THIS_SIDE -> true;
      case PEER -> false;
      case HIGHER_ADDRESS -> hasHigherAddress();
    };
  }

  private boolean hasHigherAddress() {
    PortAttributes port = context.verbs().queryPort();
    AddressVector peer = attributes.addressVector();
    int order = Long.compareUnsigned(port.gidHi(), peer.gidHi());
    if (order == 0) {
      order = Long.compareUnsigned(port.gidLo(), peer.gidLo());
    }
    if (order == 0) {
      order = Integer.compare(queuePair.qpNum(), mx.peer().connQpn());
    }
    return order == 0 ? port.udpPort() > peer.udpPort() : order > 0;
  }

  HalfBuilder builder(MxCounters counters) {
    return new HalfBuilder(
        parameters,
        counters,
        entropy,
        queuePair.congestion(),
        queuePair.congestionParameters(),
        mx.settings().selector(),
        seed);
  }

  /** A place among the senders that share this endpoint's port; null without hints. */
  InboundShare share() {
    return MxEndpoint.of(context).admit(parameters);
  }
}
