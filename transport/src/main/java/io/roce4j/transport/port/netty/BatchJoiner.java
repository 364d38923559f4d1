// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.ip.Gid;
import java.net.InetSocketAddress;

/**
 * Puts the segments of a coalesced datagram, which Netty hands over one by one, together again:
 * they lie side by side in one receive slot. The batch is what tells a packet's place in its train,
 * and so its likely identification.
 */
final class BatchJoiner {
  private final NettyPort port;
  private final DatagramMeta meta = new DatagramMeta();
  private ReceiveSlots slots;
  private DatagramHandler handler;
  private long nowNs;
  private int packets;

  private InetSocketAddress sender;
  private int offset;
  private int length;
  private int segmentBytes;

  private InetSocketAddress lastSender;
  private Gid lastSenderGid;

  BatchJoiner(NettyPort port) {
    this.port = port;
  }

  void slots(ReceiveSlots slots) {
    this.slots = slots;
  }

  void begin(DatagramHandler to, long now) {
    handler = to;
    nowNs = now;
    packets = 0;
  }

  boolean isOpen() {
    return handler != null;
  }

  /** Packets handed on since begin. */
  int packets() {
    return packets;
  }

  int end() {
    emit();
    handler = null;
    return packets;
  }

  /** Takes one datagram and releases it: its bytes stay where they are until the slot is reused. */
  void take(DatagramPacket packet) {
    ByteBuf content = packet.content();
    int bytes = content.readableBytes();
    int at = slots.offsetOf(content);
    if (at < 0 || bytes == 0) {
      copyAndEmit(packet, content, bytes);
    } else if (length > 0
        && at == offset + length
        && bytes <= segmentBytes
        && length % segmentBytes == 0
        && packet.sender().equals(sender)) {
      length += bytes;
    } else {
      emit();
      sender = packet.sender();
      offset = at;
      length = bytes;
      segmentBytes = bytes;
    }
    ReferenceCountUtil.release(packet);
  }

  /** For memory that is not ours, when every slot was in use. */
  private void copyAndEmit(DatagramPacket packet, ByteBuf content, int bytes) {
    emit();
    if (bytes == 0) {
      return;
    }
    sender = packet.sender();
    offset = ReceiveSlots.HEADROOM;
    length = bytes;
    segmentBytes = bytes;
    slots.copyToSpare(content);
    emit();
  }

  /** Hands the batch on that is being put together, if there is one. */
  void emit() {
    if (length == 0) {
      return;
    }
    describe();
    int bytes = length;
    length = 0;
    packets += port.deliverJoined(handler, offset, bytes, segmentBytes, meta, nowNs);
  }

  private void describe() {
    if (!sender.equals(lastSender)) {
      lastSender = sender;
      lastSenderGid = Gid.ofAddress(sender.getAddress().getAddress());
    }
    Gid local = port.address();
    if (local.isIpv4()) {
      meta.ip.ipv4(lastSenderGid.ipv4(), local.ipv4(), sender.getPort(), port.localUdpPort());
      meta.idKnowledge = DatagramMeta.ID_UNKNOWN;
    } else {
      meta.ip.ipv6(
          lastSenderGid.high(),
          lastSenderGid.low(),
          local.high(),
          local.low(),
          sender.getPort(),
          port.localUdpPort());
      meta.idKnowledge = DatagramMeta.ID_KNOWN;
    }
  }
}
