// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/**
 * A benchmark beside the yardstick it is measured by.
 *
 * @param group the word that selects it, such as {@code wire}
 * @param what what is compared, for the table
 * @param subject class and method of the benchmark, such as {@code wire.EncodeBenchmark.encode}
 * @param yardstick class and method of the work it is compared with
 * @param parameters JMH parameters of both, such as {@code payloadBytes=4096}, or empty
 * @param limit greatest ratio of their times that is good; {@link Double#POSITIVE_INFINITY}: none
 */
public record Comparison(
    String group, String what, String subject, String yardstick, String parameters, double limit) {

  /** Nothing is promised: the ratio is for information. */
  public static final double NO_LIMIT = Double.POSITIVE_INFINITY;

  /**
   * All comparisons, in the order of the table.
   *
   * @return an immutable list
   */
  public static List<Comparison> all() {
    return Stream.of(codec(), captures(), icrc(), engines(), controllers())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Comparison> codec() {
    String encode = "wire.EncodeBenchmark.";
    String parse = "wire.ParseBenchmark.";
    return List.of(
        new Comparison(
            "wire",
            "encode a 1 KiB WRITE with copy and ICRC / copy + CRC-32 of its payload",
            encode + "encodeWrite",
            encode + "copyAndCrc32",
            "payloadBytes=1024",
            2.0),
        new Comparison(
            "wire",
            "encode a 4 KiB WRITE with copy and ICRC / copy + CRC-32 of its payload",
            encode + "encodeWrite",
            encode + "copyAndCrc32",
            "payloadBytes=4096",
            1.5),
        new Comparison(
            "wire",
            "parse and dispatch a packet / CRC-32 of 64 bytes",
            parse + "parseAndDispatch",
            parse + "crc32Of64Bytes",
            "",
            2.0));
  }

  private static List<Comparison> captures() {
    String capture = "wire.CaptureBenchmark.";
    return List.of(
        new Comparison(
            "wire",
            "read and parse a capture of 1 KiB packets / CRC-32 of the file",
            capture + "readAndParse",
            capture + "crc32OfTheFile",
            "payloadBytes=1024",
            2.0),
        new Comparison(
            "wire",
            "read and parse a capture of 4 KiB packets / CRC-32 of the file",
            capture + "readAndParse",
            capture + "crc32OfTheFile",
            "payloadBytes=4096",
            2.0),
        new Comparison(
            "wire",
            "read, parse and check the ICRCs of a capture of 1 KiB packets / CRC-32 of the file",
            capture + "readParseAndCheck",
            capture + "crc32OfTheFile",
            "payloadBytes=1024",
            2.0),
        new Comparison(
            "wire",
            "read, parse and check the ICRCs of a capture of 4 KiB packets / CRC-32 of the file",
            capture + "readParseAndCheck",
            capture + "crc32OfTheFile",
            "payloadBytes=4096",
            2.0));
  }

  private static List<Comparison> icrc() {
    String icrc = "wire.IcrcBenchmark.";
    return List.of(
        new Comparison(
            "wire",
            "check the ICRC of a 1 KiB packet / CRC-32 of its bytes",
            icrc + "check",
            icrc + "crc32",
            "payloadBytes=1024",
            NO_LIMIT),
        new Comparison(
            "wire",
            "check the ICRC of a 4 KiB packet / CRC-32 of its bytes",
            icrc + "check",
            icrc + "crc32",
            "payloadBytes=4096",
            NO_LIMIT),
        new Comparison(
            "wire",
            "find the identification of a 4 KiB packet / CRC-32 of its bytes",
            icrc + "solveIdentification",
            icrc + "crc32",
            "payloadBytes=4096",
            NO_LIMIT));
  }

  private static List<Comparison> engines() {
    return List.of(
        engine("RDMA WRITE, a packet of 1 KiB", "write", 1024),
        engine("RDMA WRITE, a packet of 4 KiB", "write", 4096),
        engine("RDMA READ, a packet of 1 KiB", "read", 1024),
        engine("RDMA READ, a packet of 4 KiB", "read", 4096),
        new Comparison(
            "engine",
            "a packet of WRITEs of 16 packets, on 10 of 10,000 connections / on the only 10",
            "engine.ConnectionsBenchmark.ofTenThousand",
            "engine.ConnectionsBenchmark.ofTen",
            "",
            2.0),
        new Comparison(
            "engine",
            "a WRITE of one packet, on 10 of 10,000 connections / on the only 10",
            "engine.ConnectionsBenchmark.singleOfTenThousand",
            "engine.ConnectionsBenchmark.singleOfTen",
            "",
            NO_LIMIT));
  }

  private static Comparison engine(String what, String method, int mtuBytes) {
    return new Comparison(
        "engine",
        what + ", both ends and the emulated link / copy + CRC-32 twice",
        "engine.RcBenchmark." + method,
        "engine.RcBenchmark.copyAndCrc32Twice",
        "mtuBytes=" + mtuBytes,
        NO_LIMIT);
  }

  private static List<Comparison> controllers() {
    return List.of(
        controller("dcqcn", "UpdateBenchmark"),
        controller("dcqcn-nic", "UpdateBenchmark"),
        controller("timely", "UpdateBenchmark"),
        controller("timely-patched", "UpdateBenchmark"),
        controller("swift", "UpdateBenchmark"),
        controller("mx-aimd", "PathUpdateBenchmark"),
        controller("mx-fair", "PathUpdateBenchmark"));
  }

  private static Comparison controller(String name, String benchmark) {
    return new Comparison(
        "congestion",
        "an update of " + name + " / CRC-32 of 64 bytes",
        "congestion." + benchmark + ".update",
        "congestion." + benchmark + ".crc32Of64Bytes",
        "controller=" + name,
        4.0);
  }
}
