// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Decides how much one sender may have in flight and how fast it may send. The connection engine
 * reports events in the order they happen and reads the answer before it sends.
 *
 * <p><b>Threads and time.</b> One thread, the agent's. {@code nowNs} is the endpoint's clock in
 * nanoseconds; it never goes back and may be negative. A controller keeps no clock of its own: it
 * states its next {@link #nextDeadlineNs() deadline} and expects {@link #onTimer} at or after it.
 *
 * <p><b>Order of calls.</b> For one acknowledgement the engine first reports what came with it
 * ({@link #onHostDelay}, {@link #onIntHop}, {@link #onPenalty}, {@link #onCredit}, {@link
 * #onHint}), then {@link #onAck}, then the losses it reveals. Packets of one instant come before
 * {@link #onTimer} of that instant, as in the agent's duty cycle. A controller copes with being
 * called late: before it handles an event it runs those of its own timers that were due earlier,
 * one by one, in their order.
 *
 * <p><b>Numbers.</b> Arguments are never negative except {@code nowNs} and, as "no sample", {@code
 * rttNs} and {@code minRttNs}. The answers are never negative and never zero: a window is at least
 * one byte (the engine always lets an empty connection send one packet), a rate at least 1 bit/s.
 * {@link #UNLIMITED} stands for "this controller does not bound that".
 *
 * <p><b>Cost.</b> No method allocates, throws, blocks or logs.
 *
 * <p>A controller serves a plain one-path connection as it stands. Over several paths it is fed by
 * all of them (connection-wise) or one instance is made for each path with its part of the link
 * (path-wise); see {@link MultipathController}.
 */
public interface CongestionController {

  /** Window or rate without bound. */
  long UNLIMITED = Long.MAX_VALUE;

  /** The deadline of a controller that has no timer running. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * Bytes were handed to the network, new or sent again.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes sent, 1 or more; headers count when the engine counts them in its window too
   * @param inflightBytes bytes unacknowledged after this send
   */
  default void onSent(long nowNs, long bytes, long inflightBytes) {}

  /**
   * An acknowledgement arrived.
   *
   * @param nowNs time of the endpoint, ns
   * @param ackedBytes bytes newly acknowledged, 0 or more
   * @param ackedPackets packets newly acknowledged, 0 or more
   * @param cePackets how many of these carried ECN CE when they reached the peer; 0 when unknown
   * @param rttNs round trip time sample, ns; 0 or less: this acknowledgement gives none (for
   *     instance because it answers a retransmitted packet)
   * @param minRttNs least round trip time seen lately, ns; 0 or less: unknown
   * @param inflightBytes bytes still unacknowledged
   * @param appLimited true when the sender had nothing more to send while these packets were in
   *     flight, so that the window was not used
   */
  void onAck(
      long nowNs,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long inflightBytes,
      boolean appLimited);

  /**
   * CE marks on this sender's packets became known otherwise than by an acknowledgement or a
   * congestion notification packet.
   *
   * @param nowNs time of the endpoint, ns
   * @param packets marked packets, 1 or more
   */
  default void onMark(long nowNs, long packets) {}

  /**
   * A congestion notification packet arrived for this sender (RoCEv2 annex A17).
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onCnp(long nowNs) {}

  /**
   * Packets are known to be lost, by a gap in the acknowledgements or a negative acknowledgement.
   * Reported once for each lost transmission or group of them.
   *
   * @param nowNs time of the endpoint, ns
   * @param lostBytes bytes lost, 1 or more
   * @param inflightBytes bytes still unacknowledged, the lost ones no longer counted
   */
  default void onLoss(long nowNs, long lostBytes, long inflightBytes) {}

  /**
   * The retransmission or probe timer expired without an acknowledgement.
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onPto(long nowNs) {}

  /**
   * A switch cut the payload of a packet and the peer said so: a loss that is certainly congestion.
   * Reported instead of {@link #onLoss} for these bytes.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes whose payload was cut off, 1 or more
   */
  default void onTrim(long nowNs, long bytes) {}

  /**
   * As {@link #onTrim}, by the switch next to the receiver: the congestion is the receiver's own
   * port, which a receiver-driven scheme already controls. Counts as any other trim unless a
   * controller tells them apart.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes whose payload was cut off, 1 or more
   */
  default void onLastHopTrim(long nowNs, long bytes) {
    onTrim(nowNs, bytes);
  }

  /**
   * The receiver told this sender its fair share.
   *
   * @param nowNs time of the endpoint, ns
   * @param bitsPerSecond the share, 1 or more; {@link #UNLIMITED} when the receiver sets no bound
   */
  default void onHint(long nowNs, long bitsPerSecond) {}

  /**
   * The receiver allowed further bytes (receiver-driven transports).
   *
   * @param nowNs time of the endpoint, ns
   * @param creditBytes bytes newly allowed, 0 or more
   */
  default void onCredit(long nowNs, long creditBytes) {}

  /**
   * Time the last acknowledged packet spent in the peer's host, to be taken out of the round trip
   * time where a controller separates fabric from host (Swift). Reported just before {@link
   * #onAck}.
   *
   * @param nowNs time of the endpoint, ns
   * @param hostDelayNs delay in the peer, ns, 0 or more; it is not part of {@code rttNs}
   */
  default void onHostDelay(long nowNs, long hostDelayNs) {}

  /**
   * Telemetry of one hop that the packet being acknowledged passed. Reported hop by hop, hop 0
   * nearest the sender, just before {@link #onAck}.
   *
   * @param nowNs time of the endpoint, ns
   * @param hop index of the hop, 0 and up
   * @param queueBytes bytes queued at the egress when the packet left
   * @param txBytes bytes the egress has sent so far, modulo 2^63
   * @param hopTimeNs clock of that hop when the packet left, ns
   * @param linkBitsPerSecond rate of that egress
   */
  default void onIntHop(
      long nowNs, int hop, long queueBytes, long txBytes, long hopTimeNs, long linkBitsPerSecond) {}

  /**
   * The receiver asks its senders to scale down (Ultra Ethernet's receiver penalty).
   *
   * @param nowNs time of the endpoint, ns
   * @param level 0 none to 127 strongest
   */
  default void onPenalty(long nowNs, int level) {}

  /**
   * The sender has had nothing in flight and nothing to send for a while and now starts again.
   * Reported before the first packet.
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onIdle(long nowNs) {}

  /**
   * Time has passed; run what is due. Calling it early does no harm.
   *
   * @param nowNs time of the endpoint, ns
   */
  default void onTimer(long nowNs) {}

  /**
   * When {@link #onTimer} is wanted next.
   *
   * @return time of the endpoint in ns, or {@link #NO_DEADLINE}
   */
  default long nextDeadlineNs() {
    return NO_DEADLINE;
  }

  /**
   * Bytes this sender may have in flight.
   *
   * @return 1 byte or more, or {@link #UNLIMITED}
   */
  long windowBytes();

  /**
   * Rate at which this sender's bytes may leave, bit/s (decimal).
   *
   * @return 1 or more, never above the link; or {@link #UNLIMITED} for no pacing
   */
  long rateBitsPerSecond();

  /**
   * When one packet may leave although the window is full, so that something follows a lost tail.
   * MX asks for it; RC does not, since only receiver hints make the window that it is about.
   *
   * @return time of the endpoint in ns, or {@link #NO_DEADLINE} for never
   */
  default long trickleNs() {
    return NO_DEADLINE;
  }

  /**
   * How often this controller wanted the connection moved to another route because the present one
   * stays congested (PLB). The engine compares with the last value it saw; ignoring it is safe, and
   * RC and MX do: RC goes back over what a new route overtakes, MX moves paths by its own rules.
   *
   * @return a count that only grows
   */
  default long pathChangesWanted() {
    return 0;
  }

  /**
   * Number of internal values this controller shows to counters and plots.
   *
   * @return 0 or more, the same for the life of the controller
   */
  default int metricCount() {
    return 0;
  }

  /**
   * Name of one shown value, in the paper's term.
   *
   * @param index 0 to {@link #metricCount()} - 1
   * @return the name, for instance {@code alpha}; unit at the end where it has one
   */
  default String metricName(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  /**
   * One shown value as of now. Reading it changes nothing.
   *
   * @param index 0 to {@link #metricCount()} - 1
   * @return the value
   */
  default double metric(int index) {
    throw new IndexOutOfBoundsException(index);
  }
}
