// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.packet.WireFault;
import io.roce4j.wire.sequence.Psn;

/**
 * Follows a connection in both directions: PSNs counted from the first one seen, gaps and
 * retransmissions marked, acknowledgements matched with what they acknowledge.
 *
 * <p>Each side numbers its requests; the other side's responses carry the same numbers. So there
 * are two PSN spaces: that of the forward requests and their answers coming back, and the opposite
 * one.
 */
final class FlowFollower {
  private final FlowKey forward;
  private final FlowKey reverse;
  private final MtuGuess mtus;
  private final Space forwardSpace = new Space();
  private final Space reverseSpace = new Space();
  private final StringBuilder note = new StringBuilder();
  private boolean isForward;
  private int relative;

  long packets;
  long retransmissions;
  long missing;
  long acknowledged;
  long naks;

  /** One PSN space: who sent what when, how far it is acknowledged. */
  private static final class Space {
    private static final int RING = 1 << 16;

    private final PsnTrack requests = new PsnTrack();
    private final int[] psns = new int[RING];
    private final long[] frames = new long[RING];
    private final long[] times = new long[RING];
    private boolean acknowledgedAny;
    private int unacknowledged;
    private int nextResponse = -1;

    void remember(int psn, long frame, long timeNs) {
      int slot = psn & (RING - 1);
      psns[slot] = psn;
      frames[slot] = frame;
      times[slot] = timeNs;
    }

    long frameOf(int psn) {
      int slot = psn & (RING - 1);
      return psns[slot] == psn ? frames[slot] : 0;
    }

    long timeOf(int psn) {
      return times[psn & (RING - 1)];
    }
  }

  /**
   * Makes a follower.
   *
   * @param forward the direction asked for
   * @param reverseQp the queue pair answers go to, or {@link FlowPairing#NOT_FOUND}
   * @param mtus what is known of path MTUs
   */
  FlowFollower(FlowKey forward, int reverseQp, MtuGuess mtus) {
    this.forward = forward;
    this.reverse = reverseQp == FlowPairing.NOT_FOUND ? null : forward.reversed(reverseQp);
    this.mtus = mtus;
  }

  /**
   * Takes a packet in capture order.
   *
   * @param packet any
   * @return whether it belongs to the connection; then the other methods speak about it
   */
  boolean accept(DecodedPacket packet) {
    if (!packet.wrapped) {
      return false;
    }
    FlowKey key = FlowKey.of(packet);
    isForward = key.equals(forward);
    if (!isForward && !key.equals(reverse)) {
      return false;
    }
    packets++;
    note.setLength(0);
    PacketView view = packet.view;
    boolean request = Opcode.isRequest(view.opcode());
    Space space = isForward == request ? forwardSpace : reverseSpace;
    relative = space.requests.isStarted() ? space.requests.relative(view.psn()) : 0;
    if (packet.fault == WireFault.BAD_ICRC) {
      note.append("not counted: bad ICRC");
    } else if (request) {
      onRequest(space, packet, key);
    } else if (Opcode.isResponse(view.opcode())) {
      onResponse(space, packet);
    }
    return true;
  }

  private void onRequest(Space space, DecodedPacket packet, FlowKey key) {
    PacketView view = packet.view;
    int psn = view.psn();
    int next = space.requests.next();
    boolean first = !space.requests.isStarted();
    int distance = space.requests.observe(psn, mtus.psnsOf(view, key));
    relative = space.requests.relative(psn);
    long before = space.frameOf(psn);
    if (first) {
      space.unacknowledged = psn;
      note.append("first");
    } else if (distance > 0) {
      missing += distance;
      note.append("gap: ").append(distance).append(" missing from rel ");
      note.append(space.requests.relative(next));
    } else if (distance < 0) {
      retransmissions++;
      boolean resumed = before == 0 && Opcode.isReadRequest(view.opcode());
      note.append(resumed ? "READ asked again from here" : "retransmission");
      if (before > 0) {
        note.append(" of #").append(before);
      }
    }
    space.remember(psn, packet.captured.number(), packet.captured.timeNs());
  }

  private void onResponse(Space space, DecodedPacket packet) {
    PacketView view = packet.view;
    int psn = view.psn();
    if (!space.requests.isStarted()) {
      note.append("answers requests from before the capture");
      return;
    }
    if (Psn.distance(space.requests.next(), psn) >= 0
        && !(Opcode.isAck(view.opcode()) && Syndrome.isNak(view.syndrome()))) {
      note.append("answers a PSN not seen");
      return;
    }
    if (Opcode.isReadResponse(view.opcode())) {
      responseOrder(space, view);
    }
    boolean refused = Opcode.isAck(view.opcode()) && !Syndrome.isAck(view.syndrome());
    if (refused) {
      naks++;
      note.append(
          Syndrome.isRnrNak(view.syndrome())
              ? "not ready for rel "
              : view.syndrome() == Syndrome.NAK_PSN_SEQUENCE_ERROR
                  ? "asks again from rel "
                  : "refuses rel ");
      note.append(relative);
      // A NAK acknowledges everything in front of the PSN it names.
      acknowledge(space, Psn.add(psn, -1), packet, false);
    } else {
      acknowledge(space, psn, packet, true);
    }
  }

  private void responseOrder(Space space, PacketView view) {
    boolean starts = Opcode.startsMessage(view.opcode());
    if (!starts && space.nextResponse >= 0 && space.nextResponse != view.psn()) {
      int distance = Psn.distance(space.nextResponse, view.psn());
      if (distance > 0) {
        missing += distance;
        note.append("gap: ").append(distance).append(" responses missing");
      } else {
        note.append("repeated response");
      }
    }
    space.nextResponse = Psn.next(view.psn());
  }

  private void acknowledge(Space space, int psn, DecodedPacket packet, boolean told) {
    int count = Psn.distance(space.unacknowledged, psn) + 1;
    if (count <= 0) {
      if (told && space.acknowledgedAny && Opcode.isAck(packet.view.opcode())) {
        append("duplicate ACK");
      }
      return;
    }
    append("acks rel ");
    int from = space.requests.relative(space.unacknowledged);
    note.append(from);
    if (count > 1) {
      note.append("..").append(space.requests.relative(psn));
    }
    long frame = space.frameOf(psn);
    if (frame > 0) {
      note.append(" (#").append(frame).append(", ");
      note.append((packet.captured.timeNs() - space.timeOf(psn)) / 1_000).append(" us)");
    }
    acknowledged += count;
    space.acknowledgedAny = true;
    space.unacknowledged = Psn.next(psn);
  }

  private void append(String text) {
    if (!note.isEmpty()) {
      note.append(", ");
    }
    note.append(text);
  }

  /** Whether the last packet went in the direction asked for. */
  boolean isForward() {
    return isForward;
  }

  /** The last packet's PSN counted from the first of its space. */
  int relative() {
    return relative;
  }

  /** What is to be said about the last packet; may be empty. */
  CharSequence note() {
    return note;
  }
}
