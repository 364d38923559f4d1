// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.Mxth;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a connection says over its control channel and does when the peer speaks: streams opening
 * and closing, receive credit, paths and ports going down, the end.
 */
final class ConnectionControl implements ControlChannel.Client {
  private static final int ITEM_MAX = 14;
  private static final int ANSWERS_MAX = 16;

  private final MxConnection connection;
  private final int[] opened = new int[ANSWERS_MAX];
  private int openedCount;
  private int portMaskWanted;
  private boolean portStatusDue;
  private int closePathWanted = -1;
  private boolean closePathOfResponse;
  private boolean itemsOfResponseHalf;

  ConnectionControl(MxConnection connection) {
    this.connection = connection;
  }

  /** Tells the peer which ports are usable. */
  void portStatus(int mask) {
    portMaskWanted = mask;
    portStatusDue = true;
  }

  /** Asks the peer to close one of the paths it sends on. */
  void closePath(int path, boolean ofResponseHalf) {
    closePathWanted = path;
    closePathOfResponse = ofResponseHalf;
  }

  @Override
  public int writeItems(UnsafeBuffer buffer, int room, long nowNs) {
    int at = 0;
    if (portStatusDue) {
      portStatusDue = false;
      at = ControlTlv.writePortStatus(buffer, at, portMaskWanted);
    }
    long roundTripNs = roundTripNs();
    at = writeStreamItems(buffer, at, room, roundTripNs, nowNs);
    itemsOfResponseHalf = false;
    int streamItems = at;
    at = writePathItems(buffer, at, room, roundTripNs, nowNs);
    if (at == streamItems) {
      itemsOfResponseHalf = true;
      at = writePathItems(buffer, at, room, roundTripNs, nowNs);
    }
    return at;
  }

  /** What is to be said of the paths of one half; a message speaks of one half only. */
  private int writePathItems(
      UnsafeBuffer buffer, int offset, int room, long roundTripNs, long nowNs) {
    int at = offset;
    if (closePathWanted >= 0 && closePathOfResponse == itemsOfResponseHalf) {
      at = ControlTlv.writePathClose(buffer, at, closePathWanted);
      closePathWanted = -1;
    }
    ReceiveHalf receive =
        itemsOfResponseHalf ? connection.responseReceive() : connection.requestReceive();
    if (receive != null) {
      int before = at;
      at = receive.hints.write(buffer, at, room, nowNs);
      connection.counters.hintUpdates += at > before ? 1 : 0;
    }
    SendHalf send = half(itemsOfResponseHalf);
    if (send != null) {
      int before = at;
      at = send.monitor.moves.write(buffer, at, room, nowNs, roundTripNs);
      connection.counters.moveNotices += at > before ? 1 : 0;
    }
    return at;
  }

  /** When something is to be said of paths although nothing happens. */
  long deadlineNs() {
    long deadlineNs = pathDeadlineNs(connection.requestReceive(), connection.requestSend());
    return Math.min(
        deadlineNs, pathDeadlineNs(connection.responseReceive(), connection.responseSend()));
  }

  private static long pathDeadlineNs(ReceiveHalf receive, SendHalf send) {
    long hintsNs = receive == null ? SendPath.NEVER : receive.hints.deadlineNs();
    long movesNs = send == null ? SendPath.NEVER : send.monitor.moves.deadlineNs();
    return Math.min(hintsNs, movesNs);
  }

  @Override
  public boolean itemsOfResponseHalf() {
    return itemsOfResponseHalf;
  }

  private int writeStreamItems(
      UnsafeBuffer buffer, int offset, int room, long roundTripNs, long nowNs) {
    int at = offset;
    StreamSet streams = connection.streams;
    for (int i = 0; i < streams.count() && room - at >= 2 * ITEM_MAX; i++) {
      MxStream stream = streams.get(i);
      if (stream.openWanted && !stream.openSent) {
        stream.openSent = true;
        stream.receiver.onCreditSent();
        at =
            ControlTlv.writeStreamOpen(
                buffer,
                at,
                stream.id,
                stream.receiver.limit(),
                stream.queuePair.qpNum(),
                stream.rnrWaitUs);
      } else if (stream.receiver.creditDeadlineNs(roundTripNs) <= nowNs) {
        stream.receiver.onCreditSent();
        at = ControlTlv.writeRqCredit(buffer, at, stream.id, stream.receiver.limit());
      }
      if (stream.closing && !stream.closeSent && connection.mayClose(stream)) {
        stream.closeSent = true;
        at = ControlTlv.writeStreamClose(buffer, at, stream.id);
      }
    }
    return at;
  }

