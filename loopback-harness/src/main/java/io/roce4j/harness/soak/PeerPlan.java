// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.CongestionOptions;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.ResponderHalf;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.PathMtu;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * A run as one peer proposes it to the other: everything that both must agree on. What is read is
 * checked against the limits of the command line, so that a peer can ask for no more than a user.
 */
final class PeerPlan {
  private static final long MAX_TIME_NS = 7L * 24 * 3600 * 1_000_000_000;
  private static final int MAX_DEPTH = 64;
  private static final int MAX_PARAMETERS = 64;

  private PeerPlan() {}

  /** The message that proposes a run. */
  static ObjectNode write(SoakPlan plan, Impairment impairment) {
    ConnectionSettings connection = plan.connection();
    FlowSettings load = plan.load();
    ObjectNode run = PeerLink.message("run");
    run.put("seed", plan.seed());
    run.put("transport", connection.profile());
    if (connection.profileParameters() instanceof MxSettings mx) {
      run.put("paths", mx.paths());
      run.put("select", mx.selector());
    }
    run.put("pathMtu", connection.pathMtuBytes());
    run.put("timeout", connection.timeoutCode());
    run.put("retries", connection.retryCount());
    run.put("reads", connection.maxReads());
    run.put("congestion", connection.congestion());
    ObjectNode parameters = run.putObject("congestionSet");
    connection.congestionParameters().forEach(parameters::put);
    run.put("force", plan.isForced());
    run.put("leastBytes", load.sizes().smallest());
    run.put("mostBytes", load.sizes().largest());
    run.put("depth", load.depth());
    run.put("qps", plan.queuePairs());
    run.put("train", plan.trainPackets());
    run.put("window", plan.windowPackets());
    run.put("warmUpNs", plan.warmUpNs());
    run.put("durationNs", plan.durationNs());
    run.put("loss", impairment.loss());
    run.put("reorder", impairment.reorder());
    run.put("duplicate", impairment.duplicate());
    run.put("corrupt", impairment.corrupt());
    run.put("delayNs", impairment.delayNs());
    return run;
  }

  /**
   * Reads a proposed run.
   *
   * @param run the message
   * @param portName kind of port here
   * @param own how the port here is opened
   * @param peer where the peer is
   * @return the plan
   * @throws PeerException naming the field that is out of range
   */
  static SoakPlan read(PeerMessage run, String portName, PortSettings own, PortSettings peer) {
    int pathMtu = run.integer("pathMtu", 256, PathMtu.MAX_BYTES);
    if (!PathMtu.isValid(pathMtu)) {
      throw run.refuse("pathMtu", "256, 512, 1024, 2048 or 4096");
    }
    int most = run.integer("mostBytes", 0, SoakLimits.MAX_MESSAGE_BYTES);
    FlowSettings load =
        FlowSettings.mixed(
            SizeMix.between(run.integer("leastBytes", 0, most), most),
            run.integer("depth", 1, MAX_DEPTH));
    int train = run.integer("train", 1, SoakLimits.MAX_TRAIN);
    ConnectionSettings connection =
        transport(run, train)
            .withPathMtu(pathMtu)
            .withTimeout(run.integer("timeout", 1, 31), run.integer("retries", 0, 7))
            .withReads(run.integer("reads", 1, 128));
    connection = withCongestion(connection, run);
    int queuePairs = run.integer("qps", 1, SoakLimits.MAX_QUEUE_PAIRS);
    String tooMuch = excess(load, queuePairs);
    if (tooMuch != null) {
      throw run.refuse("qps", "fewer, or with smaller messages: " + tooMuch);
    }
    return new SoakPlan(
        run.integer("seed", Long.MIN_VALUE, Long.MAX_VALUE),
        portName,
        own,
        peer,
        connection,
        run.flag("force"),
        load,
        queuePairs,
        train,
        run.integer("window", 2, SoakLimits.MAX_WINDOW),
        run.integer("warmUpNs", 0, MAX_TIME_NS),
        run.integer("durationNs", 1, MAX_TIME_NS));
  }

  private static ConnectionSettings withCongestion(ConnectionSettings plain, PeerMessage run) {
    String name = run.text("congestion");
    Map<String, String> parameters = run.namedTexts("congestionSet", MAX_PARAMETERS);
    try {
      CongestionOptions.check(
          name, parameters, EndpointSettings.defaults().linkBitsPerSecond(), plain.pathMtuBytes());
    } catch (ToolException e) {
      throw run.refuse("congestion", "one that runs here: " + e.getMessage());
    }
    return plain.withCongestion(name, parameters);
  }

  private static ConnectionSettings transport(PeerMessage run, int train) {
    ConnectionSettings plain = ConnectionSettings.defaults();
    String name = run.text("transport");
    if (name.equals(plain.profile())) {
      return plain;
    }
    if (!name.equals("mx")) {
      throw run.refuse("transport", "rc or mx");
    }
    int paths = run.integer("paths", 1, TransportOptions.MAX_PATHS);
    try {
      return plain.withProfile(name, TransportOptions.mx(paths, run.text("select"), train));
    } catch (IllegalArgumentException e) {
      throw run.refuse("select", "a known selection of paths: " + e.getMessage());
    }
  }

  /** Reads the impairment of a proposed run. */
  static Impairment readImpairment(PeerMessage run) {
    long delayNs = run.integer("delayNs", 0, SoakLimits.MAX_DELAY_NS);
    if (delayNs > 0 && delayNs < SoakLimits.MIN_DELAY_NS) {
      throw run.refuse("delayNs", "0, or at least " + SoakLimits.MIN_DELAY_NS);
    }
    return Impairment.none()
        .withLoss(run.fraction("loss"))
        .withReorder(run.fraction("reorder"))
        .withDuplicate(run.fraction("duplicate"))
        .withCorrupt(run.fraction("corrupt"))
        .withDelayNs(delayNs);
  }

  /** Why a load takes more memory than this host should give, or null. */
  static String excess(FlowSettings load, int queuePairs) {
    long wanted = queuePairs * ResponderHalf.memoryBytes(load);
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long most = system.getTotalMemorySize() / 2;
    if (wanted <= most) {
      return null;
    }
    return "they take "
        + ByteSize.format(wanted >> 20 << 20)
        + " of memory, allowed is half of this host's, "
        + ByteSize.format(most >> 20 << 20);
  }
}
