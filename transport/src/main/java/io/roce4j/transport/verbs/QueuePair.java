// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.DoorbellRing;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.queue.SendQueue;
import java.util.Map;

/**
 * A queue pair: where an application posts sends and receives, and what a connection engine works
 * on.
 *
 * <p>Threads: one posts sends, one posts receives (they may be the same; {@link LockedQueuePair}
 * serves more). Control verbs come from any thread. Methods under "Engine" are the agent's.
 */
public final class QueuePair implements ContextObject {
  /** All 24 bits of a queue pair number. */
  public static final int QPN_MASK = 0xFF_FFFF;

  // Receives a queue pair may hold of a shared queue: RC and UC need one, MX one a message in
  // reassembly.
  private static final int HELD_RECEIVES = 16;

  private final ProtectionDomain pd;
  private final RdmaContext context;
  private final CompletionQueue sendCq;
  private final CompletionQueue recvCq;
  private final SharedReceiveQueue srq;
  private final String profile;
  private final String congestion;
  private final Map<String, String> congestionParameters;
  private final int ackEveryPackets;
  private final int type;
  private final boolean signalAll;
  private final int qpNum;
  private final SendQueue sendQueue;
  private final ReceiveQueue receiveQueue;
  private final QueuePairAttributes attributes = new QueuePairAttributes();
  private final int activeMtuBytes;
  private boolean open = true;
  private volatile int state = QueuePairState.RESET;

  // Control path's own: place in the context's list.
  private int listIndex;

  // Agent's own.
  private Object engine;
  private long receiveTailSeen;

  QueuePair(ProtectionDomain pd, QueuePairSettings settings, int qpNum) {
    this.pd = pd;
    this.context = pd.context();
    this.sendCq = settings.sendCq();
    this.recvCq = settings.recvCq();
    this.srq = settings.srq();
    this.profile = settings.profile();
    this.congestion = settings.congestion();
    this.congestionParameters = settings.congestionParameters();
    this.ackEveryPackets = settings.ackEveryPackets();
    this.type = settings.type();
    this.signalAll = settings.sqSigAll();
    this.qpNum = qpNum;
    this.activeMtuBytes = context.queryPort().activeMtuBytes();
    this.sendQueue =
        new SendQueue(settings.maxSendWr(), settings.maxSendSge(), settings.maxInlineData());
    this.receiveQueue =
        srq == null
            ? new ReceiveQueue(settings.maxRecvWr(), settings.maxRecvSge())
            : new ReceiveQueue(HELD_RECEIVES, srq.maxSge());
  }

  /**
   * The number packets name it by.
   *
   * @return 1..0xFFFFFF
   */
  public int qpNum() {
    return qpNum;
  }

  /**
   * The type.
   *
   * @return {@link QueuePairType}
   */
  public int type() {
    return type;
  }

  /**
   * The state now. Any thread; the agent may change it any time.
   *
   * @return {@link QueuePairState}
   */
  public int state() {
    return state;
  }

  /**
   * The protection domain.
   *
   * @return where it was created
   */
  public ProtectionDomain protectionDomain() {
    return pd;
  }

  /**
   * The context.
   *
   * @return where it was created
   */
  public RdmaContext context() {
    return context;
  }

  /**
   * What it was made of; sizes are the real ones.
   *
   * @return a new bag; maxRecvWr is 0 with a shared queue
   */
  public QueuePairSettings settings() {
    return new QueuePairSettings()
        .type(type)
        .sendCq(sendCq)
        .recvCq(recvCq)
        .srq(srq)
        .maxSendWr(sendQueue.capacity())
        .maxRecvWr(srq == null ? receiveQueue.capacity() : 0)
        .maxSendSge(sendQueue.sgeMax())
        .maxRecvSge(receiveQueue.sgeMax())
        .maxInlineData(sendQueue.inlineMax())
        .sqSigAll(signalAll)
        .profile(profile)
        .qpNumWish(qpNum)
        .congestion(congestion)
        .congestionParameters(congestionParameters)
        .ackEveryPackets(ackEveryPackets);
  }

