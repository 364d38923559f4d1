// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.wire.cm.CmAttribute;

/** The counters of Linux's {@code cm_tx_msgs} and its three neighbours, by message. */
final class CmCounts {
  private static final CounterId[] ALL = CounterId.values();
  private static final int SENT = CounterId.CM_TX_MSGS_REQ.index();
  private static final int RETRIES = CounterId.CM_TX_RETRIES_REQ.index();
  private static final int RECEIVED = CounterId.CM_RX_MSGS_REQ.index();
  private static final int DUPLICATES = CounterId.CM_RX_DUPLICATES_REQ.index();

  private final Counters counters;

  CmCounts(Counters counters) {
    this.counters = counters;
  }

  void sent(int attributeId) {
    count(SENT, attributeId);
  }

  void retry(int attributeId) {
    count(RETRIES, attributeId);
  }

  void received(int attributeId) {
    count(RECEIVED, attributeId);
  }

  void duplicate(int attributeId) {
    count(DUPLICATES, attributeId);
  }

  void count(CounterId id) {
    counters.increment(id);
  }

  private void count(int group, int attributeId) {
    counters.increment(ALL[group + attributeId - CmAttribute.REQ]);
  }
}
