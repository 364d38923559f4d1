// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

/** Error numbers of Linux that ports tell apart, and their names. Stateless. */
public final class Errno {
  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** Interrupted by a signal. */
  public static final int EINTR = 4;

  /** Input or output error; of a segmented send: the route cannot segment. */
  public static final int EIO = 5;

  /** Nothing to receive, or no room to send. */
  public static final int EAGAIN = 11;

  /** Out of kernel memory. */
  public static final int ENOMEM = 12;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** No such device. */
  public static final int ENODEV = 19;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** Longer than the path takes. */
  public static final int EMSGSIZE = 90;

  /** The option does not exist in this kernel. */
  public static final int ENOPROTOOPT = 92;

  /** The protocol is not there. */
  public static final int EPROTONOSUPPORT = 93;

  /** The operation is not supported. */
  public static final int EOPNOTSUPP = 95;

  /** The address family is not there. */
  public static final int EAFNOSUPPORT = 97;

  /** The address is taken. */
  public static final int EADDRINUSE = 98;

  /** The address is not of this host. */
  public static final int EADDRNOTAVAIL = 99;

  /** The interface is down. */
  public static final int ENETDOWN = 100;

  /** No route. */
  public static final int ENETUNREACH = 101;

  /** No buffer, or the queue discipline dropped it. */
  public static final int ENOBUFS = 105;

  /** No neighbour. */
  public static final int EHOSTUNREACH = 113;

  private Errno() {}

  /**
   * Name of an error number.
   *
   * @param errno positive
   * @return for example {@code EAGAIN}, or {@code errno 42}
   */
  public static String name(int errno) {
    return switch (errno) {
      case EPERM -> "EPERM";
      case EINTR -> "EINTR";
      case EIO -> "EIO";
      case EAGAIN -> "EAGAIN";
      case ENOMEM -> "ENOMEM";
      case EACCES -> "EACCES";
      case ENODEV -> "ENODEV";
      case EINVAL -> "EINVAL";
      case EMSGSIZE -> "EMSGSIZE";
      case ENOPROTOOPT -> "ENOPROTOOPT";
      case EPROTONOSUPPORT -> "EPROTONOSUPPORT";
      case EOPNOTSUPP -> "EOPNOTSUPP";
      case EAFNOSUPPORT -> "EAFNOSUPPORT";
      case EADDRINUSE -> "EADDRINUSE";
      case EADDRNOTAVAIL -> "EADDRNOTAVAIL";
      case ENETDOWN -> "ENETDOWN";
      case ENETUNREACH -> "ENETUNREACH";
      case ENOBUFS -> "ENOBUFS";
      case EHOSTUNREACH -> "EHOSTUNREACH";
      default -> "errno " + errno;
    };
  }
}
