// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.verbs.AddressVector;
import java.util.Arrays;

/** One event of an id: librdmacm's {@code rdma_cm_event}. Immutable; any thread. */
public final class CmEvent {
  /** Status of {@link CmEventType#UNREACHABLE} when nobody answered. */
  public static final int TIMED_OUT = -110;

  /** Status of {@link CmEventType#ADDR_ERROR} when no way leads there. */
  public static final int HOST_UNREACHABLE = -113;

  /** Status of {@link CmEventType#CONNECT_ERROR} when the queue pair could not be made ready. */
  public static final int INVALID = -22;

  /** Status of {@link CmEventType#CONNECT_ERROR} when the peer's queue pair is still connected. */
  public static final int STALE = -116;

  /**
   * What the peer said.
   *
   * @param responderResources READs and atomics the peer would issue: what this side may serve
   * @param initiatorDepth READs and atomics the peer serves: what this side may issue
   * @param retryCount 0..7
   * @param rnrRetryCount 0..7
   * @param srq whether the peer's queue pair uses a shared receive queue
   * @param qpNum queue pair of the peer, 24 bits
   * @param qkey queue key of the peer's datagram service; 0 else
   * @param pathMtuBytes path MTU the peer asked for, 0 when it named none that exists
   */
  public record Parameters(
      int responderResources,
      int initiatorDepth,
      int retryCount,
      int rnrRetryCount,
      boolean srq,
      int qpNum,
      int qkey,
      int pathMtuBytes) {
    static final Parameters NONE = new Parameters(0, 0, 0, 0, false, 0, 0, 0);
  }

  private final CmEventType type;
  private final RdmaCmId id;
  private final RdmaCmId listenId;
  private final int status;
  private final byte[] privateData;
  private final int applicationOffset;
  private final Parameters parameters;
  private final AddressVector peer;

  CmEvent(
      CmEventType type,
      RdmaCmId id,
      RdmaCmId listenId,
      int status,
      byte[] privateData,
      int applicationOffset,
      Parameters parameters,
      AddressVector peer) {
    this.type = type;
    this.id = id;
    this.listenId = listenId;
    this.status = status;
    this.privateData = privateData;
    this.applicationOffset = applicationOffset;
    this.parameters = parameters;
    this.peer = peer;
  }

  /** An event that says nothing but what happened. */
  static CmEvent of(CmEventType type, RdmaCmId id, int status) {
    return new CmEvent(type, id, null, status, MadWriter.NO_DATA, 0, Parameters.NONE, null);
  }

  /**
   * What happened.
   *
   * @return the type
   */
  public CmEventType type() {
    return type;
  }

  /**
   * To whom.
   *
   * @return the id; with {@link CmEventType#CONNECT_REQUEST} a new one
   */
  public RdmaCmId id() {
    return id;
  }

  /**
   * Who was asked.
   *
   * @return the listening id with {@link CmEventType#CONNECT_REQUEST}, else null
   */
  public RdmaCmId listenId() {
    return listenId;
  }

  /**
   * Why.
   *
   * @return 0, a negative errno, or the reason or status the type speaks of
   */
  public int status() {
    return status;
  }

  /**
   * The whole area behind the RDMA CM header as it was received: a message does not say how much of
   * it was filled, the rest is zero.
   *
   * @return a copy: 56, 92 or 180 bytes of a request, 196 or 136 of a reply, 148 of a reject, else
   *     none
   */
  public byte[] privateData() {
    return privateData.clone();
  }

  /**
   * As {@link #privateData()} without what a transport profile negotiates in front of it.
   *
   * @return a copy
   */
  public byte[] applicationData() {
    return Arrays.copyOfRange(privateData, applicationOffset, privateData.length);
  }

  /**
   * What the peer said.
   *
   * @return all 0 with events that carry nothing of the peer
   */
  public Parameters parameters() {
    return parameters;
  }

  /**
   * The peer of a datagram service.
   *
   * @return with {@link CmEventType#ESTABLISHED} of port space UDP where to send to, else null
   */
  public AddressVector peer() {
    return peer;
  }

  /** {@return the type and the status, for messages} */
  @Override
  public String toString() {
    return type + (status == 0 ? "" : " status " + status);
  }
}
