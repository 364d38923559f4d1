// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The RoCE packets of a capture that Linux rdma_rxe made, in order. */
final class LinuxCapture {

  /** One packet: what it says, and its UDP payload as it was on the wire. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, only looked at
  record Packet(
      int number,
      int source,
      int destination,
      int sourcePort,
      int identification,
      int tos,
      int opcode,
      int psn,
      int destQp,
      boolean ackRequest,
      boolean solicited,
      int syndrome,
      int msn,
      long va,
      int rkey,
      long length,
      long swapOrAdd,
      long compare,
      long original,
      int immediate,
      int invalidate,
      byte[] payload,
      byte[] bytes) {

    boolean isFrom(int address) {
      return source == address;
    }

    /** For example {@code RC_ACK 257 0 1}: name, PSN, kind of syndrome, MSN. */
    String answer() {
      return answer(opcode, psn, syndrome, msn);
    }

    static String answer(int opcode, int psn, int syndrome, int msn) {
      String text = Opcode.name(opcode) + " " + psn;
      if (Opcode.hasAeth(opcode)) {
        // Credits differ between stacks, the kind of answer must not.
        int kind = syndrome < 0x20 ? 0 : syndrome;
        text += String.format(Locale.ROOT, " %02x %d", kind, msn);
      }
      return text;
    }
  }

  private LinuxCapture() {}

  static List<Packet> read(String name) throws IOException {
    List<Packet> packets = new ArrayList<>();
    try (InputStream stream = LinuxCapture.class.getResourceAsStream("/captures/" + name);
        CaptureReader reader = CaptureReader.open(stream, name)) {
      CapturedPacket captured = new CapturedPacket();
      FrameDissector frame = new FrameDissector();
      PacketView view = new PacketView();
      int number = 0;
      while (reader.next(captured)) {
        number++;
        if (frame.dissect(captured) == 0
            && view.wrap(frame.buffer(), frame.bthOffset(), frame.length()) == 0) {
          packets.add(packet(number, frame, view));
        }
      }
    }
    return packets;
  }

  /** The packets of one session: those to either of two queue pairs. */
  static List<Packet> session(String name, int oneQpn, int otherQpn) throws IOException {
    return read(name + ".pcap").stream()
        .filter(packet -> packet.destQp() == oneQpn || packet.destQp() == otherQpn)
        .toList();
  }

  private static Packet packet(int number, FrameDissector frame, PacketView view) {
    int opcode = view.opcode();
    byte[] payload = new byte[view.payloadLength()];
    view.buffer().getBytes(view.payloadOffset(), payload);
    byte[] bytes = new byte[view.length()];
    view.buffer().getBytes(view.bthOffset(), bytes);
    boolean atomic = Opcode.hasAtomicEth(opcode);
    boolean reth = Opcode.hasReth(opcode);
    return new Packet(
        number,
        (int) frame.fields().sourceLow(),
        (int) frame.fields().destinationLow(),
        frame.fields().sourcePort(),
        frame.fields().identification(),
        frame.tos(),
        opcode,
        view.psn(),
        view.destQp(),
        view.ackRequest(),
        view.solicited(),
        Opcode.hasAeth(opcode) ? view.syndrome() : -1,
        Opcode.hasAeth(opcode) ? view.msn() : -1,
        atomic ? view.atomicVa() : reth ? view.rethVa() : 0,
        atomic ? view.atomicRkey() : reth ? view.rethRkey() : 0,
        reth ? view.rethLength() : 0,
        atomic ? view.atomicSwapOrAdd() : 0,
        atomic ? view.atomicCompare() : 0,
        Opcode.hasAtomicAckEth(opcode) ? view.atomicOriginal() : 0,
        Opcode.hasImmDt(opcode) ? view.immediate() : 0,
        Opcode.hasIeth(opcode) ? view.invalidateRkey() : 0,
        payload,
        bytes);
  }
}
