// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import org.agrona.concurrent.UnsafeBuffer;

/** Takes received datagrams from a port, on the agent's thread. */
public interface DatagramHandler {

  /**
   * One coalesced batch of datagrams from one source.
   *
   * <p>The memory is lent for the call. At least {@code Icrc.HEADROOM} bytes in front of {@code
   * offset} are writable, and the handler may overwrite them and whatever it has consumed: checking
   * the ICRC of a segment overwrites the bytes before it, so segments are taken first to last.
   *
   * @param buffer memory of the port, over direct memory.
   * @param offset first byte of the first UDP payload.
   * @param length bytes of all UDP payloads together.
   * @param segmentBytes size of each datagram of the batch but perhaps the last, which may be
   *     shorter; equal to {@code length} for a single datagram. At least 1.
   * @param meta where the batch came from and what is known of its IP header; lent for the call.
   */
  void onDatagram(UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta);
}
