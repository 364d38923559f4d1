// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.engine.Negotiator;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.VerbsException;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Private data of a message: first what the queue pair's transport negotiates, then what the
 * application says.
 */
final class PrivateData {
  private static final int OFFER_MAX = 32;

  private PrivateData() {}

  /**
   * Puts the two together.
   *
   * @param verb for the message of the exception
   * @param offered what a transport negotiates, or none
   * @param application what the application says
   * @param limit bytes the message has for both
   * @throws VerbsException EINVAL when it does not fit [FC-30]
   */
  static byte[] join(String verb, byte[] offered, byte[] application, int limit) {
    int room = limit - offered.length;
    if (application.length > room) {
      throw new VerbsException(
          "EINVAL",
          "privateData of "
              + application.length
              + " bytes: "
              + verb
              + " takes at most "
              + room
              + (offered.length == 0
                  ? ""
                  : " (of " + limit + " the transport needs " + offered.length + ")"));
    }
    byte[] joined = new byte[offered.length + application.length];
    System.arraycopy(offered, 0, joined, 0, offered.length);
    System.arraycopy(application, 0, joined, offered.length, application.length);
    return joined;
  }

  /** Who negotiates for a queue pair, or null. */
  static Negotiator negotiator(QueuePair queuePair) {
    return queuePair.engine() instanceof Negotiator negotiator ? negotiator : null;
  }

  /** What a negotiator offers; nothing without one. */
  static byte[] offer(Negotiator negotiator, int number) {
    if (negotiator == null) {
      return MadWriter.NO_DATA;
    }
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[OFFER_MAX]);
    byte[] offered = new byte[negotiator.offer(buffer, 0, number)];
    buffer.getBytes(0, offered);
    return offered;
  }
}