  // ---- Posting ----

  /**
   * Posts a send. Send poster's thread; allocates nothing.
   *
   * @param request copied; free again when this returns
   * @return 0 or a {@link PostResult}
   */
  public int postSend(SendRequest request) {
    int result = enqueue(request);
    if (result == PostResult.OK) {
      publishSends();
    }
    return result;
  }

  /**
   * Posts sends up to the first bad one, showing them to the engine together: libibverbs' chain.
   * Send poster's thread; allocates nothing.
   *
   * @param requests copied
   * @param count how many of them, 0..length
   * @return {@link PostResult#result}, and {@link PostResult#posted}: after an error the index of
   *     the bad request, those before it stay posted
   */
  public long postSend(SendRequest[] requests, int count) {
    int posted = 0;
    int result = PostResult.OK;
    // [rc 13-10]
    while (posted < count && result == PostResult.OK) {
      result = enqueue(requests[posted]);
      if (result == PostResult.OK) {
        posted++;
      }
    }
    if (posted > 0) {
      publishSends();
    }
    return PostResult.pack(result, posted);
  }

  /**
   * Binds a type 1 window, or unbinds it with length 0; takes a send slot and completes as BIND_MW.
   * The window's key is the new one when this returns, in force from the completion on. Send
   * poster's thread.
   *
   * @param window type 1, of the queue pair's protection domain
   * @param request wrId and flags are taken from it; its bind operands are overwritten
   * @param region memory region with MW_BIND; unused when unbinding
   * @param address first byte, in the region's addresses
   * @param length bytes, 0 to unbind
   * @param access REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC
   * @return 0 or a {@link PostResult}
   */
  public int bindWindow(
      MemoryWindow window,
      SendRequest request,
      MemoryRegion region,
      long address,
      long length,
      int access) {
    if (!QueuePairState.acceptsSends(state)) {
      return PostResult.INVALID_STATE;
    }
    if (type() == QueuePairType.UD
        || window.type() != MemoryWindow.TYPE_1
        || !window.isOpen()
        || (access & ~AccessFlags.WINDOW_MASK) != 0
        || (region == null && length != 0)) {
      return PostResult.WINDOW_NOT_ALLOWED;
    }
    int slot = sendQueue.claim();
    if (slot == SendQueue.FULL) {
      return PostResult.SEND_QUEUE_FULL;
    }
    request.bind(window, window.nextRkey(), region, address, length, access);
    SendPosting.write(this, request, slot);
    window.postedKey(request.windowNewKey);
    publishSends();
    return PostResult.OK;
  }

  private int enqueue(SendRequest request) {
    // [rc 13-1]
    if (!QueuePairState.acceptsSends(state)) {
      return PostResult.INVALID_STATE;
    }
    int result = SendPosting.check(this, request);
    if (result != PostResult.OK) {
      return result;
    }
    int slot = sendQueue.claim();
    if (slot == SendQueue.FULL) {
      return PostResult.SEND_QUEUE_FULL; // [rc 13-2]
    }
    SendPosting.write(this, request, slot);
    return PostResult.OK;
  }

  private void publishSends() {
    sendQueue.publish();
    context.doorbells().ring(sendQueue, qpNum);
  }

  /**
   * Posts a receive. Receive poster's thread; allocates nothing.
   *
   * @param request copied; free again when this returns
   * @return 0 or a {@link PostResult}
   */
  public int postReceive(ReceiveRequest request) {
    int result = checkReceive();
    if (result == PostResult.OK) {
      result = ReceivePosting.post(receiveQueue, request);
    }
    if (result == PostResult.OK) {
      receiveQueue.publish();
      context.doorbells().ring(sendQueue, qpNum);
    }
    return result;
  }

