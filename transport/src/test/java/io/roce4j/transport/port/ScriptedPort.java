// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/** A batched port over a network that refuses on demand. */
final class ScriptedPort extends BatchedTrainPort {
  /** Packets a message may have before the network calls it too long. */
  int maxPackets = Integer.MAX_VALUE;

  /** Bytes a packet may have before the network calls it too long. */
  int maxPacketBytes = Integer.MAX_VALUE;

  /** Messages taken before the network is busy; counts down. */
  int budget = Integer.MAX_VALUE;

  int segmentLimit = 64;
  int mtu = 9000;

  final Set<Long> unreachable = new HashSet<>();
  final List<Integer> psns = new ArrayList<>();
  final List<Integer> messageSizes = new ArrayList<>();
  int wrongIcrcs;

  private final Icrc icrc = new Icrc();
  private final List<long[]> staged = new ArrayList<>();

  /** A destination of the script. */
  private static final class ScriptedRoute extends Route {}

  ScriptedPort(int messageLimit) {
    super(
        PortSettings.of("127.0.0.1"),
        new LocalInterface("scripted", 1, 9000, true, 0),
        messageLimit);
  }

  @Override
  protected int segmentLimit() {
    return segmentLimit;
  }

  @Override
  protected boolean mixesPathSlots() {
    return false;
  }

  @Override
  protected void stage(int message, long train, int from, int packets) {
    while (staged.size() <= message) {
      staged.add(null);
    }
    staged.set(message, new long[] {train, from, packets});
  }

  @Override
  protected int submit(int pathSlot, int count) {
    for (int i = 0; i < count; i++) {
      long train = staged.get(i)[0];
      int from = (int) staged.get(i)[1];
      int packets = (int) staged.get(i)[2];
      int refusal = judge(train, from, packets);
      if (refusal < 0) {
        return i > 0 ? i : refusal;
      }
      take(train, from, packets);
    }
    return count;
  }

  private int judge(long train, int from, int packets) {
    if (unreachable.contains(trains.destination(train).gidLo())) {
      return SendRefusal.UNREACHABLE;
    }
    if (packets > maxPackets || trains.packetLength(train, from) > maxPacketBytes) {
      return SendRefusal.TOO_LONG;
    }
    return budget-- > 0 ? 0 : SendRefusal.BUSY;
  }

  private void take(long train, int from, int packets) {
    messageSizes.add(packets);
    IpUdpFields fields = headers(train);
    for (int i = 0; i < packets; i++) {
      int length = trains.packetLength(train, from + i);
      UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + length]);
      copy.putBytes(Icrc.HEADROOM, trains.buffer(), trains.packetOffset(train, from + i), length);
      psns.add(Bth.psn(copy, Icrc.HEADROOM));
      fields.identification(i);
      if (!icrc.check(copy, Icrc.HEADROOM, length, fields)) {
        wrongIcrcs++;
      }
    }
  }

  @Override
  protected Route route(Gid gid, int udpPort, int hopLimit, int flowLabel) {
    return new ScriptedRoute();
  }

  @Override
  protected void join(Gid group) {
    throw new IllegalArgumentException("no groups in this script");
  }

  @Override
  protected void leave(Gid group) {
    throw new IllegalStateException("nothing was joined");
  }

  @Override
  protected int currentMtuBytes() {
    return mtu;
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities(
        "scripted", false, false, false, false, 4, MAX_TRAIN_BYTES, 64, mtuBytes(), "");
  }

  @Override
  public int sourcePort(int pathSlot) {
    return 49152 + pathSlot;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    return 0;
  }

  @Override
  public void close() {
    trains.close();
  }
}
