// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.transport.counters.CounterId;

/** The counters of an endpoint that explain a tool's figures, for its JSON. */
public final class CounterReport {
  private CounterReport() {}

  /**
   * The counters now.
   *
   * @param endpoint of the tool
   * @return a node to put under {@code counters}
   */
  public static ObjectNode of(LiveEndpoint endpoint) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("packetsSent", endpoint.counter(CounterId.SENT_PKTS));
    node.put("packetsReceived", endpoint.packetsReceived());
    node.put("retransmissions", endpoint.counter(CounterId.RETRANSMITTED_PACKETS));
    node.put("timeouts", endpoint.counter(CounterId.LOCAL_ACK_TIMEOUT_ERR));
    node.put("sequenceNaks", endpoint.counter(CounterId.PACKET_SEQ_ERR));
    node.put("rnrNaks", endpoint.counter(CounterId.RNR_NAK_RETRY_ERR));
    node.put("duplicates", endpoint.counter(CounterId.DUPLICATE_REQUEST));
    node.put("icrcErrors", endpoint.counter(CounterId.RX_ICRC_ENCAPSULATED));
    node.put("icrcSolved", endpoint.counter(CounterId.ICRC_SOLVED));
    return node;
  }
}
