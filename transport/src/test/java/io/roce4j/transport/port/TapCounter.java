// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.Icrc;
import org.agrona.concurrent.UnsafeBuffer;

/** A tap that counts, and checks the ICRC of what leaves on a copy. */
final class TapCounter implements PortTap {
  int transmitted;
  int received;
  int bytes;
  int wrongIcrc;
  private final Icrc icrc = new Icrc();
  private final UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + 65536]);

  @Override
  public void onTransmit(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    transmitted++;
    bytes += length;
    copy.putBytes(Icrc.HEADROOM, buffer, offset, length);
    if (!icrc.check(copy, Icrc.HEADROOM, length, meta.ip)) {
      wrongIcrc++;
    }
  }

  @Override
  public void onReceive(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    received++;
    bytes += length;
  }
}
