// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.port.Destination;

/**
 * Where the datagrams of one address handle go.
 *
 * @param destination prepared by the port.
 * @param pathSlot source-port slot.
 * @param tos TOS or traffic class byte.
 */
record DatagramRoute(Destination destination, int pathSlot, int tos) {}