  /**
   * Posts receives up to the first bad one. Receive poster's thread; allocates nothing.
   *
   * @param requests copied
   * @param count how many of them, 0..length
   * @return {@link PostResult#result} and {@link PostResult#posted}
   */
  public long postReceive(ReceiveRequest[] requests, int count) {
    int result = checkReceive();
    if (result != PostResult.OK) {
      return PostResult.pack(result, 0);
    }
    long packed = ReceivePosting.postList(receiveQueue, requests, count);
    if (PostResult.posted(packed) > 0) {
      context.doorbells().ring(sendQueue, qpNum);
    }
    return packed;
  }

  private int checkReceive() {
    if (srq != null) {
      // [rc 11-7]
      return PostResult.USES_SHARED_QUEUE;
    }
    return QueuePairState.acceptsReceives(state) ? PostResult.OK : PostResult.INVALID_STATE;
  }

  // ---- Control ----

  /**
   * Changes state and attributes: exactly the attributes that were set are given [rc 1-14].
   *
   * @param change with STATE at least
   * @throws VerbsException EINVAL for what the transition table or a range refuses, and what the
   *     engine refuses; nothing has changed then
   */
  public void modify(QueuePairAttributes change) {
    context.control().run(() -> modifyNow(change));
  }

  private void modifyNow(QueuePairAttributes change) {
    checkOpen();
    int from = state;
    int mask = change.mask();
    if ((mask & AttributeMask.STATE) == 0) {
      throw VerbsException.invalid("modify needs qpState, also when it stays the same");
    }
    int to = change.state();
    if ((mask & AttributeMask.CUR_STATE) != 0 && change.curState() != from) {
      throw VerbsException.invalid(
          "curQpState "
              + QueuePairState.name(change.curState())
              + " is not the state: "
              + QueuePairState.name(from));
    }
    QueuePairTransitions.check(type(), from, to, mask);
    AttributeRanges.check(change, context.deviceAttributes(), context.queryPort());
    QueuePairAttributes before = new QueuePairAttributes();
    before.copyFrom(attributes);
    if (to == QueuePairState.RESET) {
      attributes.clear();
    }
    attributes.merge(change);
    state = to;
    try {
      context.controlPlane().stateChanged(this, from, to, mask);
    } catch (VerbsException e) {
      attributes.copyFrom(before);
      state = from;
      throw e;
    } catch (IllegalArgumentException e) {
      attributes.copyFrom(before);
      state = from;
      throw VerbsException.invalid(e.getMessage());
    }
    if (to == QueuePairState.RESET) {
      emptyQueues();
    }
  }

  private void emptyQueues() {
    sendQueue.discardAll();
    receiveQueue.discardAll();
    context.memoryTable().unbindWindowsOf(qpNum);
  }

  /**
   * The attributes as last set, with the live state, PSNs and draining mark [rc 22-1..5].
   *
   * @return a new bag
   */
  public QueuePairAttributes query() {
    return context
        .control()
        .call(
            () -> {
              checkOpen();
              QueuePairAttributes answer = new QueuePairAttributes();
              answer.copyFrom(attributes);
              context.controlPlane().query(this, answer);
              answer.state(state).curState(state);
              return answer;
            });
  }

  /**
   * What was counted for this queue pair since it was made: the counters that {@code rdma
   * statistic} binds to a queue pair. A packet dropped before its queue pair was known counts in
   * the endpoint's only.
   *
   * @return a copy
   * @throws VerbsException EOPNOTSUPP when the endpoint was opened without counters by queue pair
   */
  public Counters queryCounters() {
    return context
        .control()
        .call(
            () -> {
              checkOpen();
              return context.controlPlane().counters(this);
            });
  }

  /**
   * RESET to INIT with the usual attributes, RC or UC; see {@link QueuePairs#toInit}.
   *
   * @param accessFlags what the peer may do
   * @throws VerbsException EINVAL
   */
  public void toInit(int accessFlags) {
    QueuePairs.toInit(this, accessFlags);
  }

