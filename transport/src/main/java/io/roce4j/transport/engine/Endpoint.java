// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.queue.DoorbellRing;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * All queue pairs of one port, sans I/O: datagrams and a time go in, packets go into trains, the
 * next deadline is told.
 *
 * <p>Drive it once a cycle in this order: {@link #beginCycle}, receive (the port calls {@link
 * #onDatagram}), {@link #endBurst}, {@link #fireTimers}, {@link #transmit}; between cycles nothing
 * moves. {@code nowNs} never goes back. One thread at a time; see {@code EndpointAgent}.
 *
 * <p>The checks in front of every queue pair stand here, in the order of the requirement list [wire
 * 16]. A refused packet moves exactly one counter, is never answered, and costs no memory.
 */
public final class Endpoint implements DatagramHandler {

  /** Connections that may find the port full in a row before the pass gives up. */
  private static final int BLOCKED_IN_A_ROW_MAX = 16;

  /** Doorbells whose queue pairs are fetched from memory together. */
  private static final int DOORBELLS_TOGETHER = 16;

  /** Doorbells of one cycle: those behind them wait for the next. */
  private static final int DOORBELLS_MAX = 1 << 16;

  /** ECN codepoint of a packet that met congestion. */
  static final int CONGESTION_EXPERIENCED = 3;

  private static final int NO_QPN = -1;

  private final DatagramPort port;
  private final EndpointSettings settings;
  private final EventSink events;
  private final Counters counters = new Counters();
  private final QpTable table = new QpTable();
  private final ActiveList active = new ActiveList();
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final PacketView view = new PacketView();
  private final IcrcGate icrc;
  private final MulticastDelivery groups = new MulticastDelivery();
  private final SourceLimiter limiter;
  private final EndpointControl control;
  private final DoorbellRing.Listener doorbellListener = this::onDoorbell;
  private ConnectionSlot[] slots = new ConnectionSlot[16];
  private int firstFreeSlot;
  private ConnectionSlot firstInBurst;
  private ConnectionSlot lastInBurst;
  private EngineContext context;
  private long nowNs;

  // Slots whose doorbells are answered together.
  private final ConnectionSlot[] rung = new ConnectionSlot[DOORBELLS_TOGETHER];
  private int rungCount;

  /** Keeps what {@link ConnectionEngine#touch} reads from being left out by the compiler. */
  @SuppressWarnings("UnusedVariable")
  private long touched;

  /**
   * Makes an endpoint without queue pairs. {@link #context} completes it.
   *
   * @param settings how its engines behave.
   * @param port what carries its packets.
   * @param activeMtuBytes largest path MTU, 256 to 4096, or 0 for the best the port's interface
   *     carries.
   */
  public Endpoint(EndpointSettings settings, DatagramPort port, int activeMtuBytes) {
    this.settings = settings;
    this.port = port;
    this.events = settings.events();
    IcrcMode mode = settings.icrcMode();
    if (mode == IcrcMode.AUTO) {
      mode = port.capabilities().ipHeaderSeen() ? IcrcMode.STRICT : IcrcMode.PLAUSIBLE;
    }
    this.icrc = new IcrcGate(mode, counters);
    this.limiter =
        new SourceLimiter(settings.sourcePacketsPerSecond(), settings.sourceBurstPackets());
    this.control = new EndpointControl(this, port, activeMtuBytes);
  }

  /**
   * The control plane for the verbs objects of this endpoint.
   *
   * @return to be given to the {@link RdmaContext}.
   */
  public EndpointControl control() {
    return control;
  }

  /**
   * Ties the endpoint to its verbs objects, once, before the first queue pair.
   *
   * @param verbs made with {@link #control()}.
   */
  public void context(RdmaContext verbs) {
    context = new EngineContext(this, verbs, port, settings);
  }

  EngineContext context() {
    return context;
  }

  /**
   * The counters of the endpoint.
   *
   * @return live values, agent thread only.
   */
  public Counters counters() {
    return counters;
  }

  /**
   * A cycle begins: takes the time and what was posted since.
   *
   * @param now time of the endpoint, ns.
   * @return doorbells answered.
   */
  public int beginCycle(long now) {
    nowNs = now;
    DoorbellRing doorbells = context.verbs().doorbells();
    int answered = 0;
    int drained;
    do {
      drained = doorbells.drain(doorbellListener, DOORBELLS_TOGETHER);
      answered += drained;
      answerRung();
    } while (drained == DOORBELLS_TOGETHER && answered < DOORBELLS_MAX);
    if (doorbells.takeOverflow()) {
      for (ConnectionSlot slot : slots) {
        if (slot != null) {
          answered++;
          answer(slot);
        }
      }
    }
    return answered;
  }

  private void onDoorbell(int qpn) {
    ConnectionSlot slot = table.get(qpn);
    if (slot != null) {
      rung[rungCount++] = slot;
    }
  }

  private void answerRung() {
    int count = rungCount;
    rungCount = 0;
    for (int i = 0; i < count; i++) {
      touched += rung[i].engine.touch(true);
    }
    for (int i = 0; i < count; i++) {
      answer(rung[i]);
      rung[i] = null;
    }
  }

  private void answer(ConnectionSlot slot) {
    slot.queuePair.answerDoorbell();
    slot.engine.onDoorbell(nowNs);
    updateDeadline(slot);
  }

  @Override
  public void onDatagram(
      UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
    icrc.beginBatch(meta);
    boolean allowed = settings.sourceFilter().allows(meta.ip.sourceHigh(), meta.ip.sourceLow());
    int index = 0;
    for (int at = 0; at < length; at += segmentBytes) {
      int size = Math.min(segmentBytes, length - at);
      if (allowed) {
        onPacket(buffer, offset + at, size, meta, index++);
      } else {
        counters.increment(CounterId.DROP_SOURCE_DENIED);
      }
    }
  }

  private void onPacket(
      UnsafeBuffer buffer, int offset, int length, DatagramMeta meta, int indexInBatch) {
    limiter.beginPacket(meta.ip.sourceHigh(), meta.ip.sourceLow());
    // [wire 16.1] [wire 16.2]
    int fault = view.wrap(buffer, offset, length);
    if (fault == WireFault.OK) {
      int opcode = view.opcode();
      if (view.destQp() == Bth.MULTICAST_QP && MulticastDelivery.mayCarry(opcode)) {
        onMulticast(buffer, offset, length, meta, indexInBatch);
        return;
      }
      ConnectionSlot slot = admit(buffer, offset, length, opcode, meta, indexInBatch);
      if (slot != null) {
        deliver(slot, opcode, length, meta);
      }
    } else if (fault == WireFault.UNKNOWN_OPCODE) {
      onUndefinedOpcode(buffer, offset, length, meta, indexInBatch);
    } else {
      boolean version = fault == WireFault.BAD_TRANSPORT_VERSION;
      drop(qpnOf(buffer, offset, length), version ? CounterId.DROP_TVER : CounterId.DROP_LENGTH);
    }
  }

  /**
   * [rc D10] A copy for every attached queue pair whose keys match; counted once when there is
   * none.
   */
  private void onMulticast(
      UnsafeBuffer buffer, int offset, int length, DatagramMeta meta, int indexInBatch) {
    MulticastGroup group = groups.find(meta.ip.destinationHigh(), meta.ip.destinationLow());
    CounterId reason = group == null ? CounterId.DROP_UNKNOWN_QP : null;
    boolean sealed = false;
    int members = group == null ? 0 : group.size();
    boolean delivered = false;
    if (members > 0 && limiter.isExceeded(nowNs)) {
      drop(Bth.MULTICAST_QP, CounterId.DROP_SOURCE_LIMIT);
      return;
    }
    for (int i = 0; i < members; i++) {
      ConnectionSlot slot = group.member(i);
      CounterId refusal = refuses(slot, buffer, offset, view.opcode(), meta);
      if (refusal == null && !sealed) {
        sealed = icrc.accept(slot, buffer, offset, length, meta, indexInBatch);
        if (!sealed) {
          drop(Bth.MULTICAST_QP, CounterId.RX_ICRC_ENCAPSULATED);
          return;
        }
      }
      if (refusal == null) {
        delivered = true;
        deliver(slot, view.opcode(), length, meta);
      } else {
        reason = refusal;
      }
    }
    if (!delivered && reason != null) {
      drop(Bth.MULTICAST_QP, reason);
    }
  }

  private static int qpnOf(UnsafeBuffer buffer, int offset, int length) {
    return length >= Bth.LENGTH ? Bth.destQp(buffer, offset) : NO_QPN;
  }

  private void deliver(ConnectionSlot slot, int opcode, int length, DatagramMeta meta) {
    count(slot, length, meta);
    events.onPacketIn(nowNs, slot.qpn, opcode, view.psn(), length, view.ackRequest());
    if (Opcode.isCnp(opcode)) {
      slot.counters.increment(CounterId.CC_RX_CNP_PKTS);
      boolean handled = slot.engine.onCongestionNotification(nowNs);
      slot.counters.increment(handled ? CounterId.RP_CNP_HANDLED : CounterId.RP_CNP_IGNORED);
    } else {
      slot.engine.onPacket(view, meta, nowNs);
    }
    addToBurst(slot);
  }

  private static void count(ConnectionSlot slot, int length, DatagramMeta meta) {
    slot.counters.increment(CounterId.RCVD_PKTS);
    slot.counters.increment(CounterId.RDMA_RX_PACKETS);
    slot.counters.add(CounterId.RDMA_RX_BYTES, length);
    if (meta.ecn == CONGESTION_EXPERIENCED) {
      slot.counters.increment(CounterId.NP_ECN_MARKED_ROCE_PACKETS);
      slot.counters.increment(CounterId.CC_RX_CE_PKTS);
    }
  }

  /**
   * [FC-03] An operation the table does not know: reserved ones of the RC class at an RC queue pair
   * are an invalid request, which its engine answers; everything else is dropped.
   */
  private void onUndefinedOpcode(
      UnsafeBuffer buffer, int offset, int length, DatagramMeta meta, int indexInBatch) {
    int opcode = Bth.opcode(buffer, offset);
    int qpn = Bth.destQp(buffer, offset);
    if (Opcode.transportClass(opcode) != Opcode.CLASS_RC) {
      drop(qpn, CounterId.DROP_OPCODE);
      return;
    }
    if (Bth.tver(buffer, offset) != 0) {
      drop(qpn, CounterId.DROP_TVER);
      return;
    }
    ConnectionSlot slot = admit(buffer, offset, length, opcode, meta, indexInBatch);
    if (slot != null) {
      count(slot, length, meta);
      int psn = Bth.psn(buffer, offset);
      events.onPacketIn(nowNs, qpn, opcode, psn, length, Bth.ackRequest(buffer, offset));
      if (!slot.engine.onReservedOpcode(opcode, psn, nowNs)) {
        drop(qpn, slot.counters, CounterId.DROP_OPCODE);
      }
      addToBurst(slot);
    }
  }

  /** Steps 3 to 9 of [wire 16]. Returns null when the packet was dropped and counted. */
  private ConnectionSlot admit(
      UnsafeBuffer buffer,
      int offset,
      int length,
      int opcode,
      DatagramMeta meta,
      int indexInBatch) {
    int qpn = Bth.destQp(buffer, offset);
    ConnectionSlot slot = qpn == 0 ? null : table.get(qpn);
    CounterId reason =
        slot == null
            ? CounterId.DROP_UNKNOWN_QP // [wire 16.3]
            : refuses(slot, buffer, offset, opcode, meta);
    if (reason == null && !slot.inBurst) {
      touched += slot.engine.touch(Opcode.isResponse(opcode));
    }
    if (reason == null && Opcode.hasDeth(opcode) && limiter.isExceeded(nowNs)) {
      reason = CounterId.DROP_SOURCE_LIMIT;
    }
    if (reason == null && !icrc.accept(slot, buffer, offset, length, meta, indexInBatch)) {
      reason = CounterId.RX_ICRC_ENCAPSULATED; // [wire 16.9]
    }
    if (reason == null) {
      return slot;
    }
    drop(qpn, slot == null ? counters : slot.counters, reason);
    return null;
  }

  /** Steps 4 to 8 of [wire 16]: why a queue pair does not take a packet, or null. */
  private CounterId refuses(
      ConnectionSlot slot, UnsafeBuffer buffer, int offset, int opcode, DatagramMeta meta) {
    if ((slot.transportClasses >>> Opcode.transportClass(opcode) & 1) == 0) {
      return CounterId.DROP_QP_TYPE; // [wire 16.4]
    }
    if (!takes(slot.state, opcode)) {
      return CounterId.DROP_QP_STATE; // [wire 16.5]
    }
    if (!isAddressRight(slot, meta)) {
      return CounterId.DROP_ADDRESS; // [wire 16.6]
    }
    if (!pkeysMatch(slot.pkey, Bth.pkey(buffer, offset))) {
      return CounterId.BAD_PKEY_CNTR; // [wire 16.7]
    }
    if (Opcode.hasDeth(opcode) && view.qkey() != slot.qkey) {
      return CounterId.QKEY_VIOL_CNTR; // [wire 16.8]
    }
    return null;
  }

  /**
   * [wire 16.5] [rc 1-1..7] [rc 1-8] Responses need a queue pair that has sent, requests one that
   * may receive.
   */
  private static boolean takes(int state, int opcode) {
    return switch (state) {
      case QueuePairState.RTS, QueuePairState.SQD, QueuePairState.SQE -> true;
      case QueuePairState.RTR -> !Opcode.isResponse(opcode);
      default -> false;
    };
  }

  /**
   * Connections take packets from their peer to this endpoint only; datagram queue pairs take them
   * from everybody, but no unicast packet meant for another host.
   */
  private boolean isAddressRight(ConnectionSlot slot, DatagramMeta meta) {
    long destinationHi = meta.ip.destinationHigh();
    long destinationLo = meta.ip.destinationLow();
    boolean ours = destinationLo == port.localGidLo() && destinationHi == port.localGidHi();
    if (slot.addressChecked) {
      return ours
          && meta.ip.sourceLow() == slot.peerGidLo
          && meta.ip.sourceHigh() == slot.peerGidHi;
    }
    return ours
        || slot.queuePair.type() != QueuePairType.UD
        || Gid.isMulticast(destinationHi, destinationLo);
  }

  /** [wire 8] Same partition, not zero, and not two limited members. */
  private static boolean pkeysMatch(int own, int received) {
    return ((own ^ received) & 0x7FFF) == 0
        && (own & 0x7FFF) != 0
        && ((own | received) & 0x8000) != 0;
  }

  private void drop(int qpn, CounterId reason) {
    drop(qpn, counters, reason);
  }

  /** What exceeds its source's limit costs one counter more and nothing else, not even an event. */
  private void drop(int qpn, Counters counting, CounterId reason) {
    if (limiter.isExceeded(nowNs)) {
      counters.increment(CounterId.DROP_SOURCE_LIMIT);
      return;
    }
    counting.increment(reason);
    events.onDrop(nowNs, qpn, reason.index());
  }

  private void addToBurst(ConnectionSlot slot) {
    if (slot.inBurst) {
      return;
    }
    slot.inBurst = true;
    slot.nextInBurst = null;
    if (lastInBurst == null) {
      firstInBurst = slot;
    } else {
      lastInBurst.nextInBurst = slot;
    }
    lastInBurst = slot;
  }

  /** The receive burst is over: engines decide about acknowledgements. */
  public void endBurst() {
    ConnectionSlot slot = firstInBurst;
    firstInBurst = null;
    lastInBurst = null;
    while (slot != null) {
      ConnectionSlot next = slot.nextInBurst;
      slot.inBurst = false;
      slot.nextInBurst = null;
      slot.engine.onBurstEnd(nowNs);
      updateDeadline(slot);
      slot = next;
    }
  }

  /**
   * Fires what is due.
   *
   * @return timers fired.
   */
  public int fireTimers() {
    int fired = 0;
    int id = deadlines.pollDue(nowNs);
    while (id >= 0) {
      ConnectionSlot slot = slots[id];
      slot.engine.onTimer(nowNs);
      // A deadline that is due again at once would keep this loop from ending.
      deadlines.set(id, Math.max(slot.engine.nextDeadlineNs(), nowNs + 1));
      fired++;
      id = deadlines.pollDue(nowNs);
    }
    return fired;
  }

  /**
   * Gives connections with something to send their turns, a train each, until none is left, the
   * port is full or the pass is long enough.
   *
   * @param sink the port's sending half.
   * @return turns in which something could be done; 0 when nothing is left to send, or when the
   *     port refused everything and only its own progress helps.
   */
  public int transmit(TrainSink sink) {
    int turns = 0;
    int useful = 0;
    int blockedInARow = 0;
    int limit = settings.transmitTrains();
    ConnectionSlot slot = active.first();
    while (slot != null && turns < limit && blockedInARow < BLOCKED_IN_A_ROW_MAX) {
      int result = slot.engine.transmit(nowNs, sink);
      turns++;
      if (result == ConnectionEngine.IDLE) {
        active.remove(slot);
      } else {
        active.moveToEnd(slot);
      }
      if (result == ConnectionEngine.BLOCKED) {
        // One destination may be held back while the port has room for others.
        blockedInARow++;
      } else {
        blockedInARow = 0;
        useful++;
      }
      updateDeadline(slot);
      slot = active.first();
    }
    return useful;
  }

  /**
   * When {@link #fireTimers} has something to do next.
   *
   * @return time of the endpoint in ns, {@link DeadlineHeap#NEVER} for never.
   */
  public long nextDeadlineNs() {
    return deadlines.earliestNs();
  }

  /**
   * Whether connections wait for their turn in {@link #transmit}.
   *
   * @return true when a further cycle would send.
   */
  public boolean hasActive() {
    return !active.isEmpty();
  }

  /**
   * Whether a further cycle at the same time would do nothing unless packets come.
   *
   * @return true when no connection waits for its turn, no timer is due and nobody has rung.
   */
  public boolean isAtRest() {
    return active.isEmpty()
        && deadlines.earliestNs() > nowNs
        && context.verbs().doorbells().isEmpty();
  }

  void activate(ConnectionSlot slot) {
    active.add(slot);
  }

  void updateDeadline(ConnectionSlot slot) {
    if (slots[slot.id] == slot) {
      deadlines.set(slot.id, slot.engine.nextDeadlineNs());
    }
  }

  void enterError(ConnectionSlot slot, long now) {
    int from = slot.state;
    if (from == QueuePairState.ERR) {
      return;
    }
    slot.state = QueuePairState.ERR;
    slot.queuePair.enterError();
    events.onStateChange(now, slot.qpn, from, QueuePairState.ERR);
    slot.engine.onStateChange(from, QueuePairState.ERR, now);
    updateDeadline(slot);
  }

  boolean enterSendQueueError(ConnectionSlot slot, long now) {
    int from = slot.state;
    if (from == QueuePairState.ERR) {
      return false;
    }
    slot.state = QueuePairState.SQE;
    slot.queuePair.enterSendQueueError();
    events.onStateChange(now, slot.qpn, from, QueuePairState.SQE);
    return true;
  }

  // ---- For EndpointControl ----

  long nowNs() {
    return nowNs;
  }

  MulticastDelivery groups() {
    return groups;
  }

  EndpointSettings settings() {
    return settings;
  }

  ConnectionSlot slotOf(int qpn) {
    return table.get(qpn);
  }

  ConnectionSlot addSlot(QueuePair queuePair) {
    int id = firstFreeSlot;
    while (id < slots.length && slots[id] != null) {
      id++;
    }
    firstFreeSlot = id + 1;
    if (id == slots.length) {
      slots = java.util.Arrays.copyOf(slots, id * 2);
    }
    deadlines.reserve(slots.length);
    Counters own = settings.perQueuePairCounters() ? new Counters(counters) : counters;
    ConnectionSlot slot = new ConnectionSlot(id, queuePair, queuePair.qpNum(), own, this);
    slots[id] = slot;
    return slot;
  }

  void publish(ConnectionSlot slot) {
    table.put(slot.qpn, slot);
  }

  void removeSlot(ConnectionSlot slot) {
    table.remove(slot.qpn);
    active.remove(slot);
    deadlines.set(slot.id, DeadlineHeap.NEVER);
    slots[slot.id] = null;
    firstFreeSlot = Math.min(firstFreeSlot, slot.id);
    if (slot.inBurst) {
      endBurst();
    }
  }

  /** The queue pair's state and identity as the checks in front of it see them. */
  void adopt(ConnectionSlot slot, int state, AddressVector peer) {
    slot.state = state;
    if (peer != null) {
      slot.peerGidHi = peer.gidHi();
      slot.peerGidLo = peer.gidLo();
    }
  }
}
