#!/usr/bin/env python3
# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""One endpoint of roce4j under test, with nothing but Python's standard library.

This script is the peer: it makes and reads every packet itself, ICRC included, hands them to
`./roce4j dut` over its standard input, and moves the clock. No socket, no root, no sleep.

    python3 docs/examples/dut_session.py            # runs ./roce4j dut
    python3 docs/examples/dut_session.py COMMAND... # runs another command line
"""

import json
import struct
import subprocess
import sys
import zlib

DUT_IP, PEER_IP = "192.0.2.2", "192.0.2.1"
DUT_QPN, PEER_QPN = 0x11, 0x22
DUT_PSN, PEER_PSN = 500, 100
MTU = 1024

SEND_ONLY, WRITE_FIRST, WRITE_LAST, WRITE_ONLY = 0x04, 0x06, 0x08, 0x0A
READ_REQUEST, READ_RESPONSE_ONLY, ACK = 0x0C, 0x10, 0x11


# ---- packets ------------------------------------------------------------------------------------


def ip(text):
    return bytes(int(part) for part in text.split("."))


def checksum(header):
    total = sum(struct.unpack("!10H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def icrc(ip_header, udp_header, transport):
    """CRC-32 over the packet with the fields set to ones that a router may change."""
    masked = bytearray(b"\xff" * 8 + ip_header + udp_header + transport)
    masked[8 + 1] = 0xFF  # type of service
    masked[8 + 8] = 0xFF  # time to live
    masked[8 + 10 : 8 + 12] = b"\xff\xff"  # header checksum
    masked[28 + 6 : 28 + 8] = b"\xff\xff"  # UDP checksum
    masked[36 + 4] = 0xFF  # FECN, BECN and reserved bits of the BTH
    return struct.pack("<I", zlib.crc32(bytes(masked)))


def packet(opcode, psn, headers=b"", payload=b"", ack_request=False):
    """A whole IPv4 packet from the peer to the endpoint under test."""
    pad = -len(payload) % 4
    bth = struct.pack("!BBHII", opcode, pad << 4, 0xFFFF, DUT_QPN, psn | ack_request << 31)
    transport = bth + headers + payload + bytes(pad)
    length = 8 + len(transport) + 4
    udp = struct.pack("!HHHH", 0xC000, 4791, length, 0)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0x4000, 64, 17, 0)
    head += ip(PEER_IP) + ip(DUT_IP)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return head + udp + transport + icrc(head, udp, transport)


def reth(va, rkey, length):
    return struct.pack("!QII", va, rkey, length)


class Received:
    """A packet of the endpoint under test, taken apart and checked."""

    def __init__(self, frame):
        self.at_ns = frame["atNs"]
        data = bytes.fromhex(frame["hex"])
        head, udp, transport = data[:20], data[20:28], data[28:-4]
        assert struct.unpack("!H", head[2:4])[0] == len(data), "IP length"
        assert checksum(head) == 0, "IP checksum"
        assert head[12:16] == ip(DUT_IP) and head[16:20] == ip(PEER_IP), "addresses"
        assert struct.unpack("!H", udp[2:4])[0] == 4791, "UDP port"
        assert data[-4:] == icrc(head, udp, transport), "ICRC"
        self.opcode, flags, _, self.dest_qp, word = struct.unpack("!BBHII", transport[:12])
        self.psn, self.ack_request = word & 0xFFFFFF, word >> 31 == 1
        self.rest = transport[12 : len(transport) - (flags >> 4 & 3)]
        assert self.dest_qp == PEER_QPN, "destination queue pair"

    @property
    def syndrome(self):
        return self.rest[0]

    def __repr__(self):
        aeth = " syndrome 0x%02x" % self.syndrome if self.opcode in (ACK, READ_RESPONSE_ONLY) else ""
        return "opcode 0x%02x psn %d%s" % (self.opcode, self.psn, aeth)


# ---- conversation -------------------------------------------------------------------------------


class Dut:
    """The endpoint under test behind its standard input and output."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def __call__(self, cmd, **fields):
        self.last_id += 1
        request = {"id": self.last_id, "cmd": cmd, **fields}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.last_id, answer
        assert answer["ok"], answer
        return answer

    def inject(self, *packets):
        return self("inject", frames=[p.hex() for p in packets])["results"]

    def drain(self):
        return [Received(frame) for frame in self("drain")["frames"]]

    def completions(self):
        got = self("poll_cq", cq=1, max=16)["completions"]
        return [(c["wrId"], c["status"]) for c in got]

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def step(title, *seen):
    print("%-10s %s" % (title, "; ".join(str(each) for each in seen)))


def connect(dut):
    opened = dut("open", port="control", bind=DUT_IP, clock="manual", seed=1)
    assert opened["proto"] == 1
    dut("alloc_pd")
    access = ["LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ"]
    memory = dut("reg_mr", pd=1, length=8192, access=access, fill="00")
    dut("create_cq", cqe=64)
    dut("create_qp", type="RC", pd=1, sendCq=1, recvCq=1, maxSendWr=8, maxRecvWr=8,
        maxSendSge=1, maxRecvSge=1, qpn=DUT_QPN)
    dut("modify_qp", qp=1, attr={
        "qpState": "INIT", "pkeyIndex": 0, "portNum": 1,
        "qpAccessFlags": ["REMOTE_WRITE", "REMOTE_READ"]})
    dut("modify_qp", qp=1, attr={
        "qpState": "RTR", "pathMtu": MTU, "destQpNum": PEER_QPN, "rqPsn": PEER_PSN,
        "maxDestRdAtomic": 1, "minRnrTimer": 12,
        "ahAttr": {"destination": PEER_IP, "hopLimit": 64}})
    dut("modify_qp", qp=1, attr={
        "qpState": "RTS", "sqPsn": DUT_PSN, "timeout": 14, "retryCnt": 2, "rnrRetry": 7,
        "maxRdAtomic": 1})
    step("connect", "QPN 0x%x at %s" % (DUT_QPN, opened["gid"]))
    return memory


