// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for peers to connect. Used by one thread. */
public final class PeerListener implements AutoCloseable {
  private static final long PARK_NS = 2_000_000;

  private final ServerSocketChannel channel;

  /**
   * Listens.
   *
   * @param bind local address, or null for every one
   * @param port TCP port
   * @throws PeerException when the port is taken or the address is not of this host
   */
  public PeerListener(InetAddress bind, int port) {
    InetSocketAddress address =
        bind == null ? new InetSocketAddress(port) : new InetSocketAddress(bind, port);
    ServerSocketChannel opened = null;
    try {
      opened = ServerSocketChannel.open();
      opened.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      opened.configureBlocking(false);
      opened.bind(address);
      channel = opened;
    } catch (IOException e) {
      closeAfter(opened, e);
      throw new PeerException(
          "cannot listen on TCP port "
              + port
              + (bind == null ? "" : " of " + bind.getHostAddress())
              + ": "
              + e.getMessage()
              + "; choose another --udp-port or --bind address",
          e);
    }
  }

  private static void closeAfter(ServerSocketChannel channel, IOException failure) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Waits for a peer.
   *
   * @param isToEnd asked now and then: whether to give up
   * @return the link, or null when given up
   * @throws PeerException when the listening socket fails
   */
  public PeerLink accept(BooleanSupplier isToEnd) {
    try {
      while (!isToEnd.getAsBoolean()) {
        SocketChannel peer = channel.accept();
        if (peer != null) {
          return new PeerLink(peer);
        }
        LockSupport.parkNanos(PARK_NS);
      }
      return null;
    } catch (IOException e) {
      throw new PeerException("cannot accept a connection: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new PeerException("the listening socket does not close", e);
    }
  }
}
