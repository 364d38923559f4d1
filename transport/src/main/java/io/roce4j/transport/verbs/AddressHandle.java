// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * The address of a datagram's destination, made once and named in every send. Immutable; closed by
 * its owner when no send names it any more.
 */
public final class AddressHandle implements ContextObject {
  private final ProtectionDomain pd;
  private final int number;
  private final AddressVector address;
  private volatile boolean open = true;

  AddressHandle(ProtectionDomain pd, int number, AddressVector address) {
    this.pd = pd;
    this.number = number;
    this.address = address;
  }

  /**
   * The address.
   *
   * @return as given at creation
   */
  public AddressVector address() {
    return address;
  }

  /**
   * The protection domain.
   *
   * @return the domain it was made in
   */
  public ProtectionDomain protectionDomain() {
    return pd;
  }

  /**
   * The number by which the send queue names it; {@link RdmaContext#addressHandle} finds it again.
   *
   * @return 0 or more
   */
  public int number() {
    return number;
  }

  boolean isOpen() {
    return open;
  }

  /** Destroys the handle; a send still queued with it completes with LOC_QP_OP_ERR. */
  @Override
  public void close() {
    pd.context()
        .control()
        .run(
            () -> {
              if (open) {
                open = false;
                pd.removeAddressHandle(this);
              }
            });
  }
}
