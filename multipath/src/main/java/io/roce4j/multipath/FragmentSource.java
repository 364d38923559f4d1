// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where the fragments of a send half come from: messages of streams for the request half, answers
 * to READs and atomics for the response half. The half numbers, sends and repeats them; the source
 * knows what is in them.
 */
interface FragmentSource {
  /** {@link #nextLength}: nothing can be started now. */
  int NOTHING = 0;

  /**
   * Size of the next new fragment's packet, if one may be started now. Asking does not commit.
   *
   * @param nowNs time of the endpoint, ns
   * @return bytes of the UDP payload, ICRC included, or {@link #NOTHING}
   */
  int nextLength(long nowNs);

  /**
   * Makes the fragment {@link #nextLength} spoke of.
   *
   * @param fragments the table
   * @param at handle to fill with {@link FragmentTable#begin}
   * @param cpsn its number
   */
  void take(FragmentTable fragments, int at, int cpsn);

  /**
   * Size of a fragment's packet.
   *
   * @param fragments the table
   * @param at the fragment
   * @return bytes of the UDP payload, ICRC included
   */
  int packetLength(FragmentTable fragments, int at);

  /**
   * Writes everything behind the MXTH: MXMH, extended headers, payload and pad.
   *
   * @param fragments the table
   * @param at the fragment, not a VOID
   * @param buffer the port's
   * @param bthOffset first byte of the BTH
   * @return bytes of the whole packet, ICRC included; or, negated, the work completion status for
   *     which the bytes could not be read: the half then sends a VOID in its place and calls {@link
   *     #onLocalFault}
   */
  int write(FragmentTable fragments, int at, UnsafeBuffer buffer, int bthOffset);

  /**
   * Whether the fragment's packet asks for a solicited event (BTH.SE).
   *
   * @param fragments the table
   * @param at the fragment
   * @return the flag
   */
  boolean isSolicited(FragmentTable fragments, int at);

  /**
   * The bytes of a fragment could not be read: its message fails.
   *
   * @param fragments the table
   * @param at the fragment, already a VOID
   * @param status work completion status
   * @param nowNs time of the endpoint, ns
   */
  void onLocalFault(FragmentTable fragments, int at, int status, long nowNs);

  /**
   * A fragment is in at the peer. Called once a fragment.
   *
   * @param fragments the table
   * @param at the fragment
   * @param nowNs time of the endpoint, ns
   */
  void onAcked(FragmentTable fragments, int at, long nowNs);

  /**
   * A held fragment turned out to be in at the peer, or is sent as a VOID: it waits no longer.
   * Called before {@link #onAcked}.
   *
   * @param fragments the table
   * @param at the fragment, in state HELD
   */
  void onHeldEnded(FragmentTable fragments, int at);

  /**
   * The stream number fragments of a stream slot carry.
   *
   * @param streamSlot small number from the table
   * @return 0..65535
   */
  int streamId(int streamSlot);

  /**
   * The fair-share weight fragments of a stream slot carry.
   *
   * @param streamSlot small number from the table
   * @return 1..255
   */
  int weight(int streamSlot);

  /**
   * Payload posted and not numbered yet.
   *
   * @return bytes, 0 when there is nothing
   */
  long backlogBytes();

  /**
   * The receiver has no receive request for a fragment: it waits (RNR). The half has taken it off
   * the books and out of its queue.
   *
   * @param fragments the table
   * @param at the fragment
   * @param cpsn its number
   * @param waitNs how long the receiver asks to wait
   * @param nowNs time of the endpoint, ns
   */
  void onNotReady(FragmentTable fragments, int at, int cpsn, long waitNs, long nowNs);

  /**
   * The receiver refused a fragment for good.
   *
   * @param fragments the table
   * @param at the fragment
   * @param reason a terminal {@code NackReason}
   * @param nowNs time of the endpoint, ns
   */
  void onRefused(FragmentTable fragments, int at, int reason, long nowNs);
}