  @Override
  public boolean onItems(ControlTlv items, boolean responseHalf, long nowNs) {
    openedCount = 0;
    while (items.next()) {
      switch (items.type()) {
        case ControlTlv.STREAM_OPEN -> {
          if (!onOpen(items, nowNs)) {
            return false;
          }
        }
        case ControlTlv.STREAM_CLOSE -> connection.onStreamClosedByPeer(items.stream(), nowNs);
        case ControlTlv.RQ_CREDIT -> onCredit(items.stream(), items.rqLimit());
        case ControlTlv.PATH_CLOSE -> closeOwnPath(items.path(), responseHalf, nowNs);
        case ControlTlv.PORT_STATUS -> onPortStatus(items.portMask(), nowNs);
        case ControlTlv.HINT_UPDATE -> onHint(items, responseHalf, nowNs);
        case ControlTlv.CONN_CLOSE -> connection.onClosedByPeer(nowNs);
        case ControlTlv.PATH_MOVE -> connection.counters.peerMoves++;
        default -> connection.counters.rxStrange++;
      }
    }
    return true;
  }

  /** A stream the peer opens; false while this side has no queue pair for it. */
  private boolean onOpen(ControlTlv items, long nowNs) {
    MxStream stream = connection.streams.ofId(items.stream());
    if (stream == null) {
      return false;
    }
    stream.sender.peerRnrWait(items.rnrWaitUs() * 1000L);
    stream.sender.raiseLimit(items.rqLimit());
    connection.opened(stream, nowNs);
    if (openedCount < ANSWERS_MAX) {
      opened[openedCount++] = stream.id;
    }
    return true;
  }

  private void onCredit(int id, int limit) {
    MxStream stream = connection.streams.ofId(id);
    if (stream != null) {
      stream.sender.raiseLimit(limit);
    }
  }

  private SendHalf half(boolean response) {
    return response ? connection.responseSend() : connection.requestSend();
  }

  private void closeOwnPath(int path, boolean responseHalf, long nowNs) {
    SendHalf half = half(responseHalf);
    if (half != null && path < half.paths.count()) {
      half.monitor.drain(half.paths.get(path), nowNs);
    }
  }

  private void onPortStatus(int mask, long nowNs) {
    applyPorts(connection.requestSend(), mask, nowNs);
    applyPorts(connection.responseSend(), mask, nowNs);
  }

  /** Paths of planes the peer cannot receive on are drained; those that came back are probed. */
  static void applyPorts(SendHalf half, int mask, long nowNs) {
    if (half == null) {
      return;
    }
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath path = half.paths.get(i);
      boolean usable = path.plane > 31 || (mask >>> path.plane & 1) != 0;
      if (!usable) {
        half.monitor.drain(path, nowNs);
      } else if (path.state == PathState.DRAIN || path.state == PathState.CLOSED) {
        half.monitor.reopen(path, nowNs);
      }
    }
  }

  private void onHint(ControlTlv items, boolean responseHalf, long nowNs) {
    SendHalf half = half(responseHalf);
    long rate = FairShareHint.decode(items.hint());
    if (half == null || items.path() > Mxth.PATH_ID_MAX || rate == 0) {
      return;
    }
    if (items.path() < half.paths.count() && half.parameters.hasHints()) {
      half.congestion.onHint(
          nowNs, half.paths.get(items.path()).plane, items.hintGeneration(), rate);
    }
  }

  @Override
  public void onAcknowledged(ControlTlv sent, ControlTlv answer, long nowNs) {
    while (answer.next()) {
      if (answer.type() == ControlTlv.RQ_CREDIT) {
        onCredit(answer.stream(), answer.rqLimit());
      }
    }
    while (sent.next()) {
      MxStream stream = isOfStream(sent.type()) ? connection.streams.ofId(sent.stream()) : null;
      if (stream == null) {
        continue;
      }
      if (sent.type() == ControlTlv.STREAM_OPEN) {
        stream.openWanted = false;
        stream.receiver.onCreditConfirmed(sent.rqLimit());
        connection.opened(stream, nowNs);
      } else if (sent.type() == ControlTlv.RQ_CREDIT) {
        stream.receiver.onCreditConfirmed(sent.rqLimit());
      } else if (sent.type() == ControlTlv.STREAM_CLOSE) {
        connection.onCloseAcknowledged(stream);
      }
    }
  }

  private static boolean isOfStream(int type) {
    return type == ControlTlv.STREAM_OPEN
        || type == ControlTlv.STREAM_CLOSE
        || type == ControlTlv.RQ_CREDIT;
  }

  @Override
  public int writeAnswer(UnsafeBuffer buffer, int room) {
    int at = 0;
    for (int i = 0; i < openedCount && room - at >= ITEM_MAX; i++) {
      MxStream stream = connection.streams.ofId(opened[i]);
      if (stream != null) {
        at = ControlTlv.writeRqCredit(buffer, at, stream.id, stream.receiver.limit());
      }
    }
    return at;
  }

  @Override
  public int pathSlot(int attempt) {
    return connection.controlSlot(attempt);
  }

  @Override
  public int freshSlot() {
    return connection.freshSlot();
  }

  @Override
  public long roundTripNs() {
    return connection.roundTripNs();
  }
}