  /**
   * INIT to RTR with the usual attributes, RC or UC; see {@link QueuePairs#toRtr}.
   *
   * @param peer address of the peer
   * @param destQpNum queue pair of the peer, 0..0xFFFFFF
   * @param rqPsn first PSN the peer sends, 0..0xFFFFFF
   * @throws VerbsException EINVAL
   */
  public void toRtr(AddressVector peer, int destQpNum, int rqPsn) {
    QueuePairs.toRtr(this, peer, destQpNum, rqPsn, null);
  }

  /**
   * RTR to RTS with the usual attributes, RC or UC; see {@link QueuePairs#toRts}.
   *
   * @param sqPsn first PSN sent, 0..0xFFFFFF
   * @throws VerbsException EINVAL
   */
  public void toRts(int sqPsn) {
    QueuePairs.toRts(this, sqPsn, null);
  }

  /**
   * Joins a multicast group [rc D10]; joining twice is joining once.
   *
   * @param gidHi upper half of the group
   * @param gidLo lower half of the group
   * @throws VerbsException EINVAL for another type than UD or an address that is no group, ENOMEM
   *     when there are too many groups
   */
  public void attachMulticast(long gidHi, long gidLo) {
    checkGroup(gidHi, gidLo);
    context
        .control()
        .run(
            () -> {
              checkOpen();
              context.multicastGroups().attach(this, gidHi, gidLo);
            });
  }

  /**
   * Leaves a multicast group.
   *
   * @param gidHi upper half of the group
   * @param gidLo lower half of the group
   * @throws VerbsException EINVAL for another type than UD or a group it is not in
   */
  public void detachMulticast(long gidHi, long gidLo) {
    checkGroup(gidHi, gidLo);
    context
        .control()
        .run(
            () -> {
              checkOpen();
              context.multicastGroups().detach(this, gidHi, gidLo);
            });
  }

  private void checkGroup(long gidHi, long gidLo) {
    if (type() != QueuePairType.UD) {
      throw VerbsException.invalid("multicast is for UD, this is " + QueuePairType.name(type()));
    }
    boolean ipv4Group = gidHi == 0 && gidLo >>> 32 == 0xFFFF && (gidLo >>> 28 & 0xF) == 0xE;
    boolean ipv6Group = gidHi >>> 56 == 0xFF;
    if (!ipv4Group && !ipv6Group) {
      throw VerbsException.invalid("group address is not a multicast address");
    }
  }

  /**
   * Destroys the queue pair, without completions for what is posted. A second call does nothing.
   *
   * @throws VerbsException EBUSY while it is in a multicast group
   */
  @Override
  public void close() {
    context.control().run(this::closeNow);
  }

  private void closeNow() {
    if (!open) {
      return;
    }
    int groups = context.multicastGroups().count(this);
    if (groups != 0) {
      throw new VerbsException(
          "EBUSY", "queue pair " + qpNum + " is in " + groups + " multicast groups: leave first");
    }
    open = false;
    state = QueuePairState.RESET;
    context.controlPlane().detach(this);
    context.controlPlane().releaseQpn(qpNum);
    context.memoryTable().unbindWindowsOf(qpNum);
    freeRings();
    sendCq.release();
    recvCq.release();
    if (srq != null) {
      srq.release();
    }
    context.queuePairClosed(this);
    pd.release();
  }

  /** Bytes of the rings that a queue pair of these settings has. */
  static long ringBytes(QueuePairSettings s) {
    long receives =
        s.srq() == null
            ? ReceiveQueue.bytes(s.maxRecvWr(), s.maxRecvSge())
            : ReceiveQueue.bytes(HELD_RECEIVES, s.srq().maxSge());
    return SendQueue.bytes(s.maxSendWr(), s.maxSendSge(), s.maxInlineData()) + receives;
  }

  void freeRings() {
    context.rings().give(ringBytes(settings()));
    sendQueue.close();
    receiveQueue.close();
  }

  void retainParts() {
    sendCq.retain();
    recvCq.retain();
    if (srq != null) {
      srq.retain();
    }
    context.queuePairOpened(this);
  }

