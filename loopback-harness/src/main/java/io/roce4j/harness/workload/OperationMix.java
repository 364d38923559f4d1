// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SharedReceiveQueue;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Every operation there is between two endpoints: some reliable connections that draw SEND, WRITE,
 * READ, atomics, immediates, invalidates, binds, fences and unsignaled requests one by one, with a
 * shared receive queue some of the time, and UC and UD beside them. All of it is verified.
 */
public final class OperationMix implements AutoCloseable {

  private static final int MOST_PAIRS = 3;
  private static final int LEAST_RECEIVES = 2;
  private static final int WORDS_BYTES = 8 * (1 + 2 * MOST_PAIRS);

  private final Findings findings;
  private final SharedReceiveQueue shared;
  private final SlotMemory receives;
  private final SlotMemory words;
  private final List<MixedPair> pairs = new ArrayList<>();
  private final UnreliableMix unreliable;
  private final ReceiveRequest receive = new ReceiveRequest();
  private final BitSet sharedAdds = new BitSet();

  /**
   * Makes the queue pairs, connects them and posts the receives.
   *
   * @param a the client's side
   * @param b the server's side
   * @param settings of the connections
   * @param streams of the run; the mix derives its own
   * @param findings gets what is wrong
   */
  public OperationMix(
      FlowSide a,
      FlowSide b,
      ConnectionSettings settings,
      SeededStreams streams,
      Findings findings) {
    this.findings = findings;
    SeededStreams own = streams.child("operationMix");
    SplittableRandom random = own.stream("plan");
    int count = random.nextInt(1, MOST_PAIRS + 1);
    int each = random.nextInt(LEAST_RECEIVES, MixedPair.SLOTS + 1);
    receives =
        new SlotMemory(
            "mix receives",
            b.domain(),
            count * each,
            MixedPair.SLOT_BYTES,
            AccessFlags.LOCAL_WRITE,
            random.nextLong(),
            findings);
    words =
        new SlotMemory(
            "mix words",
            b.domain(),
            1,
            WORDS_BYTES,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC,
            random.nextLong(),
            findings);
    words.arm(0, WORDS_BYTES);
    shared = random.nextInt(3) == 0 ? b.domain().createSharedReceiveQueue(count * each, 1) : null;
    for (int i = 0; i < count; i++) {
      MixedPair pair = new MixedPair(i, this, a, b, settings, own.child("pair" + i), findings);
      pairs.add(pair);
      for (int slot = i * each; slot < (i + 1) * each; slot++) {
        receives.arm(slot, MixedPair.SLOT_BYTES);
        receiveAgain(pair.server(), slot);
      }
    }
    unreliable = new UnreliableMix(a, b, settings, own.child("unreliable"), findings);
  }

  SharedReceiveQueue shared() {
    return shared;
  }

  SlotMemory receives() {
    return receives;
  }

  SlotMemory words() {
    return words;
  }

  long wordAddress(int word) {
    return words.address(0) + 8L * word;
  }

  /** Checks and posts a receive of the pool, to the shared queue if there is one. */
  void receiveAgain(QueuePair queuePair, long slot) {
    receives.inspect(slot, MixedPair.SLOT_BYTES);
    receive.clear().wrId(slot).sge(receives.address(slot), MixedPair.SLOT_BYTES, receives.lkey());
    int result = shared == null ? queuePair.postReceive(receive) : shared.postReceive(receive);
    if (result != 0) {
      findings.add("mix receive " + slot + " was refused: " + result);
    }
  }

  /** The word that all connections add 1 to returns each value once. */
  void sharedAddReturned(long original, String what) {
    if (original < 0 || original > Integer.MAX_VALUE || sharedAdds.get((int) original)) {
      findings.add(what + " returned " + original + " for the second time, or nonsense");
      return;
    }
    sharedAdds.set((int) original);
  }

  /**
   * Takes completions and posts work.
   *
   * @return work done, 0 when there was none
   */
  public int turn() {
    int work = unreliable.turn();
    for (MixedPair pair : pairs) {
      work += pair.turn();
    }
    return work;
  }

  /**
   * Whether everything was posted, completed and has arrived.
   *
   * @return true at the end
   */
  public boolean isDone() {
    return unreliable.isDone() && pairs.stream().allMatch(MixedPair::isDone);
  }

  /**
   * Something that grows with each completion.
   *
   * @return operations done
   */
  public long progress() {
    long progress = unreliable.progress();
    for (MixedPair pair : pairs) {
      progress += pair.progress();
    }
    return progress;
  }

  /** Checks memory when all is quiet. */
  public void finish() {
    pairs.forEach(MixedPair::finish);
    unreliable.finish();
    long sum = MixMemory.word(words, 0, 0);
    if (sum != sharedAdds.cardinality() || sharedAdds.length() != sum) {
      findings.add("mix word is " + sum + " after " + sharedAdds.cardinality() + " additions");
    }
    words.inspect(0, WORDS_BYTES);
  }

  @Override
  public void close() {
    pairs.forEach(MixedPair::close);
    unreliable.close();
    if (shared != null) {
      shared.close();
    }
    receives.close();
    words.close();
  }
}
