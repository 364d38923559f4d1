# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""Has tshark and scapy decode a capture and compares them with what was put in.

usage: compare.py CAPTURE.pcap EXPECTED.jsonl

Prints what each of them cannot decode; exits with 1 when a field they do decode differs.
"""

import json
import logging
import subprocess
import sys
from collections import OrderedDict

logging.getLogger("scapy").setLevel(logging.ERROR)

# Payload bytes that look like another protocol to tshark would hide the RoCE fields.
GUESSES = (
    "smcr_infiniband smb_direct_infiniband rpcrdma_infiniband nvme_rdma lnet_ib "
    "iser_infiniband mellanox_eoib sdp_infiniband eth_over_ib"
).split()

# Our name, tshark's field, how to read it.
TSHARK = [
    ("src", ("ip.src", "ipv6.src", "infiniband.grh.sgid"), "address"),
    ("dst", ("ip.dst", "ipv6.dst", "infiniband.grh.dgid"), "address"),
    ("tos", ("ip.dsfield", "ipv6.tclass", "infiniband.grh.tclass"), "number"),
    ("ttl", ("ip.ttl", "ipv6.hlim", "infiniband.grh.hoplmt"), "number"),
    ("flowLabel", ("ipv6.flow", "infiniband.grh.flowlabel"), "number"),
    ("ipId", ("ip.id",), "number"),
    ("sport", ("udp.srcport",), "number"),
    ("udpLength", ("udp.length",), "number"),
    ("opcode", ("infiniband.bth.opcode",), "number"),
    ("se", ("infiniband.bth.se",), "number"),
    ("migReq", ("infiniband.bth.m",), "number"),
    ("padCount", ("infiniband.bth.padcnt",), "number"),
    ("tver", ("infiniband.bth.tver",), "number"),
    ("pkey", ("infiniband.bth.p_key",), "number"),
    ("destQp", ("infiniband.bth.destqp",), "number"),
    ("ackReq", ("infiniband.bth.a",), "number"),
    ("psn", ("infiniband.bth.psn",), "number"),
    ("va", ("infiniband.reth.va",), "number"),
    ("rkey", ("infiniband.reth.r_key",), "number"),
    ("dmaLength", ("infiniband.reth.dmalen",), "number"),
    ("syndrome", ("infiniband.aeth.syndrome",), "number"),
    ("msn", ("infiniband.aeth.msn",), "number"),
    ("qkey", ("infiniband.deth.q_key",), "number"),
    ("srcQp", ("infiniband.deth.srcqp",), "number"),
    ("swapOrAdd", ("infiniband.atomiceth.swapdt",), "number"),
    ("compare", ("infiniband.atomiceth.cmpdt",), "number"),
    ("original", ("infiniband.atomicacketh.origremdt",), "number"),
    ("immDt", ("infiniband.immdt",), "bytes"),
    ("ieth", ("infiniband.ieth",), "bytes"),
    ("icrc", ("infiniband.invariant.crc",), "crc"),
]
NOT_FIELDS = {"carrier", "name", "payloadLength"}


def normal(value, kind):
    """One form for numbers written in decimal, hex or as bytes."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if kind == "address":
        return address(value)
    if kind == "bytes":
        return int(value.replace(":", ""), 16)
    if kind == "crc":
        return value.replace("0x", "").rjust(8, "0")
    if value in ("True", "False"):
        return int(value == "True")
    return int(value, 0)


def address(text):
    import ipaddress

    parsed = ipaddress.ip_address(text)
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)


