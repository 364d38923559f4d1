// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Objects of one kind by the small numbers that requests name them by: 1, 2, ... in the order of
 * making, never used twice.
 *
 * @param <T> the kind
 */
final class HandleTable<T> {
  private final String kind;
  private final Map<Integer, T> objects = new TreeMap<>();
  private int next = 1;

  /**
   * An empty table.
   *
   * @param kind name of the field that usually holds the handle
   */
  HandleTable(String kind) {
    this.kind = kind;
  }

  int add(T object) {
    objects.put(next, object);
    return next++;
  }

  /** The object that a request names in the usual field. */
  T get(Fields request) {
    return get(request, kind);
  }

  T get(Fields request, String field) {
    int handle = handle(request, field);
    T object = objects.get(handle);
    if (object == null) {
      throw DutException.invalid(field + " " + handle + ": no such " + kind);
    }
    return object;
  }

  private static int handle(Fields request, String field) {
    return request.integer(field);
  }

  void remove(Fields request) {
    objects.remove(handle(request, kind));
  }

  Collection<T> all() {
    return objects.values();
  }

  /** Handles by object, for events. */
  List<Map.Entry<Integer, T>> entries() {
    return new ArrayList<>(objects.entrySet());
  }
}
