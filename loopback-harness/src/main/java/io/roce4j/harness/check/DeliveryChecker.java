// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

/**
 * The model of one direction of a reliable connection: what was posted must complete once, in
 * order, and what was sent must be received once, in order, with its length.
 *
 * <p>The application tells it of every post and every completion; it answers which message that is,
 * or reports a finding. Bounded, one thread, nothing is allocated unless something is wrong.
 */
public final class DeliveryChecker {
  /** The completion fits no expectation; a finding was made. */
  public static final int UNEXPECTED = -1;

  private final String flow;
  private final Findings findings;
  private final int mask;
  private final int[] lengths;
  private final int[] windows;
  private final int[] kinds;
  private final int[] receiveLengths;
  private final int[] receiveWindows;
  private long posted;
  private long completed;
  private long failed;
  private long sent;
  private long received;

  /**
   * Makes a model without messages.
   *
   * @param flow name of the direction, for findings
   * @param capacity messages in flight, 1 or more; rounded up to a power of two
   * @param findings gets what is found
   */
  public DeliveryChecker(String flow, int capacity, Findings findings) {
    this.flow = flow;
    this.findings = findings;
    int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
    this.mask = size - 1;
    this.lengths = new int[size];
    this.windows = new int[size];
    this.kinds = new int[size];
    // A receive may be looked at after its send has completed and its slot was used again.
    this.receiveLengths = new int[2 * size];
    this.receiveWindows = new int[2 * size];
  }

  /**
   * Whether another message may be posted.
   *
   * @return false when the capacity is in flight
   */
  public boolean hasRoom() {
    return posted - completed <= mask && sent - received < receiveLengths.length;
  }

  /**
   * The number that the next post must carry as its work request id.
   *
   * @return 0, 1, 2, ...
   */
  public long nextWrId() {
    return posted;
  }

  /**
   * Notes a post of {@link #nextWrId}.
   *
   * @param kind of operation, the caller's number
   * @param length bytes
   * @param window where its bytes start in the pattern
   * @param consumesReceive whether a receive completion is to follow at the peer
   */
  public void onPosted(int kind, int length, int window, boolean consumesReceive) {
    int index = (int) posted & mask;
    kinds[index] = kind;
    lengths[index] = length;
    windows[index] = window;
    posted++;
    if (consumesReceive) {
      int receive = (int) (sent & (receiveLengths.length - 1));
      receiveLengths[receive] = length;
      receiveWindows[receive] = window;
      sent++;
    }
  }

  /**
   * Notes a send completion.
   *
   * @param wrId of the completion
   * @param isSuccess whether its status is success
   * @param statusName for the finding when it is not
   * @return index of the message for {@link #kind}, {@link #length}, {@link #window}, valid until
   *     the next post; or {@link #UNEXPECTED}
   */
  public int onSendCompletion(long wrId, boolean isSuccess, String statusName) {
    if (wrId != completed || wrId >= posted) {
      findings.add(
          flow
              + ": completion of work request "
              + wrId
              + (wrId < completed ? " again" : " out of turn")
              + ", expected "
              + completed
              + " of "
              + posted
              + " posted");
      return UNEXPECTED;
    }
    completed++;
    if (!isSuccess) {
      failed++;
      findings.add(flow + ": work request " + wrId + " completed with " + statusName);
    }
    return (int) wrId & mask;
  }

  /**
   * Notes a completion of a connection that was meant to fail: order and number still count, the
   * status does not.
   *
   * @param wrId of the completion
   */
  public void onFlushedCompletion(long wrId) {
    onSendCompletion(wrId, true, "");
  }

  /**
   * Notes a receive completion.
   *
   * @param byteLength of the completion
   * @return index of the message for {@link #receivedWindow}; or {@link #UNEXPECTED}
   */
  public int onReceive(long byteLength) {
    if (received >= sent) {
      findings.add(flow + ": a message of " + byteLength + " bytes arrived that nobody sent");
      return UNEXPECTED;
    }
    int index = (int) (received & (receiveLengths.length - 1));
    if (byteLength != receiveLengths[index]) {
      findings.add(
          flow
              + ": message "
              + received
              + " arrived with "
              + byteLength
              + " bytes, sent were "
              + receiveLengths[index]);
      received++;
      return UNEXPECTED;
    }
    received++;
    return index;
  }

  /**
   * Reports bytes that differ from what was sent.
   *
   * @param what operation and place
   * @param wrId which message
   * @param difference index of the first byte
   * @param length of the message
   */
  public void onDifference(String what, long wrId, long difference, int length) {
    findings.add(
        flow
            + ": "
            + what
            + " "
            + wrId
            + ": byte "
            + difference
            + " of "
            + length
            + " is not what was sent");
  }

  /**
   * Operation of a completed message.
   *
   * @param index as returned
   * @return the caller's number
   */
  public int kind(int index) {
    return kinds[index];
  }

  /**
   * Length of a completed message.
   *
   * @param index as returned
   * @return bytes
   */
  public int length(int index) {
    return lengths[index];
  }

  /**
   * Window of a completed message.
   *
   * @param index as returned
   * @return start in the pattern
   */
  public int window(int index) {
    return windows[index];
  }

  /**
   * Window of a received message.
   *
   * @param index as returned by {@link #onReceive}
   * @return start in the pattern
   */
  public int receivedWindow(int index) {
    return receiveWindows[index];
  }

  /**
   * Messages posted.
   *
   * @return 0 or more
   */
  public long posted() {
    return posted;
  }

  /**
   * Send completions seen.
   *
   * @return 0 or more
   */
  public long completed() {
    return completed;
  }

  /**
   * Send completions that were no success.
   *
   * @return 0 or more
   */
  public long failed() {
    return failed;
  }

  /**
   * Receive completions seen.
   *
   * @return 0 or more
   */
  public long received() {
    return received;
  }

  /**
   * Whether everything posted has completed and everything sent was received.
   *
   * @return true when nothing is in flight
   */
  public boolean isQuiet() {
    return posted == completed && sent == received;
  }

  /** Reports what never came. Called once, when all time for it has passed. */
  public void finish() {
    if (posted != completed) {
      findings.add(
          flow
              + ": "
              + (posted - completed)
              + " work requests have no completion, the first is "
              + completed);
    }
    if (sent != received) {
      findings.add(
          flow
              + ": "
              + (sent - received)
              + " messages were never received, the first is "
              + received);
    }
  }
}
