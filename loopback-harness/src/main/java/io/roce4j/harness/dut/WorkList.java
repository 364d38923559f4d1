// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.ReceiveRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The work requests of a post, in order: all that can be read up to the first bad one are posted,
 * and its index is told, as libibverbs does. A request that is not even of the right form refuses
 * the whole list.
 *
 * @param <T> kind of work request
 */
final class WorkList<T> {
  private static final Set<String> SGE_FIELDS = Set.of("addr", "length", "lkey");
  private static final Set<String> RECEIVE_FIELDS = Set.of("wrId", "sgList");

  private final T[] requests;
  private final int readable;
  private final DutException failure;

  private WorkList(T[] requests, int readable, DutException failure) {
    this.requests = requests;
    this.readable = readable;
    this.failure = failure;
  }

  /** Posts some requests; {@link PostResult} packs how many and the reason. */
  @FunctionalInterface
  interface Poster<T> {
    /**
     * Posts.
     *
     * @param requests in order
     * @param count how many of them
     * @return result and number posted
     */
    long post(T[] requests, int count);
  }

  static <T> WorkList<T> of(Fields request, IntFunction<T[]> maker, Function<Fields, T> reader) {
    if (!request.has("wrs")) {
      throw DutException.badField("wrs is missing");
    }
    List<Fields> given = request.objects("wrs");
    T[] requests = maker.apply(given.size());
    int readable = given.size();
    DutException failure = null;
    for (int i = 0; i < given.size(); i++) {
      try {
        requests[i] = reader.apply(given.get(i));
      } catch (DutException e) {
        if (e.error().equals(DutException.BAD_FIELD)) {
          throw e;
        }
        if (failure == null) {
          failure = e;
          readable = i;
        }
      }
    }
    return new WorkList<>(requests, readable, failure);
  }

  static WorkList<ReceiveRequest> ofReceives(Fields request) {
    return of(request, ReceiveRequest[]::new, WorkList::receive);
  }

  private static ReceiveRequest receive(Fields given) {
    given.only(RECEIVE_FIELDS);
    ReceiveRequest request = new ReceiveRequest();
    request.wrId(given.word64("wrId", 0));
    for (Fields sge : given.objects("sgList")) {
      sge.only(SGE_FIELDS);
      request.sge(sge.word64("addr"), sge.size("length"), sge.word32("lkey", 0));
    }
    return request;
  }

  static Set<String> sgeFields() {
    return SGE_FIELDS;
  }

  void post(Poster<T> poster) {
    long packed = poster.post(requests, readable);
    int result = PostResult.result(packed);
    if (result != PostResult.OK) {
      throw DutException.badWorkRequest(
          PostResult.errno(result), PostResult.message(result), PostResult.posted(packed));
    }
    if (failure != null) {
      throw DutException.badWorkRequest(failure.error(), failure.getMessage(), readable);
    }
  }
}