def main(command):
    dut = Dut(command)
    memory = connect(dut)
    va, rkey, lkey = int(memory["addr"], 16), int(memory["rkey"], 16), memory["lkey"]

    # A WRITE of two packets lands in memory and is acknowledged once.
    data = bytes(i % 251 for i in range(1500))
    first = packet(WRITE_FIRST, PEER_PSN, reth(va, rkey, len(data)), data[:MTU])
    last = packet(WRITE_LAST, PEER_PSN + 1, payload=data[MTU:], ack_request=True)
    assert dut.inject(first, last) == [None, None]
    [ack] = dut.drain()
    assert (ack.opcode, ack.psn) == (ACK, PEER_PSN + 1) and ack.syndrome < 0x20
    assert dut("read_memory", mr=1, offset=0, length=len(data))["hex"] == data.hex()
    step("write", ack)

    # A READ brings the same bytes back over the wire.
    read = packet(READ_REQUEST, PEER_PSN + 2, reth(va, rkey, 1000), ack_request=True)
    dut.inject(read)
    [response] = dut.drain()
    assert (response.opcode, response.psn) == (READ_RESPONSE_ONLY, PEER_PSN + 2)
    assert response.rest[4:] == data[:1000]
    step("read back", response, "1000 bytes as written")

    # A duplicate is acknowledged again, with the newest PSN, and changes nothing.
    dut("write_memory", mr=1, offset=0, hex="ee" * 16)
    dut.inject(last)
    [again] = dut.drain()
    assert again.opcode == ACK and again.syndrome < 0x20
    assert dut("read_memory", mr=1, offset=0, length=16)["hex"] == "ee" * 16
    assert dut("counters")["values"]["duplicate_request"] == 1
    step("duplicate", again, "memory as it was")

    # A gap: one NAK that names the PSN that is missing, and silence until it comes.
    writes = [packet(WRITE_ONLY, PEER_PSN + 3 + i, reth(va + i, rkey, 1), bytes([i]),
                     ack_request=True) for i in range(3)]
    dut.inject(writes[1], writes[2])
    [nak] = dut.drain()
    assert (nak.opcode, nak.psn, nak.syndrome) == (ACK, PEER_PSN + 3, 0x60)
    dut.inject(*writes)
    acks = dut.drain()
    assert [ack.psn for ack in acks] == [PEER_PSN + 3, PEER_PSN + 4, PEER_PSN + 5]
    step("gap", nak, acks[-1])

    # A SEND without a receive gets an RNR NAK; sent again with one, it is delivered.
    send = packet(SEND_ONLY, PEER_PSN + 6, payload=b"hello", ack_request=True)
    dut.inject(send)
    [rnr] = dut.drain()
    assert (rnr.opcode, rnr.psn, rnr.syndrome) == (ACK, PEER_PSN + 6, 0x20 | 12)
    dut("post_recv", qp=1, wrs=[{"wrId": 77, "sgList": [{"addr": va, "length": 64, "lkey": lkey}]}])
    dut.inject(send)
    [ack] = dut.drain()
    assert ack.syndrome < 0x20
    assert dut.completions() == [(77, "SUCCESS")]
    assert bytes.fromhex(dut("read_memory", mr=1, offset=0, length=5)["hex"]) == b"hello"
    step("rnr", rnr, ack)

    # The other way round: the endpoint sends and hears nothing. Its timer alone moves it.
    dut("post_send", qp=1, wrs=[
        {"wrId": n, "opcode": "RDMA_WRITE", "sendFlags": ["SIGNALED"],
         "sgList": [{"addr": va, "length": 8, "lkey": lkey}],
         "remoteAddr": "0x1000", "rkey": "0x77"} for n in (1, 2)])
    sent = dut.drain()
    assert [p.psn for p in sent] == [DUT_PSN, DUT_PSN + 1]
    timeouts = []
    while True:
        now = dut("advance", toNextDeadline=True)
        again = dut.drain()
        if not again:
            break
        assert [p.psn for p in again] == [DUT_PSN, DUT_PSN + 1]
        timeouts.append("%.1f ms" % (now["nowNs"] / 1e6))
    assert len(timeouts) == 2 and now["nextDeadlineNs"] is None
    step("timeout", "sent again at " + " and ".join(timeouts))

    # After the last retry the oldest request fails, and everything else is flushed.
    assert dut.completions() == [(1, "RETRY_EXC_ERR"), (2, "WR_FLUSH_ERR")]
    assert dut("query_qp", qp=1)["attr"]["qpState"] == "ERR"
    dut("post_recv", qp=1, wrs=[{"wrId": 78, "sgList": []}])
    assert dut.completions() == [(78, "WR_FLUSH_ERR")]
    step("flush", "RETRY_EXC_ERR, then WR_FLUSH_ERR", "state ERR")

    dut("close")
    assert dut.end() == 0
    print("all as expected")


if __name__ == "__main__":
    main(sys.argv[1:] or ["./roce4j", "dut"])
