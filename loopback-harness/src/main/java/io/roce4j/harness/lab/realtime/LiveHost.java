// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.ip.Gid;
import org.agrona.concurrent.NanoClock;

/**
 * A host of a scenario in real time: an endpoint on a socket of the loopback interface. Host i has
 * the address 127.46.0.0 + i + 1.
 */
final class LiveHost implements AutoCloseable {
  /** Most hosts of a run: what their addresses and file descriptors allow. */
  static final int MOST = 32;

  private static final int NET = 127 << 24 | 46 << 16;
  private static final int BUFFER_BYTES = 4 << 20;

  private final int number;
  private final EndpointAgent agent;

  private LiveHost(int number, EndpointAgent agent) {
    this.number = number;
    this.agent = agent;
  }

  static LiveHost open(
      int number,
      RealTimeSettings settings,
      int sourcePorts,
      ContextSettings context,
      EndpointSettings engine,
      NanoClock clock) {
    DatagramPort port = port(number, settings.io(), settings.udpPort(), sourcePorts);
    try {
      return new LiveHost(number, EndpointAgent.open(context, engine, port, clock));
    } catch (RuntimeException e) {
      port.close(); // The agent would have owned it.
      throw e;
    }
  }

  /** Opens a socket port on the address of a host. */
  static DatagramPort port(int number, String io, int udpPort, int sourcePorts) {
    int address = addressOf(number);
    String text = "127.46." + (address >> 8 & 0xFF) + "." + (address & 0xFF);
    PortSettings settings =
        PortSettings.of(text)
            .withUdpPort(udpPort)
            .withSourcePorts(0, sourcePorts)
            .withBuffers(BUFFER_BYTES, BUFFER_BYTES);
    try {
      return Ports.open(io, settings).port();
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--io " + io + ": " + e.getMessage(), e);
    }
  }

  static int addressOf(int number) {
    return NET + number + 1;
  }

  /** The GID of a host. */
  static Gid gidOf(int number) {
    return new Gid(0, 0xFFFF_0000_0000L | (addressOf(number) & 0xFFFF_FFFFL));
  }

  int number() {
    return number;
  }

  EndpointAgent agent() {
    return agent;
  }

  /** Where others reach this host: through the emulator. */
  AddressVector addressBehind(int emulatorPort) {
    Gid gid = gidOf(number);
    return AddressVector.of(gid.high(), gid.low()).withUdpPort(emulatorPort);
  }

  @Override
  public void close() {
    agent.close();
  }
}
