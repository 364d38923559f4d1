# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""ucmatose and rping against our connection manager, which is driven through ./roce4j dut: connect, messages both ways,
disconnect; and messages that find no receive."""

import json
import re
import subprocess
import time

import peer
import rows

PORT = 7471
RPING_PORT = 7174
MESSAGES = 10
MESSAGE_BYTES = 100
STEP_SECONDS = 60


class Dut:
    """Our endpoint, one JSON line a command."""

    def __init__(self, command):
        self.process = subprocess.Popen(command + ["dut"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.events = []

    def ask(self, cmd, **fields):
        self.number += 1
        self.process.stdin.write(json.dumps({"id": self.number, "cmd": cmd, **fields}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if not answer.get("ok"):
            raise ValueError("dut: %s: %s" % (cmd, answer.get("message")))
        return answer

    def await_event(self, name):
        """Waits for an event of the connection manager; any other that comes first is a failure."""
        end = time.monotonic() + STEP_SECONDS
        while time.monotonic() < end:
            self.events += self.ask("cm_events")["events"]
            if self.events:
                event = self.events.pop(0)
                if event["event"] != name:
                    raise ValueError("dut: %s instead of %s" % (event["event"], name))
                return event
            time.sleep(0.05)
        raise ValueError("dut: no %s" % name)

    def await_completions(self, queue, count):
        found = self.await_any(queue, count)
        wrong = [each for each in found if each["status"] != "SUCCESS"]
        if wrong or len(found) < count:
            raise ValueError("dut: %d of %d completions, %s" % (len(found), count, wrong[:1]))
        return found

    def await_any(self, queue, count):
        """Waits for completions of any status; fewer when they do not come."""
        end = time.monotonic() + STEP_SECONDS
        found = []
        while len(found) < count and time.monotonic() < end:
            found += self.ask("poll_cq", cq=queue)["completions"]
            time.sleep(0.02)
        return found

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Side:
    """A queue pair with its receives posted, and what ucmatose's two sides do with it."""

    def __init__(self, dut, row, receives=MESSAGES):
        self.dut = dut
        address = peer.HOST4 if row.ip == 4 else peer.HOST6
        dut.ask("open", port=row.port, bind=address, icrcMode="auto" if row.port == "raw" else "solve")
        domain = dut.ask("alloc_pd")["pd"]
        self.region = dut.ask("reg_mr", pd=domain, length=4096, access=["LOCAL_WRITE"], fill="counter")
        self.sends = dut.ask("create_cq", cqe=64)["cq"]
        self.receives = dut.ask("create_cq", cqe=64)["cq"]
        self.pair = dut.ask("create_qp", type="RC", pd=domain, sendCq=self.sends, recvCq=self.receives)["qp"]
        dut.ask("modify_qp", qp=self.pair,
                attr={"qpState": "INIT", "pkeyIndex": 0, "portNum": 1, "qpAccessFlags": ["REMOTE_WRITE"]})
        # Before the connection stands: the REQ of ucmatose allows no retry of a missing receive.
        sge = {"addr": self.region["addr"], "length": MESSAGE_BYTES, "lkey": self.region["lkey"]}
        if receives:
            dut.ask("post_recv", qp=self.pair, wrs=[{"wrId": i, "sgList": [sge]} for i in range(receives)])
        self.sge = {**sge, "addr": hex(int(str(self.region["addr"]), 0) + 2048)}

    def post_sends(self, count):
        wrs = [{"wrId": i, "opcode": "SEND", "sendFlags": ["SIGNALED"], "sgList": [self.sge]} for i in range(count)]
        self.dut.ask("post_send", qp=self.pair, wrs=wrs)

    def send(self):
        self.post_sends(MESSAGES)
        self.dut.await_completions(self.sends, MESSAGES)

    def receive(self):
        found = self.dut.await_completions(self.receives, MESSAGES)
        if any(each["byteLen"] != MESSAGE_BYTES for each in found):
            raise ValueError("dut: a message has %s bytes" % found[0]["byteLen"])


def active(lane, row, dut):
    """We connect; the passive side sends first and disconnects first."""
    pid = lane.peer.start_program(row.theirs)
    lane.await_theirs(has_tcp=False)
    side = Side(dut, row)
    dut.ask("cm_connect", address=peer.GUEST4 if row.ip == 4 else peer.GUEST6, port=PORT, qp=side.pair,
            responderResources=1, initiatorDepth=1, retryCount=5)
    dut.await_event("ESTABLISHED")
    side.receive()
    side.send()
    dut.await_event("DISCONNECTED")
    return lane.peer.finish_program(pid, 60)


