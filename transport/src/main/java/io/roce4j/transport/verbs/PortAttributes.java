// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * The port of an endpoint, libibverbs' {@code ibv_port_attr} as far as Ethernet has it.
 *
 * @param gidHi upper half of the endpoint's GID
 * @param gidLo lower half of the endpoint's GID
 * @param udpPort UDP port it listens on
 * @param activeMtuBytes largest path MTU, a valid {@link PathMtu}
 * @param interfaceMtuBytes IP MTU of the interface
 * @param active whether the link is up
 */
public record PortAttributes(
    long gidHi,
    long gidLo,
    int udpPort,
    int activeMtuBytes,
    int interfaceMtuBytes,
    boolean active) {
  /**
   * Checks the active MTU.
   *
   * @throws VerbsException EINVAL
   */
  public PortAttributes {
    if (!PathMtu.isValid(activeMtuBytes)) {
      throw VerbsException.invalid(
          "activeMtu " + activeMtuBytes + ": allowed 256 512 1024 2048 4096");
    }
  }
}
