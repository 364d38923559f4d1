// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * How the Linux test tools tell each other their queue pairs before the first packet: fixed
 * messages over one TCP connection. {@link io.roce4j.harness.handshake.ToolChannel} carries them,
 * the other classes are their codecs. Whatever a peer sends is checked before it is used, and the
 * only answer to a wrong message is one line that says what was wrong with it.
 */
package io.roce4j.harness.handshake;
