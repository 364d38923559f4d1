// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import java.util.Map;

/**
 * What a queue pair is made of, libibverbs' {@code ibv_qp_init_attr}: a reusable bag that {@link
 * ProtectionDomain#createQueuePair} checks and copies. Not thread-safe.
 */
public final class QueuePairSettings {
  private int type = QueuePairType.RC;
  private CompletionQueue sendCq;
  private CompletionQueue recvCq;
  private SharedReceiveQueue srq;
  private int maxSendWr = 64;
  private int maxRecvWr = 64;
  private int maxSendSge = 1;
  private int maxRecvSge = 1;
  private int maxInlineData = 0;
  private boolean sqSigAll;
  private String profile = "rc";
  private int qpNumWish = 0;
  private String congestion = "none";
  private Map<String, String> congestionParameters = Map.of();
  private int ackEveryPackets = 0;

  /**
   * A reliable connection with 64 sends and 64 receives; the completion queues are still to set.
   */
  public QueuePairSettings() {}

  /**
   * Sets the queue pair type.
   *
   * @param value {@link QueuePairType}
   * @return this
   */
  public QueuePairSettings type(int value) {
    type = value;
    return this;
  }

  /**
   * The queue pair type.
   *
   * @return as last set
   */
  public int type() {
    return type;
  }

  /**
   * Sets the completion queue of sends.
   *
   * @param value of the same context
   * @return this
   */
  public QueuePairSettings sendCq(CompletionQueue value) {
    sendCq = value;
    return this;
  }

  /**
   * The completion queue of sends.
   *
   * @return as last set
   */
  public CompletionQueue sendCq() {
    return sendCq;
  }

  /**
   * Sets the completion queue of receives.
   *
   * @param value of the same context, may be the same
   * @return this
   */
  public QueuePairSettings recvCq(CompletionQueue value) {
    recvCq = value;
    return this;
  }

  /**
   * The completion queue of receives.
   *
   * @return as last set
   */
  public CompletionQueue recvCq() {
    return recvCq;
  }

  /**
   * Sets the shared receive queue.
   *
   * @param value of the same protection domain, or null for a receive queue of its own
   * @return this
   */
  public QueuePairSettings srq(SharedReceiveQueue value) {
    srq = value;
    return this;
  }

  /**
   * The shared receive queue.
   *
   * @return as last set
   */
  public SharedReceiveQueue srq() {
    return srq;
  }

  /**
   * Sets the send requests outstanding.
   *
   * @param value 1..device limit
   * @return this
   */
  public QueuePairSettings maxSendWr(int value) {
    maxSendWr = value;
    return this;
  }

  /**
   * The send requests outstanding.
   *
   * @return as last set
   */
  public int maxSendWr() {
    return maxSendWr;
  }

  /**
   * Sets the receives outstanding.
   *
   * @param value 0..device limit; with a shared queue it is unused
   * @return this
   */
  public QueuePairSettings maxRecvWr(int value) {
    maxRecvWr = value;
    return this;
  }

  /**
   * The receives outstanding.
   *
   * @return as last set
   */
  public int maxRecvWr() {
    return maxRecvWr;
  }

  /**
   * Sets the scatter-gather entries a send.
   *
   * @param value 0..device limit
   * @return this
   */
  public QueuePairSettings maxSendSge(int value) {
    maxSendSge = value;
    return this;
  }

  /**
   * The scatter-gather entries a send.
   *
   * @return as last set
   */
  public int maxSendSge() {
    return maxSendSge;
  }

  /**
   * Sets the scatter entries a receive.
   *
   * @param value 0..device limit
   * @return this
   */
  public QueuePairSettings maxRecvSge(int value) {
    maxRecvSge = value;
    return this;
  }

  /**
   * The scatter entries a receive.
   *
   * @return as last set
   */
  public int maxRecvSge() {
    return maxRecvSge;
  }

  /**
   * Sets the inline bytes a send.
   *
   * @param value 0..device limit
   * @return this
   */
  public QueuePairSettings maxInlineData(int value) {
    maxInlineData = value;
    return this;
  }

  /**
   * The inline bytes a send.
   *
   * @return as last set
   */
  public int maxInlineData() {
    return maxInlineData;
  }

  /**
   * Sets the whether every send completes with an entry.
   *
   * @param value true for all
   * @return this
   */
  public QueuePairSettings sqSigAll(boolean value) {
    sqSigAll = value;
    return this;
  }

  /**
   * The whether every send completes with an entry.
   *
   * @return as last set
   */
  public boolean sqSigAll() {
    return sqSigAll;
  }

  /**
   * Sets the transport profile of a reliable connection.
   *
   * @param value {@code rc} or {@code mx}
   * @return this
   */
  public QueuePairSettings profile(String value) {
    profile = value;
    return this;
  }

  /**
   * The transport profile of a reliable connection.
   *
   * @return as last set
   */
  public String profile() {
    return profile;
  }

  /**
   * Sets the wished number, for reproducible tests.
   *
   * @param value 2..0xFFFFFF, or 0 for any
   * @return this
   */
  public QueuePairSettings qpNumWish(int value) {
    qpNumWish = value;
    return this;
  }

  /**
   * The wished number, for reproducible tests.
   *
   * @return as last set
   */
  public int qpNumWish() {
    return qpNumWish;
  }

  /**
   * Sets the congestion controller.
   *
   * @param value a name of the congestion registry
   * @return this
   */
  public QueuePairSettings congestion(String value) {
    congestion = value;
    return this;
  }

  /**
   * The congestion controller.
   *
   * @return as last set
   */
  public String congestion() {
    return congestion;
  }

  /**
   * Sets parameters of the congestion controller; what is not set keeps its default.
   *
   * @param values name to text, such as {@code g} to {@code 1/256}; copied
   * @return this
   */
  public QueuePairSettings congestionParameters(Map<String, String> values) {
    congestionParameters = Map.copyOf(values);
    return this;
  }

  /**
   * The parameters set of the congestion controller.
   *
   * @return as last set, unmodifiable
   */
  public Map<String, String> congestionParameters() {
    return congestionParameters;
  }

  /**
   * Sets how many packets that ask for an acknowledgement one may answer, RC only. 0: whatever one
   * receive burst brings is answered by one; 1: each gets its own, as rxe sends them.
   *
   * @param value 0..65536
   * @return this
   */
  public QueuePairSettings ackEveryPackets(int value) {
    ackEveryPackets = value;
    return this;
  }

  /**
   * How many packets that ask for an acknowledgement one may answer, RC only.
   *
   * @return as last set, 0 for one acknowledgement a burst
   */
  public int ackEveryPackets() {
    return ackEveryPackets;
  }

  /**
   * A copy.
   *
   * @return a new bag with the same contents
   */
  public QueuePairSettings copy() {
    QueuePairSettings copy = new QueuePairSettings();
    copy.type = type;
    copy.sendCq = sendCq;
    copy.recvCq = recvCq;
    copy.srq = srq;
    copy.maxSendWr = maxSendWr;
    copy.maxRecvWr = maxRecvWr;
    copy.maxSendSge = maxSendSge;
    copy.maxRecvSge = maxRecvSge;
    copy.maxInlineData = maxInlineData;
    copy.sqSigAll = sqSigAll;
    copy.profile = profile;
    copy.qpNumWish = qpNumWish;
    copy.congestion = congestion;
    copy.congestionParameters = congestionParameters;
    copy.ackEveryPackets = ackEveryPackets;
    return copy;
  }
}
