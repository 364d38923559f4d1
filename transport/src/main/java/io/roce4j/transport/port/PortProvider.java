// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * How a kind of port is found: listed in {@code
 * META-INF/services/io.roce4j.transport.port.PortProvider}, it can be asked for by name in {@link
 * Ports#open}, and {@code auto} takes it into account.
 *
 * <p>Implementations have a public constructor without arguments, keep no state and cost nothing
 * until asked. Control path.
 */
public interface PortProvider {
  /**
   * The name users give.
   *
   * @return lower case, for example {@code nio}
   */
  String name();

  /**
   * What it is, in one line.
   *
   * @return for lists of ports
   */
  String description();

  /**
   * How good {@code auto} holds it to be: the highest that is usable wins.
   *
   * @return 0 or more; negative when {@code auto} must never take it
   */
  int preference();

  /**
   * Whether it can work on this machine, as far as can be told without opening it.
   *
   * @return null when it can, else the reason in a few words
   */
  String unavailableReason();

  /**
   * Opens a port.
   *
   * @param settings address and sizes
   * @return an open port; the caller closes it
   * @throws PortException when the machine does not allow it
   * @throws IllegalArgumentException when a setting means nothing to this kind of port
   */
  DatagramPort open(PortSettings settings);
}
