// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * Service ids of RDMA CM: a port space and a port (IBA annex A11, RDMA IP CM service). Stateless;
 * any thread.
 */
public final class ServiceId {
  /** Port space of RC connections. */
  public static final int TCP = 0x0106;

  /** Port space of UD services. */
  public static final int UDP = 0x0111;

  private static final int PORT_BITS = 16;
  private static final int MASK = 0xFFFF;

  private ServiceId() {}

  /**
   * Makes a service id.
   *
   * @param portSpace {@link #TCP} or {@link #UDP}
   * @param port 0..65535
   * @return the 64-bit id
   */
  public static long of(int portSpace, int port) {
    return ((long) portSpace << PORT_BITS) | (port & MASK);
  }

  /**
   * The port space of an id.
   *
   * @param serviceId all 64 bits
   * @return 0..0xFFFF; -1 when the upper 32 bits are not 0, which no RDMA CM id has
   */
  public static int portSpace(long serviceId) {
    return serviceId >>> 32 != 0 ? -1 : (int) (serviceId >>> PORT_BITS);
  }

  /**
   * The port of an id.
   *
   * @param serviceId all 64 bits
   * @return 0..65535
   */
  public static int port(long serviceId) {
    return (int) serviceId & MASK;
  }
}
