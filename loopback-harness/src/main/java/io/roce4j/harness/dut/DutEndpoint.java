// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.harness.control.ControlPort;
import io.roce4j.harness.control.ManualClock;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.SharedReceiveQueue;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.packet.WireFault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/**
 * What is open between {@code open} and {@code close}: an agent, its port and clock, and the
 * objects made on it. One thread.
 */
final class DutEndpoint implements AutoCloseable {
  /** What an endpoint at rest may need at most: more is a fault of ours, not work. */
  private static final int CYCLES_AT_ONE_INSTANT = 1_000_000;

  /** Where regions begin for whoever names them: not where they lie, so that runs repeat. */
  private static final long FIRST_ADDRESS = 0x1000_0000L;

  private static final long PAGE = 4_096;

  /** Work done for a live endpoint before the next request is looked for. */
  private static final int CYCLES_OF_A_TURN = 64;

  final HandleTable<ProtectionDomain> pds = new HandleTable<>("pd");
  final HandleTable<Registration> mrs = new HandleTable<>("mr");
  final HandleTable<MemoryWindow> mws = new HandleTable<>("mw");
  final HandleTable<CompletionQueue> cqs = new HandleTable<>("cq");
  final HandleTable<SharedReceiveQueue> srqs = new HandleTable<>("srq");
  final HandleTable<QueuePair> qps = new HandleTable<>("qp");
  final HandleTable<AddressHandle> ahs = new HandleTable<>("ah");

  private final EndpointAgent agent;
  private final DutCm cm;
  private final DropWatch drops;
  private final ControlPort control;
  private final ManualClock clock;
  private final List<AsyncEvent> events = new ArrayList<>();
  private final Queue<Integer> awaited = new ArrayDeque<>();
  private String[] results = {};
  private long nextAddress = FIRST_ADDRESS;

  /**
   * An endpoint without objects.
   *
   * @param agent open, the endpoint's from now on
   * @param drops the event sink it was opened with
   * @param control its port when that is the control port, else null
   * @param clock its clock when that is moved by hand, else null
   * @param seed of the connection manager's numbers
   */
  DutEndpoint(
      EndpointAgent agent, DropWatch drops, ControlPort control, ManualClock clock, long seed) {
    this.agent = agent;
    this.cm = new DutCm(agent.context(), agent.port().localUdpPort(), seed);
    this.drops = drops;
    this.control = control;
    this.clock = clock;
    if (control != null) {
      control.onHandled(this::onHandled);
    }
  }

  EndpointAgent agent() {
    return agent;
  }

  /** The connection manager: queue pair 1 is there as soon as the endpoint is. */
  DutCm cm() {
    return cm;
  }

  RdmaContext context() {
    return agent.context();
  }

  /** The control port, for requests that need it. */
  ControlPort control() {
    if (control == null) {
      throw new DutException(
          "EOPNOTSUPP",
          "port "
              + agent.port().capabilities().name()
              + " carries real packets: frames travel by hand on port control only");
    }
    return control;
  }

  /**
   * How this side of an MX connection behaves. By hand no acknowledgement waits for a timer, so
   * that what an inject causes is there when it returns; unless the queue pair asks for less.
   */
  MxSettings mxSettings(QueuePair queuePair) {
    MxSettings usual = MxSettings.defaults();
    int asked = Math.min(queuePair.ackEveryPackets(), NegotiationBlock.ACK_EVERY_MAX);
    if (asked > 0) {
      return usual.withAckEvery(asked);
    }
    return control == null ? usual : usual.withAckEvery(1);
  }

  /** Whether time passes by itself, so that the endpoint must be run between requests. */
  boolean isLive() {
    return clock == null;
  }

  /** An address for a region, a page away from all others that were taken here. */
  long takeAddress(long length) {
    long address = nextAddress;
    nextAddress += (length + PAGE - 1) / PAGE * PAGE + PAGE;
    return address;
  }

  // ---- time ------------------------------------------------------------------------------------