def tshark_rows(capture, count):
    names = list(OrderedDict.fromkeys(f for _, fields, _ in TSHARK for f in fields))
    command = ["tshark", "-r", capture, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=f"]
    for guess in GUESSES:
        command += ["--disable-heuristic", guess]
    for name in names:
        command += ["-e", name]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    lines = output.stdout.split("\n")[:count]
    for line in lines:
        values = dict(zip(names, line.split("\t")))
        row = {}
        for ours, fields, kind in TSHARK:
            for field in fields:
                if values.get(field):
                    row[ours] = normal(values[field], kind)
                    break
        yield row


def scapy_rows(capture):
    from scapy.all import Ether, IP, IPv6, UDP, rdpcap
    from scapy.contrib.roce import AETH, BTH, GRH

    for captured in rdpcap(capture):
        frame = Ether(bytes(captured))
        row = {}
        if IP in frame:
            row.update(src=frame[IP].src, dst=frame[IP].dst, tos=frame[IP].tos, ttl=frame[IP].ttl, ipId=frame[IP].id)
        elif IPv6 in frame:
            ip = frame[IPv6]
            row.update(src=address(ip.src), dst=address(ip.dst), tos=ip.tc, ttl=ip.hlim, flowLabel=ip.fl)
        elif GRH in frame:
            grh = frame[GRH]
            row.update(tos=grh.tclass, ttl=grh.hoplmt, flowLabel=grh.flowlabel)
            row.update(src=gid(grh.sgid), dst=gid(grh.dgid))
        if UDP in frame:
            row.update(sport=frame[UDP].sport, udpLength=frame[UDP].len)
        if BTH in frame:
            bth = frame[BTH]
            row.update(opcode=bth.opcode, se=bth.solicited, migReq=bth.migreq, padCount=bth.padcount)
            row.update(tver=bth.version, pkey=bth.pkey, becn=bth.becn, destQp=bth.dqpn, ackReq=bth.ackreq, psn=bth.psn)
            if AETH in frame:
                row.update(syndrome=frame[AETH].syndrome, msn=frame[AETH].msn)
            if IP in frame:
                # Not the bytes we wrote but those scapy computes itself.
                again = Ether(bytes(captured))
                again[BTH].icrc = None
                row["icrc"] = bytes(again)[-4:].hex()
        yield row


def gid(number):
    import ipaddress

    return str(ipaddress.IPv6Address(number))


def compare(rows, expected):
    """Returns differences, and per field the opcodes and carriers where the tool has no value."""
    differences = []
    agreed = 0
    silent = {}
    rows = list(rows)
    if len(rows) != len(expected):
        differences.append("%d packets instead of %d" % (len(rows), len(expected)))
    for number, (row, want) in enumerate(zip(rows, expected), 1):
        for field, value in want.items():
            if field in NOT_FIELDS:
                continue
            if field not in row:
                silent.setdefault(field, set()).add((want["carrier"], want["name"]))
                continue
            kind = "crc" if field == "icrc" else "address" if field in ("src", "dst") else "number"
            if row[field] == normal(value, kind):
                agreed += 1
            else:
                differences.append("packet %d %s %s: %s %s, we %s" % (number, want["carrier"], want["name"], field, row[field], value))
    return agreed, differences, silent


def words(names, every):
    """Names as few words: a whole family as FAMILY_*."""
    if names == every:
        return "all opcodes"
    families = {}
    for name in names:
        families.setdefault(name.split("_")[0], set()).add(name)
    parts = []
    for family in sorted(families):
        whole = {name for name in every if name.split("_")[0] == family}
        if families[family] == whole and len(whole) > 1:
            parts.append(family + "_*")
        else:
            parts += sorted(families[family])
    return " ".join(parts)


def places(silent, expected):
    """Says where a field is missing: per carrier, or once when it is the same in all."""
    carriers = sorted({want["carrier"] for want in expected})
    every = {want["name"] for want in expected}
    texts = {}
    for carrier in carriers:
        names = {name for where, name in silent if where == carrier}
        if names:
            texts.setdefault(words(names, every), []).append(carrier)
    return "; ".join(
        text if len(where) == len(carriers) else "%s: %s" % (" and ".join(where), text) for text, where in texts.items()
    )


def main():
    capture, lines = sys.argv[1:3]
    with open(lines, encoding="utf-8") as stream:
        expected = [json.loads(line) for line in stream]
    failed = False
    for tool, rows in (("tshark", tshark_rows(capture, len(expected))), ("scapy", scapy_rows(capture))):
        agreed, differences, silent = compare(rows, expected)
        print("%s: %d packets, %d field values agree, %d differ" % (tool, len(expected), agreed, len(differences)))
        for difference in differences[:20]:
            print("  DIFFERS " + difference)
        for field in sorted(silent):
            print("  not decoded by %s: %s (%s)" % (tool, field, places(silent[field], expected)))
        failed |= bool(differences)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
