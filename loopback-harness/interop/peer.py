# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
"""The peer: a small virtual machine with Debian's kernel and its rdma_rxe, on a tap in a network namespace."""

import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOST4, GUEST4 = "10.79.9.1", "10.79.9.2"
HOST6, GUEST6 = "fd79::1", "fd79::2"
TAP = "lane0"
SHELL_PORT = 2222
MEMORY_MB = 640
PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "qemu-system-x86_64": "qemu-system-x86",
    "ip": "iproute2",
    "tcpdump": "tcpdump",
    "tshark": "tshark",
}
PACKAGES = (
    "linux-image-amd64,initramfs-tools,udev,kmod,iproute2,procps,util-linux,mount,socat,nftables,"
    "rdma-core,ibverbs-providers,ibverbs-utils,rdmacm-utils,perftest"
)
# Drivers that no such machine has; without them the image is a third of the size.
LEFT_OUT = "gpu media scsi iio staging hwmon usb input mmc ata isdn md message platform video bluetooth".split()


END = re.compile(rb"\nscript ended:\d+\n$")


class Missing(Exception):
    """The machine lacks something; the text says what and how to get it."""


def check_machine(cache):
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise Missing("the peer is a Linux x86-64 machine: this is %s %s" % (platform.system(), platform.machine()))
    if os.geteuid() != 0:
        raise Missing("network namespaces, taps and captures need root: run it with sudo")
    if not os.path.exists("/dev/net/tun"):
        raise Missing("/dev/net/tun is missing: modprobe tun")
    lacking = sorted({package for program, package in PROGRAMS.items() if not shutil.which(program)})
    if lacking:
        raise Missing("missing programs: apt-get install " + " ".join(lacking))
    if not os.path.exists(image(cache)):
        check_debian()


def check_debian():
    with open("/etc/os-release", encoding="utf-8") as file:
        words = dict(line.strip().split("=", 1) for line in file if "=" in line)
    name = words.get("VERSION_CODENAME", "").strip('"')
    if words.get("ID", "").strip('"') != "debian" or name != "bookworm" or not shutil.which("apt-get"):
        raise Missing("the peer is built from this host's Debian 12 packages: this host is %s %s; build the image on"
                      " one and pass its folder with --cache" % (words.get("ID"), name))


def image(cache):
    return os.path.join(cache, "peer.img")


def package_sources():
    """The host's own package sources, one line each, so that the peer comes from where this host's packages do."""
    form = "$(SITE)|$(RELEASE)|$(COMPONENT)"
    listing = subprocess.run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = sorted(set(listing.split("\n")) - {""})
    if not lines:
        raise Missing("apt knows no package source: run apt-get update")
    return "".join("deb %s %s %s\n" % tuple(line.split("|")) for line in lines)


