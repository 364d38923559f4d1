// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.agent;

/** The one check of JVM flags at start-up [FC-52]. */
final class JvmFlags {

  private static final String AGRONA_PACKAGE = "jdk.internal.misc";
  private static final String AGRONA_FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

  private JvmFlags() {}

  /** Fails with the line to add, before Agrona fails with something nobody understands. */
  static void check() {
    if (!isExported(Object.class.getModule(), AGRONA_PACKAGE, JvmFlags.class.getModule())) {
      throw new IllegalStateException("roce4j needs the JVM flag " + AGRONA_FLAG);
    }
  }

  static boolean isExported(Module from, String packageName, Module to) {
    return from.isExported(packageName, to);
  }
}
