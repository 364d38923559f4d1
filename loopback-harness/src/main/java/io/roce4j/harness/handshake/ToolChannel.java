// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The TCP connection over which two tools exchange their handshake. It never blocks once it stands:
 * packets of the endpoint arrive while a message is awaited, and both are served by one thread.
 *
 * <p>Each message leaves in one piece, as several of the Linux tools read it with one call.
 */
public final class ToolChannel implements AutoCloseable {
  private static final int MAX_MESSAGE = 4096;

  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocate(MAX_MESSAGE);
  private boolean isEnded;

  private ToolChannel(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
  }

  /**
   * Connects to a server.
   *
   * @param host name or address
   * @param port TCP port
   * @param timeoutNs longest time
   * @return connected
   * @throws ToolException when it cannot be reached
   */
  public static ToolChannel connect(String host, int port, long timeoutNs) {
    InetSocketAddress server = new InetSocketAddress(host, port);
    String name = host + ":" + port;
    if (server.isUnresolved()) {
      throw ToolException.usage(host + ": no such host: give a name or an address");
    }
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.socket().connect(server, Math.clamp(timeoutNs / 1_000_000, 1, 1 << 30));
      return new ToolChannel(channel);
    } catch (ConnectException e) {
      close(channel);
      throw ToolException.check(
          "connect to " + name + ": " + IoReason.of(e) + ": start the server there first", e);
    } catch (SocketTimeoutException e) {
      close(channel);
      throw ToolException.check("connect to " + name + ": no answer: is the host up?", e);
    } catch (IOException e) {
      close(channel);
      throw ToolException.check("connect to " + name + ": " + IoReason.of(e), e);
    }
  }

  /**
   * Waits for one client, as long as it takes; the listening socket is closed then, as in the Linux
   * tools.
   *
   * @param port TCP port
   * @return connected
   * @throws ToolException when the port cannot be had
   */
  public static ToolChannel accept(int port) {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(new InetSocketAddress(port), 1);
      return new ToolChannel(server.accept());
    } catch (BindException e) {
      throw ToolException.machine(
          "TCP port " + port + ": " + IoReason.of(e) + ": end the program there, or use --port", e);
    } catch (IOException e) {
      throw ToolException.machine("TCP port " + port + ": " + IoReason.of(e), e);
    }
  }

  /**
   * This end.
   *
   * @return the address the system chose
   */
  public InetAddress localAddress() {
    return channel.socket().getLocalAddress();
  }

  /**
   * Sends a message whole.
   *
   * @param message small enough for the socket's buffer
   * @throws ToolException when the peer is gone
   */
  public void write(byte[] message) {
    ByteBuffer buffer = ByteBuffer.wrap(message);
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      throw ToolException.check("the peer closed the connection: " + IoReason.of(e), e);
    }
  }

  /**
   * Sends a last message that nobody has to read; a peer that is gone is no error.
   *
   * @param message small enough for the socket's buffer
   */
  public void writeLast(byte[] message) {
    try {
      channel.write(ByteBuffer.wrap(message));
    } catch (IOException e) {
      isEnded = true;
    }
  }

  /**
   * Reads a message of a known length.
   *
   * @param length 1 to 4096 bytes
   * @param what the message, for errors
   * @param patience drives the endpoint meanwhile
   * @return the bytes
   * @throws ToolException when the peer closed the connection, or stayed silent for too long
   */
  public byte[] read(int length, String what, Patience patience) {
    if (!patience.await(() -> poll() >= length || isEnded)) {
      throw ToolException.check(
          "no "
              + what
              + " from the peer within "
              + patience.limit()
              + " ("
              + received.position()
              + " of "
              + length
              + " bytes came): is the other side the same tool, with the same options?");
    }
    if (received.position() < length) {
      throw ToolException.check(
          "the peer closed the connection instead of sending its "
              + what
              + ": its own message says why");
    }
    byte[] message = new byte[length];
    received.flip();
    received.get(message);
    received.compact();
    return message;
  }

  /**
   * Whether the peer has closed its side.
   *
   * @return true from then on
   */
  public boolean isClosedByPeer() {
    poll();
    return isEnded;
  }

  /** Takes what has arrived; returns how many bytes wait to be read. */
  private int poll() {
    if (!isEnded && received.hasRemaining()) {
      try {
        isEnded = channel.read(received) < 0;
      } catch (IOException e) {
        isEnded = true; // A reset: the same as an end, and what came before still counts.
      }
    }
    return received.position();
  }

  @Override
  public void close() {
    close(channel);
  }

  private static void close(SocketChannel channel) {
    if (channel == null) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a socket does not close", e);
    }
  }
}
