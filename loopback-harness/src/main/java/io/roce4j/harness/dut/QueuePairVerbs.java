// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.multipath.MxAttributes;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.Set;

/** Queue pairs: create, modify, query, destroy. */
final class QueuePairVerbs {
  private static final String MX = "mx";

  /** Each packet that asks for an acknowledgement gets its own. */
  private static final int ACK_EVERY_PACKETS = 1;

  // What a block says where the request says nothing.
  private static final int STREAMS = 1;
  private static final int MAX_PATHS = 16;
  private static final int PLANES = 1;
  private static final int TRACKER_UNITS = 16;
  private static final int ACK_EVERY = 4;
  private static final int MAX_ACK_DELAY_US = 50;

  private static final Set<String> ATTRIBUTES =
      Set.of(
          "qpState",
          "curQpState",
          "pkeyIndex",
          "portNum",
          "qkey",
          "qpAccessFlags",
          "pathMtu",
          "destQpNum",
          "rqPsn",
          "sqPsn",
          "maxRdAtomic",
          "maxDestRdAtomic",
          "minRnrTimer",
          "timeout",
          "retryCnt",
          "rnrRetry",
          "enSqdAsyncNotify",
          "ahAttr",
          MX);
  private static final Set<String> MX_FIELDS =
      Set.of(
          "connQpn",
          "isn",
          "streams",
          "maxPaths",
          "planes",
          "trackerUnits128",
          "ackEvery",
          "maxAckDelayUs",
          "caps",
          "joinConn",
          "stream");

  private final DutSession session;

  QueuePairVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add(
        "create_qp",
        this::createQp,
        "type",
        "pd",
        "sendCq",
        "recvCq",
        "srq",
        "maxSendWr",
        "maxRecvWr",
        "maxSendSge",
        "maxRecvSge",
        "maxInlineData",
        "sqSigAll",
        "profile",
        "qpn",
        "congestion",
        "ackEveryPackets");
    verbs.add("modify_qp", this::modifyQp, "qp", "attr", MX);
    verbs.add("query_qp", this::queryQp, "qp");
    verbs.add("destroy_qp", this::destroyQp, "qp");
  }

  private void createQp(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    ProtectionDomain pd = endpoint.pds.get(request);
    QueuePairSettings usual = new QueuePairSettings();
    QueuePairSettings settings =
        new QueuePairSettings()
            .type(Words.type(request))
            .sendCq(endpoint.cqs.get(request, "sendCq"))
            .recvCq(endpoint.cqs.get(request, "recvCq"))
            .srq(request.has("srq") ? endpoint.srqs.get(request) : null)
            .maxSendWr(sendSlots(request.integer("maxSendWr", usual.maxSendWr())))
            .maxRecvWr(request.integer("maxRecvWr", usual.maxRecvWr()))
            .maxSendSge(request.integer("maxSendSge", usual.maxSendSge()))
            .maxRecvSge(request.integer("maxRecvSge", usual.maxRecvSge()))
            .maxInlineData(request.integer("maxInlineData", usual.maxInlineData()))
            .sqSigAll(request.flag("sqSigAll", false))
            .profile(request.text("profile", usual.profile()))
            .qpNumWish(request.integer("qpn", 0))
            .congestion(request.text("congestion", usual.congestion()))
            .ackEveryPackets(request.integer("ackEveryPackets", ACK_EVERY_PACKETS));
    QueuePair qp = pd.createQueuePair(settings);
    answer.put("qp", endpoint.qps.add(qp));
    answer.put("qpNum", qp.qpNum());
    putCap(answer.putObject("cap"), qp.settings());
  }

  /** Who asks for none gets one: the real sizes are at least those asked for. */
  private static int sendSlots(int asked) {
    return asked == 0 ? 1 : asked;
  }

  private static void putCap(ObjectNode cap, QueuePairSettings settings) {
    cap.put("maxSendWr", settings.maxSendWr());
    cap.put("maxRecvWr", settings.maxRecvWr());
    cap.put("maxSendSge", settings.maxSendSge());
    cap.put("maxRecvSge", settings.maxRecvSge());
    cap.put("maxInlineData", settings.maxInlineData());
  }

  private void modifyQp(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    QueuePair qp = endpoint.qps.get(request);
    Fields given = request.object("attr");
    given.only(ATTRIBUTES);
    QueuePairAttributes change = change(given, endpoint.agent().port().localUdpPort());
    if (!given.has("qpState")) {
      // The fields given are the mask; the verb wants the state named also where it stays.
      change.state(qp.state());
    }
    boolean ready = given.has("qpState") && change.state() == QueuePairState.RTR;
    boolean negotiates = MX.equals(qp.profile()) && ready;
    if (!negotiates && (given.has(MX) || request.has(MX))) {
      throw DutException.invalid("mx is for the move to RTR of a queue pair of profile mx");
    }
    // A null says that the peer sent no block, which is answered with plain RC.
    if (negotiates && !given.isNull(MX) && !request.isNull(MX)) {
      change.profileParameters(negotiated(qp, given.has(MX) ? given : request, change));
    }
    qp.modify(change);
    answer.put("qpState", QueuePairState.name(qp.state()));
  }

  private static QueuePairAttributes change(Fields given, int udpPort) {
    QueuePairAttributes change = new QueuePairAttributes();
    if (given.has("qpState")) {
      change.state(Words.state(given, "qpState"));
    }
    if (given.has("curQpState")) {
      change.curState(Words.state(given, "curQpState"));
    }
    if (given.has("qkey")) {
      change.qkey(given.word32("qkey"));
    }
    if (given.has("qpAccessFlags")) {
      change.accessFlags(Words.access(given, "qpAccessFlags"));
    }
    if (given.has("enSqdAsyncNotify")) {
      change.enSqdAsyncNotify(given.flag("enSqdAsyncNotify", false));
    }
    if (given.has("ahAttr")) {
      Fields address = given.object("ahAttr");
      address.only(AddressVerbs.fields());
      change.addressVector(AddressVerbs.address(address, udpPort));
    }
    setNumbers(given, change);
    return change;
  }

  private static void setNumbers(Fields given, QueuePairAttributes change) {
    if (given.has("pkeyIndex")) {
      change.pkeyIndex(given.integer("pkeyIndex"));
    }
    if (given.has("portNum")) {
      change.portNum(given.integer("portNum"));
    }
    if (given.has("pathMtu")) {
      change.pathMtuBytes(given.integer("pathMtu"));
    }
    if (given.has("destQpNum")) {
      change.destQpNum(given.integer("destQpNum"));
    }
    if (given.has("rqPsn")) {
      change.rqPsn(given.integer("rqPsn"));
    }
    if (given.has("sqPsn")) {
      change.sqPsn(given.integer("sqPsn"));
    }
    if (given.has("maxRdAtomic")) {
      change.maxRdAtomic(given.integer("maxRdAtomic"));
    }
    if (given.has("maxDestRdAtomic")) {
      change.maxDestRdAtomic(given.integer("maxDestRdAtomic"));
    }
    if (given.has("minRnrTimer")) {
      change.minRnrTimer(given.integer("minRnrTimer"));
    }
    if (given.has("timeout")) {
      change.timeout(given.integer("timeout"));
    }
    if (given.has("retryCnt")) {
      change.retryCnt(given.integer("retryCnt"));
    }
    if (given.has("rnrRetry")) {
      change.rnrRetry(given.integer("rnrRetry"));
    }
  }

  /** The peer's block, and where its queue pair belongs. */
  private MxAttributes negotiated(QueuePair qp, Fields where, QueuePairAttributes change) {
    Fields mx = where.has(MX) ? where.object(MX) : Fields.none();
    mx.only(MX_FIELDS);
    NegotiationBlock block = block(mx, change);
    if (block.joinConn() == 0) {
      return MxAttributes.connection(
          session.endpoint().mxSettings(qp), block, MxAttributes.ISN_IS_SQ_PSN);
    }
    for (QueuePair each : session.endpoint().qps.all()) {
      if (each.qpNum() == block.joinConn()) {
        return MxAttributes.stream(each, block, block.stream());
      }
    }
    throw DutException.invalid("joinConn " + block.joinConn() + ": no such queue pair");
  }

  private static NegotiationBlock block(Fields mx, QueuePairAttributes change) {
    try {
      return new NegotiationBlock(
          NegotiationBlock.VERSION,
          mx.word32("caps", MxSettings.ALL_CAPABILITIES),
          mx.integer("maxPaths", MAX_PATHS),
          mx.integer("planes", PLANES),
          mx.integer("trackerUnits128", TRACKER_UNITS),
          mx.integer("ackEvery", ACK_EVERY),
          mx.integer("maxAckDelayUs", MAX_ACK_DELAY_US),
          mx.integer("connQpn", change.destQpNum()),
          mx.integer("streams", STREAMS),
          mx.integer("isn", change.rqPsn()),
          mx.integer("joinConn", 0),
          mx.integer("stream", 0));
    } catch (IllegalArgumentException e) {
      throw DutException.invalid(e.getMessage());
    }
  }

  private void queryQp(Fields request, ObjectNode answer) {
    QueuePair qp = session.endpoint().qps.get(request);
    QueuePairAttributes now = qp.query();
    ObjectNode attr = answer.putObject("attr");
    attr.put("qpState", QueuePairState.name(now.state()));
    attr.put("curQpState", QueuePairState.name(now.curState()));
    attr.put("pkeyIndex", now.pkeyIndex());
    attr.put("portNum", now.portNum());
    attr.put("qkey", Integer.toUnsignedLong(now.qkey()));
    Words.putAccess(attr.putArray("qpAccessFlags"), now.accessFlags());
    attr.put("pathMtu", now.pathMtuBytes());
    attr.put("destQpNum", now.destQpNum());
    attr.put("rqPsn", now.rqPsn());
    attr.put("sqPsn", now.sqPsn());
    attr.put("maxRdAtomic", now.maxRdAtomic());
    attr.put("maxDestRdAtomic", now.maxDestRdAtomic());
    attr.put("minRnrTimer", now.minRnrTimer());
    attr.put("timeout", now.timeout());
    attr.put("retryCnt", now.retryCnt());
    attr.put("rnrRetry", now.rnrRetry());
    attr.put("enSqdAsyncNotify", now.enSqdAsyncNotify());
    AddressVector address = now.addressVector();
    if (address != null) {
      AddressVerbs.put(attr.putObject("ahAttr"), address);
    }
    // Beside the attributes, and among them as in libibverbs' structure.
    attr.put("sqDraining", now.sqDraining());
    putCap(attr.putObject("cap"), qp.settings());
    answer.put("sqDraining", now.sqDraining());
    putCap(answer.putObject("cap"), qp.settings());
  }

  private void destroyQp(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    QueuePair qp = endpoint.qps.get(request);
    qp.close();
    endpoint.qps.remove(request);
    endpoint.forgetEvents(AsyncEvent.QUEUE_PAIR, qp.qpNum());
  }
}
