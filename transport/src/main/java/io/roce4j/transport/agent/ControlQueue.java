// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.agent;

import io.roce4j.transport.verbs.ControlTurns;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Makes control verbs and the agent's duty cycle take turns, whichever threads they run on.
 *
 * <p>The agent brackets each duty cycle with {@link #enter} and {@link #exit}. A control verb runs
 * at once when it is called from inside a cycle, or when no cycle is running; otherwise it is
 * queued, and the agent runs it at the start of its next cycle. Either way it sees and changes
 * engine state as if it were on the agent thread. Only control verbs ever wait or allocate here;
 * the agent pays two atomic operations a cycle.
 */
public final class ControlQueue implements ControlTurns {
  private static final int SPINS = 200;
  private static final long PARK_NS = 20_000;

  private final AtomicReference<Thread> owner = new AtomicReference<>();
  private final AtomicInteger pending = new AtomicInteger();
  private final ManyToOneConcurrentLinkedQueue<Command<?>> commands =
      new ManyToOneConcurrentLinkedQueue<>();

  /** An empty queue. */
  public ControlQueue() {}

  /**
   * Begins a duty cycle and runs the queued control verbs.
   *
   * @return false when a control verb is running just now: the cycle is skipped
   */
  public boolean enter() {
    if (!owner.compareAndSet(null, Thread.currentThread())) {
      return false;
    }
    drain();
    return true;
  }

  /** Ends a duty cycle begun by a successful {@link #enter}. */
  public void exit() {
    owner.setRelease(null);
  }

  /**
   * Whether control verbs wait for a cycle.
   *
   * @return true when {@link #enter} would run one
   */
  public boolean hasPending() {
    return pending.get() != 0;
  }

  @Override
  public <T> T call(Supplier<T> action) {
    Thread self = Thread.currentThread();
    if (owner.getAcquire() == self) {
      return action.get();
    }
    if (owner.compareAndSet(null, self)) {
      try {
        drain();
        return action.get();
      } finally {
        exit();
      }
    }
    Command<T> command = new Command<>(action, self);
    pending.incrementAndGet();
    commands.add(command);
    await(command);
    return command.result();
  }

  private void await(Command<?> command) {
    int spins = 0;
    while (!command.done) {
      // The agent may have stopped for good: then this thread serves the queue itself.
      if (owner.compareAndSet(null, Thread.currentThread())) {
        try {
          drain();
        } finally {
          exit();
        }
      } else if (spins < SPINS) {
        spins++;
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, PARK_NS);
      }
    }
  }

  private void drain() {
    if (pending.get() == 0) {
      return;
    }
    Command<?> command = commands.poll();
    while (command != null) {
      pending.decrementAndGet();
      command.execute();
      command = commands.poll();
    }
  }

  private static final class Command<T> {
    private final Supplier<T> action;
    private final Thread caller;
    private T value;
    private RuntimeException failure;
    private Error error;
    private volatile boolean done;

    Command(Supplier<T> action, Thread caller) {
      this.action = action;
      this.caller = caller;
    }

    void execute() {
      try {
        value = action.get();
      } catch (RuntimeException e) {
        failure = e;
      } catch (Error e) {
        error = e;
      }
      done = true;
      LockSupport.unpark(caller);
    }

    T result() {
      if (error != null) {
        throw error;
      }
      if (failure != null) {
        throw failure;
      }
      return value;
    }
  }
}
