// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.sequence.Msn;

/**
 * End-to-end credits as the requester sees them (IBA 1.4, 9.7.7.2): how far ahead of the
 * responder's receives messages may be started.
 *
 * <p>Message numbers (SSN) count all messages from 1; the limit (LSN) is the responder's MSN plus
 * its credits. One message beyond the limit may always start, it probes. Until the first
 * acknowledgement nothing is known and nothing is held back; code 31 switches credits off for good.
 */
final class RcCredits {

  private boolean limited;
  private boolean unlimitedForGood;
  private int nextSsn;
  private int limitSsn;

  RcCredits() {
    reset(false);
  }

  /** Begins anew; a peer without flow control sends credits that mean nothing [rc 5-11]. */
  void reset(boolean ignored) {
    limited = false;
    unlimitedForGood = ignored;
    nextSsn = 1;
    limitSsn = 0;
  }

  /** Whether a message that takes a receive may start now [rc 5-5] [rc 5-6] [rc 5-10]. */
  boolean mayStart() {
    return !limited || Msn.distance(limitSsn, nextSsn) <= 1;
  }

  /**
   * Starts a message and returns its number. One that takes no receive moves the limit [rc 5-7].
   */
  int start(boolean consumesReceive) {
    int ssn = nextSsn;
    nextSsn = Msn.next(nextSsn);
    if (limited && !consumesReceive) {
      limitSsn = Msn.next(limitSsn);
    }
    return ssn;
  }

  /** An ACK syndrome arrived. Returns true when more may start than before. */
  boolean onAcknowledge(int syndrome, int msn) {
    if (unlimitedForGood) {
      return false; // [rc 5-8]
    }
    int code = Syndrome.value(syndrome);
    if (code == Syndrome.UNLIMITED_CREDITS) {
      boolean opened = limited;
      unlimitedForGood = true;
      limited = false;
      return opened;
    }
    int limit = Msn.add(msn, Syndrome.credits(code));
    if (!limited) {
      limited = true;
      limitSsn = limit;
      return false;
    }
    // Acknowledgements may be old: the limit only moves forward.
    if (Msn.isAfter(limit, limitSsn)) {
      limitSsn = limit;
      return true;
    }
    return false;
  }
}
