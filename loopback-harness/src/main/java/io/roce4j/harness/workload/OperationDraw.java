// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.SplittableRandom;

/**
 * The sequence of operations of one direction: kind, length and contents of each, drawn from the
 * seed. Two of the same streams and settings draw the same, so that the two ends of a direction
 * need not tell each other what they send. One thread.
 */
final class OperationDraw {
  // Wireshark takes plain SENDs for RPC-over-RDMA, whatever they hold, and calls those malformed
  // whose last packet is shorter than its header.
  private static final int SHORT_PACKET_BYTES = 16;
  private static final int LEAST_MTU = 256;

  private final FlowSettings settings;
  private final SplittableRandom kinds;
  private final SplittableRandom sizes;
  private final SplittableRandom windows;
  private int kind;
  private int length;
  private int window;

  OperationDraw(FlowSettings settings, SeededStreams streams) {
    this.settings = settings;
    this.kinds = streams.stream("kind");
    this.sizes = streams.stream("size");
    this.windows = streams.stream("window");
  }

  /**
   * Whether a SEND carries immediate data: all short ones, so that messages of a byte or two are
   * told apart, and those whose last packet is short at some MTU.
   */
  static boolean sendsImmediate(int length) {
    return length % LEAST_MTU < SHORT_PACKET_BYTES;
  }

  /** Draws the next operation; the accessors are of it. */
  void next() {
    kind = drawKind();
    length = settings.sizes().draw(sizes);
    window = windows.nextInt(MessagePattern.WINDOWS);
  }

  private int drawKind() {
    int sum = settings.sendShare() + settings.writeShare() + settings.readShare();
    int number = kinds.nextInt(sum);
    if (number < settings.sendShare()) {
      return WorkRequestOpcode.SEND;
    }
    return number < settings.sendShare() + settings.writeShare()
        ? WorkRequestOpcode.RDMA_WRITE
        : WorkRequestOpcode.RDMA_READ;
  }

  /** SEND, RDMA_WRITE or RDMA_READ of {@link WorkRequestOpcode}. */
  int kind() {
    return kind;
  }

  /** Bytes of the message. */
  int length() {
    return length;
  }

  /** Where its bytes start in the pattern. */
  int window() {
    return window;
  }
}
