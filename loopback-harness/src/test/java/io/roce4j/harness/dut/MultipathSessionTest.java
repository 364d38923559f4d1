// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Queue pairs of profile mx, whose frames the test carries by hand. */
class MultipathSessionTest {
  private static final String MX = ",'profile':'mx'";

  /** Carries frames both ways until nobody says anything more. */
  private static void exchange(DutPair pair) {
    while (pair.forth().size() + pair.back().size() > 0) {
      // Again: what came back may have made new frames.
    }
  }

  @Test
  void writeIsSprayedOverPathsAndArrivesWhole() {
    try (DutPair pair = new DutPair("RC", MX)) {
      pair.connect("RC", ",'mx':{}");
      exchange(pair);
      pair.post(
          1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 4_000) + "," + DutPair.remote(pair.mrB, 4_096));
      Set<Integer> paths = new TreeSet<>();
      JsonNode frames = pair.a.ok("drain", "").get("frames");
      frames.forEach(f -> paths.add(f.get("pathId").asInt()));
      assertTrue(!frames.isEmpty());
      for (JsonNode frame : frames) {
        pair.b.inject(List.of(frame.get("hex").asText()));
      }
      exchange(pair);
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 4000"), pair.a.poll(1));
      assertEquals(pair.a.memory(1, 0, 4_000), pair.b.memory(1, 4_096, 4_000));
      int count = pair.a.ok("mx_paths", "'qp':1").get("paths").size();
      assertTrue(paths.stream().allMatch(p -> p < count), paths::toString);
    }
  }

  @Test
  void pathIsDisabledAllowedAgainAndMoved() {
    try (DutPair pair = new DutPair("RC", MX)) {
      pair.connect("RC", ",'mx':{'maxPaths':4,'ackEvery':2}");
      JsonNode paths = pair.a.ok("mx_paths", "'qp':1").get("paths");
      assertEquals(4, paths.size());
      for (int i = 0; i < 4; i++) {
        JsonNode path = paths.get(i);
        assertEquals(i, path.get("id").asInt());
        assertEquals(0, path.get("epoch").asInt());
        assertEquals("ACTIVE", path.get("state").asText());
        assertTrue(path.get("udpSport").asInt() >= 49_152);
        assertTrue(path.get("cwnd").asLong() > 0);
        assertTrue(path.has("srttNs"));
        assertEquals(0, path.get("inFlight").asInt());
      }
      pair.a.ok("mx_set_path", "'qp':1,'path':2,'state':'DISABLED'");
      pair.a.ok("mx_set_path", "'qp':1,'path':1,'udpSport':50000");
      paths = pair.a.ok("mx_paths", "'qp':1").get("paths");
      assertEquals("DISABLED", paths.get(2).get("state").asText());
      assertEquals(50_000, paths.get(1).get("udpSport").asInt());
      assertEquals(1, paths.get(1).get("epoch").asInt());
      pair.a.ok("mx_set_path", "'qp':1,'path':2,'state':'ACTIVE'");
      assertEquals("PROBING", pair.a.ok("mx_paths", "'qp':1").at("/paths/2/state").asText());
      assertEquals("EINVAL", pair.a.error("mx_set_path", "'qp':1,'path':4,'state':'DRAIN'"));
      assertEquals("EINVAL", pair.a.error("mx_set_path", "'qp':1,'path':0,'state':'SUSPECT'"));
      assertEquals("EINVAL", pair.a.error("mx_set_path", "'qp':1,'path':0,'state':'NONE'"));
      assertEquals("EINVAL", pair.a.error("mx_set_path", "'qp':1,'path':0,'udpSport':0"));
      assertEquals("EINVAL", pair.a.error("mx_set_path", "'qp':1,'path':0,'udpSport':65536"));
      assertEquals("BAD_FIELD", pair.a.error("mx_set_path", "'qp':1,'path':0"));
      assertEquals(
          "BAD_FIELD",
          pair.a.error("mx_set_path", "'qp':1,'path':0,'state':'DRAIN','udpSport':50001"));
    }
  }

  @Test
  void withoutABlockTheUsualOneIsTakenAndNullMeansPlainRc() {
    try (DutPair pair = new DutPair("RC", MX)) {
      pair.connect("RC", "");
      assertTrue(!pair.a.ok("mx_paths", "'qp':1").get("paths").isEmpty());
    }
    try (DutPair pair = new DutPair("RC", MX)) {
      pair.connect("RC", ",'mx':null");
      assertEquals("EINVAL", pair.a.error("mx_paths", "'qp':1"));
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      assertEquals(List.of("0a"), DutDriver.opcodes(pair.forth()));
    }
  }

  @Test
  void blockThatCannotBeIsRefused() {
    try (DutPair pair = new DutPair("RC", MX)) {
      DutPair.init(pair.a);
      String rtr =
          "'qp':1,'attr':{'qpState':'RTR','pathMtu':1024,'destQpNum':34,'rqPsn':100,"
              + "'maxDestRdAtomic':1,'minRnrTimer':12,'ahAttr':{'destination':'192.0.2.2'}}";
      assertEquals("EINVAL", pair.a.error("modify_qp", rtr + ",'mx':{'maxPaths':0}"));
      assertEquals("EINVAL", pair.a.error("modify_qp", rtr + ",'mx':{'joinConn':99,'stream':1}"));
      assertEquals("BAD_FIELD", pair.a.error("modify_qp", rtr + ",'mx':{'paths':1}"));
      assertEquals("BAD_FIELD", pair.a.error("modify_qp", rtr + ",'mx':7"));
      pair.a.ok("modify_qp", rtr + ",'mx':{'maxPaths':2}");
      assertEquals(2, pair.a.ok("mx_paths", "'qp':1").get("paths").size());
    }
    try (DutPair pair = new DutPair("RC", "")) {
      DutPair.init(pair.a);
      assertEquals("EINVAL", pair.a.error("modify_qp", "'qp':1,'attr':{'qpState':'RTR'},'mx':{}"));
    }
  }
}
