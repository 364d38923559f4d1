// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The names of libibverbs in requests and answers, and numbers as strings. */
final class Words {
  private static final Map<String, Integer> ACCESS = new TreeMap<>();
  private static final Map<String, Integer> SEND_FLAGS = new TreeMap<>();
  private static final Map<String, Integer> OPCODES = new TreeMap<>();
  private static final Map<String, Integer> STATES = new TreeMap<>();
  private static final Map<String, Integer> TYPES = new TreeMap<>();

  static {
    for (int bits = AccessFlags.REGION_MASK; bits != 0; bits &= bits - 1) {
      int bit = Integer.lowestOneBit(bits);
      ACCESS.put(AccessFlags.names(bit), bit);
    }
    SEND_FLAGS.put("FENCE", SendFlags.FENCE);
    SEND_FLAGS.put("SIGNALED", SendFlags.SIGNALED);
    SEND_FLAGS.put("SOLICITED", SendFlags.SOLICITED);
    SEND_FLAGS.put("INLINE", SendFlags.INLINE);
    for (int opcode = 0; opcode <= WorkRequestOpcode.ATOMIC_WRITE; opcode++) {
      OPCODES.put(WorkRequestOpcode.name(opcode), opcode);
    }
    OPCODES.keySet().removeIf(name -> Character.isDigit(name.charAt(0)));
    for (int state = QueuePairState.RESET; state <= QueuePairState.ERR; state++) {
      STATES.put(QueuePairState.name(state), state);
    }
    for (int type : new int[] {QueuePairType.RC, QueuePairType.UC, QueuePairType.UD}) {
      TYPES.put(QueuePairType.name(type), type);
    }
  }

  private Words() {}

  static int access(Fields fields, String name) {
    return bits(fields, name, ACCESS);
  }

  static int sendFlags(Fields fields) {
    return bits(fields, "sendFlags", SEND_FLAGS);
  }

  static int opcode(Fields fields) {
    return one(fields, "opcode", OPCODES);
  }

  static int state(Fields fields, String name) {
    return one(fields, name, STATES);
  }

  static int type(Fields fields) {
    return one(fields, "type", TYPES);
  }

  private static int bits(Fields fields, String field, Map<String, Integer> known) {
    int bits = 0;
    for (String name : fields.names(field)) {
      bits |= number(field, name, known);
    }
    return bits;
  }

  private static int one(Fields fields, String field, Map<String, Integer> known) {
    return number(field, fields.text(field), known);
  }

  private static int number(String field, String name, Map<String, Integer> known) {
    Integer number = known.get(name);
    if (number == null) {
      throw DutException.invalid(
          field + " " + name + ": allowed " + String.join(" ", known.keySet()));
    }
    return number;
  }

  static void putAccess(ArrayNode target, int flags) {
    put(target, flags, ACCESS);
  }

  static void putCompletionFlags(ArrayNode target, int flags) {
    for (String name : List.of("GRH", "WITH_IMM", "WITH_INV")) {
      int bit =
          switch (name) {
            case "GRH" -> WorkCompletionFlags.GRH;
            case "WITH_IMM" -> WorkCompletionFlags.WITH_IMM;
            default -> WorkCompletionFlags.WITH_INV;
          };
      if ((flags & bit) != 0) {
        target.add(name);
      }
    }
  }

  private static void put(ArrayNode target, int flags, Map<String, Integer> known) {
    known.forEach(
        (name, bit) -> {
          if ((flags & bit) != 0) {
            target.add(name);
          }
        });
  }

  /** 64 bits as answers write them. */
  static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }

  /** 32 bits as answers write them. */
  static String hex(int value) {
    return "0x" + Integer.toHexString(value);
  }
}
