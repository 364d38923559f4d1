// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The fields of each CM message as data: name, first bit, width. For tools and tests. */
final class CmFields {
  private static final String REQ_TEXT =
      "localCommId:0:32 vendorId:40:24 serviceId:64:64 "
          + "localCaGuid:128:64 localQkey:224:32 localQpn:256:24 "
          + "responderResources:280:8 localEecn:288:24 initiatorDepth:312:8 "
          + "remoteEecn:320:24 remoteCmResponseTimeout:344:5 transportServiceType:349:2 "
          + "endToEndFlowControl:351:1 startingPsn:352:24 localCmResponseTimeout:376:5 "
          + "retryCount:381:3 partitionKey:384:16 pathMtu:400:4 "
          + "rdcExists:404:1 rnrRetryCount:405:3 maxCmRetries:408:4 "
          + "srq:412:1 extendedTransportType:413:3 primaryLocalLid:416:16 "
          + "primaryRemoteLid:432:16 primaryLocalGidHigh:448:64 primaryLocalGidLow:512:64 "
          + "primaryRemoteGidHigh:576:64 primaryRemoteGidLow:640:64 primaryFlowLabel:704:20 "
          + "primaryPacketRate:730:6 primaryTrafficClass:736:8 primaryHopLimit:744:8 "
          + "primarySl:752:4 primarySubnetLocal:756:1 primaryLocalAckTimeout:760:5 ";

  private static final String MRA_TEXT =
      "localCommId:0:32 remoteCommId:32:32 messageMraed:64:2 " + "serviceTimeout:72:5 ";

  private static final String REJ_TEXT =
      "localCommId:0:32 remoteCommId:32:32 messageRejected:64:2 "
          + "rejectedInfoLength:72:7 reason:80:16 ";

  private static final String REP_TEXT =
      "localCommId:0:32 remoteCommId:32:32 localQkey:64:32 "
          + "localQpn:96:24 vendorIdHigh:120:8 localEecn:128:24 "
          + "vendorIdMiddle:152:8 startingPsn:160:24 vendorIdLow:184:8 "
          + "responderResources:192:8 initiatorDepth:200:8 targetAckDelay:208:5 "
          + "failoverAccepted:213:2 endToEndFlowControl:215:1 rnrRetryCount:216:3 "
          + "srq:219:1 localCaGuid:224:64 ";

  private static final String RTU_TEXT = "localCommId:0:32 remoteCommId:32:32 ";

  private static final String DREQ_TEXT = "localCommId:0:32 remoteCommId:32:32 remoteQpn:64:24 ";

  private static final String DREP_TEXT = "localCommId:0:32 remoteCommId:32:32 ";

  private static final String SIDR_REQ_TEXT = "requestId:0:32 partitionKey:32:16 serviceId:64:64 ";

  private static final String SIDR_REP_TEXT =
      "requestId:0:32 status:32:8 additionalInfoLength:40:8 "
          + "vendorIdHigh:48:16 qpn:64:24 vendorIdLow:88:8 "
          + "serviceId:96:64 qkey:160:32 ";

  private static final CmFields[] BY_ATTRIBUTE = {
    new CmFields(REQ_TEXT, ReqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(MRA_TEXT, MraMessage.PRIVATE_DATA_OFFSET),
    new CmFields(REJ_TEXT, RejMessage.PRIVATE_DATA_OFFSET),
    new CmFields(REP_TEXT, RepMessage.PRIVATE_DATA_OFFSET),
    new CmFields(RTU_TEXT, RtuMessage.PRIVATE_DATA_OFFSET),
    new CmFields(DREQ_TEXT, DreqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(DREP_TEXT, DrepMessage.PRIVATE_DATA_OFFSET),
    new CmFields(SIDR_REQ_TEXT, SidrReqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(SIDR_REP_TEXT, SidrRepMessage.PRIVATE_DATA_OFFSET)
  };

  private final String[] names;
  private final int[] firstBits;
  private final int[] widths;
  private final int privateDataOffset;

  private CmFields(String text, int privateDataOffset) {
    String[] fields = text.strip().split(" ", -1);
    names = new String[fields.length];
    firstBits = new int[fields.length];
    widths = new int[fields.length];
    for (int i = 0; i < fields.length; i++) {
      String[] parts = fields[i].split(":", -1);
      names[i] = parts[0];
      firstBits[i] = Integer.parseInt(parts[1]);
      widths[i] = Integer.parseInt(parts[2]);
    }
    this.privateDataOffset = privateDataOffset;
  }

  /** The fields of a known attribute. */
  static CmFields of(int attributeId) {
    return BY_ATTRIBUTE[attributeId - CmAttribute.REQ];
  }

  int count() {
    return names.length;
  }

  String name(int index) {
    return names[index];
  }

  int width(int index) {
    return widths[index];
  }

  int privateDataOffset() {
    return privateDataOffset;
  }

  int indexOf(String name) {
    for (int i = 0; i < names.length; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Reads a field bit by bit: slow and independent of the accessors. */
  long get(int index, DirectBuffer buffer, int messageOffset) {
    long value = 0;
    for (int bit = firstBits[index]; bit < firstBits[index] + widths[index]; bit++) {
      int octet = buffer.getByte(messageOffset + (bit >>> 3));
      value = (value << 1) | ((octet >>> (7 - (bit & 7))) & 1);
    }
    return value;
  }

  /** Writes a field bit by bit. */
  void set(int index, MutableDirectBuffer buffer, int messageOffset, long value) {
    int last = firstBits[index] + widths[index] - 1;
    for (int i = 0; i < widths[index]; i++) {
      int at = messageOffset + ((last - i) >>> 3);
      int mask = 1 << (7 - ((last - i) & 7));
      int octet = buffer.getByte(at);
      buffer.putByte(at, (byte) ((value >>> i & 1) != 0 ? octet | mask : octet & ~mask));
    }
  }
}
