// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * What a port can do; asked once.
 *
 * @param name the port's name as users give it: sim, nio, epoll, linux, raw, ...
 * @param ecnReceive whether the ECN bits of received packets are seen.
 * @param tosPerPacket whether each train may carry a TOS of its own.
 * @param ipHeaderSeen whether the whole IP header is known on both sides, so that the ICRC check is
 *     strict.
 * @param anySourcePort whether any UDP source port may be used, not only a pool of sockets.
 * @param pathSlots number of source-port slots.
 * @param maxTrainBytes most UDP payload bytes in one train.
 * @param maxTrainSegments most packets in one train.
 * @param mtuBytes IP MTU of the interface, header included.
 * @param privilege what the port needs of the system, in words; empty for nothing.
 */
public record PortCapabilities(
    String name,
    boolean ecnReceive,
    boolean tosPerPacket,
    boolean ipHeaderSeen,
    boolean anySourcePort,
    int pathSlots,
    int maxTrainBytes,
    int maxTrainSegments,
    int mtuBytes,
    String privilege) {}