  private void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("queue pair " + qpNum + " is destroyed");
    }
  }

  int listIndex() {
    return listIndex;
  }

  void listIndex(int index) {
    listIndex = index;
  }

  boolean isSignalAll() {
    return signalAll;
  }

  int activeMtuBytes() {
    return activeMtuBytes;
  }

  MemoryTable memoryTable() {
    return context.memoryTable();
  }

  // ---- Engine ----

  /**
   * The attributes in force; read-only for the engine. Agent thread.
   *
   * @return the live bag
   */
  public QueuePairAttributes attributes() {
    return attributes;
  }

  /**
   * The send queue. Agent thread.
   *
   * @return its ring
   */
  public SendQueue sendQueue() {
    return sendQueue;
  }

  /**
   * The receive queue: its own, or the ring of what it took from a shared one. Entries come by
   * {@link #acquireReceive}. Agent thread.
   *
   * @return its ring
   */
  public ReceiveQueue receiveQueue() {
    return receiveQueue;
  }

  /**
   * Makes sure that the receive of an index can be used, taking from the shared queue if there is
   * one. Agent thread.
   *
   * @param index in {@link #receiveQueue}, head or beyond
   * @return false when there is none: receiver not ready
   */
  public boolean acquireReceive(long index) {
    if (index < receiveTailSeen) {
      return true;
    }
    if (srq != null) {
      while (receiveTailSeen <= index && srq.takeInto(receiveQueue)) {
        receiveTailSeen = receiveQueue.publishedTail();
      }
    } else {
      receiveTailSeen = receiveQueue.publishedTail();
    }
    return index < receiveTailSeen;
  }

  /**
   * The shared receive queue.
   *
   * @return null when the queue pair has its own
   */
  public SharedReceiveQueue sharedReceiveQueue() {
    return srq;
  }

  /**
   * Where completions of sends go.
   *
   * @return the queue
   */
  public CompletionQueue sendCompletions() {
    return sendCq;
  }

  /**
   * Where completions of receives go.
   *
   * @return the queue
   */
  public CompletionQueue receiveCompletions() {
    return recvCq;
  }

  /**
   * Name of the transport profile.
   *
   * @return {@code rc} or {@code mx}
   */
  public String profile() {
    return profile;
  }

  /**
   * Name of the congestion controller.
   *
   * @return a name of the congestion registry
   */
  public String congestion() {
    return congestion;
  }

  /**
   * Parameters of the congestion controller.
   *
   * @return name to text, unmodifiable; what is absent has its default
   */
  public Map<String, String> congestionParameters() {
    return congestionParameters;
  }

  /**
   * Packets with the acknowledge request bit that one acknowledgement may answer.
   *
   * @return 1 or more; 0 for whatever one receive burst brings
   */
  public int ackEveryPackets() {
    return ackEveryPackets;
  }

  /**
   * The engine's connection object. Agent thread.
   *
   * @return as last set, null before
   */
  public Object engine() {
    return engine;
  }

  /**
   * Sets the engine's connection object. Agent thread.
   *
   * @param value any
   */
  public void engine(Object value) {
    engine = value;
  }

  /**
   * The engine found an error and flushes: state ERR, no {@link ControlPlane} call. Agent thread.
   */
  public void enterError() {
    state = QueuePairState.ERR;
  }

  /** The engine found a send error on UC or UD: state SQE [rc D13]. Agent thread. */
  public void enterSendQueueError() {
    state = QueuePairState.SQE;
  }

  /**
   * Raises an event of this queue pair. Agent thread.
   *
   * @param type {@link AsyncEventType}
   */
  public void raise(int type) {
    context.asyncEvents().raise(type, qpNum);
  }

  /** Lowers the doorbell flag; before the tails are read. Agent thread. */
  public void answerDoorbell() {
    DoorbellRing.answer(sendQueue);
  }

  @Override
  public String toString() {
    return "QueuePair "
        + qpNum
        + " "
        + QueuePairType.name(type())
        + " "
        + QueuePairState.name(state);
  }
}
