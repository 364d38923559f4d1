// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.transport.port.libc.Errno;

/** Why a network did not take a piece of a train, in the three kinds a port acts on. Stateless. */
public final class SendRefusal {
  /** No room now: keep everything and try again at the next flush. */
  public static final int BUSY = -1;

  /** Longer than the path takes, as a whole or in its segments: cut it, or give it up. */
  public static final int TOO_LONG = -2;

  /** This destination cannot be reached now: hold it, go on with others. */
  public static final int UNREACHABLE = -3;

  private SendRefusal() {}

  /**
   * The kind of an error number.
   *
   * @param errno positive, Linux's numbering
   * @param packets in the refused piece: a segmented send can fail with EINVAL or EIO for its
   *     segmentation, a single packet only for its route
   * @return {@link #BUSY}, {@link #TOO_LONG} or {@link #UNREACHABLE}
   */
  public static int of(int errno, int packets) {
    return switch (errno) {
      case Errno.EAGAIN, Errno.ENOBUFS, Errno.ENOMEM, Errno.EINTR -> BUSY;
      case Errno.EMSGSIZE -> TOO_LONG;
      case Errno.EINVAL, Errno.EIO, Errno.EOPNOTSUPP -> packets > 1 ? TOO_LONG : UNREACHABLE;
      default -> UNREACHABLE;
    };
  }
}
