// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/**
 * How a simulated port behaves. Immutable; {@link #defaults()} is a NIC that sees whole packets.
 *
 * @param maxDatagramBytes largest UDP payload, 16 to 65507
 * @param stagePackets packets committed and not yet on the link, 1 or more
 * @param receivePackets packets arrived and not yet taken by the endpoint; more are dropped
 * @param maxTrainPackets most packets in a train
 * @param waitsForRoom true when a full link refuses and the packets wait here, as behind a NIC's
 *     queue; false when the link drops them
 * @param countsIpIds true to count the IPv4 identification up per packet instead of sending 0
 * @param coalescePackets most packets of one flow handed over as one batch, as a socket with
 *     receive offload does; the identification is then unknown. 1 hands over each packet alone and
 *     shows the whole IP header
 */
public record SimPortSettings(
    int maxDatagramBytes,
    int stagePackets,
    int receivePackets,
    int maxTrainPackets,
    boolean waitsForRoom,
    boolean countsIpIds,
    int coalescePackets) {
  private static final SimPortSettings DEFAULTS =
      new SimPortSettings(4_224, 512, 8_192, 64, true, false, 1);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public SimPortSettings {
    check("maxDatagramBytes", maxDatagramBytes, 16, 65_507);
    check("stagePackets", stagePackets, 1, 1 << 16);
    check("receivePackets", receivePackets, 1, 1 << 20);
    check("maxTrainPackets", maxTrainPackets, 1, 1 << 16);
    check("coalescePackets", coalescePackets, 1, 64);
    if (coalescePackets > 1 && countsIpIds) {
      throw new IllegalArgumentException(
          "coalescePackets " + coalescePackets + ": must be 1 when identifications are counted");
    }
  }

  /**
   * A NIC for path MTU 4096: 512 packets on their way out, 8192 in, whole headers seen.
   *
   * @return the default settings
   */
  public static SimPortSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with another behaviour of a full link.
   *
   * @param value true to wait for room, false to let the link drop
   * @return the changed copy
   */
  public SimPortSettings waitingForRoom(boolean value) {
    return new SimPortSettings(
        maxDatagramBytes,
        stagePackets,
        receivePackets,
        maxTrainPackets,
        value,
        countsIpIds,
        coalescePackets);
  }

  /**
   * This with another identification.
   *
   * @param value true to count, false to send 0
   * @return the changed copy
   */
  public SimPortSettings countingIpIds(boolean value) {
    return new SimPortSettings(
        maxDatagramBytes,
        stagePackets,
        receivePackets,
        maxTrainPackets,
        waitsForRoom,
        value,
        coalescePackets);
  }

  /**
   * This with another batch limit.
   *
   * @param packets 1 to 64
   * @return the changed copy
   */
  public SimPortSettings coalescing(int packets) {
    return new SimPortSettings(
        maxDatagramBytes,
        stagePackets,
        receivePackets,
        maxTrainPackets,
        waitsForRoom,
        countsIpIds,
        packets);
  }

  /**
   * This with another receive queue.
   *
   * @param packets 1 or more
   * @return the changed copy
   */
  public SimPortSettings receiving(int packets) {
    return new SimPortSettings(
        maxDatagramBytes,
        stagePackets,
        packets,
        maxTrainPackets,
        waitsForRoom,
        countsIpIds,
        coalescePackets);
  }

  /**
   * This with another number of packets on their way out.
   *
   * @param packets 1 or more
   * @return the changed copy
   */
  public SimPortSettings staging(int packets) {
    return new SimPortSettings(
        maxDatagramBytes,
        packets,
        receivePackets,
        maxTrainPackets,
        waitsForRoom,
        countsIpIds,
        coalescePackets);
  }

  private static void check(String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          field + " " + value + ": allowed " + least + " to " + most);
    }
  }
}
