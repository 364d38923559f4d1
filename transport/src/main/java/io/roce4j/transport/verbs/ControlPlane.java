// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.counters.Counters;

/**
 * What verbs need from whoever runs the connections. Implemented by the endpoint; every method is
 * called in turn with the duty cycle (see {@link ControlTurns}), so it may touch engine state.
 */
public interface ControlPlane {
  /** Result of {@link #allocateQpn}: all numbers are in use. */
  int NO_QPN = -1;

  /** Result of {@link #allocateQpn}: the wished number is in use. */
  int QPN_TAKEN = -2;

  /**
   * Reserves a queue pair number.
   *
   * @param wish 2..0xFFFFFF, or 0 for any
   * @param type {@link QueuePairType}
   * @return 2..0xFFFFFF, {@link #NO_QPN} or {@link #QPN_TAKEN}
   */
  int allocateQpn(int wish, int type);

  /**
   * Gives a number back.
   *
   * @param qpn from {@link #allocateQpn}
   */
  void releaseQpn(int qpn);

  /**
   * Takes a new queue pair in RESET under care. It may refuse settings it does not know.
   *
   * @param queuePair new
   * @throws VerbsException EINVAL for an unknown profile or congestion controller
   */
  void attach(QueuePair queuePair);

  /**
   * Forgets a queue pair for good; its rings are freed right after.
   *
   * @param queuePair attached before
   */
  void detach(QueuePair queuePair);

  /**
   * A modify took place: attributes and state are stored. The engine starts, stops, resets or
   * flushes. From equals to when only attributes changed.
   *
   * @param queuePair whose {@link QueuePair#attributes} are the new ones
   * @param from state before
   * @param to state now
   * @param changedMask {@link AttributeMask} bits of this modify
   * @throws VerbsException when the engine cannot do it, for example an unreachable destination;
   *     the modify is undone and the exception goes to the caller
   */
  void stateChanged(QueuePair queuePair, int from, int to, int changedMask);

  /**
   * Fills in what only the engine knows: sqPsn, rqPsn and sqDraining [rc 22-2] [rc 22-3].
   *
   * @param queuePair in any state
   * @param attributes already filled with what was last set
   */
  void query(QueuePair queuePair, QueuePairAttributes attributes);

  /**
   * What was counted for a queue pair since it was made.
   *
   * @param queuePair attached before
   * @return a copy
   * @throws VerbsException EOPNOTSUPP when the endpoint does not count by queue pair
   */
  Counters counters(QueuePair queuePair);

  /**
   * Joins a multicast group.
   *
   * @param queuePair UD
   * @param gidHi upper half of the group
   * @param gidLo lower half of the group
   * @throws VerbsException when the port cannot join
   */
  void attachMulticast(QueuePair queuePair, long gidHi, long gidLo);

  /**
   * Leaves a multicast group.
   *
   * @param queuePair UD
   * @param gidHi upper half of the group
   * @param gidLo lower half of the group
   */
  void detachMulticast(QueuePair queuePair, long gidHi, long gidLo);

  /**
   * The port as it is now.
   *
   * @return its attributes
   */
  PortAttributes port();
}
