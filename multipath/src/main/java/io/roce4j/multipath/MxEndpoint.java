// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.FairShareAllocator;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.wire.mx.BacklogCode;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxth;

/**
 * What all MX connections of an endpoint share: one fair-share allocator for each plane of its
 * receiving port. Agent thread.
 */
final class MxEndpoint {
  private static final int PATHS_LEAST = 16;

  private final EngineContext context;
  private FairShareAllocator[] planes = new FairShareAllocator[0];
  private int mtu;

  MxEndpoint(EngineContext context) {
    this.context = context;
  }

  /** The endpoint's MX state, made when the first connection asks for it. Control path. */
  static MxEndpoint of(EngineContext context) {
    return context.shared(MxEndpoint.class, MxEndpoint::new);
  }

  /**
   * Admits a sender to the allocators of the planes. Control path.
   *
   * @param parameters of its connection
   * @return its share, or null when hints were not agreed on or no number is free: then it gets
   *     none
   */
  InboundShare admit(MxParameters parameters) {
    if (!parameters.hasHints()) {
      return null;
    }
    if (planes.length < parameters.planes()) {
      grow(parameters);
    }
    int[] senders = new int[parameters.planes()];
    for (int plane = 0; plane < senders.length; plane++) {
      senders[plane] = planes[plane].admit(1, 0);
      if (senders[plane] == FairShareAllocator.FULL) {
        for (int i = 0; i < plane; i++) {
          planes[i].release(senders[i]);
        }
        return null;
      }
    }
    return new Share(senders, parameters.weightMax());
  }

  private void grow(MxParameters parameters) {
    FairShareAllocator[] more = new FairShareAllocator[parameters.planes()];
    System.arraycopy(planes, 0, more, 0, planes.length);
    mtu = Math.max(mtu, parameters.mtu());
    CongestionSettings settings =
        CongestionSettings.of(
            context.settings().linkBitsPerSecond(), mtu, context.settings().baseRttNs());
    int paths = Math.max(PATHS_LEAST, parameters.paths());
    for (int plane = planes.length; plane < more.length; plane++) {
      more[plane] = new FairShareAllocator(settings, parameters.sendersMax(), paths, 1);
    }
    planes = more;
  }

  /** One sender's place in the allocators. */
  private final class Share implements InboundShare {
    private final int[] senders;
    private final int weightMax;
    private int weight = 1;

    Share(int[] senders, int weightMax) {
      this.senders = senders;
      this.weightMax = weightMax;
    }

    @Override
    public void onData(MxPacketView view, ReceivePath path, int stamp, long nowNs) {
      FairShareAllocator allocator = planes[path.plane];
      int sender = senders[path.plane];
      allocator.onTimer(nowNs);
      int head = view.headOffset();
      int claimed = Math.min(weightMax, Mxth.weight(view.buffer(), head));
      if (claimed != weight) {
        weight = claimed;
        for (int plane = 0; plane < senders.length; plane++) {
          planes[plane].weight(senders[plane], claimed);
        }
      }
      int epoch = Mxth.epoch(view.buffer(), head);
      if (epoch != path.shareEpoch) {
        path.shareEpoch = epoch;
        allocator.onPathMoved(sender, pathOf(allocator, path));
      }
      boolean backlog = Mxth.backlogCode(view.buffer(), head) != BacklogCode.NONE;
      boolean end = (Mxth.tflags(view.buffer(), head) & Mxth.END_OF_BACKLOG) != 0;
      long bytes = (long) view.headerLength() + view.payloadLength();
      long delayNs = MxClock.elapsedNs(stamp, MxClock.stamp(nowNs));
      allocator.onData(nowNs, sender, pathOf(allocator, path), bytes, delayNs, backlog, end);
    }

    /** A connection with more paths than the first one shares delay bases between some. */
    private static int pathOf(FairShareAllocator allocator, ReceivePath path) {
      return path.id % allocator.maxPaths();
    }

    @Override
    public int hint(int plane, long nowNs) {
      planes[plane].onTimer(nowNs);
      return FairShareHint.encode(planes[plane].hintBitsPerSecond(senders[plane]));
    }

    @Override
    public int generation(int plane) {
      return planes[plane].generation(senders[plane]);
    }

    @Override
    public void release() {
      for (int plane = 0; plane < senders.length; plane++) {
        planes[plane].release(senders[plane]);
      }
    }
  }
}
