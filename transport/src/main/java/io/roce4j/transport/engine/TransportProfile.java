// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.verbs.QueuePair;
import org.agrona.DirectBuffer;

/**
 * How engines are found: one implementation a transport, named in {@code
 * META-INF/services/io.roce4j.transport.engine.TransportProfile} and chosen by the profile name of
 * a queue pair's settings. Control path.
 */
public interface TransportProfile {

  /**
   * The name queue pairs ask for.
   *
   * @return for instance {@code rc} or {@code mx}.
   */
  String name();

  /**
   * Whether the profile offers a queue pair type.
   *
   * @param queuePairType libibverbs' number.
   * @return true when {@link #create} takes such queue pairs.
   */
  boolean supports(int queuePairType);

  /**
   * The BTH transport classes, the upper three opcode bits, whose packets the engine takes.
   *
   * @param queuePairType libibverbs' number.
   * @return bit c is set for class c.
   */
  int transportClasses(int queuePairType);

  /**
   * How much of a peer's private data is the offer of a {@link Negotiator} of this profile. The
   * rest is the application's.
   *
   * @param data private data of a connection manager's message.
   * @param offset first byte.
   * @param length bytes there are.
   * @return 0 when it is not one of this profile.
   */
  default int offerLength(DirectBuffer data, int offset, int length) {
    return 0;
  }

  /**
   * Makes the engine of a queue pair, in RESET.
   *
   * @param context the endpoint's shared parts.
   * @param slot the queue pair's place in the endpoint.
   * @param queuePair the queue pair.
   * @return a new engine.
   */
  ConnectionEngine create(EngineContext context, ConnectionSlot slot, QueuePair queuePair);
}
