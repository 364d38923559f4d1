// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.RepMessage;
import io.roce4j.wire.cm.ReqMessage;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import io.roce4j.wire.sequence.Psn;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * Finds the queue pair that answers: which direction back belongs to a direction of a connection.
 *
 * <p>A CM REQ and REP name both queue pairs. Without them the direction is taken whose responses
 * fit: an ACK, READ response or ATOMIC ACK names a PSN of the requests sent lately; between equals,
 * the one that leaves from the same UDP port.
 */
final class FlowPairing implements PacketSink {
  /** No direction back was found. */
  static final int NOT_FOUND = -1;

  private static final int LATELY = 1 << 16;
  private static final int MAX_CANDIDATES = 4_096;
  private static final int MAX_REQUESTS = 4_096;

  private final FlowKey flow;
  private final MtuGuess mtus = new MtuGuess();
  private final PsnTrack requests = new PsnTrack();
  private final Map<FlowKey, Candidate> candidates = new LinkedHashMap<>();
  private final Map<Integer, Integer> activeQueuePairs = new HashMap<>();
  private int sourcePort = NOT_FOUND;
  private int byCm = NOT_FOUND;
  private long packets;

  private static final class Candidate {
    private long fits;
    private long misfits;
    private boolean samePort;
  }

  FlowPairing(FlowKey flow) {
    this.flow = flow;
  }

  @Override
  public void onPacket(DecodedPacket packet) {
    if (!packet.wrapped || packet.fault == WireFault.BAD_ICRC) {
      return;
    }
    FlowKey key = FlowKey.of(packet);
    if (packet.hasCm) {
      onCm(key, packet);
    }
    mtus.observe(key, packet.view);
    if (key.equals(flow)) {
      packets++;
      sourcePort = packet.fields.sourcePort();
      if (Opcode.isRequest(packet.view.opcode())) {
        requests.observe(packet.view.psn(), mtus.psnsOf(packet.view, key));
      }
    } else if (flow.isReverseHosts(key)) {
      onReverse(key, packet);
    }
  }

  private void onReverse(FlowKey key, DecodedPacket packet) {
    PacketView view = packet.view;
    if (candidates.size() == MAX_CANDIDATES && !candidates.containsKey(key)) {
      return;
    }
    Candidate candidate = candidates.computeIfAbsent(key, _ -> new Candidate());
    candidate.samePort |= packet.fields.sourcePort() == sourcePort;
    if (Opcode.isResponse(view.opcode()) && requests.isStarted()) {
      int behind = Psn.distance(view.psn(), requests.next());
      boolean fits = behind >= 0 && behind < LATELY;
      candidate.fits += fits ? 1 : 0;
      candidate.misfits += fits ? 0 : 1;
    }
  }

  private void onCm(FlowKey key, DecodedPacket packet) {
    DirectBuffer buffer = packet.cm.buffer();
    int at = packet.cm.messageOffset();
    if (packet.cm.attributeId() == CmAttribute.REQ) {
      if (activeQueuePairs.size() < MAX_REQUESTS) {
        activeQueuePairs.put(
            ReqMessage.LOCAL_COMM_ID.get(buffer, at), ReqMessage.LOCAL_QPN.get(buffer, at));
      }
    } else if (packet.cm.attributeId() == CmAttribute.REP) {
      Integer active = activeQueuePairs.get(RepMessage.REMOTE_COMM_ID.get(buffer, at));
      int passive = RepMessage.LOCAL_QPN.get(buffer, at);
      if (active == null) {
        return;
      }
      // The REP comes from the passive side.
      if (key.source().equals(flow.destination())
          && key.destination().equals(flow.source())
          && passive == flow.destQp()) {
        byCm = active;
      } else if (key.source().equals(flow.source())
          && key.destination().equals(flow.destination())
          && active == flow.destQp()) {
        byCm = passive;
      }
    }
  }

  /** Packets seen in the direction asked for. */
  long packets() {
    return packets;
  }

  /** Whether the answer came from CM messages. */
  boolean isByCm() {
    return byCm != NOT_FOUND;
  }

  /** The queue pair the answers go to, or {@link #NOT_FOUND}. */
  int reverseQp() {
    if (byCm != NOT_FOUND) {
      return byCm;
    }
    FlowKey best = null;
    long bestScore = 0;
    for (Map.Entry<FlowKey, Candidate> entry : candidates.entrySet()) {
      Candidate candidate = entry.getValue();
      long score = 2 * (candidate.fits - candidate.misfits);
      if (score > 0) {
        score += candidate.samePort ? 1 : 0;
      }
      if (score > bestScore) {
        bestScore = score;
        best = entry.getKey();
      }
    }
    return best == null ? NOT_FOUND : best.destQp();
  }

  /** What was learned about the path MTU. */
  MtuGuess mtus() {
    return mtus;
  }
}
