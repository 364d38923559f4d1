// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.DoorbellRing;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The root object of one endpoint's verbs: makes protection domains and completion queues, answers
 * queries, hands out asynchronous events. The endpoint's agent opens it.
 */
public final class RdmaContext implements AutoCloseable {
  private final ControlPlane plane;
  private final ControlTurns control;
  private final DeviceAttributes device;
  private final int[] pkeys;
  private final int maxCompletionQueues;
  private final MemoryTable memoryTable;
  private final DoorbellRing doorbells;
  private final RingBudget rings;
  private final AsyncEvents asyncEvents;
  private final Set<ContextObject> objects = new LinkedHashSet<>();
  private AddressHandle[] addressHandles = new AddressHandle[16];
  private final MulticastMemberships multicastGroups;
  // Apart from the other objects and without nodes: there may be thousands.
  private QueuePair[] queuePairs = new QueuePair[16];
  private int queuePairCount;
  private int addressHandleCount;
  // No free number lies below this one.
  private int addressHandleHint;
  private int protectionDomains;
  private int protectionDomainNumber;
  private int completionQueues;
  private int completionQueueNumber;
  private int sharedQueues;
  private int sharedQueueNumber;
  private volatile boolean open = true;

  // Queues whose moderated event waits for its age. Agent's own.
  private CompletionQueue[] waiting = new CompletionQueue[8];
  private int waitingCount;

  /**
   * A context over an endpoint.
   *
   * @param settings read now
   * @param plane the endpoint
   * @param control turns of control verbs and duty cycle
   */
  public RdmaContext(ContextSettings settings, ControlPlane plane, ControlTurns control) {
    this.control = control;
    this.plane = plane;
    this.device = settings.deviceAttributes();
    this.pkeys = settings.pkeys();
    this.maxCompletionQueues = settings.maxCompletionQueues();
    this.memoryTable = new MemoryTable(settings.maxMemoryRegions(), settings.seed());
    this.doorbells = new DoorbellRing(settings.doorbells());
    this.rings = new RingBudget(settings.maxRingBytes());
    this.asyncEvents = new AsyncEvents(settings.asyncEventCapacity());
    this.multicastGroups = new MulticastMemberships(plane, settings.maxMulticastGroups());
  }

  /**
   * Allocates a protection domain.
   *
   * @return the domain
   * @throws VerbsException ENOMEM when there are too many
   */
  public ProtectionDomain allocateProtectionDomain() {
    return control.call(
        () -> {
          checkRoom("protection domains", protectionDomains, device.maxPd());
          protectionDomains++;
          ProtectionDomain pd = new ProtectionDomain(this, ++protectionDomainNumber);
          track(pd);
          return pd;
        });
  }

  /**
   * Creates a completion queue without events.
   *
   * @param entries 1..device limit
   * @return the queue
   * @throws VerbsException EINVAL for a size out of range, ENOMEM when there are too many
   */
  public CompletionQueue createCompletionQueue(int entries) {
    return createCompletionQueue(entries, null);
  }

