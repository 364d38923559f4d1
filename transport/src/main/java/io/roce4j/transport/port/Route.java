// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * What a port keeps of a destination: subclasses add the address in the form the port needs, this
 * class the state of a destination that cannot be reached just now. Agent's thread.
 */
public abstract class Route {
  private boolean unreachable;
  private long unreachableSinceNs;
  private long retryAtNs;

  /** Makes a route to a destination that is taken to be reachable. */
  protected Route() {}

  /**
   * Whether nothing more is taken for this destination.
   *
   * @return true from a refusal until something was sent again
   */
  final boolean isHeld() {
    return unreachable;
  }

  /**
   * Whether its trains are to be passed over in this flush.
   *
   * @param nowNs the endpoint's clock
   * @return true while the next try is not yet due
   */
  final boolean isWaiting(long nowNs) {
    return unreachable && nowNs - retryAtNs < 0;
  }

  /** When the next try is due; meaningful while held. */
  final long retryAtNs() {
    return retryAtNs;
  }

  /**
   * Notes a refusal.
   *
   * @param nowNs the endpoint's clock
   * @return true when the destination has been unreachable for so long that its trains are to be
   *     given up; it counts as reachable then, so that the next train tries anew
   */
  final boolean hold(long nowNs) {
    if (!unreachable) {
      unreachable = true;
      unreachableSinceNs = nowNs;
    }
    retryAtNs = nowNs + TrainPort.HOLD_NS;
    if (nowNs - unreachableSinceNs >= TrainPort.GIVE_UP_NS) {
      unreachable = false;
      return true;
    }
    return false;
  }

  /** Notes that something was sent. */
  final void reached() {
    unreachable = false;
  }
}
