// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.Patience;
import io.roce4j.transport.verbs.PathMtu;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The exchanges of the perftest tools. In each the client writes first and then reads, the server
 * reads first and then writes, and both messages have the same length. Which exchanges a test has,
 * and when, is the test's business.
 *
 * <p>We say that we are version 6.06: [oob 3] that say 6.28 or more, in a structure of memory that
 * depends on how the tool was built.
 */
public final class PerftestHandshake {
  private static final String VERSION = "6.06";
  private static final int VERSION_LENGTH = 16;
  private static final double OLDEST_VERSION = 5.70;
  private static final int PAGE_BYTES = 4096;
  private static final int CACHE_LINE_BYTES = 64;
  private static final int MAX_PAGE_BYTES = 1 << 24;
  private static final int MAX_CACHE_LINE_BYTES = 1 << 12;
  private static final int MTU_LENGTH = 2;
  private static final byte[] DONE = {'d', 'o', 'n', 'e', 0};

  private final ToolChannel channel;
  private final boolean isClient;
  private Patience patience;

  /**
   * Over a connection.
   *
   * @param channel to the peer
   * @param isClient whether we write first
   * @param patience until there is an endpoint
   */
  public PerftestHandshake(ToolChannel channel, boolean isClient, Patience patience) {
    this.channel = channel;
    this.isClient = isClient;
    this.patience = patience;
  }

  /**
   * What both sides have agreed on before the first queue pair.
   *
   * @param cycleBytes memory that a test of small messages walks through, the larger of both
   * @param cacheLineBytes step of that walk at least, the larger of both
   * @param mtuBytes path MTU, the smaller of both
   */
  public record Terms(int cycleBytes, int cacheLineBytes, int mtuBytes) {}

  /**
   * From now on the endpoint works while a message is awaited.
   *
   * @param value of the endpoint
   */
  public void patience(Patience value) {
    patience = value;
  }

  /**
   * Versions, sizes and path MTU.
   *
   * @param mtuBytes ours, a valid path MTU
   * @return what holds for both
   * @throws ToolException when the peer is too old or says what cannot be
   */
  public Terms agree(int mtuBytes) {
    byte[] version = Arrays.copyOf(VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_LENGTH);
    checkVersion(exchange(version, "version"));
    final int cycle = larger(PAGE_BYTES, MAX_PAGE_BYTES, "page size");
    final int line = larger(CACHE_LINE_BYTES, MAX_CACHE_LINE_BYTES, "cache line size");
    byte[] mtu = {(byte) ('0' + PathMtu.code(mtuBytes)), 0};
    byte[] peerMtu = exchange(mtu, "path MTU");
    int code = peerMtu[0] - '0';
    if (peerMtu.length != MTU_LENGTH || code < 1 || code > 5) {
      throw ToolException.check(
          "the peer's path MTU has code " + peerMtu[0] + ": allowed are the digits 1 to 5");
    }
    return new Terms(cycle, line, Math.min(mtuBytes, PathMtu.bytes(code)));
  }

  private static void checkVersion(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    int end = text.indexOf(0);
    String version = end < 0 ? text : text.substring(0, end);
    if (!version.matches("[0-9]{1,3}\\.[0-9]{1,6}")) {
      throw ToolException.check(
          "the peer's version is '"
              + version.replaceAll("[^ -~]", "?")
              + "': is the other side a perftest tool?");
    }
    if (Double.parseDouble(version) < OLDEST_VERSION) {
      throw ToolException.check(
          "the peer is perftest " + version + ": from 5.70 on they understand each other");
    }
  }

  private int larger(int own, int most, String what) {
    byte[] answer = exchange(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), what);
    int peer = ByteBuffer.wrap(answer).getInt();
    if (peer < 1 || peer > most) {
      throw ToolException.check(
          "the peer's "
              + what
              + " is "
              + Integer.toUnsignedString(peer)
              + ": allowed are 1 to "
              + most);
    }
    return Math.max(own, peer);
  }

  /**
   * Tells each other the queue pairs.
   *
   * @param own one a queue pair
   * @return the peer's, as many
   * @throws ToolException when the peer's are malformed
   */
  public List<PerftestKey> exchangeKeys(List<PerftestKey> own) {
    List<PerftestKey> peers = new ArrayList<>();
    for (PerftestKey key : own) {
      peers.add(PerftestKey.parse(exchange(key.encode(), "queue pair message")));
    }
    return peers;
  }

  /**
   * Waits for the peer to be as far as we are.
   *
   * @param own the first queue pair, which fills the message
   */
  public void meet(PerftestKey own) {
    PerftestKey.parse(exchange(own.encode(), "barrier message"));
  }

  /**
   * Tells each other what was measured.
   *
   * @param own ours
   * @return the peer's, {@link PerftestReport#NOTHING} when it makes no sense
   */
  public PerftestReport exchangeReports(PerftestReport own) {
    long[] fields = own.fields();
    long[] peers = new long[PerftestReport.FIELDS];
    for (int i = 0; i < peers.length; i++) {
      byte[] answer =
          exchange(ByteBuffer.allocate(Long.BYTES).putLong(fields[i]).array(), "report");
      peers[i] = ByteBuffer.wrap(answer).getLong();
    }
    PerftestReport report = PerftestReport.of(peers);
    return report.isSane() ? report : PerftestReport.NOTHING;
  }

  /** The closing word, which nobody reads. */
  public void finish() {
    channel.writeLast(DONE.clone());
  }

  /**
   * Whether the peer has closed its side, which in a run means that it has given up.
   *
   * @return true from then on
   */
  public boolean isClosedByPeer() {
    return channel.isClosedByPeer();
  }

  private byte[] exchange(byte[] own, String what) {
    if (isClient) {
      channel.write(own);
      return channel.read(own.length, what, patience);
    }
    byte[] answer = channel.read(own.length, what, patience);
    channel.write(own);
    return answer;
  }
}
