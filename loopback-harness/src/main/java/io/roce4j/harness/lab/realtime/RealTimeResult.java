// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.lab.run.Books;
import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.scenario.Scheme;
import java.util.List;

/**
 * What one run in real time showed.
 *
 * @param scheme that ran
 * @param seed of its dice
 * @param io kind of port
 * @param flows number of flows
 * @param done flows that came to their end without an error
 * @param bytesVerified bytes compared where they were written
 * @param nanoseconds length of the run in its own time
 * @param books of the fabric's packets
 * @param fabric figures of the switches
 * @param packetsSent by the endpoints
 * @param retransmissions of them
 * @param timeouts ACK timers that fired
 * @param marksSeen marked packets that reached endpoints
 * @param damagedSeen packets that endpoints dropped for a wrong ICRC
 * @param refusedAtNic packets for which a NIC had no room
 * @param strangers packets that came from no endpoint of the run
 * @param lateness of the emulator
 * @param findings what is wrong: bytes that differ, flows that did not end, books that do not
 *     balance
 * @param invalid why the run proves nothing; must be none
 * @param notes what a reader has to know
 */
public record RealTimeResult(
    Scheme scheme,
    long seed,
    String io,
    int flows,
    int done,
    long bytesVerified,
    long nanoseconds,
    Books books,
    RunResult.FabricFigures fabric,
    long packetsSent,
    long retransmissions,
    long timeouts,
    long marksSeen,
    long damagedSeen,
    long refusedAtNic,
    long strangers,
    Lateness lateness,
    List<String> findings,
    List<String> invalid,
    List<String> notes) {
  /** Copies the lists. */
  public RealTimeResult {
    findings = List.copyOf(findings);
    invalid = List.copyOf(invalid);
    notes = List.copyOf(notes);
  }
}
