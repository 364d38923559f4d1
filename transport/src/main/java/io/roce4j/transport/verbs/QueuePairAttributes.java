// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Attributes of a queue pair, libibverbs' {@code ibv_qp_attr}: a reusable bag. Exactly the
 * attributes that were set are the mask of a modify.
 *
 * <p>Setters check nothing; {@link QueuePair#modify} checks mask and ranges together and names what
 * is wrong. Numbers are kept as given, so that a value too wide for its field is refused instead of
 * cut [FC-10]. Not thread-safe.
 */
public final class QueuePairAttributes {
  private int mask;
  private int state;
  private int curState;
  private boolean enSqdAsyncNotify;
  private int accessFlags;
  private int pkeyIndex;
  private int portNum;
  private int qkey;
  private AddressVector addressVector;
  private int pathMtuBytes;
  private int timeout;
  private int retryCnt;
  private int rnrRetry;
  private int rqPsn;
  private int maxRdAtomic;
  private int minRnrTimer;
  private int sqPsn;
  private int maxDestRdAtomic;
  private int pathMigState;
  private int destQpNum;
  private AddressVector alternateAddressVector;
  private int alternateTimeout;
  private boolean sqDraining;
  private Object profileParameters;
  private boolean ignoresCredits;

  /** An empty bag. */
  public QueuePairAttributes() {}

  /**
   * Forgets everything that was set.
   *
   * @return this
   */
  public QueuePairAttributes clear() {
    copyFrom(new QueuePairAttributes());
    return this;
  }

  /**
   * Which attributes were set.
   *
   * @return {@link AttributeMask} bits
   */
  public int mask() {
    return mask;
  }

  /**
   * Sets the next state.
   *
   * @param value {@link QueuePairState}
   * @return this
   */
  public QueuePairAttributes state(int value) {
    state = value;
    mask |= AttributeMask.STATE;
    return this;
  }

  /**
   * The next state.
   *
   * @return as last set
   */
  public int state() {
    return state;
  }

  /**
   * Sets the state the caller believes to be current.
   *
   * @param value {@link QueuePairState}
   * @return this
   */
  public QueuePairAttributes curState(int value) {
    curState = value;
    mask |= AttributeMask.CUR_STATE;
    return this;
  }

  /**
   * The state the caller believes to be current.
   *
   * @return as last set
   */
  public int curState() {
    return curState;
  }

  /**
   * Sets the whether SQ_DRAINED is raised.
   *
   * @param value true to get the event
   * @return this
   */
  public QueuePairAttributes enSqdAsyncNotify(boolean value) {
    enSqdAsyncNotify = value;
    mask |= AttributeMask.EN_SQD_ASYNC_NOTIFY;
    return this;
  }

  /**
   * The whether SQ_DRAINED is raised.
   *
   * @return as last set
   */
  public boolean enSqdAsyncNotify() {
    return enSqdAsyncNotify;
  }

  /**
   * Sets the what the peer may do.
   *
   * @param value AccessFlags REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, LOCAL_WRITE
   * @return this
   */
  public QueuePairAttributes accessFlags(int value) {
    accessFlags = value;
    mask |= AttributeMask.ACCESS_FLAGS;
    return this;
  }

  /**
   * The what the peer may do.
   *
   * @return as last set
   */
  public int accessFlags() {
    return accessFlags;
  }

  /**
   * Sets the index in the partition key table.
   *
   * @param value 0..table length - 1
   * @return this
   */
  public QueuePairAttributes pkeyIndex(int value) {
    pkeyIndex = value;
    mask |= AttributeMask.PKEY_INDEX;
    return this;
  }

  /**
   * The index in the partition key table.
   *
   * @return as last set
   */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * Sets the port number.
   *
   * @param value 1
   * @return this
   */
  public QueuePairAttributes portNum(int value) {
    portNum = value;
    mask |= AttributeMask.PORT;
    return this;
  }

  /**
   * The port number.
   *
   * @return as last set
   */
  public int portNum() {
    return portNum;
  }

  /**
   * Sets the queue key.
   *
   * @param value 32 bit
   * @return this
   */
  public QueuePairAttributes qkey(int value) {
    qkey = value;
    mask |= AttributeMask.QKEY;
    return this;
  }

  /**
   * The queue key.
   *
   * @return as last set
   */
  public int qkey() {
    return qkey;
  }

  /**
   * Sets the address of the peer.
   *
   * @param value not null
   * @return this
   */
  public QueuePairAttributes addressVector(AddressVector value) {
    addressVector = value;
    mask |= AttributeMask.AV;
    return this;
  }

  /**
   * The address of the peer.
   *
   * @return as last set
   */
  public AddressVector addressVector() {
    return addressVector;
  }

  /**
   * Sets the path MTU.
   *
   * @param value 256, 512, 1024, 2048 or 4096 bytes, at most the active MTU of the port
   * @return this
   */
  public QueuePairAttributes pathMtuBytes(int value) {
    pathMtuBytes = value;
    mask |= AttributeMask.PATH_MTU;
    return this;
  }

  /**
   * The path MTU.
   *
   * @return as last set
   */
  public int pathMtuBytes() {
    return pathMtuBytes;
  }

  /**
   * Sets the acknowledge timeout code: 4.096 us x 2^code.
   *
   * @param value 0..31, 0 waits for ever
   * @return this
   */
  public QueuePairAttributes timeout(int value) {
    timeout = value;
    mask |= AttributeMask.TIMEOUT;
    return this;
  }

  /**
   * The acknowledge timeout code: 4.096 us x 2^code.
   *
   * @return as last set
   */
  public int timeout() {
    return timeout;
  }

  /**
   * Sets the retries after timeouts and sequence errors.
   *
   * @param value 0..7
   * @return this
   */
  public QueuePairAttributes retryCnt(int value) {
    retryCnt = value;
    mask |= AttributeMask.RETRY_CNT;
    return this;
  }

  /**
   * The retries after timeouts and sequence errors.
   *
   * @return as last set
   */
  public int retryCnt() {
    return retryCnt;
  }

  /**
   * Sets the retries after RNR NAKs.
   *
   * @param value 0..7, 7 retries for ever
   * @return this
   */
  public QueuePairAttributes rnrRetry(int value) {
    rnrRetry = value;
    mask |= AttributeMask.RNR_RETRY;
    return this;
  }

  /**
   * The retries after RNR NAKs.
   *
   * @return as last set
   */
  public int rnrRetry() {
    return rnrRetry;
  }

  /**
   * Sets the first PSN expected; in a query the next one expected.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public QueuePairAttributes rqPsn(int value) {
    rqPsn = value;
    mask |= AttributeMask.RQ_PSN;
    return this;
  }

  /**
   * The first PSN expected; in a query the next one expected.
   *
   * @return as last set
   */
  public int rqPsn() {
    return rqPsn;
  }

  /**
   * Sets the READs and atomics outstanding as requester.
   *
   * @param value 0..device limit, 0 allows none
   * @return this
   */
  public QueuePairAttributes maxRdAtomic(int value) {
    maxRdAtomic = value;
    mask |= AttributeMask.MAX_RD_ATOMIC;
    return this;
  }

  /**
   * The READs and atomics outstanding as requester.
   *
   * @return as last set
   */
  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  /**
   * Sets the timer code in our RNR NAKs.
   *
   * @param value 0..31, 0 is 655.36 ms
   * @return this
   */
  public QueuePairAttributes minRnrTimer(int value) {
    minRnrTimer = value;
    mask |= AttributeMask.MIN_RNR_TIMER;
    return this;
  }

  /**
   * The timer code in our RNR NAKs.
   *
   * @return as last set
   */
  public int minRnrTimer() {
    return minRnrTimer;
  }

  /**
   * Sets the first PSN sent; in a query the next one to be sent.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public QueuePairAttributes sqPsn(int value) {
    sqPsn = value;
    mask |= AttributeMask.SQ_PSN;
    return this;
  }

  /**
   * The first PSN sent; in a query the next one to be sent.
   *
   * @return as last set
   */
  public int sqPsn() {
    return sqPsn;
  }

  /**
   * Sets the READs and atomics outstanding as responder.
   *
   * @param value 0..device limit, 0 allows none
   * @return this
   */
  public QueuePairAttributes maxDestRdAtomic(int value) {
    maxDestRdAtomic = value;
    mask |= AttributeMask.MAX_DEST_RD_ATOMIC;
    return this;
  }

  /**
   * The READs and atomics outstanding as responder.
   *
   * @return as last set
   */
  public int maxDestRdAtomic() {
    return maxDestRdAtomic;
  }

  /**
   * Sets the path migration state.
   *
   * @param value 0 migrated, 1 rearm, 2 armed; kept for queries, no path migrates
   * @return this
   */
  public QueuePairAttributes pathMigState(int value) {
    pathMigState = value;
    mask |= AttributeMask.PATH_MIG_STATE;
    return this;
  }

  /**
   * The path migration state.
   *
   * @return as last set
   */
  public int pathMigState() {
    return pathMigState;
  }

  /**
   * Sets the queue pair of the peer.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public QueuePairAttributes destQpNum(int value) {
    destQpNum = value;
    mask |= AttributeMask.DEST_QPN;
    return this;
  }

  /**
   * The queue pair of the peer.
   *
   * @return as last set
   */
  public int destQpNum() {
    return destQpNum;
  }

  /**
   * Sets the alternate path. It is kept for queries; no path migrates by itself.
   *
   * @param path address of the peer over the other path
   * @param timeoutCode acknowledge timeout code there, 0..31
   * @return this
   */
  public QueuePairAttributes alternatePath(AddressVector path, int timeoutCode) {
    alternateAddressVector = path;
    alternateTimeout = timeoutCode;
    mask |= AttributeMask.ALT_PATH;
    return this;
  }

  /**
   * The alternate path.
   *
   * @return as last set, null when never
   */
  public AddressVector alternateAddressVector() {
    return alternateAddressVector;
  }

  /**
   * The timeout code of the alternate path.
   *
   * @return as last set
   */
  public int alternateTimeout() {
    return alternateTimeout;
  }

  /**
   * Sets what a transport profile wants beyond the standard attributes; not part of the mask.
   *
   * @param value the profile's own type
   * @return this
   */
  public QueuePairAttributes profileParameters(Object value) {
    profileParameters = value;
    return this;
  }

  /**
   * What a transport profile wants beyond the standard attributes.
   *
   * @return the profile's own type, or null
   */
  public Object profileParameters() {
    return profileParameters;
  }

  /**
   * Sets whether credits in the peer's acknowledgements mean nothing, as the connection manager
   * learns from the peer; not part of the mask. Not set, they count.
   *
   * @param value true for a peer without end-to-end flow control
   * @return this
   */
  public QueuePairAttributes ignoresCredits(boolean value) {
    ignoresCredits = value;
    return this;
  }

  /**
   * Whether credits in the peer's acknowledgements mean nothing.
   *
   * @return true for a peer without end-to-end flow control
   */
  public boolean ignoresCredits() {
    return ignoresCredits;
  }

  /**
   * Sets the answer of a query: whether SQD is not drained yet.
   *
   * @param value true while draining
   */
  public void sqDraining(boolean value) {
    sqDraining = value;
  }

  /**
   * Whether the send queue is still draining; an answer of a query only.
   *
   * @return true while SQD is not drained
   */
  public boolean sqDraining() {
    return sqDraining;
  }

  /** Takes over those attributes of another bag that are in its mask. */
  void merge(QueuePairAttributes other) {
    merge(other, other.mask);
  }

  /** Takes over those attributes of another bag that are in its mask and in the one given. */
  void merge(QueuePairAttributes other, int wanted) {
    int taken = other.mask & wanted;
    if ((taken & AttributeMask.STATE) != 0) {
      state = other.state;
    }
    if ((taken & AttributeMask.CUR_STATE) != 0) {
      curState = other.curState;
    }
    if ((taken & AttributeMask.EN_SQD_ASYNC_NOTIFY) != 0) {
      enSqdAsyncNotify = other.enSqdAsyncNotify;
    }
    if ((taken & AttributeMask.ACCESS_FLAGS) != 0) {
      accessFlags = other.accessFlags;
    }
    if ((taken & AttributeMask.PKEY_INDEX) != 0) {
      pkeyIndex = other.pkeyIndex;
    }
    if ((taken & AttributeMask.PORT) != 0) {
      portNum = other.portNum;
    }
    if ((taken & AttributeMask.QKEY) != 0) {
      qkey = other.qkey;
    }
    if ((taken & AttributeMask.AV) != 0) {
      addressVector = other.addressVector;
    }
    if ((taken & AttributeMask.PATH_MTU) != 0) {
      pathMtuBytes = other.pathMtuBytes;
    }
    if ((taken & AttributeMask.TIMEOUT) != 0) {
      timeout = other.timeout;
    }
    if ((taken & AttributeMask.RETRY_CNT) != 0) {
      retryCnt = other.retryCnt;
    }
    if ((taken & AttributeMask.RNR_RETRY) != 0) {
      rnrRetry = other.rnrRetry;
    }
    if ((taken & AttributeMask.RQ_PSN) != 0) {
      rqPsn = other.rqPsn;
    }
    if ((taken & AttributeMask.MAX_RD_ATOMIC) != 0) {
      maxRdAtomic = other.maxRdAtomic;
    }
    if ((taken & AttributeMask.MIN_RNR_TIMER) != 0) {
      minRnrTimer = other.minRnrTimer;
    }
    if ((taken & AttributeMask.SQ_PSN) != 0) {
      sqPsn = other.sqPsn;
    }
    if ((taken & AttributeMask.MAX_DEST_RD_ATOMIC) != 0) {
      maxDestRdAtomic = other.maxDestRdAtomic;
    }
    if ((taken & AttributeMask.PATH_MIG_STATE) != 0) {
      pathMigState = other.pathMigState;
    }
    if ((taken & AttributeMask.DEST_QPN) != 0) {
      destQpNum = other.destQpNum;
    }
    if ((taken & AttributeMask.ALT_PATH) != 0) {
      alternateAddressVector = other.alternateAddressVector;
      alternateTimeout = other.alternateTimeout;
    }
    if (other.profileParameters != null) {
      profileParameters = other.profileParameters;
    }
    ignoresCredits |= other.ignoresCredits;
    mask |= taken;
  }

  /** Becomes equal to another bag. */
  void copyFrom(QueuePairAttributes other) {
    mask = other.mask;
    state = other.state;
    curState = other.curState;
    enSqdAsyncNotify = other.enSqdAsyncNotify;
    accessFlags = other.accessFlags;
    pkeyIndex = other.pkeyIndex;
    portNum = other.portNum;
    qkey = other.qkey;
    addressVector = other.addressVector;
    pathMtuBytes = other.pathMtuBytes;
    timeout = other.timeout;
    retryCnt = other.retryCnt;
    rnrRetry = other.rnrRetry;
    rqPsn = other.rqPsn;
    maxRdAtomic = other.maxRdAtomic;
    minRnrTimer = other.minRnrTimer;
    sqPsn = other.sqPsn;
    maxDestRdAtomic = other.maxDestRdAtomic;
    pathMigState = other.pathMigState;
    destQpNum = other.destQpNum;
    alternateAddressVector = other.alternateAddressVector;
    alternateTimeout = other.alternateTimeout;
    sqDraining = other.sqDraining;
    profileParameters = other.profileParameters;
    ignoresCredits = other.ignoresCredits;
  }
}
