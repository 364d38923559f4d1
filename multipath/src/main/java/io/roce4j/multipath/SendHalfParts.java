// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.MultipathController;

/** What a {@link SendHalf} is put together from; lent at construction. */
final class SendHalfParts {
  /** 0 request half, 1 response half. */
  int half;

  FragmentTable fragments;
  PathSet paths;
  PathSelector selector;
  MultipathController congestion;
  MxCounters counters;
  EntropyPool entropy;
  int firstCpsn;
  long nowNs;

  SendHalfParts() {}
}
