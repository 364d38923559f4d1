// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.WireFault;
import org.agrona.DirectBuffer;

/**
 * Recognises a train captured as one datagram: a host that leaves segmentation to its network card
 * shows in its own captures datagrams of up to 64 KB, which no wire ever carries.
 *
 * <p>A datagram is a train when there is a segment size with which the ICRC of the first segment
 * verifies. Each segment's ICRC was computed over the IP and UDP lengths the segment has on the
 * wire, and over its own IPv4 identification: that of the datagram plus the segment's index, as
 * cards and kernels count (Linux UDP segmentation offload), or the same in all.
 *
 * <p>One thread; allocates nothing per datagram. Sizes are tried cheapest first: the last one
 * found, those the opcode suggests, then every size at whose end a plausible BTH stands.
 */
public final class TrainSplitter {
  private static final int STEP = 4;
  private static final int MIN_PACKET = PacketView.MIN_LENGTH;
  private static final int[] PATH_MTUS = {256, 512, 1024, 2048, 4096};

  private final Icrc icrc = new Icrc();
  private final IpUdpFields fields = new IpUdpFields();
  private final PacketView first = new PacketView();
  private final PacketView second = new PacketView();
  private DirectBuffer buffer;
  private int bthOffset;
  private int length;
  private int segmentBytes;
  private int lastSegmentBytes;
  private int identification;

  /** Makes a splitter for one thread. */
  public TrainSplitter() {}

  /**
   * Looks for the segment size. Call it only for datagrams whose ICRC as a whole is wrong.
   *
   * @param frame a dissected frame
   * @return true when it is a train; then the segments can be asked for
   */
  public boolean split(FrameDissector frame) {
    segmentBytes = 0;
    if (frame.isTruncated() || frame.isRoceV1() || frame.length() < 2 * MIN_PACKET) {
      return false;
    }
    buffer = frame.buffer();
    bthOffset = frame.bthOffset();
    length = frame.length();
    fields.set(frame.fields());
    identification = fields.identification();
    segmentBytes = find();
    lastSegmentBytes = segmentBytes != 0 ? segmentBytes : lastSegmentBytes;
    return segmentBytes != 0;
  }

  private int find() {
    if (isTrainOf(lastSegmentBytes)) {
      return lastSegmentBytes;
    }
    if (first.wrap(buffer, bthOffset, length) == WireFault.OK) {
      int opcode = first.opcode();
      if (!Opcode.hasPayload(opcode)) {
        int size = PacketWriter.packetLength(opcode, 0);
        return isTrainOf(size) ? size : 0;
      }
      for (int mtu : PATH_MTUS) {
        int size = PacketWriter.packetLength(opcode, mtu);
        if (isTrainOf(size)) {
          return size;
        }
      }
    }
    for (int size = MIN_PACKET; size < length; size += STEP) {
      if (isTrainOf(size)) {
        return size;
      }
    }
    return 0;
  }

  private boolean isTrainOf(int size) {
    int rest = length % Math.max(size, 1);
    return size >= MIN_PACKET
        && size < length
        && size % STEP == 0
        && (rest == 0 || (rest >= MIN_PACKET && rest % STEP == 0))
        && first.wrap(buffer, bthOffset, size) == WireFault.OK
        && second.wrap(buffer, bthOffset + size, Math.min(size, length - size)) == WireFault.OK
        && isRight(bthOffset, size, 0);
  }

  /** {@return bytes of every segment but the last, which may be shorter; 0 when it was no train} */
  public int segmentBytes() {
    return segmentBytes;
  }

  /** {@return number of packets in the train} */
  public int packets() {
    return segmentBytes == 0 ? 1 : (length + segmentBytes - 1) / segmentBytes;
  }

  /**
   * Where a packet of the train starts.
   *
   * @param index 0..{@link #packets} - 1
   * @return index of its first BTH byte in the frame's buffer
   */
  public int offset(int index) {
    return bthOffset + index * segmentBytes;
  }

  /**
   * How long a packet of the train is.
   *
   * @param index 0..{@link #packets} - 1
   * @return bytes from BTH to ICRC
   */
  public int length(int index) {
    return Math.min(segmentBytes, length - index * segmentBytes);
  }

  /**
   * Checks a packet's ICRC and finds its identification.
   *
   * @param index 0..{@link #packets} - 1
   * @param packetFields is set to the fields the packet has on the wire
   * @return whether the ICRC is right
   */
  public boolean check(int index, IpUdpFields packetFields) {
    boolean right = isRight(offset(index), length(index), index);
    packetFields.set(fields);
    return right;
  }

  /** Leaves the identification that fits in {@code fields}; the expected one when none does. */
  private boolean isRight(int offset, int bytes, int index) {
    int received = Icrc.received(buffer, offset, bytes);
    fields.identification(identification + index);
    if (icrc.computeAside(buffer, offset, bytes, fields) == received) {
      return true;
    }
    if (fields.encapsulation() != IpUdpFields.IPV4 || index == 0) {
      return false;
    }
    fields.identification(0);
    int computed = icrc.computeAside(buffer, offset, bytes, fields);
    int found = Icrc.identificationFor(computed, received, bytes);
    fields.identification(found >= 0 ? found : identification + index);
    return found >= 0;
  }
}
