// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import org.agrona.UnsafeApi;

/**
 * The one check of JVM flags. Whatever a program calls first asks it, so that it fails with the
 * line to add before Agrona fails with something nobody understands [FC-52].
 */
public final class JvmFlags {
  private static final String PACKAGE = "jdk.internal.misc";

  private JvmFlags() {}

  /**
   * Checks that Agrona may do what it is for. Any thread; cheap enough for control paths.
   *
   * @throws IllegalStateException naming the flag to add
   */
  public static void check() {
    // The class literal does not initialize the class, which would already fail.
    Module agrona = UnsafeApi.class.getModule();
    if (!Object.class.getModule().isExported(PACKAGE, agrona)) {
      throw new IllegalStateException("roce4j needs the JVM flag " + flag(agrona));
    }
  }

  static String flag(Module to) {
    return "--add-exports=java.base/"
        + PACKAGE
        + "="
        + (to.isNamed() ? to.getName() : "ALL-UNNAMED");
  }
}
