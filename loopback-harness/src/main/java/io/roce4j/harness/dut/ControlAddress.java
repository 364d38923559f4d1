// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where clients come: {@code ADDR:PORT}, an IPv6 address in brackets; the loopback address when
 * nothing stands in front of the colon, since whoever comes may do everything.
 *
 * @param address to listen on
 * @param port TCP port, 0 for any
 */
record ControlAddress(InetAddress address, int port) {
  private static final Pattern FORM =
      Pattern.compile("(?:(\\[[0-9a-fA-F:.%a-z]+]|[0-9.]+)?:)?([0-9]{1,5})");
  private static final int PORT_MAX = 0xFFFF;

  /**
   * Reads one.
   *
   * @param text such as {@code 127.0.0.1:9000}, {@code [::1]:9000}, {@code :9000} or {@code 9000}
   * @return the address
   * @throws IllegalArgumentException naming the value and the forms allowed
   */
  static ControlAddress parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > PORT_MAX) {
      throw new IllegalArgumentException(
          "'" + text + "' is no address to listen on: write 127.0.0.1:9000, [::1]:9000 or :9000");
    }
    String address = matcher.group(1);
    InetAddress listened =
        address == null
            ? InetAddress.ofLiteral("127.0.0.1")
            : InetAddress.ofLiteral(address.replaceAll("[\\[\\]]", ""));
    return new ControlAddress(listened, Integer.parseInt(matcher.group(2)));
  }

  /** The picocli converter of {@link #parse}. */
  static final class Converter implements ITypeConverter<ControlAddress> {
    @Override
    public ControlAddress convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
