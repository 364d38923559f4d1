// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Results of posting: 0, or a negative reason. Each reason has libibverbs' errno [rc 13-1..8]. */
public final class PostResult {
  /** Posted. */
  public static final int OK = 0;

  /** All send slots are in use. */
  public static final int SEND_QUEUE_FULL = -1;

  /** All receive slots are in use. */
  public static final int RECEIVE_QUEUE_FULL = -2;

  /** The queue pair's state does not take this. */
  public static final int INVALID_STATE = -3;

  /** More scatter-gather entries than the queue was made for. */
  public static final int TOO_MANY_SGES = -4;

  /** More inline bytes than the queue was made for. */
  public static final int INLINE_TOO_LONG = -5;

  /** This opcode has no source bytes that could be inline. */
  public static final int INLINE_NOT_ALLOWED = -6;

  /** The opcode does not exist for this queue pair type. */
  public static final int OPCODE_NOT_ALLOWED = -7;

  /** An atomic needs 8 bytes for the old value. */
  public static final int ATOMIC_BUFFER_TOO_SHORT = -8;

  /** An atomic's remote address must be a multiple of 8. */
  public static final int ATOMIC_MISALIGNED = -9;

  /** Longer than 2^31 bytes, or than the MTU for a datagram. */
  public static final int MESSAGE_TOO_LONG = -10;

  /** A datagram needs an address handle of the same protection domain. */
  public static final int ADDRESS_HANDLE_MISSING = -11;

  /** Queue pair numbers have 24 bits. */
  public static final int QPN_OUT_OF_RANGE = -12;

  /** Receives go to the shared receive queue. */
  public static final int USES_SHARED_QUEUE = -13;

  /** Inline bytes lie in no registered region. */
  public static final int INLINE_UNREADABLE = -14;

  /** The window's type does not fit the verb. */
  public static final int WINDOW_NOT_ALLOWED = -15;

  /** The queue is closed. */
  public static final int CLOSED = -16;

  private PostResult() {}

  /**
   * Packs the result of posting a list.
   *
   * @param result a number of this class
   * @param posted how many requests were posted
   * @return both in one
   */
  static long pack(int result, int posted) {
    return ((long) result << 32) | posted;
  }

  /**
   * Result of posting a list.
   *
   * @param packed what the list form of a post returned
   * @return a number of this class
   */
  public static int result(long packed) {
    return (int) (packed >> 32);
  }

  /**
   * How many requests of a list were posted; after an error also the index of the bad one.
   *
   * @param packed what the list form of a post returned
   * @return 0 or more
   */
  public static int posted(long packed) {
    return (int) packed;
  }

  /**
   * libibverbs' errno of a result.
   *
   * @param result a number of this class
   * @return {@code ENOMEM} or {@code EINVAL}; {@code OK} for 0
   */
  public static String errno(int result) {
    return switch (result) {
      case OK -> "OK";
      case SEND_QUEUE_FULL, RECEIVE_QUEUE_FULL -> "ENOMEM";
      default -> "EINVAL";
    };
  }

  /**
   * The name of a result.
   *
   * @param result a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int result) {
    return switch (result) {
      case OK -> "OK";
      case SEND_QUEUE_FULL -> "SEND_QUEUE_FULL";
      case RECEIVE_QUEUE_FULL -> "RECEIVE_QUEUE_FULL";
      case INVALID_STATE -> "INVALID_STATE";
      case TOO_MANY_SGES -> "TOO_MANY_SGES";
      case INLINE_TOO_LONG -> "INLINE_TOO_LONG";
      case INLINE_NOT_ALLOWED -> "INLINE_NOT_ALLOWED";
      case OPCODE_NOT_ALLOWED -> "OPCODE_NOT_ALLOWED";
      case ATOMIC_BUFFER_TOO_SHORT -> "ATOMIC_BUFFER_TOO_SHORT";
      case ATOMIC_MISALIGNED -> "ATOMIC_MISALIGNED";
      case MESSAGE_TOO_LONG -> "MESSAGE_TOO_LONG";
      case ADDRESS_HANDLE_MISSING -> "ADDRESS_HANDLE_MISSING";
      case QPN_OUT_OF_RANGE -> "QPN_OUT_OF_RANGE";
      case USES_SHARED_QUEUE -> "USES_SHARED_QUEUE";
      case INLINE_UNREADABLE -> "INLINE_UNREADABLE";
      case WINDOW_NOT_ALLOWED -> "WINDOW_NOT_ALLOWED";
      case CLOSED -> "CLOSED";
      default -> Integer.toString(result);
    };
  }

  /**
   * What is wrong and what would be right, for messages.
   *
   * @param result a number of this class
   * @return one line
   */
  public static String message(int result) {
    return switch (result) {
      case OK -> "posted";
      case SEND_QUEUE_FULL -> "send queue full: poll completions first";
      case RECEIVE_QUEUE_FULL -> "receive queue full: receives must complete first";
      case INVALID_STATE ->
          "queue pair state does not allow posting: sends need RTS, receives INIT";
      case TOO_MANY_SGES -> "more scatter-gather entries than maxSendSge or maxRecvSge";
      case INLINE_TOO_LONG -> "inline data longer than maxInlineData";
      case INLINE_NOT_ALLOWED -> "INLINE is for SEND and RDMA_WRITE only";
      case OPCODE_NOT_ALLOWED -> "opcode not allowed for this queue pair type";
      case ATOMIC_BUFFER_TOO_SHORT -> "atomic needs a buffer of at least 8 bytes";
      case ATOMIC_MISALIGNED -> "remote address of an atomic must be a multiple of 8";
      case MESSAGE_TOO_LONG -> "message longer than 2^31 bytes (a datagram: than the active MTU)";
      case ADDRESS_HANDLE_MISSING ->
          "datagram needs a live address handle of the same protection domain";
      case QPN_OUT_OF_RANGE -> "remote queue pair number must be 0..0xFFFFFF";
      case USES_SHARED_QUEUE -> "queue pair uses a shared receive queue: post there";
      case INLINE_UNREADABLE -> "inline source lies outside every registered region";
      case WINDOW_NOT_ALLOWED ->
          "work requests bind type 2 windows, bindWindow binds type 1 windows";
      case CLOSED -> "queue is closed";
      default -> "post result " + result;
    };
  }
}
