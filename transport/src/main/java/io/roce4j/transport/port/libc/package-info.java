// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The Linux system calls the native ports make, through {@code java.lang.foreign}: numbers and
 * addresses in, numbers out.
 *
 * <p>Entry class: {@link io.roce4j.transport.port.libc.Libc}. The layouts are those of the 64-bit
 * little-endian C libraries of x86-64 and aarch64, which agree in everything used here. Nothing in
 * this package knows RoCE.
 */
package io.roce4j.transport.port.libc;
