// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

import java.nio.ByteOrder;

/**
 * Whether {@link Libc} can work on this machine. A class of its own, because loading {@code Libc}
 * links the system calls, which fails elsewhere.
 */
public final class NativeSupport {
  private NativeSupport() {}

  /**
   * Why the native ports cannot work here.
   *
   * @return null when they can, else the reason in a few words
   */
  public static String unsupportedReason() {
    String os = System.getProperty("os.name");
    if (!os.equals("Linux")) {
      return "needs Linux, this is " + os;
    }
    String arch = System.getProperty("os.arch");
    if (!arch.equals("amd64") && !arch.equals("aarch64")) {
      return "needs x86-64 or aarch64, this is " + arch;
    }
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      return "needs a little-endian machine";
    }
    if (!NativeSupport.class.getModule().isNativeAccessEnabled()) {
      return "needs the JVM option --enable-native-access=ALL-UNNAMED";
    }
    return null;
  }
}
