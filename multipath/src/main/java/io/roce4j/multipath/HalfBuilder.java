// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.CongestionControllerProvider;
import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionParameter;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.MultipathController;
import io.roce4j.congestion.PathUse;
import io.roce4j.wire.memory.NativeMemory;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts the halves of a connection together: memory, paths, controllers. Control path; this is where
 * a connection's memory comes from and how much of it there is.
 */
final class HalfBuilder {
  private static final String TAG = "mx-connection";
  private static final int ALIGNMENT = 64;

  private final MxParameters parameters;
  private final MxCounters counters;
  private final EntropyPool entropy;
  private final String congestion;
  private final Map<String, String> congestionParameters;
  private final String selector;
  private final long seed;

  /**
   * A builder for one connection.
   *
   * @param parameters what was negotiated
   * @param counters the connection's
   * @param entropy its source ports
   * @param congestion name of the controller
   * @param congestionParameters its parameters that are not left at their defaults
   * @param selector name of the path selector
   * @param seed of its choices
   */
  HalfBuilder(
      MxParameters parameters,
      MxCounters counters,
      EntropyPool entropy,
      String congestion,
      Map<String, String> congestionParameters,
      String selector,
      long seed) {
    this.parameters = parameters;
    this.counters = counters;
    this.entropy = entropy;
    this.congestion = congestion;
    this.congestionParameters = congestionParameters;
    this.selector = selector;
    this.seed = seed;
  }

  /** Off-heap bytes of a send half. */
  static int sendBytes(MxParameters parameters) {
    return FragmentTable.bytes(parameters.fragmentCapacity())
        + parameters.paths() * PathRing.bytes(parameters.ringCapacity());
  }

  /** Off-heap bytes of a receive half with its table of open messages. */
  static int receiveBytes(MxParameters parameters) {
    return ReceiveHalf.bytes(parameters)
        + MessageTable.bytes(MessageTable.capacity(parameters.trackerWindow()));
  }

  /** Memory of a half, zeroed; freed by its owner. */
  static UnsafeBuffer allocate(int bytes) {
    UnsafeBuffer buffer = NativeMemory.allocate(TAG, bytes, ALIGNMENT);
    buffer.setMemory(0, bytes, (byte) 0);
    return buffer;
  }

  /** Frees memory of a half. */
  static void free(UnsafeBuffer buffer) {
    NativeMemory.release(buffer);
  }

  /**
   * Builds a send half over memory of {@link #sendBytes}.
   *
   * @param half 0 request, 1 response
   * @param memory zeroed
   * @param source where fragments come from
   * @param firstCpsn first number
   * @param nowNs time of the endpoint, ns
   */
  SendHalf send(int half, UnsafeBuffer memory, FragmentSource source, int firstCpsn, long nowNs) {
    SendHalfParts parts = new SendHalfParts();
    parts.half = half;
    parts.fragments = new FragmentTable(memory, 0, parameters.fragmentCapacity());
    parts.congestion = controller();
    parts.counters = counters;
    parts.entropy = entropy;
    parts.firstCpsn = firstCpsn;
    parts.nowNs = nowNs;
    parts.selector = PathSelectors.create(selector, parameters.paths());
    SendPath[] paths = new SendPath[parameters.paths()];
    int at = FragmentTable.bytes(parameters.fragmentCapacity());
    for (int i = 0; i < paths.length; i++) {
      PathRing ring = new PathRing(memory, at, parameters.ringCapacity());
      paths[i] = new SendPath(i, i % parameters.planes(), ring, nowNs, parameters.baseRttNs());
      at += PathRing.bytes(parameters.ringCapacity());
    }
    PathDice dice = new PathDice(EntropyPool.mix(seed + half));
    parts.paths = new PathSet(paths, parts.congestion, dice, parameters.span());
    SendHalf send = new SendHalf(parameters, parts, source);
    for (SendPath path : paths) {
      parts.congestion.onPathOpened(nowNs, path.id, path.plane);
    }
    return send;
  }

  private MultipathController controller() {
    long link = parameters.linkBitsPerSecond() * parameters.planes();
    CongestionSettings settings =
        CongestionSettings.of(link, parameters.mtu(), parameters.baseRttNs());
    CongestionControllerProvider provider = CongestionControllers.provider(congestion);
    for (CongestionParameter parameter : provider.parameters()) {
      // What only the connection knows and a user would have to repeat.
      if (parameter.name().equals("train")) {
        settings = settings.with("train", Integer.toString(parameters.trainPackets()));
      } else if (parameter.name().equals("maxAckDelay")) {
        settings = settings.with("maxAckDelay", parameters.maxAckDelayNs() + "ns");
      }
    }
    return CongestionControllers.createMultipath(
        congestion,
        settings.withAll(congestionParameters),
        parameters.paths(),
        parameters.planes(),
        PathUse.CONNECTION_WISE);
  }
}
