// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.port.PortSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options that let a soak run between two processes, on one host or two; a picocli mixin. */
final class PeerOptions {
  private static final Pattern BRACKETS = Pattern.compile("\\[([^]]+)](?::(.*))?");
  private static final Pattern NAME = Pattern.compile("([^:]+)(?::([^:]*))?");

  @Option(
      names = "--listen",
      description =
          "Wait for a peer and take part in the runs that it proposes. The exchange beside the"
              + " traffic goes over TCP, on the port of --udp-port.")
  private boolean isListening;

  @Option(
      names = "--peer",
      paramLabel = "HOST[:PORT]",
      description = "Run with the soak that listens there: IPv4, [IPv6] or a name. Port: 4791.")
  private String peer;

  private InetAddress address;
  private int port = PortSettings.DEFAULT_UDP_PORT;

  /** Whether this soak is one of two. */
  boolean isUsed() {
    return isListening || peer != null;
  }

  /** Whether this side waits for the other. */
  boolean isListening() {
    return isListening;
  }

  /** Resolves the peer; a usage error when the options contradict each other. */
  void check() {
    if (isListening && peer != null) {
      throw ToolException.usage(
          "--listen and --peer " + peer + ": one host listens, the other names it; give one");
    }
    if (peer == null) {
      return;
    }
    Matcher matcher = BRACKETS.matcher(peer);
    if (!matcher.matches()) {
      matcher = NAME.matcher(peer);
    }
    // An IPv6 address without brackets has no port.
    boolean isBare = !matcher.matches();
    if (!isBare && matcher.group(2) != null) {
      port = port(matcher.group(2));
    }
    String host = isBare ? peer : matcher.group(1);
    try {
      if (host.isEmpty()) {
        throw new UnknownHostException("empty");
      }
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw ToolException.usage(
          "--peer " + peer + ": no such host; give an IPv4 or IPv6 address or a name", e);
    }
    if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
      throw ToolException.usage("--peer " + peer + ": is not the address of one host");
    }
  }

  private int port(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= 65535) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw badPort(text, e);
    }
    throw badPort(text, null);
  }

  private ToolException badPort(String text, Exception cause) {
    return ToolException.usage(
        "--peer " + peer + ": port '" + text + "' is not a number from 1 to 65535", cause);
  }

  /** Where the peer listens; after {@link #check}. */
  InetAddress address() {
    return address;
  }

  /** TCP port of the peer. */
  int port() {
    return port;
  }
}
