// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Endpoints with connection managers in virtual time. Packets arrive at once unless the test drops
 * them; to addresses where no endpoint is they go to {@link #sent}, where the test plays the peer.
 */
final class CmNet implements AutoCloseable {
  static final long MS = 1_000_000;

  /** A message that the test received or overheard. */
  record Message(Gid from, Gid to, CmRecord mad, long atNs) {
    int attributeId() {
      return mad.attributeId();
    }
  }

  /** One endpoint. */
  final class Side {
    final Gid address;
    final MadPort port;
    final EndpointAgent agent;
    RdmaCm cm;
    CmEventChannel channel;
    final ProtectionDomain pd;
    final CompletionQueue cq;

    Side(String address, CmSettings settings, int mtuBytes, long seed) {
      this.address = Gid.parse(address);
      port = new MadPort(this.address, mtuBytes, CmNet.this::carry);
      agent = EndpointAgent.open(new ContextSettings().seed(seed), endpoint, port, () -> nowNs);
      cm = RdmaCm.open(agent.context(), settings, seed);
      channel = cm.createEventChannel();
      pd = agent.context().allocateProtectionDomain();
      cq = agent.context().createCompletionQueue(256);
    }

    /** Opens another connection manager in place of the closed one. */
    void reopen(CmSettings settings, long seed) {
      cm = RdmaCm.open(agent.context(), settings, seed);
      channel = cm.createEventChannel();
    }

    QueuePair queuePair(int type) {
      return pd.createQueuePair(
          new QueuePairSettings().type(type).sendCq(cq).recvCq(cq).maxSendWr(16).maxRecvWr(16));
    }

    RdmaCmId listen(PortSpace space, int port, int backlog) {
      RdmaCmId id = cm.createId(channel, space);
      id.bindAddress(null, port);
      id.listen(backlog);
      return id;
    }

    /** An id with a route and a queue pair. */
    RdmaCmId resolved(PortSpace space, Gid to, int port) {
      RdmaCmId id = cm.createId(channel, space);
      id.resolveAddress(to, port);
      id.resolveRoute();
      expect(CmEventType.ADDR_RESOLVED);
      expect(CmEventType.ROUTE_RESOLVED);
      id.queuePair(queuePair(space == PortSpace.UDP ? QueuePairType.UD : QueuePairType.RC));
      return id;
    }

    /** The next event, which must be of a type. */
    CmEvent expect(CmEventType type) {
      CmEvent event = channel.poll();
      if (event == null || event.type() != type) {
        throw new AssertionError("expected " + type + ", got " + event);
      }
      return event;
    }

    void expectNothing() {
      CmEvent event = channel.poll();
      if (event != null) {
        throw new AssertionError("unexpected " + event);
      }
    }

    long count(CounterId id) {
      return agent.counters().get(id);
    }

    /** A message arrives from somewhere, and the endpoint works until it rests. */
    void inject(Gid from, CmRecord mad) {
      UnsafeBuffer bytes = new UnsafeBuffer(new byte[Mad.LENGTH]);
      mad.emit(bytes, 0);
      inject(from, bytes.byteArray());
    }

    void inject(Gid from, byte... mad) {
      port.in.add(new MadPort.Packet(from, address, 0, packetOf(mad)));
      settle();
    }
  }

  long nowNs = 1_000_000_000L;

  /** How endpoints are opened. */
  private final EndpointSettings endpoint;

  /** All messages to addresses where nobody is, oldest first. */
  final List<Message> sent = new ArrayList<>();

  /** All messages between endpoints, lost ones included. */
  final List<Message> overheard = new ArrayList<>();

  /** Messages for which it is true are lost. */
  Predicate<Message> loses = message -> false;

  /** Part of all packets between endpoints that is lost. */
  double loss;

  private final SplittableRandom random = new SplittableRandom(0x5EED_000DL);
  private final Map<Gid, Side> sides = new LinkedHashMap<>();
  private final PacketView view = new PacketView();
  private final CmView cm = new CmView();

  CmNet() {
    this(EndpointSettings.defaults());
  }

  CmNet(EndpointSettings settings) {
    endpoint = settings.withIcrcMode(IcrcMode.OFF);
  }

  Side add(String address) {
    return add(address, CmSettings.defaults());
  }

  Side add(String address, CmSettings settings) {
    return add(address, settings, 1_500);
  }

  Side add(String address, CmSettings settings, int mtuBytes) {
    Side side = new Side(address, settings, mtuBytes, 17 + sides.size());
    sides.put(side.address, side);
    return side;
  }

  private void carry(MadPort.Packet packet) {
    UnsafeBuffer buffer = new UnsafeBuffer(packet.bytes());
    Side to = sides.get(packet.to());
    boolean isMad =
        view.wrap(buffer, 0, packet.bytes().length) == 0
            && CmView.isForGsi(view)
            && cm.wrap(view) == 0;
    if (isMad) {
      Message message = new Message(packet.from(), packet.to(), CmRecord.parse(cm), nowNs);
      if (to == null) {
        sent.add(message);
      } else {
        overheard.add(message);
        if (loses.test(message)) {
          return;
        }
      }
    }
    if (to != null && random.nextDouble() >= loss) {
      to.port.in.add(packet);
    }
  }

  static byte[] packetOf(byte... mad) {
    UnsafeBuffer bytes = new UnsafeBuffer(new byte[Bth.LENGTH + Deth.LENGTH + mad.length + 8]);
    int length =
        PacketWriter.begin(
            bytes, 0, Opcode.UD_SEND_ONLY, mad.length, false, 0xFFFF, Bth.GSI_QP, false, 0);
    Deth.write(bytes, Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, Bth.GSI_QP);
    bytes.putBytes(PacketWriter.payloadOffset(0, Opcode.UD_SEND_ONLY), mad);
    return java.util.Arrays.copyOf(bytes.byteArray(), length);
  }

  /** Runs until nothing moves at this instant. */
  void settle() {
    int work = 1;
    while (work > 0) {
      work = 0;
      for (Side side : sides.values()) {
        work += side.agent.doWork();
        work += side.port.in.size();
      }
    }
  }

  /** Runs for a time. */
  void runFor(long ns) {
    long endNs = nowNs + ns;
    settle();
    while (true) {
      long next = Long.MAX_VALUE;
      for (Side side : sides.values()) {
        next = Math.min(next, side.agent.nextDeadlineNs());
      }
      if (next > endNs) {
        nowNs = endNs;
        settle();
        return;
      }
      nowNs = Math.max(nowNs, next);
      settle();
    }
  }

  /** Takes the oldest message to nowhere. */
  CmRecord take(int attributeId) {
    if (sent.isEmpty()) {
      throw new AssertionError("nothing was sent");
    }
    Message message = sent.remove(0);
    if (message.attributeId() != attributeId) {
      throw new AssertionError("sent " + message.mad());
    }
    return message.mad();
  }

  long count(Predicate<Message> which) {
    return overheard.stream().filter(which).count();
  }

  @Override
  public void close() {
    sides.values().forEach(side -> side.agent.close());
  }
}
