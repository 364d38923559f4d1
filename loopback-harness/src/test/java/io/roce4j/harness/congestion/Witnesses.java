// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.CongestionControllerProvider;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;

/**
 * Registers the witnesses for the tests of this thread only: other tests ask for all registered
 * controllers.
 */
final class Witnesses implements AutoCloseable {
  private static final String SERVICES =
      "META-INF/services/" + CongestionControllerProvider.class.getName();

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  Witnesses() {
    Thread.currentThread().setContextClassLoader(new WithWitnesses(before));
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static final class WithWitnesses extends ClassLoader {
    WithWitnesses(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return name.equals(SERVICES)
          ? Collections.enumeration(Collections.singleton(Witnesses.class.getResource("witnesses")))
          : Collections.emptyEnumeration();
    }
  }
}
