// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Controllers and their parameters, chosen for a queue pair. */
class CongestionChoiceTest {
  private HandFed hand;

  @BeforeEach
  void open() {
    hand = new HandFed();
    hand.rts(new EndpointPair.Wish());
    hand.qp.close();
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void create(String name, Map<String, String> parameters) {
    hand.qp =
        hand.pd.createQueuePair(
            hand.settings(QueuePairType.RC).congestion(name).congestionParameters(parameters));
  }

  @Test
  void parametersOfAQueuePairReachItsController() {
    create("fixed", Map.of("window", "2048B"));
    assertEquals(Map.of("window", "2048B"), hand.qp.congestionParameters());
    EndpointPair.bring(
        hand.qp,
        HandFed.PEER_QPN,
        HandFed.PEER,
        HandFed.SEND_PSN,
        HandFed.EXPECTED_PSN,
        new EndpointPair.Wish());
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8 * 1024));
    // A window of two packets, and one that is begun within it.
    int first = hand.sent().size();
    hand.qp.close();
    create("fixed", Map.of("window", "4096B"));
    EndpointPair.bring(
        hand.qp,
        HandFed.PEER_QPN,
        HandFed.PEER,
        HandFed.SEND_PSN,
        HandFed.EXPECTED_PSN,
        new EndpointPair.Wish());
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 8 * 1024));
    assertEquals(first + 2, hand.sent().size());
  }

  @ParameterizedTest
  @CsvSource({
    "dcqcn, rate, 1, congestion controller dcqcn has no parameter 'rate'",
    "none, g, 1/256, congestion controller none has no parameter 'g'",
    "nosuch, g, 1/256, nosuch",
    "dcqcn, g, many, many",
    "dcqcn, Rmin, 200Gbit, must not be above the link rate 100Gbit",
    "timely, Tlow, 600us, must be below Thigh"
  })
  void wrongChoiceNamesNameAndValue(String name, String parameter, String value, String says) {
    VerbsException e =
        assertThrows(VerbsException.class, () -> create(name, Map.of(parameter, value)));
    assertEquals("EINVAL", e.errno());
    assertEquals(true, e.getMessage().contains(says), e.getMessage());
  }
}
