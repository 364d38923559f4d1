// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./roce4j devinfo}: what an endpoint of this host is, as {@code ibv_devinfo} and {@code
 * rdma link} say it of an adapter.
 *
 * <p>Entry class: {@link io.roce4j.harness.device.DevinfoCommand}.
 */
package io.roce4j.harness.device;
