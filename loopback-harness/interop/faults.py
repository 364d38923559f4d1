# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on purpose: losses, peers that die, keys and lengths that are wrong. Each names what has to come of it."""

import os
import re
import signal
import socket
import threading
import time
from dataclasses import dataclass
from typing import Callable

import peer
import rows

RELAY_PORT = 18516
KEY_BYTES = 108
# Twice as such and once as a barrier: Linux uses what came last before the run.
KEY_MESSAGES = 3
# Of a key message: where the rkey's eight digits are.
RKEY = slice(24, 32)
LOSS_PERCENT = 1


@dataclass(frozen=True)
class Fault:
    row: rows.Row
    # Takes the lane and the row's number; returns what went wrong, or nothing.
    run: Callable


def named(tool, role, operation, port="linux", transport="rc", ours="", theirs="", says="", mtu=1024):
    bind = " --bind %s --io %s" % (peer.HOST4, port) if ours and not ours.startswith("rping") else ""
    return rows.Row(tool, role, transport, operation, 4, mtu, port, ours + bind, theirs, says=says)


# ---- losses ----

def lossy(row):
    """The peer's host drops 1% of the packets that arrive there; every message must be right all the same."""

    def run(lane, number):
        table = "table inet lane"
        code, text = lane.peer.run(
            "nft 'add %s; add chain inet lane in { type filter hook prerouting priority -300; };"
            " add rule inet lane in udp dport 4791 numgen random mod 100 < %d counter drop'" % (table, LOSS_PERCENT))
        if code != 0:
            return "nft: " + text
        try:
            problem = lane.run_row(number, row)
            dropped = re.search(r"counter packets (\d+)", lane.peer.run("nft list " + table)[1])
        finally:
            lane.peer.run("nft delete " + table)
        if not problem and (dropped is None or dropped.group(1) == "0"):
            return "INVALID: the loss dropped nothing"
        return problem

    return Fault(row, run)


# ---- peers that die ----

def ends_cleanly(code, text):
    lines = [line for line in text.split("\n") if line.startswith("roce4j ")]
    if code != 1:
        return "ours ended with %s, not 1, when the peer was gone" % code
    return "" if len(lines) == 1 else "not one line of error: " + text[-300:]


def theirs_dies(tool, role):
    """The peer's program is killed in the middle; ours says so in one line, and the next pair of programs works."""
    linux = "ib_%s -d rxe0 -F -x 1 -m 1024 -s 8192" % tool.replace("-", "_")
    row = named(tool, role, "theirs is killed, again", ours=tool + " -m 1024 -s 8192", theirs=linux)

    def run(lane, number):
        again = rows.Row(**{**row.__dict__, "ours": row.ours + " -n 20", "theirs": row.theirs + " -n 20"})
        name = "%02d-theirs-dies" % number
        return lane.capturing(name, lambda: kill(lane, name)) or lane.run_row(number, again)

    def kill(lane, name):
        ours = row.ours + " -D 60"
        if role == rows.CLIENT:
            pid = lane.peer.start_program(row.theirs + " -D 60")
            lane.await_theirs()
            process = lane.start_ours(ours + " " + peer.GUEST4, name)
        else:
            process = lane.start_ours(ours, name)
            lane.await_ours(process)
            pid = lane.peer.start_program(row.theirs + " -D 60 " + peer.HOST4)
        time.sleep(8)
        lane.peer.run("kill -s KILL -- -%d" % pid)
        return ends_cleanly(*lane.finish_ours(process, 60))

    return Fault(row, run)


