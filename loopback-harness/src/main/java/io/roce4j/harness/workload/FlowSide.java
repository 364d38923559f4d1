// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.RdmaContext;
import java.lang.foreign.MemorySegment;

/**
 * One endpoint as flows use it: its context, a protection domain, the pattern registered for
 * sending and for remote reads, and the address at which peers reach it.
 */
public final class FlowSide implements AutoCloseable {
  private static final long START_ADDRESS = 0x6000_0000_0000L;

  private final String name;
  private final RdmaContext context;
  private final AddressVector address;
  private final ProtectionDomain domain;
  private final MemoryRegion patternRegion;

  /**
   * Makes the resources that all flows of an endpoint share.
   *
   * @param name for findings and journals
   * @param context of the endpoint
   * @param address where peers send to
   * @param pattern the messages; must outlive this
   */
  public FlowSide(String name, RdmaContext context, AddressVector address, MessagePattern pattern) {
    this.name = name;
    this.context = context;
    this.address = address;
    this.domain = context.allocateProtectionDomain();
    MemorySegment table = pattern.table();
    // Addresses on the wire must not depend on where this process found memory.
    this.patternRegion =
        domain.register(
            table.address(),
            table.byteSize(),
            AccessFlags.REMOTE_READ,
            START_ADDRESS,
            MemoryTable.NO_KEY_WISH);
  }

  /**
   * The endpoint's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * The endpoint's context.
   *
   * @return as given
   */
  public RdmaContext context() {
    return context;
  }

  /**
   * Where peers send to.
   *
   * @return as given
   */
  public AddressVector address() {
    return address;
  }

  /**
   * The domain of all queue pairs and regions of this side.
   *
   * @return open until this closes
   */
  public ProtectionDomain domain() {
    return domain;
  }

  /**
   * The pattern as this endpoint registered it.
   *
   * @return source of sends, and of the peer's reads
   */
  public MemoryRegion patternRegion() {
    return patternRegion;
  }

  @Override
  public void close() {
    patternRegion.close();
    domain.close();
  }
}
