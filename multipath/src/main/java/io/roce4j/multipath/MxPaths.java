// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.VerbsException;
import java.util.function.Supplier;

/**
 * The paths on which the requests of an MX queue pair travel, for those who watch them and for the
 * administrator. Control path, any thread: every method takes its turn with the duty cycle.
 */
public final class MxPaths {
  private final QueuePair queuePair;

  private MxPaths(QueuePair queuePair) {
    this.queuePair = queuePair;
  }

  /**
   * What a path is at one moment.
   *
   * @param id its number on the wire
   * @param epoch how often its source port changed, modulo 256
   * @param sourcePort UDP source port of its data
   * @param state {@link PathState}
   * @param windowBytes congestion window
   * @param smoothedRttNs smoothed round trip time
   * @param inflightBytes sent and not yet reported
   */
  public record Reading(
      int id,
      int epoch,
      int sourcePort,
      int state,
      long windowBytes,
      long smoothedRttNs,
      long inflightBytes) {}

  /**
   * The paths of a queue pair.
   *
   * @param queuePair of profile mx
   * @return its paths, as long as it has an MX connection
   */
  public static MxPaths of(QueuePair queuePair) {
    return new MxPaths(queuePair);
  }

  /**
   * All paths as they are now.
   *
   * @return in the order of their numbers
   * @throws VerbsException EINVAL when the queue pair has no MX connection
   */
  public Reading[] read() {
    return turn(
        () -> {
          MxConnection connection = connection();
          PathSet paths = connection.requestSend().paths;
          Reading[] all = new Reading[paths.count()];
          for (int i = 0; i < all.length; i++) {
            SendPath path = paths.get(i);
            all[i] =
                new Reading(
                    path.id,
                    path.epoch,
                    connection.context.sourcePort(path.slot),
                    path.state,
                    paths.windowBytes(i),
                    path.rtt.smoothedNs(),
                    path.ring.liveBytes());
          }
          return all;
        });
  }

  /**
   * Takes a path out of use or back into it, for requests and for answers [mx C.4].
   *
   * @param path its number
   * @param state {@link PathState#DRAIN}: no new transmissions, closed when nothing is under way;
   *     {@link PathState#DISABLED}: closed at once until it is allowed again; {@link
   *     PathState#ACTIVE}: back by way of probing
   * @param nowNs time of the endpoint, ns
   * @throws VerbsException EINVAL for another state, an unknown path, or without a connection
   */
  public void setState(int path, int state, long nowNs) {
    turn(
        () -> {
          MxConnection connection = connection();
          check(connection.requestSend(), path);
          setState(connection.requestSend(), path, state, nowNs);
          SendHalf answers = connection.responseSend();
          if (answers != null && path < answers.paths.count()) {
            setState(answers, path, state, nowNs);
          }
          wake(connection);
          return null;
        });
  }

  private static void setState(SendHalf half, int path, int state, long nowNs) {
    SendPath chosen = half.paths.get(path);
    switch (state) {
      case PathState.DRAIN -> half.monitor.drain(chosen, nowNs);
      case PathState.DISABLED -> half.monitor.close(chosen, PathState.DISABLED, nowNs);
      case PathState.ACTIVE -> half.monitor.reopen(chosen, nowNs);
      default ->
          throw new VerbsException(
              "EINVAL",
              "path state "
                  + PathState.name(state)
                  + " comes by itself: drain, disabled and active can be set");
    }
  }

  /**
   * Moves the requests of a path to another source port, with a new epoch.
   *
   * @param path its number
   * @param sourcePort one of the port's
   * @param nowNs time of the endpoint, ns
   * @throws VerbsException EINVAL for an unknown path or source port, or without a connection
   */
  public void moveTo(int path, int sourcePort, long nowNs) {
    turn(
        () -> {
          MxConnection connection = connection();
          check(connection.requestSend(), path);
          int slot = connection.context.pathSlotOf(sourcePort);
          SendHalf half = connection.requestSend();
          half.monitor.moveTo(half.paths.get(path), slot, nowNs);
          wake(connection);
          return null;
        });
  }

  private static void check(SendHalf half, int path) {
    if (path < 0 || path >= half.paths.count()) {
      throw new VerbsException(
          "EINVAL", "path " + path + ": there are 0.." + (half.paths.count() - 1));
    }
  }

  private static void wake(MxConnection connection) {
    connection.slot.requestTransmit();
    connection.slot.deadlineChanged();
  }

  private MxConnection connection() {
    MxConnection connection =
        queuePair.engine() instanceof MxEngine engine ? engine.connection() : null;
    if (connection == null) {
      throw new VerbsException(
          "EINVAL",
          "queue pair "
              + queuePair.qpNum()
              + " has no MX connection: it has one from RTR on when its profile is mx");
    }
    return connection;
  }

  private <T> T turn(Supplier<T> action) {
    return queuePair.context().control().call(action);
  }
}
