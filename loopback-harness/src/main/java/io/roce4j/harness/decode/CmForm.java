// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.RdmaCmHeader;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;

/** A CM message as an object. */
final class CmForm {
  private CmForm() {}

  /**
   * Makes the object of a message. Ids and counts are numbers, keys and 64-bit fields hex strings,
   * GIDs addresses; trailing zeros of the private data are left out.
   *
   * @param record any message
   * @return a new object
   */
  static ObjectNode of(CmRecord record) {
    ObjectNode cm = JsonReport.mapper().createObjectNode();
    cm.put("message", CmAttribute.name(record.attributeId()));
    cm.put("transactionId", JsonForm.hex(record.transactionId(), 16));
    for (int i = 0; i < record.fieldCount(); i++) {
      String name = record.fieldName(i);
      long value = record.fieldValue(i);
      if (name.endsWith("GidHigh")) {
        cm.put(
            name.substring(0, name.length() - 4),
            new Gid(value, record.fieldValue(i + 1)).toString());
      } else if (record.fieldWidth(i) == 64) {
        if (!name.endsWith("GidLow")) {
          cm.put(name, JsonForm.hex(value, 16));
        }
      } else if (name.endsWith("key") || name.endsWith("Key")) {
        cm.put(name, JsonForm.hex(value, record.fieldWidth(i) / 4));
      } else {
        cm.put(name, value);
      }
    }
    byte[] data = record.privateData();
    int from = 0;
    if (record.hasRdmaCmHeader()) {
      UnsafeBuffer header = new UnsafeBuffer(data);
      ObjectNode rdmaCm = cm.putObject("rdmaCm");
      rdmaCm.put("sourcePort", RdmaCmHeader.sourcePort(header, 0));
      rdmaCm.put("source", RdmaCmHeader.source(header, 0).toString());
      rdmaCm.put("destination", RdmaCmHeader.destination(header, 0).toString());
      from = RdmaCmHeader.LENGTH;
    }
    ObjectNode mx = MxForm.negotiation(data, from);
    if (mx != null) {
      cm.set("mx", mx);
      from += NegotiationBlock.LENGTH;
    }
    hexWithoutTrailingZeros(cm, "privateData", data, from);
    hexWithoutTrailingZeros(cm, "additionalInfo", record.additionalInfo(), 0);
    return cm;
  }

  private static void hexWithoutTrailingZeros(
      ObjectNode object, String name, byte[] bytes, int from) {
    int end = bytes.length;
    while (end > from && bytes[end - 1] == 0) {
      end--;
    }
    if (end > from) {
      object.put(name, HexFormat.of().formatHex(bytes, from, end));
    }
  }
}
