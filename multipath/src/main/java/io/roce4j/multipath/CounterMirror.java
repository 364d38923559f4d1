// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;

/**
 * Brings what happened on a connection to the endpoint's counters under the names RC uses for the
 * same thing: a probe timer that fired counts as an acknowledgement timeout, a fragment that came
 * twice as a duplicate request. Only sums that grew are added, once a burst or timer.
 */
final class CounterMirror {
  private final MxCounters source;
  private final Counters target;
  private long payloadBytes;
  private long duplicates;
  private long timeouts;
  private long notReady;
  private long backPressure;

  CounterMirror(MxCounters source, Counters target) {
    this.source = source;
    this.target = target;
  }

  /** Adds what is new. */
  void publish() {
    payloadBytes = add(CounterId.RX_PAYLOAD_BYTES, source.rxPayloadBytes, payloadBytes);
    duplicates = add(CounterId.DUPLICATE_REQUEST, source.rxDuplicates, duplicates);
    timeouts = add(CounterId.LOCAL_ACK_TIMEOUT_ERR, source.ptos, timeouts);
    notReady = add(CounterId.RNR_NAK_RETRY_ERR, source.notReady, notReady);
    backPressure = add(CounterId.TX_BACK_PRESSURE, source.backPressure, backPressure);
  }

  private long add(CounterId id, long now, long before) {
    if (now != before) {
      target.add(id, now - before);
    }
    return now;
  }
}
