// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Switches an interface's offloads on and off, as {@code ethtool -K} does. */
final class LinkFeatures {
  private static final int SIOCETHTOOL = 0x8946;
  private static final int ETHTOOL_GSTRINGS = 0x1B;
  private static final int ETHTOOL_SFEATURES = 0x3B;
  private static final int SET_OF_FEATURES = 4;
  private static final int NAME = 32;
  private static final int FEATURES = 256;

  private LinkFeatures() {}

  /**
   * Sets features by the names that {@code ethtool -k} prints, in the thread's namespace.
   *
   * @return true, so that it can be called where a result is wanted
   */
  static boolean set(String interfaceName, boolean on, String... features) {
    UnsafeBuffer request = NativeMemory.allocate("test-ethtool", 40, 8);
    UnsafeBuffer data = NativeMemory.allocate("test-ethtool", 12 + FEATURES * NAME, 8);
    try (Libc libc = new Libc();
        NativeSocket socket =
            NativeSocket.open(libc, SocketOptions.AF_INET, SocketOptions.SOCK_DGRAM, 0)) {
      request.putStringWithoutLengthAscii(0, interfaceName);
      request.putLong(16, data.addressOffset());
      data.putInt(0, ETHTOOL_GSTRINGS);
      data.putInt(4, SET_OF_FEATURES);
      data.putInt(8, 0);
      check(libc.ioctl(socket.fd(), SIOCETHTOOL, request.addressOffset()));
      int count = data.getInt(8);
      int[] valid = new int[(count + 31) / 32];
      for (String feature : features) {
        int index = indexOf(data, count, feature);
        valid[index / 32] |= 1 << (index % 32);
      }
      data.putInt(0, ETHTOOL_SFEATURES);
      data.putInt(4, valid.length);
      for (int i = 0; i < valid.length; i++) {
        data.putInt(8 + i * 8, valid[i]);
        data.putInt(12 + i * 8, on ? valid[i] : 0);
      }
      check(libc.ioctl(socket.fd(), SIOCETHTOOL, request.addressOffset()));
      return true;
    } finally {
      NativeMemory.release(request);
      NativeMemory.release(data);
    }
  }

  private static int indexOf(UnsafeBuffer data, int count, String feature) {
    byte[] name = new byte[NAME];
    for (int i = 0; i < count; i++) {
      data.getBytes(12 + i * NAME, name);
      if (new String(name, StandardCharsets.US_ASCII).trim().equals(feature)) {
        return i;
      }
    }
    throw new IllegalStateException("no feature " + feature + " among " + count);
  }

  private static void check(int result) {
    if (result < 0) {
      throw new IllegalStateException("ethtool ioctl " + result);
    }
  }
}
