// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * One completion, copied out of its queue into an object the caller owns: it stays as it is until
 * the caller polls into it again [FC-54].
 *
 * <p>After an error only wrId, status, qpNum and vendorError are valid [rc 12-6]. Not thread-safe.
 */
public final class WorkCompletion {
  /** The datagram came over IPv4. */
  public static final int NETWORK_IPV4 = 1;

  /** The datagram came over IPv6. */
  public static final int NETWORK_IPV6 = 2;

  long wrId;
  int status;
  int opcode;
  long byteLength;
  int qpNum;
  int srcQp;
  int immediate;
  int invalidatedRkey;
  int flags;
  int vendorError;
  int pkeyIndex;
  int networkType;

  /** An empty completion to poll into. */
  public WorkCompletion() {}

  /**
   * The application's number of the request.
   *
   * @return any
   */
  public long wrId() {
    return wrId;
  }

  /**
   * The outcome.
   *
   * @return {@link WorkCompletionStatus}
   */
  public int status() {
    return status;
  }

  /**
   * The what completed.
   *
   * @return {@link WorkCompletionOpcode}; undefined after an error
   */
  public int opcode() {
    return opcode;
  }

  /**
   * The bytes received, or placed by READ and atomics.
   *
   * @return 0..2^31; undefined after an error
   */
  public long byteLength() {
    return byteLength;
  }

  /**
   * The number of the queue pair.
   *
   * @return 0..0xFFFFFF
   */
  public int qpNum() {
    return qpNum;
  }

  /**
   * The sender's queue pair of a datagram.
   *
   * @return 0..0xFFFFFF
   */
  public int srcQp() {
    return srcQp;
  }

  /**
   * The immediate data as on the wire.
   *
   * @return valid with WITH_IMM
   */
  public int immediate() {
    return immediate;
  }

  /**
   * The key that the message invalidated.
   *
   * @return valid with WITH_INV
   */
  public int invalidatedRkey() {
    return invalidatedRkey;
  }

  /**
   * The what else is valid.
   *
   * @return {@link WorkCompletionFlags}
   */
  public int flags() {
    return flags;
  }

  /**
   * The reason code of this stack after an error, for people.
   *
   * @return 0 or more
   */
  public int vendorError() {
    return vendorError;
  }

  /**
   * The partition key index of a datagram.
   *
   * @return 0 or more
   */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * The network of a datagram.
   *
   * @return {@link #NETWORK_IPV4}, {@link #NETWORK_IPV6}, or 0 for other completions
   */
  public int networkType() {
    return networkType;
  }

  @Override
  public String toString() {
    // [rc 12-6] [FC-22] Opcode and length mean nothing after an error, so nobody gets to read them.
    boolean success = status == WorkCompletionStatus.SUCCESS;
    return "wrId "
        + wrId
        + " "
        + WorkCompletionStatus.name(status)
        + (success ? " " + WorkCompletionOpcode.name(opcode) : "")
        + " qp "
        + qpNum
        + (success ? " bytes " + byteLength : "");
  }
}