def ours_dies(tool, role):
    """Our program is killed in the middle; the peer's host is none the worse for the next pair of programs."""
    linux = "ib_%s -d rxe0 -F -x 1 -m 1024 -s 8192" % tool.replace("-", "_")
    row = named(tool, role, "ours is killed, again", ours=tool + " -m 1024 -s 8192", theirs=linux)

    def run(lane, number):
        again = rows.Row(**{**row.__dict__, "ours": row.ours + " -n 20", "theirs": row.theirs + " -n 20"})
        name = "%02d-ours-dies" % number
        return lane.capturing(name, lambda: kill(lane, name)) or lane.run_row(number, again)

    def kill(lane, name):
        if role == rows.CLIENT:
            pid = lane.peer.start_program(row.theirs + " -D 60")
            lane.await_theirs()
            process = lane.start_ours(row.ours + " -D 60 " + peer.GUEST4, name)
        else:
            process = lane.start_ours(row.ours + " -D 60", name)
            lane.await_ours(process)
            pid = lane.peer.start_program(row.theirs + " -D 60 " + peer.HOST4)
        time.sleep(8)
        if process.poll() is not None:
            return "ours ended before it was killed: " + lane.finish_ours(process)[1][-200:]
        os.killpg(process.pid, signal.SIGKILL)
        lane.finish_ours(process)
        time.sleep(2)
        # Linux's requester sends again for ever; its program is ended by hand, as its user would.
        lane.peer.run("kill -s KILL -- -%d" % pid)
        return ""

    return Fault(row, run)


# ---- requests that are wrong ----