def passive(lane, row, dut):
    """ucmatose connects to us."""
    side = Side(dut, row)
    dut.ask("cm_listen", port=PORT)
    pid = lane.peer.start_program(row.theirs + " -s " + (peer.HOST4 if row.ip == 4 else peer.HOST6))
    request = dut.await_event("CONNECT_REQUEST")
    dut.ask("cm_accept", cmId=request["cmId"], qp=side.pair)
    dut.await_event("ESTABLISHED")
    side.send()
    side.receive()
    dut.ask("cm_disconnect", cmId=request["cmId"])
    dut.await_event("DISCONNECTED")
    return lane.peer.finish_program(pid, 60)


def ours_finds_no_receive(lane, row, dut):
    """ucmatose has as many receives as it expects messages, and its REQ allows no retry: one more ends in an error."""
    side = Side(dut, row)
    dut.ask("cm_listen", port=PORT)
    pid = lane.peer.start_program(row.theirs + " -s " + peer.HOST4)
    request = dut.await_event("CONNECT_REQUEST")
    dut.ask("cm_accept", cmId=request["cmId"], qp=side.pair)
    dut.await_event("ESTABLISHED")
    side.post_sends(MESSAGES + 1)
    seen = [each["status"] for each in dut.await_any(side.sends, MESSAGES + 1)]
    dut.ask("cm_disconnect", cmId=request["cmId"])
    lane.peer.finish_program(pid, 30)
    return "" if seen == MESSAGES * ["SUCCESS"] + ["RNR_RETRY_EXC_ERR"] else "our completions are %s" % seen


def theirs_finds_no_receive(lane, row, dut):
    """We accept with one retry and post no receive: rping's first message ends in an error."""
    side = Side(dut, row, receives=0)
    dut.ask("cm_listen", port=RPING_PORT)
    pid = lane.peer.start_program(row.theirs + " -a " + peer.HOST4)
    request = dut.await_event("CONNECT_REQUEST")
    dut.ask("cm_accept", cmId=request["cmId"], qp=side.pair, rnrRetryCount=1)
    dut.await_event("ESTABLISHED")
    _, text = lane.peer.finish_program(pid, 60)
    # As it says it itself: RNR retry exceeded is the thirteenth of the kernel's statuses.
    seen = re.findall(r"completion failed status (\d+)", text)
    return "" if seen[:1] == ["13"] else "rping's completions are %s: %s" % (seen, text[-200:])


def ucmatose(role, ip, mtu, port):
    address_format = "" if ip == 4 else " -f ipv6"
    bind = " -b " + (peer.GUEST4 if ip == 4 else peer.GUEST6) if role == rows.CLIENT else ""
    return rows.Row("ucmatose", role, "rc", "connect, SEND both ways, disconnect", ip, mtu, port, "dut",
                    "ucmatose -C %d -S %d%s%s" % (MESSAGES, MESSAGE_BYTES, address_format, bind),
                    1500 if mtu == 1024 else 4200, False)


def plain(talk):
    """What a row runs whose program has to end with 0."""

    def run_it(lane, row, dut):
        code, text = talk(lane, row, dut)
        return "" if code == 0 else "%s ended with %s: %s" % (row.tool, code, text[-200:])

    return run_it


def run(lane, number, row, talk):
    lane.set_link_mtu(row.link_mtu)
    name = "%02d-%s-%s" % (number, row.tool, row.role)
    capture, file = lane.start_capture(name)
    dut = Dut(lane.roce4j)
    try:
        problem = talk(lane, row, dut)
    finally:
        dut.close()
        lane.stop_capture(capture)
    return problem or lane.check_capture(file)


def missing_receive(tool, role, port, theirs):
    return rows.Row(tool, role, "rc", "no receive, few retries", 4, 1024, port, "dut", theirs, 1500, False)


def all_cases():
    """Each row, and what it runs."""
    return [
        (ucmatose(rows.CLIENT, 4, 1024, "linux"), plain(active)),
        (ucmatose(rows.SERVER, 6, 4096, "raw"), plain(passive)),
        (missing_receive("ucmatose", rows.SERVER, "linux", "ucmatose -C %d -S %d" % (MESSAGES, MESSAGE_BYTES)),
         ours_finds_no_receive),
        (missing_receive("rping", rows.SERVER, "raw", "rping -c -C 1 -p %d" % RPING_PORT), theirs_finds_no_receive),
    ]
