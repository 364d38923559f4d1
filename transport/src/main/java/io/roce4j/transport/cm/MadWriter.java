// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.DrepMessage;
import io.roce4j.wire.cm.DreqMessage;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.cm.MraMessage;
import io.roce4j.wire.cm.RejMessage;
import io.roce4j.wire.cm.RtuMessage;
import io.roce4j.wire.cm.SidrRepMessage;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes the messages that carry little but ids, at the start of a buffer. */
final class MadWriter {
  /** Messages that REJ and MRA name. */
  static final int ABOUT_REQ = 0;

  static final int ABOUT_REP = 1;
  static final int ABOUT_NONE = 2;

  static final byte[] NO_DATA = {};

  private static final int MESSAGE = Mad.HEADER_LENGTH;

  private MadWriter() {}

  static void ready(UnsafeBuffer to, CmConnection connection) {
    Mad.begin(to, 0, CmAttribute.RTU, connection.transactionId);
    RtuMessage.LOCAL_COMM_ID.put(to, MESSAGE, connection.localCommId);
    RtuMessage.REMOTE_COMM_ID.put(to, MESSAGE, connection.remoteCommId);
  }

  static void needsTime(UnsafeBuffer to, CmConnection connection) {
    Mad.begin(to, 0, CmAttribute.MRA, connection.transactionId);
    MraMessage.LOCAL_COMM_ID.put(to, MESSAGE, connection.localCommId);
    MraMessage.REMOTE_COMM_ID.put(to, MESSAGE, connection.remoteCommId);
    MraMessage.MESSAGE_MRAED.put(to, MESSAGE, ABOUT_REQ);
    MraMessage.SERVICE_TIMEOUT.put(to, MESSAGE, connection.mraCode);
  }

  static void disconnect(UnsafeBuffer to, CmConnection connection, long transactionId) {
    Mad.begin(to, 0, CmAttribute.DREQ, transactionId);
    DreqMessage.LOCAL_COMM_ID.put(to, MESSAGE, connection.localCommId);
    DreqMessage.REMOTE_COMM_ID.put(to, MESSAGE, connection.remoteCommId);
    DreqMessage.REMOTE_QPN.put(to, MESSAGE, connection.remoteQpn);
  }

  static void disconnected(UnsafeBuffer to, long transactionId, int localCommId, int remoteCommId) {
    Mad.begin(to, 0, CmAttribute.DREP, transactionId);
    DrepMessage.LOCAL_COMM_ID.put(to, MESSAGE, localCommId);
    DrepMessage.REMOTE_COMM_ID.put(to, MESSAGE, remoteCommId);
  }

  /**
   * A REJ.
   *
   * @param localCommId 0 when none was announced
   * @param about which message is rejected: one of the ABOUT constants [FC-28]
   */
  static void reject(
      UnsafeBuffer to,
      long transactionId,
      int localCommId,
      int remoteCommId,
      int about,
      int reason,
      byte[] privateData) {
    Mad.begin(to, 0, CmAttribute.REJ, transactionId);
    RejMessage.LOCAL_COMM_ID.put(to, MESSAGE, localCommId);
    RejMessage.REMOTE_COMM_ID.put(to, MESSAGE, remoteCommId);
    RejMessage.MESSAGE_REJECTED.put(to, MESSAGE, about);
    RejMessage.REASON.put(to, MESSAGE, reason);
    to.putBytes(MESSAGE + RejMessage.PRIVATE_DATA_OFFSET, privateData);
  }

  /** Adds a GID, or the first half alone when {@code length} is 8, as additional information. */
  static void rejectInfo(UnsafeBuffer to, long first, long second, int length) {
    RejMessage.REJECTED_INFO_LENGTH.put(to, MESSAGE, length);
    int at = MESSAGE + RejMessage.ADDITIONAL_INFO_OFFSET;
    to.putLong(at, first, ByteOrder.BIG_ENDIAN);
    if (length > Long.BYTES) {
      to.putLong(at + Long.BYTES, second, ByteOrder.BIG_ENDIAN);
    }
  }

  /** A SIDR_REP without a queue pair. */
  static void serviceReply(
      UnsafeBuffer to,
      long transactionId,
      int requestId,
      long serviceId,
      int status,
      byte[] privateData) {
    Mad.begin(to, 0, CmAttribute.SIDR_REP, transactionId);
    SidrRepMessage.REQUEST_ID.put(to, MESSAGE, requestId);
    SidrRepMessage.STATUS.put(to, MESSAGE, status);
    SidrRepMessage.SERVICE_ID.putLong(to, MESSAGE, serviceId);
    to.putBytes(MESSAGE + SidrRepMessage.PRIVATE_DATA_OFFSET, privateData);
  }
}
