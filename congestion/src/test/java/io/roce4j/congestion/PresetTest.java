// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Defaults at the link rates their sources state, and how they scale. */
class PresetTest {

  @ParameterizedTest
  @CsvSource({
    // controller, preset, link, parameter, value at that link
    "dcqcn, paper, 40Gbit, Rai, 40Mbit",
    "dcqcn, paper, 40Gbit, Rmin, 40Mbit",
    "dcqcn, paper, 40Gbit, K, 55us",
    "dcqcn, paper, 40Gbit, T, 55us",
    "dcqcn, paper, 40Gbit, B, 10MB",
    "dcqcn, paper, 40Gbit, g, 1/256",
    "dcqcn, paper, 40Gbit, cnpInterval, 50us",
    "dcqcn, paper, 100Gbit, Rai, 100Mbit",
    "dcqcn, ns3, 40Gbit, T, 60us",
    "dcqcn, ns3, 40Gbit, B, 300MB",
    "dcqcn, ns3, 40Gbit, Rhai, 200Mbit",
    "dcqcn, ns3, 40Gbit, Rmin, 100Mbit",
    "dcqcn, scaled, 1Gbit, T, 550us",
    "dcqcn, scaled, 1Gbit, B, 2500000",
    "dcqcn-nic, nvidia, 25Gbit, Rai, 5Mbit",
    "dcqcn-nic, nvidia, 25Gbit, Rhai, 50Mbit",
    "dcqcn-nic, nvidia, 100Gbit, Rai, 20Mbit",
    "dcqcn-nic, nvidia, 100Gbit, Rhai, 200Mbit",
    "dcqcn-nic, nvidia, 100Gbit, g, 5/1024",
    "dcqcn-nic, nvidia, 100Gbit, Rmin, 1Mbit",
    "dcqcn-nic, scaled, 1Gbit, Td, 100us",
    "timely, paper, 10Gbit, delta, 10Mbit",
    "timely, paper, 10Gbit, Tlow, 50us",
    "timely, paper, 10Gbit, Thigh, 500us",
    "timely, erpc, 40Gbit, delta, 40Mbit",
    "timely, erpc, 40Gbit, alpha, 0.46",
    "timely, erpc, 40Gbit, beta, 0.26",
    "timely, erpc, 40Gbit, Thigh, 1ms",
    "timely, scaled, 1Gbit, Tlow, 250us",
    "timely-patched, conext, 10Gbit, beta, 0.008",
    "timely-patched, uccl, 400Gbit, delta, 4Gbit",
    "timely-patched, uccl, 400Gbit, Rmin, 0.8Gbit",
    "timely-patched, uccl, 400Gbit, Tlow, 35us",
    "timely-patched, uccl, 400Gbit, Thigh, 350us",
    "timely-patched, uccl, 400Gbit, alpha, 0.125",
    "timely-patched, scaled, 1Gbit, rttRef, 250us"
  })
  void presetsAreTheirSourcesAtTheSourcesLink(
      String controller, String preset, String link, String parameter, String value) {
    CongestionSettings settings =
        CongestionSettings.of((long) ParameterUnit.BITS_PER_SECOND.parse(link), 1024, 100_000)
            .with("preset", preset);
    for (CongestionParameter p : CongestionControllers.provider(controller).parameters()) {
      if (p.name().equals(parameter)) {
        double expected = p.parse(value);
        assertEquals(expected, settings.value(p), expected * 1e-9);
        return;
      }
    }
    throw new AssertionError("no parameter " + parameter);
  }

  @Test
  void aParameterThatIsSetWinsOverThePreset() {
    CongestionSettings settings =
        CongestionSettings.of(40_000_000_000L, 1024, 10_000).with("preset=ns3").with("T=70us");
    assertEquals(70_000, settings.value(DcqcnProvider.T));
    assertEquals(300e6, settings.value(DcqcnProvider.B));
  }

  @Test
  void unknownPresetsAreRefusedWithTheChoices() {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    CongestionControllers.create(
                        "dcqcn",
                        CongestionSettings.of(1_000_000_000L, 1024, 10_000).with("preset=fast")))
            .getMessage();
    assertTrue(message.contains("paper, ns3, scaled"), message);
  }
}
