// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.transport.verbs.QueuePairType;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of the tools, with perftest's letters, as a picocli mixin. */
final class PerftestOptions {
  private static final long MAX_SIZE = 1 << 30;
  private static final long MAX_MEMORY = 2L << 30;
  private static final int MAX_DEPTH = 16_384;
  private static final int MAX_QUEUE_PAIRS = 1_024;
  private static final int MAX_COMPLETIONS = 1 << 20;
  private static final int MAX_READS = 128;
  private static final int MAX_INLINE = 4_096;
  private static final int SIZES = 23;
  private static final int PEAK_ITERATIONS = 20_000;
  private static final int TX_DEPTH = 128;
  private static final int RX_DEPTH = 512;
  private static final int COMPLETION_EVERY = 100;
  private static final int UNMODERATED_BYTES = 8_192;
  private static final double NS_PER_SECOND = 1e9;

  @Parameters(arity = "0..1", paramLabel = "HOST", description = "The server; none: be the server.")
  private String host;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "N",
      defaultValue = "18515",
      description = "TCP port of the handshake. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = {"-c", "--connection", "--transport"},
      paramLabel = "RC|UC|UD",
      defaultValue = "RC",
      description = "Queue pair type: RC; UC without READ and atomics; UD for SEND. Default: RC.")
  private String connection;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Message size. Default: 65536, of -lat 2, of atomics always 8.")
  private Long size;

  @Option(
      names = {"-a", "--all"},
      description = "All sizes from 2 to 2^23.")
  private boolean isAllSizes;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      description = "Messages of a size on a queue pair, 5 or more. Default: 1000, write-bw 5000.")
  private Long iterations;

  @Option(
      names = {"-D", "--duration"},
      paramLabel = "SECONDS",
      description = "Run so long instead of counting.")
  private Double durationSeconds;

  @Option(
      names = {"-f", "--margin"},
      paramLabel = "SECONDS",
      description = "Of --duration, not measured at both ends. Default: a quarter, at most 2.")
  private Double marginSeconds;

  @Option(
      names = {"-m", "--mtu"},
      paramLabel = "BYTES",
      description = "Path MTU at most: 256, 512, 1024, 2048, 4096. Default: the port's.")
  private Integer mtu;

  @Option(
      names = {"-t", "--tx-depth"},
      paramLabel = "N",
      description = "Requests outstanding on a queue pair. Default: 128, of -lat 1.")
  private Integer txDepth;

  @Option(
      names = {"-r", "--rx-depth"},
      paramLabel = "N",
      description = "Receives posted on a queue pair; SEND only. Default: 512.")
  private Integer rxDepth;

  @Option(
      names = {"-q", "--qp", "--qps"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Queue pairs; -bw only. Default: 1.")
  private int queuePairs;

  @Option(
      names = {"-Q", "--cq-mod"},
      paramLabel = "N",
      description = "One completion for so many requests; -bw only. Default: 100, above 8K 1.")
  private Integer completionEvery;

  @Option(
      names = {"-b", "--bidirectional"},
      description = "Both sides send; -bw only.")
  private boolean isBidirectional;

  @Option(
      names = {"-e", "--events"},
      description = "Wait for completion events instead of polling; not for WRITE.")
  private boolean isEventDriven;

  @Option(
      names = {"-I", "--inline_size"},
      paramLabel = "BYTES",
      defaultValue = "0",
      description = "Copy messages up to this size when posted; SEND and WRITE. Default: 0.")
  private int inlineBytes;

  @Option(
      names = {"-o", "--outs"},
      paramLabel = "N",
      defaultValue = "16",
      description = "READs or atomics outstanding on a queue pair, 1 to 128. Default: 16.")
  private int outstandingReads;

  @Option(
      names = {"-A", "--atomic_type"},
      paramLabel = "TYPE",
      defaultValue = "FETCH_AND_ADD",
      description = "CMP_AND_SWAP or FETCH_AND_ADD. Default: FETCH_AND_ADD.")
  private String atomicType;

  @Option(
      names = {"-u", "--qp-timeout"},
      paramLabel = "CODE",
      defaultValue = "14",
      description = "ACK timeout 4.096 us x 2^CODE, 1 to 31. Default: 14, which is 67 ms.")
  private int timeoutCode;

  @Option(
      names = {"-L", "--hop_limit"},
      paramLabel = "N",
      defaultValue = "64",
      description = "TTL or hop limit, 1 to 255. Default: 64.")
  private int hopLimit;

  @Option(
      names = "--tclass",
      paramLabel = "N",
      defaultValue = "0",
      description = "TOS or traffic class, 0 to 255. Default: 0.")
  private int trafficClass;

  @Option(
      names = {"-N", "--noPeak"},
      description = "Do not look for the peak; it is not looked for above 20000 messages either.")
  private boolean hasNoPeak;

  @Option(
      names = {"-H", "--report-histogram"},
      description = "Print the distribution of the latencies too.")
  private boolean isHistogramWanted;

  @Option(names = "--report_gbits", description = "Bandwidths in Gbit/s instead of MiB/s.")
  private boolean isGigaBits;

  boolean isGigaBits() {
    return isGigaBits;
  }

  boolean isHistogramWanted() {
    return isHistogramWanted;
  }

  /** Checks everything and fills in the defaults of a tool. */
  PerftestPlan plan(PerftestTool tool) {
    checkUses(tool);
    int type = type(tool);
    List<Long> sizes = sizes(tool, type);
    long count = iterations != null ? iterations : tool.defaultIterations();
    checkRange("--port", port, 1, 65_535);
    checkRange("--iters", count, 5, 1L << 40);
    checkRange("--qp", queuePairs, 1, MAX_QUEUE_PAIRS);
    checkRange("--outs", outstandingReads, 1, MAX_READS);
    checkRange("--qp-timeout", timeoutCode, 1, 31);
    checkRange("--hop_limit", hopLimit, 1, 255);
    checkRange("--tclass", trafficClass, 0, 255);
    checkRange("--inline_size", inlineBytes, 0, MAX_INLINE);
    if (mtu != null && !PathMtu.isValid(mtu)) {
      throw ToolException.usage("--mtu " + mtu + ": allowed are 256, 512, 1024, 2048, 4096");
    }
    boolean isTimed = durationSeconds != null;
    int tx = depth("--tx-depth", txDepth, tool.isLatency() ? 1 : TX_DEPTH, count, isTimed);
    int rx = depth("--rx-depth", rxDepth, RX_DEPTH, count, isTimed);
    if ((long) queuePairs * Math.max(tx, rx) >= MAX_COMPLETIONS) {
      throw ToolException.usage(
          "--qp "
              + queuePairs
              + " with depths "
              + tx
              + " and "
              + rx
              + ": allowed are "
              + MAX_COMPLETIONS
              + " requests over all");
    }
    long largest = sizes.getLast();
    int every = completionEvery != null ? completionEvery : defaultEvery(largest);
    checkRange("--cq-mod", every, 1, MAX_DEPTH);
    PerftestPlan plan =
        new PerftestPlan(
            tool,
            host,
            port,
            type,
            sizes,
            count,
            nanoseconds("--duration", durationSeconds),
            marginNs(),
            mtu == null ? 0 : mtu,
            tx,
            rx,
            queuePairs,
            tool.isLatency() ? 1 : Math.min(every, tx),
            isBidirectional,
            isEventDriven,
            inlineBytes,
            outstandingReads,
            isCompareAndSwap(),
            timeoutCode,
            hopLimit,
            trafficClass,
            !hasNoPeak && count * queuePairs <= PEAK_ITERATIONS);
    if (PerftestMemory.bytes(plan) > MAX_MEMORY) {
      throw ToolException.usage(
          "--size and --qp: "
              + ByteSize.format(PerftestMemory.bytes(plan))
              + " of memory: allowed are "
              + ByteSize.format(MAX_MEMORY));
    }
    return plan;
  }

  private int defaultEvery(long largestBytes) {
    return largestBytes > UNMODERATED_BYTES ? 1 : COMPLETION_EVERY;
  }

  /** An option that a tool has no use for is refused, not ignored. */
  private void checkUses(PerftestTool tool) {
    if (tool.isLatency()) {
      refuse(isBidirectional, "--bidirectional", tool);
      refuse(queuePairs != 1, "--qp", tool);
      refuse(completionEvery != null, "--cq-mod", tool);
      refuse(hasNoPeak, "--noPeak", tool);
      refuse(isGigaBits, "--report_gbits", tool);
    } else {
      refuse(isHistogramWanted, "--report-histogram", tool);
    }
    refuse(isEventDriven && tool.verb() == PerftestTool.Verb.WRITE, "--events", tool);
    refuse(rxDepth != null && !tool.isSend(), "--rx-depth", tool);
    refuse(inlineBytes > 0 && tool.isRead(), "--inline_size", tool);
    boolean isAtomic = tool.verb() == PerftestTool.Verb.ATOMIC;
    refuse(isAtomic && (isAllSizes || (size != null && size != 8)), "--size, --all", tool);
    refuse(isCompareAndSwap() && !isAtomic, "--atomic_type", tool);
    if (isAllSizes && size != null) {
      throw ToolException.usage("--all and --size: give one of them");
    }
    if (isAllSizes && durationSeconds != null) {
      throw ToolException.usage("--all and --duration: give one of them");
    }
    if (iterations != null && durationSeconds != null) {
      throw ToolException.usage("--iters and --duration: give one of them");
    }
    if (marginSeconds != null && durationSeconds == null) {
      throw ToolException.usage("--margin is for --duration: give both");
    }
  }

  private static void refuse(boolean isGiven, String option, PerftestTool tool) {
    if (isGiven) {
      throw ToolException.usage(option + " is not for " + tool.toolName() + ": leave it out");
    }
  }

  private int type(PerftestTool tool) {
    int type =
        switch (connection.toUpperCase(Locale.ROOT)) {
          case "RC" -> QueuePairType.RC;
          case "UC" -> QueuePairType.UC;
          case "UD" -> QueuePairType.UD;
          default -> 0;
        };
    boolean isAllowed =
        type == QueuePairType.RC
            || (type == QueuePairType.UC && !tool.isRead())
            || (type == QueuePairType.UD && tool.isSend());
    if (!isAllowed) {
      throw ToolException.usage(
          "--connection "
              + connection
              + ": allowed for "
              + tool.toolName()
              + (tool.isSend() ? " are RC, UC, UD" : tool.isRead() ? " is RC" : " are RC, UC"));
    }
    return type;
  }

  private List<Long> sizes(PerftestTool tool, int type) {
    if (!isAllSizes) {
      long bytes = size != null ? size : tool.defaultSizeBytes();
      checkRange("--size", bytes, 1, MAX_SIZE);
      return List.of(bytes);
    }
    if (type == QueuePairType.UD) {
      throw ToolException.usage("--all is not for UD: give --size");
    }
    return LongStream.iterate(2, bytes -> 2 * bytes).limit(SIZES).boxed().toList();
  }

  private static int depth(
      String option, Integer given, int usual, long iterations, boolean isTimed) {
    int depth = given != null ? given : usual;
    checkRange(option, depth, 1, MAX_DEPTH);
    return isTimed ? depth : (int) Math.min(depth, iterations);
  }

  private long marginNs() {
    if (durationSeconds == null) {
      return 0;
    }
    double margin = marginSeconds != null ? marginSeconds : Math.min(2, durationSeconds / 4);
    if (margin < 0 || 2 * margin >= durationSeconds) {
      throw ToolException.usage(
          "--margin " + margin + ": allowed is less than half of --duration " + durationSeconds);
    }
    return (long) (margin * NS_PER_SECOND);
  }

  private static long nanoseconds(String option, Double seconds) {
    if (seconds == null) {
      return 0;
    }
    if (!(seconds > 0 && seconds <= 1e6)) {
      throw ToolException.usage(option + " " + seconds + ": allowed is above 0 to 1000000 s");
    }
    return (long) (seconds * NS_PER_SECOND);
  }

  private boolean isCompareAndSwap() {
    return switch (atomicType.toUpperCase(Locale.ROOT)) {
      case "CMP_AND_SWAP" -> true;
      case "FETCH_AND_ADD" -> false;
      default ->
          throw ToolException.usage(
              "--atomic_type " + atomicType + ": allowed are CMP_AND_SWAP, FETCH_AND_ADD");
    };
  }

  private static void checkRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }
}