class Relay:
    """Carries a handshake from one port to a server and changes the rkey in the key messages back."""

    def __init__(self, server):
        self.server = server
        self.listener = socket.create_server(("", RELAY_PORT))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        try:
            client, _ = self.listener.accept()
            with client, socket.create_connection(self.server) as server:
                forth = threading.Thread(target=self.copy, args=(client, server), daemon=True)
                forth.start()
                self.copy_changed(server, client)
                forth.join(60)
        except OSError:
            return  # Both programs say what they saw of it.

    @staticmethod
    def copy(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return

    @staticmethod
    def copy_changed(source, sink):
        """Versions, sizes and path MTU have lengths of their own; then come the key messages."""
        for length in (16, 4, 4, 2):
            sink.sendall(source.recv(length, socket.MSG_WAITALL))
        for _ in range(KEY_MESSAGES):
            key = bytearray(source.recv(KEY_BYTES, socket.MSG_WAITALL))
            key[RKEY] = b"%08x" % (int(key[RKEY], 16) ^ 0x5500)
            sink.sendall(key)
        Relay.copy(source, sink)

    def close(self):
        self.listener.close()


def statuses(text):
    """The completion statuses that a tool of either kind has printed."""
    return re.findall(r"(?:[Ff]ailed status |\(status )(\d+)", text)


def linux_pair(lane, server, client):
    """Both programs at the peer; returns their statuses."""
    pid = lane.peer.start_program(server)
    lane.await_theirs()
    _, text = lane.peer.run("timeout 40 " + client, 50)
    _, other = lane.peer.finish_program(pid, 5)
    return statuses(other), statuses(text)


def wrong(operation, tool, server_words, client_words, role, expected, with_relay=False):
    """A request that the server must refuse: the client's completion has the status it has between Linux peers."""
    linux = "ib_%s -d rxe0 -F -x 1 -m 1024 -n 5 " % tool.replace("-", "_")
    mine = tool + " -m 1024 -n 5 "
    row = named(tool, role, operation, ours=mine)

    def run(lane, number):
        name = "%02d-%s" % (number, role)
        port = " -p %d" % RELAY_PORT if with_relay else ""
        capture, file = lane.start_capture(name)
        relay = None
        try:
            if role == rows.CLIENT:
                pid = lane.peer.start_program(linux + server_words)
                lane.await_theirs()
                relay = Relay((peer.GUEST4, 18515)) if with_relay else None
                host = peer.HOST4 if with_relay else peer.GUEST4
                process = lane.start_ours(row.ours + " " + client_words + port + " " + host, name)
                _, text = lane.finish_ours(process, 60)
                _, other = lane.peer.finish_program(pid, 5)
            else:
                process = lane.start_ours(row.ours + " " + server_words, name)
                lane.await_ours(process)
                relay = Relay((peer.HOST4, 18515)) if with_relay else None
                _, text = lane.peer.run("timeout 60 %s%s %s" % (linux + client_words, port, peer.HOST4), 70)
                _, other = lane.finish_ours(process, 60)
        finally:
            if relay:
                relay.close()
            lane.stop_capture(capture)
        seen = statuses(text)[:1]
        reference = linux_pair(lane, linux + server_words, linux + client_words + " " + peer.GUEST4)[1][:1] \
            if not with_relay else [expected]
        if seen != [expected]:
            return "the client's status is %s, not %s; between Linux peers %s; %s" % (seen, expected, reference,
                                                                                       other[-100:])
        if reference not in ([expected], []) and (expected, reference) not in KNOWN:
            return "between Linux peers the status is %s" % reference
        return lane.check_capture(file)

    return Fault(row, run)


# rxe as a responder answers a SEND that is too long with "remote operational error" (status 11 at the sender); IBA's
# table of responder errors (9.9.3, and C9-155 of the length checks) says "remote invalid request" (status 9), as our
# responder does.
KNOWN = [("9", ["11"])]


def scarce_receives(role):
    """The server posts one receive at a time: RNR NAKs hold the client back, and every message arrives."""
    row = named("send-bw", role, "one receive at a time", ours="send-bw -m 1024 -s 2048 -n 40",
                theirs="ib_send_bw -d rxe0 -F -x 1 -m 1024 -s 2048 -n 40")

    def run(lane, number):
        name = "%02d-scarce-%s" % (number, role)
        capture, file = lane.start_capture(name)
        try:
            extra = " -r 1"
            ours = row.ours + (extra if role == rows.SERVER else "")
            theirs = row.theirs + (extra if role == rows.CLIENT else "")
            own, other = lane.run_pair(row, name, ours, theirs)
        finally:
            lane.stop_capture(capture)
        if own[0] != 0 or other[0] != 0:
            return "ours ended with %s, theirs with %s: %s %s" % (own[0], other[0], own[1][-150:], other[1][-150:])
        return lane.check_capture(file) or ("" if "RNR" in lane.decoded(file) else "INVALID: no RNR NAK was sent")

    return Fault(row, run)


def all_faults():
    check = "-s 10000 -n 200 -c"
    loss = "1% lost at the peer"
    return [
        lossy(named("pingpong", rows.CLIENT, loss, "linux", ours="pingpong " + check, says="200 messages compared",
                    theirs="ibv_rc_pingpong -d rxe0 -g 1 " + check)),
        lossy(named("pingpong", rows.SERVER, loss, "raw", ours="pingpong " + check, says="200 messages compared",
                    theirs="ibv_rc_pingpong -d rxe0 -g 1 " + check)),
        lossy(named("write-bw", rows.CLIENT, loss, "linux", ours="write-bw -m 1024 -n 100",
                    theirs="ib_write_bw -d rxe0 -F -x 1 -m 1024 -n 100")),
        lossy(named("read-bw", rows.SERVER, loss, "raw", ours="read-bw -m 1024 -n 50",
                    theirs="ib_read_bw -d rxe0 -F -x 1 -m 1024 -n 50")),
        theirs_dies("write-bw", rows.CLIENT),
        theirs_dies("send-bw", rows.SERVER),
        ours_dies("send-bw", rows.CLIENT),
        ours_dies("write-bw", rows.SERVER),
        wrong("wrong rkey", "write-bw", "-s 64", "-s 64", rows.CLIENT, "10", with_relay=True),
        wrong("wrong rkey", "read-bw", "-s 64", "-s 64", rows.SERVER, "10", with_relay=True),
        wrong("beyond the region", "write-bw", "-s 64", "-s 1048576", rows.CLIENT, "10"),
        wrong("beyond the region", "write-bw", "-s 64", "-s 1048576", rows.SERVER, "10"),
        wrong("too long a SEND", "send-bw", "-s 64", "-s 65536", rows.SERVER, "9"),
        wrong("too long a SEND", "send-bw", "-s 64", "-s 65536", rows.CLIENT, "11"),
        scarce_receives(rows.CLIENT),
        scarce_receives(rows.SERVER),
    ]
