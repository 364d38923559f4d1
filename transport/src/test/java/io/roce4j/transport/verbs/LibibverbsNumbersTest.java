// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Programs and tools compare numbers and names with libibverbs' headers [rc 20] [rc 19]. */
class LibibverbsNumbersTest {
  private static void assertNumbers(String table, IntFunction<String> name) {
    for (String cell : table.split(",", -1)) {
      String[] parts = cell.trim().split(" ", -1);
      assertEquals(parts[0], name.apply(Integer.parseInt(parts[1])));
    }
  }

  // [rc 20-1..12]
  @Test
  void statuses() {
    assertNumbers(
        "SUCCESS 0, LOC_LEN_ERR 1, LOC_QP_OP_ERR 2, LOC_EEC_OP_ERR 3, LOC_PROT_ERR 4,"
            + " WR_FLUSH_ERR 5, MW_BIND_ERR 6, BAD_RESP_ERR 7, LOC_ACCESS_ERR 8,"
            + " REM_INV_REQ_ERR 9, REM_ACCESS_ERR 10, REM_OP_ERR 11, RETRY_EXC_ERR 12,"
            + " RNR_RETRY_EXC_ERR 13, LOC_RDD_VIOL_ERR 14, REM_INV_RD_REQ_ERR 15,"
            + " REM_ABORT_ERR 16, INV_EECN_ERR 17, INV_EEC_STATE_ERR 18, FATAL_ERR 19,"
            + " RESP_TIMEOUT_ERR 20, GENERAL_ERR 21, TM_ERR 22, TM_RNDV_INCOMPLETE 23, 24 24",
        WorkCompletionStatus::name);
  }

  // [rc 20-13] [rc 20-14]
  @Test
  void opcodes() {
    assertNumbers(
        "RDMA_WRITE 0, RDMA_WRITE_WITH_IMM 1, SEND 2, SEND_WITH_IMM 3, RDMA_READ 4,"
            + " ATOMIC_CMP_AND_SWP 5, ATOMIC_FETCH_AND_ADD 6, LOCAL_INV 7, BIND_MW 8,"
            + " SEND_WITH_INV 9, 10 10, FLUSH 14, ATOMIC_WRITE 15",
        WorkRequestOpcode::name);
    assertNumbers(
        "SEND 0, RDMA_WRITE 1, RDMA_READ 2, COMP_SWAP 3, FETCH_ADD 4, BIND_MW 5, LOCAL_INV 6,"
            + " RECV 128, RECV_RDMA_WITH_IMM 129",
        WorkCompletionOpcode::name);
  }

  @Test
  void completionOpcodeFollowsFromTheRequest() {
    int[] completions = {1, 1, 0, 0, 2, 3, 4, 6, 5, 0};
    for (int opcode = 0; opcode < completions.length; opcode++) {
      assertEquals(completions[opcode], WorkCompletionOpcode.of(opcode));
    }
  }

  // [rc 20-17] [rc 20-18]
  @Test
  void typesStatesAndEvents() {
    assertNumbers("RC 2, UC 3, UD 4", QueuePairType::name);
    assertNumbers("RESET 0, INIT 1, RTR 2, RTS 3, SQD 4, SQE 5, ERR 6", QueuePairState::name);
    assertNumbers(
        "CQ_ERR 0, QP_FATAL 1, QP_REQ_ERR 2, QP_ACCESS_ERR 3, COMM_EST 4, SQ_DRAINED 5,"
            + " PATH_MIG 6, PATH_MIG_ERR 7, DEVICE_FATAL 8, PORT_ACTIVE 9, PORT_ERR 10,"
            + " LID_CHANGE 11, PKEY_CHANGE 12, SM_CHANGE 13, SRQ_ERR 14, SRQ_LIMIT_REACHED 15,"
            + " QP_LAST_WQE_REACHED 16, CLIENT_REREGISTER 17, GID_CHANGE 18, WQ_FATAL 19,"
            + " DEVICE_SPEED_CHANGE 20",
        AsyncEventType::name);
  }

  // [rc 20-19]
  @Test
  void attributeMaskBits() {
    assertNumbers(
        "STATE 0, CUR_STATE 1, EN_SQD_ASYNC_NOTIFY 2, ACCESS_FLAGS 3, PKEY_INDEX 4, PORT 5,"
            + " QKEY 6, AV 7, PATH_MTU 8, TIMEOUT 9, RETRY_CNT 10, RNR_RETRY 11, RQ_PSN 12,"
            + " MAX_RD_ATOMIC 13, ALT_PATH 14, MIN_RNR_TIMER 15, SQ_PSN 16,"
            + " MAX_DEST_RD_ATOMIC 17, PATH_MIG_STATE 18, CAP 19, DEST_QPN 20, RATE_LIMIT 25,"
            + " 0x200000 21",
        bit -> AttributeMask.names(1 << bit));
    assertEquals("none", AttributeMask.names(0));
  }

  @Test
  void accessFlags() {
    assertNumbers(
        "LOCAL_WRITE 1, REMOTE_WRITE 2, REMOTE_READ 4, REMOTE_ATOMIC 8, MW_BIND 16,"
            + " ZERO_BASED 32, ON_DEMAND 64, HUGETLB 128, 0x100 256, RELAXED_ORDERING 1048576,"
            + " LOCAL_WRITE|REMOTE_READ 5, 0 0",
        AccessFlags::names);
  }

  // [rc 20-15] [rc 20-16]
  @Test
  void flags() {
    assertEquals(1, SendFlags.FENCE);
    assertEquals(2, SendFlags.SIGNALED);
    assertEquals(4, SendFlags.SOLICITED);
    assertEquals(8, SendFlags.INLINE);
    assertEquals(1, WorkCompletionFlags.GRH);
    assertEquals(2, WorkCompletionFlags.WITH_IMM);
    assertEquals(8, WorkCompletionFlags.WITH_INV);
  }

  @Test
  void everyPostResultHasNameErrnoAndMessage() {
    for (int result = 0; result >= -16; result--) {
      String name = PostResult.name(result);
      assertEquals(false, name.startsWith("-"), name);
      String errno = PostResult.errno(result);
      assertEquals(result == 0 ? "OK" : result >= -2 ? "ENOMEM" : "EINVAL", errno, name);
      assertEquals(false, PostResult.message(result).startsWith("post result"), name);
    }
    assertEquals(-17, PostResult.result(PostResult.pack(-17, 5)));
    assertEquals(5, PostResult.posted(PostResult.pack(-17, 5)));
  }
}
