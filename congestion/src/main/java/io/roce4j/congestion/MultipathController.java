// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Congestion control of a connection that sends over several paths: {@link CongestionController}
 * with a path number in each event and a window for each path besides the connection's. Threads,
 * time, number ranges and cost are those of {@link CongestionController}; in-flight arguments named
 * {@code path...} count one path, the others the connection.
 *
 * <p>The engine sends when both windows have room: {@code inflight <= windowBytes()} and {@code
 * pathInflight <= pathWindowBytes(path)}; an empty connection or path may always send one packet,
 * and one packet may leave at {@link #trickleNs()} whatever is in flight. It paces the connection
 * at {@link #rateBitsPerSecond()} and a path at {@link #pathRateBitsPerSecond(int)} where these are
 * bounded.
 *
 * <p>Paths are numbered from 0 to the maximum given at creation, planes (ports of a multi-port
 * sender) likewise. A path takes part from {@link #onPathOpened} on.
 *
 * <p>A controller written for one path becomes one of these in two ways: {@link ConnectionWise}
 * feeds one instance from all paths, {@link PathWise} gives each path an instance of its own that
 * starts with its part of the link. {@link SinglePath} is the reverse: it runs a multipath
 * controller under the one path of a plain connection.
 */
public interface MultipathController {

  /**
   * A path is ready for data for the first time.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param plane plane the path leaves by
   */
  void onPathOpened(long nowNs, int path, int plane);

  /**
   * A path carries no new data for now: it is suspect or failed, or is being drained. It no longer
   * counts as active.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPathSuspended(long nowNs, int path);

  /**
   * A suspect path answered and carries data again.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPathRestored(long nowNs, int path);

  /**
   * A failed path came back, over another route: nothing known of the old route holds.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPathRevived(long nowNs, int path);

  /**
   * A working path was moved to another route.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPathMoved(long nowNs, int path);

  /**
   * A path is gone for good; its number may be opened again later.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPathClosed(long nowNs, int path);

  /**
   * A plane went down or came back.
   *
   * @param nowNs time of the endpoint, ns
   * @param plane plane number
   * @param up true when it carries packets
   */
  default void onPlane(long nowNs, int plane, boolean up) {}

  /**
   * Bytes were handed to the network. See {@link CongestionController#onSent}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param bytes bytes sent, 1 or more
   * @param pathInflightBytes bytes unacknowledged on the path after this send
   * @param inflightBytes bytes unacknowledged of the connection after this send
   */
  void onSent(long nowNs, int path, long bytes, long pathInflightBytes, long inflightBytes);

  /**
   * Packets of a path were acknowledged. See {@link CongestionController#onAck}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param ackedBytes bytes newly acknowledged
   * @param ackedPackets packets that newly reached the peer on this path, from its counters
   * @param cePackets how many of these carried ECN CE
   * @param rttNs round trip sample of the path, ns; 0 or less: none
   * @param minRttNs least round trip time of the path in its epoch, ns; 0 or less: unknown
   * @param pathInflightBytes bytes still unacknowledged on the path
   * @param inflightBytes bytes still unacknowledged of the connection
   * @param appLimited true when the sender had nothing more to send
   */
  void onAck(
      long nowNs,
      int path,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long pathInflightBytes,
      long inflightBytes,
      boolean appLimited);

  /**
   * CE marks of a path became known otherwise. See {@link CongestionController#onMark}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param packets marked packets
   */
  default void onMark(long nowNs, int path, long packets) {}

  /**
   * A congestion notification packet arrived for a path. See {@link CongestionController#onCnp}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  default void onCnp(long nowNs, int path) {}

  /**
   * A loss on a path. Losses of one train are one call. See {@link CongestionController#onLoss}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param lostBytes bytes lost
   * @param pathInflightBytes bytes still unacknowledged on the path
   * @param inflightBytes bytes still unacknowledged of the connection
   */
  void onLoss(long nowNs, int path, long lostBytes, long pathInflightBytes, long inflightBytes);

  /**
   * The probe timer of a path expired. See {@link CongestionController#onPto}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   */
  void onPto(long nowNs, int path);

  /**
   * Payload of a packet on a path was cut off. See {@link CongestionController#onTrim}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param bytes bytes cut off
   */
  default void onTrim(long nowNs, int path, long bytes) {}

  /**
   * A receiving port told this sender its fair share of it.
   *
   * @param nowNs time of the endpoint, ns
   * @param plane plane of the receiving port
   * @param generation number of the share, 0 to 255; newer wins modulo 256
   * @param bitsPerSecond the share, 1 or more; {@link CongestionController#UNLIMITED} without bound
   */
  default void onHint(long nowNs, int plane, int generation, long bitsPerSecond) {}

  /**
   * Time the peer's host took. See {@link CongestionController#onHostDelay}.
   *
   * @param nowNs time of the endpoint, ns
   * @param path path number
   * @param hostDelayNs delay in the peer, ns
   */
  default void onHostDelay(long nowNs, int path, long hostDelayNs) {}

  /**
   * The receiver asks to scale down. See {@link CongestionController#onPenalty}.
   *
   * @param nowNs time of the endpoint, ns
   * @param level 0 none to 127 strongest
   */
  default void onPenalty(long nowNs, int level) {}

  /**
   * The connection starts again after a pause. See {@link CongestionController#onIdle}.
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onIdle(long nowNs) {}

  /**
   * Time has passed. See {@link CongestionController#onTimer}.
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onTimer(long nowNs) {}

  /**
   * When {@link #onTimer} is wanted next.
   *
   * @return time of the endpoint in ns, or {@link CongestionController#NO_DEADLINE}
   */
  default long nextDeadlineNs() {
    return CongestionController.NO_DEADLINE;
  }

  /**
   * Bytes the connection may have in flight over all paths.
   *
   * @return 1 byte or more, or {@link CongestionController#UNLIMITED}
   */
  long windowBytes();

  /**
   * Rate at which the connection may send over all paths.
   *
   * @return bit/s, 1 or more, or {@link CongestionController#UNLIMITED}
   */
  long rateBitsPerSecond();

  /**
   * Bytes one path may have in flight.
   *
   * @param path path number
   * @return 1 byte or more, or {@link CongestionController#UNLIMITED}
   */
  long pathWindowBytes(int path);

  /**
   * Rate at which one path may send.
   *
   * @param path path number
   * @return bit/s, 1 or more, or {@link CongestionController#UNLIMITED}
   */
  long pathRateBitsPerSecond(int path);

  /**
   * When one packet may leave although the windows are full. See {@link
   * CongestionController#trickleNs}.
   *
   * @return time of the endpoint in ns, or {@link CongestionController#NO_DEADLINE} for never
   */
  default long trickleNs() {
    return CongestionController.NO_DEADLINE;
  }

  /**
   * Smoothed fraction of transmissions lost on a path without a sign of congestion, for the path
   * scheduler to prefer others above 5%.
   *
   * @param path path number
   * @return 0 to 1
   */
  default double pathLossFraction(int path) {
    return 0;
  }

  /**
   * How often a path should have been moved to another route. See {@link
   * CongestionController#pathChangesWanted}.
   *
   * @param path path number
   * @return a count that only grows
   */
  default long pathChangesWanted(int path) {
    return 0;
  }

  /**
   * Number of values shown. See {@link CongestionController#metricCount}.
   *
   * @return 0 or more
   */
  default int metricCount() {
    return 0;
  }

  /**
   * Name of one shown value. See {@link CongestionController#metricName}.
   *
   * @param index 0 to {@link #metricCount()} - 1
   * @return the name
   */
  default String metricName(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  /**
   * One shown value. See {@link CongestionController#metric}.
   *
   * @param index 0 to {@link #metricCount()} - 1
   * @return the value
   */
  default double metric(int index) {
    throw new IndexOutOfBoundsException(index);
  }
}