  /** Lets everything happen that can happen now. */
  void settle() {
    if (isLive()) {
      turn();
      return;
    }
    int cycles = 0;
    while (agent.doWork() > 0) {
      if (++cycles > CYCLES_AT_ONE_INSTANT) {
        throw new IllegalStateException("the endpoint does not come to rest");
      }
    }
  }

  /** Runs a live endpoint for a while; 0 when it found nothing to do. */
  int turn() {
    int work = 0;
    int cycles = 0;
    int done = agent.doWork();
    while (done > 0 && cycles < CYCLES_OF_A_TURN) {
      work += done;
      cycles++;
      done = agent.doWork();
    }
    return work;
  }

  long nowNs() {
    return isLive() ? System.nanoTime() : clock.nanoTime();
  }

  /** When something will happen by itself, Long.MAX_VALUE for never; later than now. */
  long nextDeadlineNs() {
    long deadlineNs = agent.nextDeadlineNs();
    // An endpoint at rest has done what was due; what is due all the same is due next.
    return deadlineNs == Long.MAX_VALUE ? deadlineNs : Math.max(deadlineNs, nowNs() + 1);
  }

  /** Moves the clock, firing each deadline in between at its own time. */
  void advance(long ns) {
    long now = manual().nanoTime();
    if (ns > Long.MAX_VALUE - 1 - now) {
      throw DutException.invalid("ns " + ns + ": the clock at " + now + " would pass 2^63 - 2");
    }
    long endNs = now + ns;
    while (nextDeadlineNs() <= endNs) {
      advanceToNextDeadline();
    }
    manual().moveTo(endNs);
    settle();
  }

  /** Moves the clock to the next deadline and fires it; does nothing when there is none. */
  void advanceToNextDeadline() {
    ManualClock moved = manual();
    long deadlineNs = nextDeadlineNs();
    if (deadlineNs != Long.MAX_VALUE) {
      moved.moveTo(deadlineNs);
      settle();
    }
  }

  private ManualClock manual() {
    if (clock == null) {
      throw DutException.invalid("clock system: only clock manual is moved with advance");
    }
    return clock;
  }

  // ---- frames ----------------------------------------------------------------------------------

  /**
   * Hands frames in, in order, and lets the endpoint come to rest.
   *
   * @param frames whole IP packets
   * @return for each the name of the counter that says why it was dropped, or null when it reached
   *     a queue pair
   */
  String[] inject(List<byte[]> frames) {
    ControlPort port = control();
    results = new String[frames.size()];
    for (int i = 0; i < frames.size(); i++) {
      int fault = port.offer(frames.get(i));
      if (fault == WireFault.OK) {
        awaited.add(i);
      } else {
        CounterId reason =
            fault == WireFault.NOT_ROCE ? CounterId.DROP_ADDRESS : CounterId.DROP_LENGTH;
        agent.counters().increment(reason);
        results[i] = reason.label();
      }
    }
    drops.take();
    while (!awaited.isEmpty()) {
      settle();
    }
    return Arrays.copyOf(results, results.length);
  }

  private void onHandled() {
    CounterId reason = drops.take();
    results[awaited.remove()] = reason == null ? null : reason.label();
  }

  // ---- events ----------------------------------------------------------------------------------

  /** Takes the asynchronous events so far. */
  List<AsyncEvent> takeEvents() {
    collectEvents();
    List<AsyncEvent> taken = new ArrayList<>(events);
    events.clear();
    return taken;
  }

  /** An object is destroyed: its events that nobody took go with it, as in libibverbs. */
  void forgetEvents(int element, int number) {
    collectEvents();
    events.removeIf(e -> e.element() == element && e.number() == number);
  }

  private void collectEvents() {
    AsyncEvent event = new AsyncEvent();
    while (context().pollAsyncEvent(event)) {
      events.add(event);
      event = new AsyncEvent();
    }
  }

  /** Releases everything. */
  @Override
  public void close() {
    agent.close();
    mrs.all().forEach(r -> r.memory().close());
  }
}
