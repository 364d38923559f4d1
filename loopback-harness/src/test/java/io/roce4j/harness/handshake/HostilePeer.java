// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A TCP server that answers its first client with what it was told, and then as told. */
public final class HostilePeer implements AutoCloseable {
  private final ServerSocket server;
  private final byte[] answer;
  private final boolean closes;
  private volatile Socket client;

  private HostilePeer(ServerSocket server, byte[] answer, boolean closes) {
    this.server = server;
    this.answer = answer;
    this.closes = closes;
  }

  /**
   * Answers with bytes.
   *
   * @param answer one character a byte
   * @param closes whether it closes afterwards, or stays silent
   * @return listening
   * @throws IOException when there is no TCP port
   */
  public static HostilePeer start(String answer, boolean closes) throws IOException {
    HostilePeer peer =
        new HostilePeer(new ServerSocket(0), answer.getBytes(StandardCharsets.ISO_8859_1), closes);
    Thread thread = new Thread(peer::serve, "hostile peer");
    thread.setDaemon(true);
    thread.start();
    return peer;
  }

  private void serve() {
    try {
      client = server.accept();
      OutputStream out = client.getOutputStream();
      out.write(answer);
      out.flush();
      if (closes) {
        client.shutdownOutput();
      }
    } catch (IOException e) {
      if (!server.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Where it listens.
   *
   * @return TCP port
   */
  public int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (client != null) {
      client.close();
    }
  }
}
