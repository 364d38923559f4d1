// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One TCP connection to a peer, carrying one JSON object a line. Nothing in it waits without a
 * limit. Used by one thread.
 */
public final class PeerLink implements AutoCloseable {
  /** Longest line, sent or received. */
  public static final int MAX_LINE_BYTES = 32 << 10;

  private static final int MAX_NESTING = 4;
  private static final int MAX_NUMBER = 40;
  private static final long SEND_LIMIT_NS = 10_000_000_000L;
  private static final long PARK_NS = 500_000;

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_NESTING)
                          .maxNumberLength(MAX_NUMBER)
                          .maxStringLength(MAX_LINE_BYTES)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final SocketChannel channel;
  private final InetAddress local;
  private final InetAddress remote;
  private final ByteBuffer received = ByteBuffer.allocate(MAX_LINE_BYTES);
  private int scanned;
  private long heardNs = System.nanoTime();

  PeerLink(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    // Every line is whole: waiting for more to send would only delay it.
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    local = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
    remote = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
  }

  /**
   * Connects to a listening peer.
   *
   * @param bind local address, or null for the one the route gives
   * @param peer address
   * @param port TCP port
   * @param limitNs how long to try; a peer that does not listen yet is tried again
   * @param isToEnd asked now and then: whether to give up
   * @return the link
   * @throws PeerStoppedException when given up
   * @throws PeerException when there is no connection by then
   */
  public static PeerLink connect(
      InetAddress bind, InetAddress peer, int port, long limitNs, BooleanSupplier isToEnd) {
    long sinceNs = System.nanoTime();
    while (true) {
      try {
        return new PeerLink(open(bind, peer, port, sinceNs + limitNs, isToEnd));
      } catch (IOException e) {
        if (System.nanoTime() - sinceNs > limitNs) {
          throw new PeerException(
              "no connection to "
                  + peer.getHostAddress()
                  + " TCP port "
                  + port
                  + ": "
                  + e.getMessage()
                  + "; does the peer listen there, and does a firewall let TCP through?",
              e);
        }
        if (isToEnd.getAsBoolean()) {
          throw new PeerStoppedException(peer.getHostAddress());
        }
        LockSupport.parkNanos(100 * PARK_NS);
      }
    }
  }

  private static SocketChannel open(
      InetAddress bind, InetAddress peer, int port, long untilNs, BooleanSupplier isToEnd)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      if (bind != null) {
        channel.bind(new InetSocketAddress(bind, 0));
      }
      boolean connected = channel.connect(new InetSocketAddress(peer, port));
      while (!connected) {
        if (isToEnd.getAsBoolean()) {
          throw new PeerStoppedException(peer.getHostAddress());
        }
        if (System.nanoTime() - untilNs > 0) {
          throw new IOException("no answer");
        }
        LockSupport.parkNanos(PARK_NS);
        connected = channel.finishConnect();
      }
      return channel;
    } catch (IOException | PeerStoppedException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * A message to fill.
   *
   * @param type its kind
   * @return an object for {@link #send}
   */
  public static ObjectNode message(String type) {
    return MAPPER.createObjectNode().put("type", type);
  }

  /**
   * Sends a message.
   *
   * @param message from {@link #message}
   * @throws PeerException when the peer is gone or takes nothing for ten seconds
   */
  public void send(ObjectNode message) {
    ByteBuffer line = StandardCharsets.UTF_8.encode(message + "\n");
    if (line.remaining() > MAX_LINE_BYTES) {
      throw new IllegalArgumentException("a message of " + line.remaining() + " bytes");
    }
    long sinceNs = System.nanoTime();
    try {
      while (line.hasRemaining()) {
        if (channel.write(line) == 0) {
          if (System.nanoTime() - sinceNs > SEND_LIMIT_NS) {
            throw new PeerException("peer " + name() + " takes no more messages");
          }
          LockSupport.parkNanos(PARK_NS);
        }
      }
    } catch (IOException e) {
      throw gone(e);
    }
  }

  /**
   * The next message, if there is one.
   *
   * @return null when none has arrived
   * @throws PeerException when the peer has closed the connection or sent something else
   */
  public PeerMessage poll() {
    PeerMessage message = takeLine();
    if (message != null) {
      return message;
    }
    try {
      int got = channel.read(received);
      if (got < 0) {
        throw new PeerException("peer " + name() + " is gone: it closed the connection");
      }
      if (got == 0) {
        return null;
      }
      heardNs = System.nanoTime();
      return takeLine();
    } catch (IOException e) {
      throw gone(e);
    }
  }

  private PeerMessage takeLine() {
    while (scanned < received.position()) {
      if (received.get(scanned++) == '\n') {
        return parse();
      }
    }
    if (!received.hasRemaining()) {
      throw new PeerException(
          "peer " + name() + " sends a line of more than " + MAX_LINE_BYTES + " bytes");
    }
    return null;
  }

  private PeerMessage parse() {
    byte[] line = new byte[scanned - 1];
    received.get(0, line);
    received.limit(received.position()).position(scanned);
    received.compact();
    scanned = 0;
    try {
      JsonNode node = MAPPER.readTree(line);
      if (node instanceof ObjectNode object) {
        return new PeerMessage(name(), object);
      }
    } catch (JsonProcessingException e) {
      throw nonsense(line, e);
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory does not fail", e);
    }
    throw nonsense(line, null);
  }

  private PeerException nonsense(byte[] line, Exception cause) {
    String text = PeerMessage.printable(new String(line, StandardCharsets.UTF_8));
    String shown = text.length() > 60 ? text.substring(0, 60) + "..." : text;
    return new PeerException("peer " + name() + " sends no JSON object: " + shown, cause);
  }

  private PeerException gone(IOException e) {
    return new PeerException("peer " + name() + " is gone: " + e.getMessage(), e);
  }

  /**
   * Waits for the next message.
   *
   * @param limitNs how long
   * @return the message
   * @throws PeerException when none comes, or as {@link #poll}
   */
  public PeerMessage await(long limitNs) {
    return await(System.nanoTime(), limitNs, () -> false);
  }

  /**
   * Waits for the next of several messages that have one limit together: a peer that keeps talking
   * does not lengthen it.
   *
   * @param sinceNs when the waiting began, by {@link System#nanoTime}
   * @param limitNs how long from then on
   * @param isToEnd asked now and then: whether to give up
   * @return the message
   * @throws PeerStoppedException when given up
   * @throws PeerException when the time is over, or as {@link #poll}
   */
  public PeerMessage await(long sinceNs, long limitNs, BooleanSupplier isToEnd) {
    while (true) {
      if (isToEnd.getAsBoolean()) {
        throw new PeerStoppedException(name());
      }
      if (System.nanoTime() - sinceNs > limitNs) {
        throw new PeerException(
            "peer " + name() + " says nothing that counts for " + limitNs / 1_000_000_000 + " s");
      }
      PeerMessage message = poll();
      if (message != null) {
        return message;
      }
      LockSupport.parkNanos(PARK_NS);
    }
  }

  /**
   * How long nothing has been heard.
   *
   * @return ns since the last byte
   */
  public long silentNs() {
    return System.nanoTime() - heardNs;
  }

  /**
   * The address of this side.
   *
   * @return as the connection has it
   */
  public InetAddress localAddress() {
    return local;
  }

  /**
   * The address of the other side.
   *
   * @return as the connection has it, not as the peer says
   */
  public InetAddress remoteAddress() {
    return remote;
  }

  /**
   * The peer, for messages.
   *
   * @return its address
   */
  public String name() {
    return remote.getHostAddress();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new PeerException("the connection to " + name() + " does not close", e);
    }
  }
}
