# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""The list of what is run against the peer: every tool with every value of role, IP version, path MTU and port."""

from dataclasses import dataclass

CLIENT, SERVER = "client", "server"
# The longest text that Linux's rping takes: 64 KiB less one.
RPING_MAX = 65535


@dataclass(frozen=True)
class Row:
    tool: str
    role: str
    transport: str
    operation: str
    ip: int
    mtu: int
    port: str
    ours: str
    theirs: str
    # How the link has to be, for tools that take the path MTU from it.
    link_mtu: int = 4200
    has_tcp: bool = True
    # What our side's output must say besides the exit code.
    says: str = ""


@dataclass(frozen=True)
class Tool:
    name: str
    transport: str
    operation: str
    ours: str
    theirs: str
    has_mtu: bool = True
    says: str = ""


def pingpong(transport, size, count):
    words = "-s %d -n %d -c" % (size, count)
    return Tool("pingpong", transport, "SEND", "pingpong --transport %s %s" % (transport, words),
                "ibv_%s_pingpong -d rxe0 %s" % (transport, words), transport != "ud", "%d messages compared" % count)


def perftest(name, operation, words):
    return Tool(name, "rc", operation, name + " " + words, "ib_%s -d rxe0 -F %s" % (name.replace("-", "_"), words))


TOOLS = [
    pingpong("rc", 10000, 100),
    pingpong("uc", 5000, 100),
    pingpong("ud", 1000, 100),
    perftest("send-bw", "SEND", "-s 65536 -n 50"),
    perftest("write-bw", "WRITE", "-s 65536 -n 50"),
    perftest("read-bw", "READ", "-s 65536 -n 50"),
    perftest("atomic-bw", "FETCH_ADD", "-n 200"),
    perftest("send-lat", "SEND", "-s 64 -n 100"),
    perftest("write-lat", "WRITE", "-s 64 -n 100"),
    perftest("read-lat", "READ", "-s 64 -n 100"),
    perftest("atomic-lat", "FETCH_ADD", "-n 100"),
]

# More of perftest's options, each once.
EXTRAS = [
    ("send-bw", "uc", "SEND", CLIENT, 4, 1024, "raw", "-c UC -s 4096 -n 50"),
    ("send-bw", "ud", "SEND", SERVER, 4, 1024, "linux", "-c UD -s 1024 -n 50"),
    ("send-lat", "ud", "SEND", CLIENT, 6, 4096, "linux", "-c UD -s 64 -n 50"),
    ("write-bw", "rc", "WRITE both ways", CLIENT, 4, 4096, "raw", "-b -s 16384 -n 50"),
    ("send-bw", "rc", "SEND both ways", SERVER, 6, 4096, "linux", "-b -s 16384 -n 50"),
    ("read-bw", "rc", "READ both ways, 2 qps", CLIENT, 4, 1024, "linux", "-b -q 2 -s 8192 -n 30"),
    # With the usual timeout Linux gives up when 8 MiB take an emulated machine more than seven times 67 ms.
    ("write-lat", "rc", "WRITE, all sizes", SERVER, 4, 4096, "linux", "-a -n 5 -u 18"),
    ("send-bw", "rc", "SEND, 5 s", SERVER, 4, 1024, "raw", "-D 5 -s 8192"),
    ("write-bw", "rc", "WRITE, 5 s", CLIENT, 6, 1024, "linux", "-D 5 -s 8192"),
]


def addresses(role, ip, host4, host6):
    """How each side is told which of its addresses is the GID."""
    return " --bind " + (host4 if ip == 4 else host6), " -%s " + ("1" if ip == 4 else "2")


def row(tool, role, ip, mtu, port, host4, host6):
    bind, index = addresses(role, ip, host4, host6)
    path_mtu = " -m %d" % mtu if tool.has_mtu else ""
    letter = "g" if tool.name == "pingpong" else "x"
    return Row(tool.name, role, tool.transport, tool.operation, ip, mtu, port,
               tool.ours + path_mtu + bind + " --io " + port, tool.theirs + path_mtu + index % letter, says=tool.says)


def rping(role, size, ip, mtu, port, host4, host6, guest4, guest6):
    words = "-C 100 -S %d" % size
    ours = "rping " + ("-c -V -a " + (guest4 if ip == 4 else guest6) if role == CLIENT else
                       "-s -a " + (host4 if ip == 4 else host6))
    theirs = "rping " + ("-s -a " + (guest4 if ip == 4 else guest6) if role == CLIENT else
                         "-c -V -a " + (host4 if ip == 4 else host6))
    return Row("rping", role, "rc", "%d B, READ and WRITE" % size, ip, mtu, port,
               "%s %s --io %s" % (ours, words, port), theirs + " " + words, 1500 if mtu == 1024 else 4200, False)


def all_rows(host4, host6, guest4, guest6):
    rows = []
    for number, tool in enumerate(TOOLS):
        # Two rows show every value of a tool; which values meet changes from tool to tool.
        first = (CLIENT, 4 + 2 * (number % 2), 1024 if number % 4 < 2 else 4096, "linux" if number % 3 else "raw")
        other = (SERVER, 10 - first[1], 5120 - first[2], "raw" if first[3] == "linux" else "linux")
        rows += [row(tool, *values, host4, host6) for values in (first, other)]
    for name, transport, operation, role, ip, mtu, port, words in EXTRAS:
        tool = Tool(name, transport, operation, name + " " + words,
                    "ib_%s -d rxe0 -F %s" % (name.replace("-", "_"), words))
        rows.append(row(tool, role, ip, mtu, port, host4, host6))
    ends = (host4, host6, guest4, guest6)
    rows.append(rping(CLIENT, 64, 4, 4096, "linux", *ends))
    rows.append(rping(SERVER, RPING_MAX, 6, 1024, "raw", *ends))
    rows.append(rping(SERVER, 64, 4, 1024, "linux", *ends))
    rows.append(rping(CLIENT, RPING_MAX, 6, 4096, "raw", *ends))
    return rows
