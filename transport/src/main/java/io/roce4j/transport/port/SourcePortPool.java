// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import java.util.ArrayList;
import java.util.List;

/**
 * The sockets a port sends from, one for each path slot.
 *
 * <p>With a base given, the pool is exactly the ports from there on and a taken one is an error.
 * Without, it is the first free ports from 49152 up, so that two endpoints of one address (as over
 * IPv6 loopback, which has only one) do not stand in each other's way.
 *
 * @param <S> kind of socket
 */
public final class SourcePortPool<S extends AutoCloseable> implements AutoCloseable {
  /**
   * Opens one socket of the pool.
   *
   * @param <S> kind of socket
   */
  @FunctionalInterface
  public interface Binder<S> {
    /**
     * Binds to a port.
     *
     * @param port UDP port
     * @return the socket, or null when the port is taken
     * @throws PortException on any other failure
     */
    S bind(int port);
  }

  private final List<S> sockets = new ArrayList<>();
  private final int[] ports;

  private SourcePortPool(int size) {
    ports = new int[size];
  }

  /**
   * Opens a pool.
   *
   * @param settings address, base and size
   * @param binder opens one socket
   * @param <S> kind of socket
   * @return the pool, complete
   * @throws PortException when a port of a given base is taken, or too few are free
   */
  public static <S extends AutoCloseable> SourcePortPool<S> open(
      PortSettings settings, Binder<S> binder) {
    SourcePortPool<S> pool = new SourcePortPool<>(settings.sourcePorts());
    try {
      pool.fill(settings, binder);
      return pool;
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private void fill(PortSettings settings, Binder<S> binder) {
    boolean exact = settings.sourcePortBase() != 0;
    int base = exact ? settings.sourcePortBase() : PortSettings.DEFAULT_POOL_BASE;
    int next = base;
    while (sockets.size() < ports.length) {
      if (next > 65535) {
        throw new PortException(
            "only "
                + sockets.size()
                + " of "
                + ports.length
                + " source ports from "
                + base
                + " up are free on "
                + settings.bindAddress().getHostAddress()
                + ": ask for fewer");
      }
      S socket = next == settings.udpPort() ? null : binder.bind(next);
      if (socket != null) {
        ports[sockets.size()] = next;
        sockets.add(socket);
      } else if (exact) {
        throw PortHolder.sourcePortInUse(settings.bindAddress(), next, base, ports.length);
      }
      next++;
    }
  }

  /**
   * Size of the pool.
   *
   * @return 1 or more
   */
  public int size() {
    return ports.length;
  }

  /**
   * The socket of a path slot.
   *
   * @param pathSlot 0 to size - 1
   * @return an open socket
   */
  public S socket(int pathSlot) {
    return sockets.get(pathSlot);
  }

  /**
   * The source port of a path slot.
   *
   * @param pathSlot 0 to size - 1
   * @return UDP port
   */
  public int port(int pathSlot) {
    return ports[pathSlot];
  }

  @Override
  public void close() {
    for (S socket : sockets) {
      try {
        socket.close();
      } catch (Exception e) {
        throw new IllegalStateException("a source-port socket does not close", e);
      }
    }
    sockets.clear();
  }
}
