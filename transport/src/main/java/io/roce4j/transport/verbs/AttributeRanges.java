// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.AccessFlags;

/**
 * Ranges of queue pair attributes [rc 1.1-11..15]; a number too wide is refused, never cut [FC-10].
 */
final class AttributeRanges {
  private static final int PSN_MAX = 0xFF_FFFF;
  private static final int CODE_5_BIT_MAX = 31;
  private static final int CODE_3_BIT_MAX = 7;
  private static final int MIG_STATE_MAX = 2;
  private static final int PORT_NUMBER = 1;

  private AttributeRanges() {}

  /** Checks every attribute in the mask against its range. */
  static void check(QueuePairAttributes a, DeviceAttributes device, PortAttributes port) {
    int mask = a.mask();
    range(mask, AttributeMask.RQ_PSN, "rqPsn", a.rqPsn(), PSN_MAX);
    range(mask, AttributeMask.SQ_PSN, "sqPsn", a.sqPsn(), PSN_MAX);
    range(mask, AttributeMask.DEST_QPN, "destQpNum", a.destQpNum(), PSN_MAX);
    range(mask, AttributeMask.TIMEOUT, "timeout", a.timeout(), CODE_5_BIT_MAX);
    range(mask, AttributeMask.MIN_RNR_TIMER, "minRnrTimer", a.minRnrTimer(), CODE_5_BIT_MAX);
    range(mask, AttributeMask.RETRY_CNT, "retryCnt", a.retryCnt(), CODE_3_BIT_MAX);
    // 7 is "for ever", more does not exist [FC-15].
    range(mask, AttributeMask.RNR_RETRY, "rnrRetry", a.rnrRetry(), CODE_3_BIT_MAX);
    range(mask, AttributeMask.MAX_RD_ATOMIC, "maxRdAtomic", a.maxRdAtomic(), device.maxQpRdAtom());
    range(
        mask,
        AttributeMask.MAX_DEST_RD_ATOMIC,
        "maxDestRdAtomic",
        a.maxDestRdAtomic(),
        device.maxQpRdAtom());
    range(mask, AttributeMask.PKEY_INDEX, "pkeyIndex", a.pkeyIndex(), device.pkeyTableLength() - 1);
    range(mask, AttributeMask.PATH_MIG_STATE, "pathMigState", a.pathMigState(), MIG_STATE_MAX);
    range(mask, AttributeMask.ALT_PATH, "alternate timeout", a.alternateTimeout(), CODE_5_BIT_MAX);
    if ((mask & AttributeMask.PORT) != 0 && a.portNum() != PORT_NUMBER) {
      throw VerbsException.invalid("portNum " + a.portNum() + ": allowed 1");
    }
    int unknown = a.accessFlags() & ~AccessFlags.QUEUE_PAIR_MASK;
    if ((mask & AttributeMask.ACCESS_FLAGS) != 0 && unknown != 0) {
      throw VerbsException.invalid("queue pair access takes no " + AccessFlags.names(unknown));
    }
    if (((mask & AttributeMask.AV) != 0 && a.addressVector() == null)
        || ((mask & AttributeMask.ALT_PATH) != 0 && a.alternateAddressVector() == null)) {
      throw VerbsException.invalid("address vector is missing");
    }
    if ((mask & AttributeMask.PATH_MTU) != 0) {
      checkMtu(a.pathMtuBytes(), port);
    }
  }

  private static void checkMtu(int pathMtuBytes, PortAttributes port) {
    if (!PathMtu.isValid(pathMtuBytes)) {
      throw VerbsException.invalid("pathMtu " + pathMtuBytes + ": allowed 256 512 1024 2048 4096");
    }
    if (pathMtuBytes > port.activeMtuBytes()) {
      throw VerbsException.invalid(
          "pathMtu "
              + pathMtuBytes
              + " is above the port's active MTU "
              + port.activeMtuBytes()
              + " (interface MTU "
              + port.interfaceMtuBytes()
              + "): ask for "
              + port.activeMtuBytes()
              + " or raise the interface MTU");
    }
  }

  private static void range(int mask, int bit, String name, int value, int max) {
    if ((mask & bit) != 0 && (value < 0 || value > max)) {
      throw VerbsException.invalid(
          name + " " + Integer.toUnsignedString(value) + ": allowed 0.." + max);
    }
  }
}
