// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.wire.cm.ReqMessage;
import io.roce4j.wire.cm.ServiceId;
import io.roce4j.wire.cm.SidrReqMessage;

/** What an id's port number means, and which kind of service it names. */
public enum PortSpace {
  /** Reliable connections: librdmacm's {@code RDMA_PS_TCP}. */
  TCP(ServiceId.TCP, true),

  /** Datagrams: librdmacm's {@code RDMA_PS_UDP}. */
  UDP(ServiceId.UDP, true),

  /** Reliable connections without the RDMA CM header: librdmacm's {@code RDMA_PS_IB}. */
  IB(0x013F, false);

  private final int number;
  private final boolean header;

  PortSpace(int number, boolean header) {
    this.number = number;
    this.header = header;
  }

  /**
   * The number on the wire.
   *
   * @return 16 bits
   */
  public int number() {
    return number;
  }

  /**
   * Whether requests carry the addresses in an RDMA CM header, which takes 36 bytes of their
   * private data.
   *
   * @return true for TCP and UDP
   */
  public boolean hasHeader() {
    return header;
  }

  /**
   * Bytes of private data an application may send with {@code connect}.
   *
   * @return 56, 180 or 92
   */
  public int requestDataMax() {
    return switch (this) {
      case TCP -> ReqMessage.USER_DATA_LENGTH;
      case UDP -> SidrReqMessage.USER_DATA_LENGTH;
      case IB -> ReqMessage.PRIVATE_DATA_LENGTH;
    };
  }

  long serviceId(int port) {
    return ServiceId.of(number, port);
  }
}
