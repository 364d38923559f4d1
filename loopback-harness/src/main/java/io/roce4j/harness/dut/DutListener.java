// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.harness.oob.ClientListener;
import java.io.IOException;
import java.io.PrintWriter;

/** Serves clients that come over TCP, one conversation at a time, each with nothing open. */
final class DutListener {
  private final ClientListener listener;
  private final PrintWriter log;
  private final DutCapture capture;

  /**
   * Serves who comes.
   *
   * @param listener listening
   * @param log where clients that break off are told
   * @param capture sees the packets of every endpoint, or null
   */
  DutListener(ClientListener listener, PrintWriter log, DutCapture capture) {
    this.listener = listener;
    this.log = log;
    this.capture = capture;
  }

  /**
   * Serves until the listener is closed.
   *
   * @throws IOException when no more clients can be waited for
   */
  void serve() throws IOException {
    ClientListener.Client client = listener.accept();
    while (client != null) {
      serve(client);
      client = listener.accept();
    }
  }

  private void serve(ClientListener.Client client) {
    try (client) {
      new DutServer(client.in(), client.out(), log, capture).serve();
    } catch (IOException e) {
      log.println("dut: a client is gone: " + e.getMessage());
    }
  }
}
