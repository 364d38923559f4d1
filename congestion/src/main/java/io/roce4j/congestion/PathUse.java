// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/** How a controller made for one path is used by a connection with several. */
public enum PathUse {
  /** One controller, fed by all paths. */
  CONNECTION_WISE,
  /** One controller for each path, each starting with its part of the link. */
  PATH_WISE
}
