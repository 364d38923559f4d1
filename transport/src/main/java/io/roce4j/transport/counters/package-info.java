// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The counters of an endpoint, under the names that users of RDMA adapters know.
 *
 * <p>{@link io.roce4j.transport.counters.CounterId} lists and documents them, {@link
 * io.roce4j.transport.counters.Counters} holds their values. Knows nothing of queue pairs, packets
 * or threads: whoever counts says which counter, whoever reads says by which name.
 */
package io.roce4j.transport.counters;
