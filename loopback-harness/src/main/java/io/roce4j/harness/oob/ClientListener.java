// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** Listens on a TCP port for clients that are served one after the other. */
public final class ClientListener implements AutoCloseable {
  private static final int WAITING_CLIENTS = 8;

  private final ServerSocket server;
  private volatile boolean closed;

  private ClientListener(ServerSocket server) {
    this.server = server;
  }

  /** A client that is being served. */
  public static final class Client implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Client(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
      in = socket.getInputStream();
      out = socket.getOutputStream();
    }

    /**
     * What the client sends.
     *
     * @return closed with the client
     */
    public InputStream in() {
      return in;
    }

    /**
     * What goes to the client.
     *
     * @return closed with the client
     */
    public OutputStream out() {
      return out;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /**
   * Listens.
   *
   * @param address of this host
   * @param port TCP port, 0 for any
   * @return listening
   * @throws PeerException when the port cannot be had
   */
  public static ClientListener open(InetAddress address, int port) {
    ServerSocket server = null;
    try {
      server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(address, port), WAITING_CLIENTS);
      return new ClientListener(server);
    } catch (IOException e) {
      release(server);
      throw new PeerException(
          "cannot listen on "
              + address.getHostAddress()
              + " TCP port "
              + port
              + " ("
              + e.getMessage()
              + "): name another port, or an address of this host",
          e);
    }
  }

  private static void release(ServerSocket server) {
    try {
      if (server != null) {
        server.close();
      }
    } catch (IOException e) {
      throw new PeerException("cannot close a TCP socket: " + e.getMessage(), e);
    }
  }

  /**
   * The port listened on.
   *
   * @return 1..65535
   */
  public int port() {
    return server.getLocalPort();
  }

  /**
   * The address listened on.
   *
   * @return as text
   */
  public String address() {
    return server.getInetAddress().getHostAddress();
  }

  /**
   * Waits for the next client.
   *
   * @return connected, or null when the listener was closed
   * @throws IOException when waiting fails
   */
  public Client accept() throws IOException {
    try {
      return new Client(server.accept());
    } catch (SocketException e) {
      if (closed) {
        return null;
      }
      throw e;
    }
  }

  /** Ends the listening; whoever waits in {@link #accept} gets null. */
  @Override
  public void close() {
    closed = true;
    release(server);
  }
}
