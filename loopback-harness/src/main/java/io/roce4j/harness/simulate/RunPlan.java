// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.FaultPlan;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Everything a seed decides about a run besides the dice of its links.
 *
 * @param faults what goes wrong, and when it heals
 * @param port how both ports behave
 * @param engine how both endpoints behave
 * @param connection how queue pairs are set up
 * @param load of each direction of each connection
 * @param connections between the two endpoints
 * @param reactNs how late endpoints notice packets
 * @param ipv6 whether the endpoints have IPv6 addresses
 */
public record RunPlan(
    FaultPlan faults,
    SimPortSettings port,
    EndpointSettings engine,
    ConnectionSettings connection,
    FlowSettings load,
    int connections,
    long reactNs,
    boolean ipv6) {
  private static final int[] MTUS = {256, 512, 1024, 2048, 4096};
  private static final long BYTES_PER_FLOW = 2 << 20;
  private static final int MESSAGES_LIMIT = 250;
  private static final int LEAST_TIMEOUT_CODE = 8;
  private static final int RETRIES = 7;
  private static final long MAX_RECEIVE_DELAY_NS = 200_000;
  private static final int FEW_RECEIVE_PACKETS = 1_024;

  /**
   * Draws the plan of a seed.
   *
   * @param streams of the run
   * @return the plan
   */
  public static RunPlan draw(SeededStreams streams) {
    SplittableRandom random = streams.stream("runPlan");
    int connections = random.nextInt(1, 4);
    FaultPlan faults = FaultPlan.draw(streams);
    SimPortSettings port = drawPort(random);
    int mtu = MTUS[random.nextInt(MTUS.length)];
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(mtu)
            .withTimeout(timeoutCode(faults.forth(), port, mtu), RETRIES);
    return new RunPlan(
        faults,
        port,
        drawEngine(random),
        connection,
        drawLoad(random, connections, port),
        connections,
        random.nextBoolean() ? random.nextLong(20_000) : 0,
        random.nextInt(4) == 0);
  }

  /**
   * The smallest ACK timeout that is twice the time a packet can wait behind a full port and link:
   * with a shorter one retries run out in our own queue, which no transport can help.
   */
  private static int timeoutCode(LinkSettings link, SimPortSettings port, int mtu) {
    double queuedBits = 8.0 * (link.queueBytes() + (double) port.stagePackets() * (mtu + 100));
    double waitNs = queuedBits * 1e9 / link.bitsPerSecond() + 2.0 * link.delayNs();
    int code = LEAST_TIMEOUT_CODE;
    while (4_096.0 * (1L << code) < 2 * waitNs) {
      code++;
    }
    return code;
  }

  private static SimPortSettings drawPort(SplittableRandom random) {
    SimPortSettings port =
        SimPortSettings.defaults()
            .waitingForRoom(random.nextInt(4) != 0)
            .receiving(random.nextInt(4) == 0 ? 256 : 8_192);
    return switch (random.nextInt(3)) {
      case 0 -> port.coalescing(random.nextInt(2, 65));
      case 1 -> port.countingIpIds(true);
      default -> port;
    };
  }

  private static EndpointSettings drawEngine(SplittableRandom random) {
    return EndpointSettings.defaults()
        .withWindowPackets(1 << random.nextInt(2, 10))
        .withTrainPackets(random.nextInt(1, 65))
        .withEndToEndCredits(random.nextBoolean());
  }

  private static FlowSettings drawLoad(
      SplittableRandom random, int connections, SimPortSettings port) {
    // Nothing paces READ responses: where queues drop, long ones would only ever collapse.
    boolean isDropping = !port.waitsForRoom() || port.receivePackets() < FEW_RECEIVE_PACKETS;
    int largest = 1 << random.nextInt(4, isDropping ? 15 : 21);
    SizeMix sizes = SizeMix.between(random.nextBoolean() ? 1 : 0, largest);
    int depth = random.nextInt(1, 17);
    // A log-uniform size up to m has the mean m / ln m.
    double mean = largest / Math.max(1, StrictMath.log(largest));
    long messages = Math.clamp(Math.round(BYTES_PER_FLOW / mean / connections), 8, MESSAGES_LIMIT);
    FlowSettings load = FlowSettings.mixed(sizes, depth).limitedTo(messages);
    boolean mayRunOut = random.nextInt(3) == 0;
    long delayNs = random.nextBoolean() ? random.nextLong(MAX_RECEIVE_DELAY_NS) : 0;
    return mayRunOut
        ? load.withReceives(random.nextInt(1, depth + 1)).takingReceivesAfter(delayNs)
        : load;
  }

  /**
   * How long the largest message takes over idle links: a window in each round trip. With four
   * packets of 256 bytes in 90 us a message of 1 MiB takes 93 ms, and until it is whole nothing
   * completes.
   *
   * @return ns
   */
  long longestMessageNs() {
    long packets = Math.ceilDiv(load.sizes().largest(), connection.pathMtuBytes());
    long roundTripNs = 2 * faults.forth().delayNs(); // both links are drawn equally long
    return Math.ceilDiv(packets, engine.windowPackets()) * roundTripNs;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d connection(s), MTU %d, timeout code %d, window %d, trains of %d, depth %d,"
            + " receives %d after %d ns, sizes to %d,"
            + " %d messages a flow, %s, reacts after %d ns, %s; %s",
        connections,
        connection.pathMtuBytes(),
        connection.timeoutCode(),
        engine.windowPackets(),
        engine.trainPackets(),
        load.depth(),
        load.receives(),
        load.receiveDelayNs(),
        load.sizes().largest(),
        load.messageLimit(),
        port,
        reactNs,
        ipv6 ? "IPv6" : "IPv4",
        faults);
  }
}
