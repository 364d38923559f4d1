// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Connection-management datagrams (IBA 1.4, chapter 12) as they travel to QP 1: the MAD header, one
 * table of fields per message, the checked view and a value for tools.
 *
 * <p>Entry classes: {@link io.roce4j.wire.cm.CmView} (receiving), {@link io.roce4j.wire.cm.Mad} and
 * the message classes (sending), {@link io.roce4j.wire.cm.CmRecord} (printing). Knows no connection
 * state, timer or retry.
 */
package io.roce4j.wire.cm;