def build(cache, say):
    """Builds the root image from Debian packages; once, a minute or two."""
    os.makedirs(cache, exist_ok=True)
    root = os.path.join(cache, "root")
    shutil.rmtree(root, ignore_errors=True)
    say("building the peer from Debian packages in " + cache)
    modules = os.path.join(cache, "modules.conf")
    with open(modules, "w", encoding="utf-8") as file:
        file.write("MODULES=list\nCOMPRESS=gzip\n")
    listed = os.path.join(cache, "modules")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("virtio_pci\nvirtio_blk\next4\n")
    command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=essential", "--include=" + PACKAGES]
    command += ["--aptopt=Apt::Install-Recommends \"false\""]
    for path in ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/lib/modules/*/kernel/sound/*"]:
        command.append("--dpkgopt=path-exclude=" + path)
    for driver in LEFT_OUT:
        command.append("--dpkgopt=path-exclude=/lib/modules/*/kernel/drivers/%s/*" % driver)
    command += [
        # Before the kernel is unpacked: its own hook makes the initial file system with what is said here.
        "--essential-hook=mkdir -p \"$1/etc/initramfs-tools/conf.d\"",
        "--essential-hook=copy-in %s /etc/initramfs-tools/conf.d" % modules,
        "--essential-hook=copy-in %s /etc/initramfs-tools" % listed,
        "--dpkgopt=force-confold",
        "--customize-hook=copy-in %s /usr/local/sbin" % os.path.join(HERE, "guest-init"),
        "--customize-hook=chmod 755 \"$1/usr/local/sbin/guest-init\"",
        "bookworm", root, "-",
    ]
    log = os.path.join(cache, "build.log")
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(command, input=package_sources(), stdout=file, stderr=file, text=True, timeout=900,
                              check=False)
    if done.returncode:
        raise Missing("mmdebstrap failed, its messages are in " + log)
    boot = os.path.join(root, "boot")
    for kind in ("vmlinuz", "initrd.img"):
        newest = sorted(name for name in os.listdir(boot) if name.startswith(kind + "-"))[-1]
        shutil.copyfile(os.path.join(boot, newest), os.path.join(cache, kind))
    fresh = image(cache) + ".new"
    with open(fresh, "wb") as file:
        file.truncate(3 << 29)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", root, fresh], check=True)
    os.replace(fresh, image(cache))
    shutil.rmtree(root)


class Peer:
    """One running peer, in the namespace that this process is in."""

    def __init__(self, cache, life_seconds, say):
        self.cache = cache
        self.life_seconds = life_seconds
        self.say = say
        self.process = None
        self.console = os.path.join(cache, "console.log")

    def start(self, mtu):
        ip = ["ip"]
        subprocess.run(ip + ["link", "set", "lo", "up"], check=True)
        subprocess.run(ip + ["tuntap", "add", "dev", TAP, "mode", "tap"], check=True)
        subprocess.run(ip + ["link", "set", TAP, "mtu", str(mtu), "up"], check=True)
        subprocess.run(ip + ["address", "add", HOST4 + "/24", "dev", TAP], check=True)
        subprocess.run(ip + ["address", "add", HOST6 + "/64", "dev", TAP, "nodad"], check=True)
        accel = "kvm" if self.has_kvm() else "tcg"
        plain = "csum=off,gso=off,guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ufo=off"
        words = "root=/dev/vda rw init=/usr/local/sbin/guest-init console=ttyS0 quiet panic=1 net.ifnames=0" \
                " mitigations=off lane.mtu=%d lane.ip4=%s/24 lane.ip6=%s/64" % (mtu, GUEST4, GUEST6)
        command = ["timeout", "-k", "5", str(self.life_seconds), "qemu-system-x86_64", "-nodefaults", "-no-user-config",
                   "-nographic", "-no-reboot", "-machine", "q35,accel=" + accel,
                   "-cpu", "host" if accel == "kvm" else "max", "-smp", "1", "-m", str(MEMORY_MB),
                   "-kernel", os.path.join(self.cache, "vmlinuz"), "-initrd", os.path.join(self.cache, "initrd.img"),
                   "-append", words, "-drive", "file=%s,if=virtio,format=raw,snapshot=on" % image(self.cache),
                   "-netdev", "tap,id=n0,ifname=%s,script=no,downscript=no,vhost=off" % TAP,
                   "-device", "virtio-net-pci,netdev=n0,mac=02:79:00:00:00:02,romfile=," + plain,
                   "-device", "virtio-rng-pci", "-serial", "file:" + self.console, "-monitor", "none"]
        with open(os.path.join(self.cache, "qemu.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        self.say("the peer boots (%s)" % accel)
        end = time.monotonic() + (60 if accel == "kvm" else 300)
        while self.run("rdma link show rxe0/1", 5)[1].find("ACTIVE") < 0:
            if self.process.poll() is not None or time.monotonic() > end:
                raise Missing("the peer did not boot, its console is in " + self.console)
            time.sleep(0.5)

    @staticmethod
    def has_kvm():
        real = os.path.exists("/sys/module/kvm_intel") or os.path.exists("/sys/module/kvm_amd")
        return real and os.access("/dev/kvm", os.W_OK)

    def run(self, script, seconds=60):
        """Runs a shell script in the peer; returns its exit code and its output, or (None, ...) when it took too long."""
        output = b""
        try:
            with socket.create_connection((GUEST4, SHELL_PORT), timeout=min(5, seconds)) as link:
                link.settimeout(seconds)
                # The braces end the script's input: what runs in it must not read the rest of it.
                link.sendall(("{\n%s\n} </dev/null; code=$?\necho; echo script ended:$code\n" % script).encode())
                link.shutdown(socket.SHUT_WR)
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    part = link.recv(65536)
                    if not part:
                        break
                    output += part
                    if END.search(output):
                        break  # A program in the background may keep the connection open.
        except OSError as error:
            return None, output.decode(errors="replace") + str(error)
        text = output.decode(errors="replace")
        head, found, code = text.rpartition("\nscript ended:")
        return (int(code) if found and code.strip().isdigit() else None), head.rstrip("\n")

    def start_program(self, command, log="/tmp/program.log"):
        """Starts a program in a session of its own; returns its process id."""
        _, text = self.run("setsid sh -c '%s' >%s 2>&1 & echo pid:$!" % (command + "; echo exit:$?", log))
        return int(text.rpartition("pid:")[2])

    def finish_program(self, pid, seconds, log="/tmp/program.log"):
        """Waits for a started program; returns its exit code (None: it had to be killed) and its output."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            _, text = self.run("cat " + log)
            head, found, code = text.rpartition("exit:")
            if found and code.strip().isdigit():
                return int(code), head.rstrip("\n")
            time.sleep(0.3)
        self.run("kill -s KILL -- -%d" % pid)
        return None, self.run("cat " + log)[1]

    def stop(self):
        if self.process is None:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
