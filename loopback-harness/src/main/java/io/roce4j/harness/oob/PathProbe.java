// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * Finds out which sizes of IP packets pass between two hosts and back, on the UDP ports that the
 * traffic will use: one side asks, the other answers with as many bytes. All packets have "do not
 * fragment" set. Only packets of the expected peer with the agreed number are answered. Used by one
 * thread.
 */
public final class PathProbe implements AutoCloseable {
  private static final long ASK = 0x726f_6365_346a_5051L; // "roce4jPQ"
  private static final long ANSWER = 0x726f_6365_346a_5041L; // "roce4jPA"
  private static final int IPV4_HEADERS = 28;
  private static final int IPV6_HEADERS = 48;
  private static final int FIELDS = 24;
  private static final int MAX_PACKET = 65_535;
  private static final int TRIES = 5;
  private static final long TRY_NS = 100_000_000;
  private static final long PARK_NS = 200_000;

  private final DatagramChannel channel;
  private final InetSocketAddress peer;
  private final long nonce;
  private final int headers;
  private final ByteBuffer out = ByteBuffer.allocateDirect(MAX_PACKET);
  private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_PACKET);
  private int outstanding;
  private boolean isRefusedAtPeer;

  /** What became of one size. */
  public enum Outcome {
    /** There and back. */
    PASSED,
    /** The interface or the route of this host does not take it. */
    TOO_LONG_HERE,
    /** It arrived, but the peer's interface or route does not take the answer. */
    TOO_LONG_AT_PEER,
    /** No answer: too long on the way, or nothing passes at all. */
    NO_ANSWER
  }

  /**
   * Opens the UDP port.
   *
   * @param local address
   * @param udpPort of this side
   * @param peer address
   * @param peerUdpPort of the other side
   * @param nonce number both sides have agreed on
   * @throws IOException when the port is taken or the system has no "do not fragment"
   */
  public PathProbe(InetAddress local, int udpPort, InetAddress peer, int peerUdpPort, long nonce)
      throws IOException {
    boolean ipv6 = local instanceof Inet6Address;
    this.peer = new InetSocketAddress(peer, peerUdpPort);
    this.nonce = nonce;
    this.headers = ipv6 ? IPV6_HEADERS : IPV4_HEADERS;
    channel =
        DatagramChannel.open(ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
    try {
      channel.configureBlocking(false);
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      channel.bind(new InetSocketAddress(local, udpPort));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Tries a size, half a second at most.
   *
   * @param ipBytes whole IP packet
   * @return what became of it
   * @throws IOException when the network refuses for another reason than the size
   */
  public Outcome ask(int ipBytes) throws IOException {
    isRefusedAtPeer = false;
    outstanding = 0;
    for (int i = 0; i < TRIES; i++) {
      if (!send(ASK, ipBytes, ipBytes)) {
        return Outcome.TOO_LONG_HERE;
      }
      outstanding++;
      if (awaitAnswer(ipBytes)) {
        return Outcome.PASSED;
      }
      if (isRefusedAtPeer) {
        return Outcome.TOO_LONG_AT_PEER;
      }
    }
    return Outcome.NO_ANSWER;
  }

  private boolean awaitAnswer(int ipBytes) throws IOException {
    long sinceNs = System.nanoTime();
    boolean isAnswered = false;
    while (System.nanoTime() - sinceNs < TRY_NS && !isRefusedAtPeer) {
      // Answers to earlier tries must not be left for whoever opens the port next.
      if (isAnswered && outstanding == 0) {
        return true;
      }
      int got = receive(ANSWER);
      if (got == 0) {
        LockSupport.parkNanos(PARK_NS);
        continue;
      }
      if (in.getInt(16) == ipBytes) {
        outstanding--;
        isRefusedAtPeer = got < ipBytes;
        isAnswered = !isRefusedAtPeer;
      }
    }
    return isAnswered;
  }

  /**
   * Answers what has arrived.
   *
   * @return questions answered
   * @throws IOException when the network refuses for another reason than the size
   */
  public int answer() throws IOException {
    int answered = 0;
    for (int got = receive(ASK); got > 0; got = receive(ASK)) {
      int asked = in.getInt(16);
      if (asked == got && !send(ANSWER, got, asked)) {
        // A short answer says: it arrived, but as much cannot go back.
        send(ANSWER, headers + FIELDS, asked);
      }
      answered++;
    }
    return answered;
  }

  /** Sends; false when the packet is longer than this host's route takes. */
  private boolean send(long kind, int ipBytes, int asked) throws IOException {
    out.clear();
    out.putLong(0, kind).putLong(8, nonce).putInt(16, asked).putInt(20, 0);
    out.limit(Math.max(ipBytes - headers, FIELDS));
    try {
      channel.send(out, peer);
      return true;
    } catch (IOException e) {
      // The JDK gives the error only as text, in the system's wording.
      if (String.valueOf(e.getMessage()).contains("too long")) {
        return false;
      }
      if (String.valueOf(e.getMessage()).contains("refused")) {
        return true; // an echo of an earlier packet: the peer had not opened its port yet
      }
      throw e;
    }
  }

  /** Bytes of the IP packet received, 0 when there is none of the kind. */
  private int receive(long kind) throws IOException {
    while (true) {
      in.clear();
      InetSocketAddress from = (InetSocketAddress) channel.receive(in);
      if (from == null) {
        return 0;
      }
      boolean isPeer =
          from.getAddress().equals(peer.getAddress()) && from.getPort() == peer.getPort();
      if (isPeer && in.position() >= FIELDS && in.getLong(0) == kind && in.getLong(8) == nonce) {
        return in.position() + headers;
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
