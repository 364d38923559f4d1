// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathSelectorsTest {
  private static final int PACKET = 4_200;

  /** Paths of equal round trip time; what is set per path is whether it is active and full. */
  private static final class Paths implements PathView {
    private final SplittableRandom random = new SplittableRandom(5);
    private final boolean[] full;
    private final boolean[] active;

    Paths(int count) {
      full = new boolean[count];
      active = new boolean[count];
      java.util.Arrays.fill(active, true);
    }

    @Override
    public int activeCount() {
      int count = 0;
      for (boolean each : active) {
        count += each ? 1 : 0;
      }
      return count;
    }

    @Override
    public int activePath(int index) {
      int left = index;
      for (int path = 0; path < active.length; path++) {
        if (active[path] && left-- == 0) {
          return path;
        }
      }
      throw new IndexOutOfBoundsException(index);
    }

    @Override
    public boolean isActive(int path) {
      return active[path];
    }

    @Override
    public boolean hasRoom(int path, int bytes) {
      return !full[path];
    }

    @Override
    public long inflightBytes(int path) {
      return 0;
    }

    @Override
    public long windowBytes(int path) {
      return 1 << 20;
    }

    @Override
    public long smoothedRttNs(int path) {
      return 20_000;
    }

    @Override
    public long minimumRttNs(int path) {
      return 20_000;
    }

    @Override
    public double markFraction(int path) {
      return 0;
    }

    @Override
    public double lossFraction(int path) {
      return 0;
    }

    @Override
    public int random(int bound) {
      return random.nextInt(bound);
    }
  }

  private static int select(PathSelector selector, Paths paths, long nowNs) {
    return selector.select(paths, nowNs, PACKET, PACKET, PathSelector.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "least-of-two",
        "round-robin",
        "weighted",
        "ecn-delay",
        "burst",
        "flowlet",
        "fastest-rtx",
        "single"
      })
  void onlyActivePathsWithRoomAreChosen(String name) {
    PathSelector selector = PathSelectors.create(name, 8);
    Paths paths = new Paths(8);
    paths.active[0] = false;
    paths.full[1] = true;
    for (int i = 0; i < 200; i++) {
      int path = select(selector, paths, i * 1_000L);
      boolean nothing = path == PathSelector.NONE && name.equals("single");
      assertTrue(nothing || (paths.active[path] && !paths.full[path]), name + " chose " + path);
    }
    java.util.Arrays.fill(paths.full, true);
    assertEquals(PathSelector.NONE, select(selector, paths, 1_000_000));
    assertFalse(PathSelectors.description(name).isEmpty());
  }

  @Test
  void aPathIsKeptForAsManyPacketsAsOneAcknowledgementDescribesAndThenAnotherIsDrawn() {
    PathSelector selector = PathSelectors.create("burst", 8);
    Paths paths = new Paths(8);
    Set<Integer> used = new HashSet<>();
    for (int stay = 1; stay <= 100; stay++) {
      int first = select(selector, paths, 1_000L * stay);
      used.add(first);
      for (int packet = 1; packet < 256; packet++) {
        assertEquals(first, select(selector, paths, 1_000L * stay + packet), "at any time");
      }
      assertEquals(first, select(selector, paths, 1_000L * stay + 255), "to the end of the burst");
    }
    assertEquals(8, used.size(), "stays spread over all paths");
  }

  @Test
  void aKeptPathIsLeftWhenItIsFull() {
    PathSelector selector = PathSelectors.create("burst", 8);
    Paths paths = new Paths(8);
    for (int stay = 1; stay <= 100; stay++) {
      int first = select(selector, paths, stay);
      paths.full[first] = true;
      int other = select(selector, paths, stay);
      assertTrue(other != first, "a full path is left");
      assertEquals(other, select(selector, paths, stay));
      paths.full[first] = false;
    }
  }

  @Test
  void anUnknownNameIsRefusedWithTheNamesThereAre() {
    String message =
        assertThrows(IllegalArgumentException.class, () -> PathSelectors.create("bogus", 1))
            .getMessage();
    assertTrue(message.contains("bogus") && message.contains("least-of-two"), message);
  }

  /**
   * [mx B.7] A retransmission takes the path that lost it when it lost nothing else there, and
   * never twice in a row.
   */
  @Test
  void aRetransmissionTakesTheSamePathOnceAndOnlyAfterALoneLoss() {
    PathSelector selector = PathSelectors.create("least-of-two", 8);
    Paths paths = new Paths(8);
    int others = 0;
    for (int i = 0; i < 200; i++) {
      assertEquals(
          3, selector.selectForRetransmission(paths, i, PACKET, PACKET, 3, true, false), "lone");
      int again = selector.selectForRetransmission(paths, i, PACKET, PACKET, 3, true, true);
      assertTrue(again != 3 && again >= 0, "twice in a row");
      others +=
          selector.selectForRetransmission(paths, i, PACKET, PACKET, 3, false, false) == 3 ? 0 : 1;
    }
    assertTrue(others > 100, "with other losses any path is as good: " + others);
  }
}
