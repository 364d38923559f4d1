// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;

/**
 * This process's end of a reliable connection whose other end is another process: a queue pair, the
 * requester's half of one direction and the responder's half of the other. Both processes make it
 * with the same name, settings and streams; PSNs are drawn and need not be told.
 */
public final class PeerConnection implements AutoCloseable {
  private final ConnectionSettings settings;
  private final RequesterHalf out;
  private final ResponderHalf in;
  private final QueuePair queuePair;
  private final Negotiation own;
  private final int peerPsn;

  /**
   * Makes the queue pair, in INIT, with its receives posted.
   *
   * @param name unique in the run, the same at both ends
   * @param isFirst whether this is the first of the two ends, which the other is not
   * @param settings of the connection
   * @param load of each direction
   * @param streams of the run
   * @param pattern the contents
   * @param side the endpoint here
   * @param clock for latencies
   * @param findings gets what is wrong
   * @throws io.roce4j.transport.verbs.VerbsException when the endpoint takes no such queue pair;
   *     nothing stays made
   */
  public PeerConnection(
      String name,
      boolean isFirst,
      ConnectionSettings settings,
      FlowSettings load,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide side,
      NanoClock clock,
      Findings findings) {
    this.settings = settings;
    SeededStreams drawn = streams.child("connection." + name);
    SeededStreams there = drawn.child(isFirst ? "there" : "back");
    SeededStreams here = drawn.child(isFirst ? "back" : "there");
    SplittableRandom psns = drawn.stream("psn");
    int first = psns.nextInt(ConnectedPair.PSN_BOUND);
    int second = psns.nextInt(ConnectedPair.PSN_BOUND);
    peerPsn = isFirst ? second : first;
    RequesterHalf requester = null;
    ResponderHalf responder = null;
    QueuePair made = null;
    try {
      requester = new RequesterHalf(name + " out", load, there, pattern, side, clock, findings);
      responder = new ResponderHalf(name + " in", load, here, pattern, side, findings);
      made =
          ConnectedPair.queuePair(
              side, requester.completions(), responder.completions(), settings, load);
      own = new Negotiation(settings, made, isFirst ? first : second);
      ConnectedPair.init(made);
      responder.start(made);
    } catch (RuntimeException | Error e) {
      CloseHelper.closeAll(e::addSuppressed, made, requester, responder);
      throw e;
    }
    out = requester;
    in = responder;
    queuePair = made;
  }

  /**
   * The queue pair here.
   *
   * @return open until this closes
   */
  public QueuePair queuePair() {
    return queuePair;
  }

  /**
   * Number of the queue pair here, to tell the peer.
   *
   * @return 24 bits
   */
  public int qpNum() {
    return queuePair.qpNum();
  }

  /**
   * Where the peer may write, to tell it.
   *
   * @return address
   */
  public long targetAddress() {
    return in.targetAddress();
  }

  /**
   * Key for writing, to tell the peer.
   *
   * @return rkey
   */
  public int targetRkey() {
    return in.targetRkey();
  }

  /**
   * What this side of an MX connection tells the other.
   *
   * @return the block, or null for plain RC
   */
  public NegotiationBlock block() {
    return own.block();
  }

  /**
   * Moves the queue pair to RTS.
   *
   * @param peer where the peer receives
   * @param peerQpNum its queue pair
   * @param peerBlock what it tells of an MX connection, or null
   */
  public void connect(AddressVector peer, int peerQpNum, NegotiationBlock peerBlock) {
    AddressVector way = peer.withTrafficClass(settings.trafficClass());
    ConnectedPair.ready(queuePair, peerQpNum, way, settings, own, peerPsn, peerBlock);
  }

  /**
   * Lets operations be posted.
   *
   * @param granted by the peer
   */
  public void start(RemoteMemory granted) {
    out.start(queuePair, granted);
  }

  /**
   * SENDs and WRITEs posted here, to tell the peer.
   *
   * @return 0 or more
   */
  public long messages() {
    return out.messages();
  }

  /**
   * The peer has stopped posting.
   *
   * @param messages SENDs and WRITEs it has posted
   */
  public void expect(long messages) {
    in.expect(messages);
  }

  /**
   * Whether everything posted here has completed.
   *
   * @return true when nothing is in flight
   */
  public boolean isDrained() {
    return out.isDone();
  }

  /**
   * Reports what never came.
   *
   * @param isPeerGone then it proves nothing what of the peer's messages is missing
   */
  public void finish(boolean isPeerGone) {
    out.finish();
    if (!isPeerGone) {
      in.finish();
    }
  }

  /**
   * The halves at this end.
   *
   * @return requester, responder
   */
  public List<Flow> flows() {
    return List.of(out, in);
  }

  @Override
  public void close() {
    queuePair.close();
    out.close();
    in.close();
  }
}