  /**
   * Creates a completion queue whose events a channel collects.
   *
   * @param entries 1..device limit
   * @param channel of this context, or null
   * @return the queue
   * @throws VerbsException EINVAL for a size out of range, ENOMEM when there are too many
   */
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
    ProtectionDomain.checkLimit("cqe", entries, 1, device.maxCqe());
    return control.call(
        () -> {
          checkRoom("completion queues", completionQueues, maxCompletionQueues);
          if (channel != null) {
            channel.checkUsableBy(this);
          }
          rings.take("completion queue", CompletionQueue.ringBytes(entries));
          completionQueues++;
          CompletionQueue queue =
              new CompletionQueue(this, ++completionQueueNumber, entries, channel);
          track(queue);
          return queue;
        });
  }

  /**
   * Creates a channel that collects completion events.
   *
   * @return the channel
   */
  public CompletionChannel createCompletionChannel() {
    return control.call(
        () -> {
          checkOpen();
          CompletionChannel channel = new CompletionChannel(this);
          track(channel);
          return channel;
        });
  }

  /**
   * Takes the oldest asynchronous event. One thread polls.
   *
   * @param out overwritten when there is one
   * @return whether there was one
   */
  public boolean pollAsyncEvent(AsyncEvent out) {
    return open && asyncEvents.poll(out);
  }

  /**
   * Limits of the endpoint.
   *
   * @return constant for the life of the context
   */
  public DeviceAttributes deviceAttributes() {
    return device;
  }

  /**
   * The port as it is now.
   *
   * @return its attributes
   */
  public PortAttributes queryPort() {
    return plane.port();
  }

  /**
   * A partition key.
   *
   * @param index 0..pkeyTableLength - 1
   * @return 16 bits
   */
  public int pkey(int index) {
    return pkeys[index];
  }

  // ---- Agent ----

  /**
   * The queue pair of a number; looks through them all. Control turn.
   *
   * @param qpNum its number
   * @return the queue pair, or null
   */
  public QueuePair queuePair(int qpNum) {
    for (int i = 0; i < queuePairCount; i++) {
      if (queuePairs[i].qpNum() == qpNum) {
        return queuePairs[i];
      }
    }
    return null;
  }

  /**
   * Runs control verbs.
   *
   * @return as given
   */
  public ControlTurns control() {
    return control;
  }

  /**
   * The keys. Agent thread.
   *
   * @return the table
   */
  public MemoryTable memoryTable() {
    return memoryTable;
  }

  /**
   * Where posts announce themselves.
   *
   * @return the ring
   */
  public DoorbellRing doorbells() {
    return doorbells;
  }

  /**
   * Where the engine raises events. Agent thread.
   *
   * @return the ring
   */
  public AsyncEvents asyncEvents() {
    return asyncEvents;
  }

  /**
   * The address handle of a send. Agent thread.
   *
   * @param number from {@link AddressHandle#number}
   * @return null when it was destroyed
   */
  public AddressHandle addressHandle(int number) {
    return number >= 0 && number < addressHandles.length ? addressHandles[number] : null;
  }

  /**
   * Fires moderated completion events that are old enough. Agent thread, once a cycle, after the
   * engine worked.
   *
   * @param nowNs time of the cycle
   */
  public void onTimer(long nowNs) {
    int kept = 0;
    for (int i = 0; i < waitingCount; i++) {
      CompletionQueue queue = waiting[i];
      queue.events().onTimer(nowNs);
      if (queue.events().isWaiting()) {
        waiting[kept++] = queue;
      }
    }
    for (int i = kept; i < waitingCount; i++) {
      waiting[i] = null;
    }
    waitingCount = kept;
  }

  /**
   * When {@link #onTimer} has something to do.
   *
   * @return a time, Long.MAX_VALUE for never, Long.MIN_VALUE for now
   */
  public long nextDeadlineNs() {
    long next = Long.MAX_VALUE;
    for (int i = 0; i < waitingCount; i++) {
      next = Math.min(next, waiting[i].events().nextDeadlineNs());
    }
    return next;
  }

  void eventsWaiting(CompletionQueue queue) {
    for (int i = 0; i < waitingCount; i++) {
      if (waiting[i] == queue) {
        return;
      }
    }
    if (waitingCount == waiting.length) {
      waiting = Arrays.copyOf(waiting, waitingCount * 2);
    }
    waiting[waitingCount++] = queue;
  }

  // ---- Package ----

  ControlPlane controlPlane() {
    return plane;
  }

  MulticastMemberships multicastGroups() {
    return multicastGroups;
  }

  RingBudget rings() {
    return rings;
  }

  /** A peer of the other IP version is never reached: told where its address is named. */
  void checkIpVersion(AddressVector address) {
    PortAttributes port = queryPort();
    Gid own = new Gid(port.gidHi(), port.gidLo());
    Gid destination = new Gid(address.gidHi(), address.gidLo());
    if (destination.isIpv4() != own.isIpv4()) {
      throw VerbsException.invalid(
          "destination " + destination + ": the endpoint " + own + " has the other IP version");
    }
  }

  void checkQueuePairRoom() {
    checkRoom("queue pairs", queuePairCount, device.maxQp());
  }

  void queuePairOpened(QueuePair queuePair) {
    if (queuePairCount == queuePairs.length) {
      queuePairs = Arrays.copyOf(queuePairs, queuePairCount * 2);
    }
    queuePair.listIndex(queuePairCount);
    queuePairs[queuePairCount++] = queuePair;
  }

  void queuePairClosed(QueuePair queuePair) {
    QueuePair last = queuePairs[--queuePairCount];
    queuePairs[queuePair.listIndex()] = last;
    last.listIndex(queuePair.listIndex());
    queuePairs[queuePairCount] = null;
  }

  void track(ContextObject object) {
    objects.add(object);
  }

  void untrack(ContextObject object) {
    objects.remove(object);
  }

  AddressHandle addAddressHandle(ProtectionDomain pd, AddressVector address) {
    checkRoom("address handles", addressHandleCount, device.maxAh());
    int number = addressHandleHint;
    while (number < addressHandles.length && addressHandles[number] != null) {
      number++;
    }
    if (number == addressHandles.length) {
      addressHandles = Arrays.copyOf(addressHandles, number * 2);
    }
    AddressHandle handle = new AddressHandle(pd, number, address);
    addressHandles[number] = handle;
    addressHandleHint = number + 1;
    addressHandleCount++;
    track(handle);
    return handle;
  }

  void removeAddressHandle(AddressHandle handle) {
    addressHandles[handle.number()] = null;
    addressHandleHint = Math.min(addressHandleHint, handle.number());
    addressHandleCount--;
    untrack(handle);
  }

  int takeSharedQueueNumber() {
    checkRoom("shared receive queues", sharedQueues, device.maxSrq());
    sharedQueues++;
    return ++sharedQueueNumber;
  }

  void sharedQueueClosed(SharedReceiveQueue queue) {
    sharedQueues--;
    untrack(queue);
  }

  void protectionDomainClosed(ProtectionDomain pd) {
    protectionDomains--;
    untrack(pd);
  }

  void completionQueueClosed(CompletionQueue queue) {
    completionQueues--;
    untrack(queue);
  }

  private void checkRoom(String what, int count, int limit) {
    checkOpen();
    if (count >= limit) {
      throw new VerbsException("ENOMEM", "too many " + what + ": limit " + limit);
    }
  }

  private void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("context is closed");
    }
  }

  /**
   * Closes everything that is left, then itself. The agent must not run any more. A second call
   * does nothing.
   */
  @Override
  public void close() {
    control.run(
        () -> {
          if (!open) {
            return;
          }
          while (queuePairCount > 0) {
            QueuePair last = queuePairs[queuePairCount - 1];
            multicastGroups.detachAll(last);
            last.close();
          }
          closeAll(SharedReceiveQueue.class);
          closeAll(AddressHandle.class);
          closeAll(MemoryWindow.class);
          closeAll(MemoryRegion.class);
          closeAll(CompletionQueue.class);
          closeAll(CompletionChannel.class);
          closeAll(ProtectionDomain.class);
          open = false;
          doorbells.close();
          asyncEvents.close();
        });
  }

  private void closeAll(Class<? extends ContextObject> kind) {
    List<ContextObject> left = new ArrayList<>(objects);
    for (ContextObject object : left) {
      if (kind.isInstance(object)) {
        object.close();
      }
    }
  }
}
