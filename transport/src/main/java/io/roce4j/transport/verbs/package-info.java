// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The application's side: libibverbs' concepts and names in Java.
 *
 * <p>Entry class: {@link io.roce4j.transport.verbs.RdmaContext}, which the agent opens. Control
 * verbs (create, register, modify, query, close) throw {@link
 * io.roce4j.transport.verbs.VerbsException} with the errno name; the data path (post, poll) returns
 * codes and allocates nothing. This package knows queues, memory and state tables; it knows no
 * packet, no port and no clock. What runs a connection stands behind {@link
 * io.roce4j.transport.verbs.ControlPlane}.
 */
package io.roce4j.transport.verbs;
