// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.agent;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.port.PortCounters;
import org.agrona.concurrent.status.CountersManager;

/**
 * Publishes an endpoint's counters through an Agrona {@link CountersManager}, whose buffers may lie
 * in a mapped file that another process reads. Labels are the names users know, those of the port
 * with {@code port_} in front.
 *
 * <p>Made and closed on the control path; {@link #publish} runs on the agent's thread, allocates
 * nothing and writes only what changed.
 */
public final class CounterPublisher implements AutoCloseable {

  private static final String[] PORT_LABELS = {
    "port_tx_packets",
    "port_tx_trains",
    "port_tx_bytes",
    "port_rx_packets",
    "port_rx_batches",
    "port_rx_bytes",
    "port_refused_trains",
    "port_recut_trains",
    "port_tx_errors",
    "port_rx_errors",
    "port_rx_truncated",
    "port_rx_socket_overflow"
  };

  private final CountersManager manager;
  private final int[] counterIds = new int[CounterId.COUNT + PORT_LABELS.length];
  private final long[] published = new long[counterIds.length];
  private final long[] current = new long[counterIds.length];

  /**
   * Allocates the counters, all zero.
   *
   * @param manager over buffers with room for all of them.
   * @param typeId Agrona type id of the counters, tells endpoints in one file apart.
   */
  public CounterPublisher(CountersManager manager, int typeId) {
    this.manager = manager;
    for (CounterId id : CounterId.values()) {
      counterIds[id.index()] = manager.allocate(id.label(), typeId);
    }
    for (int i = 0; i < PORT_LABELS.length; i++) {
      counterIds[CounterId.COUNT + i] = manager.allocate(PORT_LABELS[i], typeId);
    }
  }

  /**
   * Copies what changed.
   *
   * @param counters of the endpoint.
   * @param port of its port.
   */
  public void publish(Counters counters, PortCounters port) {
    counters.copyTo(current);
    int i = CounterId.COUNT;
    current[i++] = port.txPackets;
    current[i++] = port.txTrains;
    current[i++] = port.txBytes;
    current[i++] = port.rxPackets;
    current[i++] = port.rxBatches;
    current[i++] = port.rxBytes;
    current[i++] = port.refusedTrains;
    current[i++] = port.recutTrains;
    current[i++] = port.txErrors;
    current[i++] = port.rxErrors;
    current[i++] = port.rxTruncated;
    current[i] = port.rxSocketOverflow;
    for (int id = 0; id < counterIds.length; id++) {
      if (current[id] != published[id]) {
        published[id] = current[id];
        manager.setCounterValue(counterIds[id], current[id]);
      }
    }
  }

  /** Frees the counters of the manager. */
  @Override
  public void close() {
    for (int id : counterIds) {
      manager.free(id);
    }
  }
}
