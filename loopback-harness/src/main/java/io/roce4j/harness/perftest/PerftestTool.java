// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.transport.verbs.WorkCompletionOpcode;

/** The eight tools, with the defaults of perftest's. */
enum PerftestTool {
  WRITE_BW("write-bw", "RDMA_Write", Verb.WRITE, false, 65_536, 5_000),
  SEND_BW("send-bw", "Send", Verb.SEND, false, 65_536, 1_000),
  READ_BW("read-bw", "RDMA_Read", Verb.READ, false, 65_536, 1_000),
  ATOMIC_BW("atomic-bw", "Atomic", Verb.ATOMIC, false, 8, 1_000),
  WRITE_LAT("write-lat", "RDMA_Write", Verb.WRITE, true, 2, 1_000),
  SEND_LAT("send-lat", "Send", Verb.SEND, true, 2, 1_000),
  READ_LAT("read-lat", "RDMA_Read", Verb.READ, true, 2, 1_000),
  ATOMIC_LAT("atomic-lat", "Atomic", Verb.ATOMIC, true, 8, 1_000);

  /** What a tool measures. */
  enum Verb {
    WRITE,
    SEND,
    READ,
    ATOMIC
  }

  private final String toolName;
  private final String title;
  private final Verb verb;
  private final boolean isLatency;
  private final long sizeBytes;
  private final long iterations;

  PerftestTool(
      String toolName,
      String title,
      Verb verb,
      boolean isLatency,
      long sizeBytes,
      long iterations) {
    this.toolName = toolName;
    this.title = title;
    this.verb = verb;
    this.isLatency = isLatency;
    this.sizeBytes = sizeBytes;
    this.iterations = iterations;
  }

  /** The subcommand. */
  String toolName() {
    return toolName;
  }

  /** As perftest's headings call it. */
  String title() {
    return title;
  }

  Verb verb() {
    return verb;
  }

  boolean isLatency() {
    return isLatency;
  }

  /** Whether each message needs a receive at the other end. */
  boolean isSend() {
    return verb == Verb.SEND;
  }

  /** Whether the peer answers each request with data, so that few may be outstanding. */
  boolean isRead() {
    return verb == Verb.READ || verb == Verb.ATOMIC;
  }

  /** Default message size. */
  long defaultSizeBytes() {
    return sizeBytes;
  }

  /** Default number of messages. */
  long defaultIterations() {
    return iterations;
  }

  /** What a completion of its requests says, for errors. */
  String completionName() {
    return WorkCompletionOpcode.name(
        switch (verb) {
          case WRITE -> WorkCompletionOpcode.RDMA_WRITE;
          case SEND -> WorkCompletionOpcode.SEND;
          case READ -> WorkCompletionOpcode.RDMA_READ;
          case ATOMIC -> WorkCompletionOpcode.FETCH_ADD;
        });
  }
}
