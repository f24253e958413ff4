"""A TLS host under attack by clients that never join: ``python -m tests.hazards.tls_siege [N]`` prints a line of JSON, 6,000 unless given.

They connect over the loopback interface and send one of `OPENINGS`: junk, half a TLS hello, a complete one and nothing more, or nothing;
some disconnect at once, and the others stay. Meanwhile, one guest plays, and others join from the attackers' address. Held are

- every guest comes in, is dropped by nobody, and goes through the host's states, bit for bit;
- what the host's process holds in memory does not grow with the number of strangers (`MAX_GROWTH`).
"""

import argparse
import contextlib
import errno
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.connection import Connection
from engine.net.server_thread import ServerThread
from engine.net.tls import client_tls, server_tls
from engine.sim.registry import find_demo
from tests.hazards.resident import resident
from tests.waiting import until

__all__ = ["MAX_GROWTH", "OPENINGS", "Guest", "Strangers", "besiege", "own_certificate"]

MAX_GROWTH = 40_000_000
"""Bytes: 32 unfinished handshakes from one address, some 400 kB each with what OpenSSL keeps, and twice that for what the process does for
the first time."""
_HELD = 200
"""Connections of strangers that are open at a time."""
_A_TURN = 10
"""Connections that strangers open between two turns of the guests."""


def own_certificate(folder):
    """Return a PEM file with a self-signed certificate for 127.0.0.1 and its key; None without openssl."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return None
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=lab", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-", "-out", "-"]
    path = folder / "both.pem"
    path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    return path


def _client_hello():
    """Return the first message of a TLS client."""
    context, incoming, outgoing = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1").do_handshake()
    return outgoing.read()


OPENINGS = {
    "junk": lambda: os.urandom(300),
    "http": lambda: b"GET / HTTP/1.1\r\n\r\n",
    "nothing": lambda: b"",
    "half": lambda: _client_hello()[:100],
    "hello": _client_hello,
    "record": lambda: b"\x16\x03\x01\x40\x00" + os.urandom(16_000),  # the longest of TLS, of which the rest never comes
}
"""Bytes that a stranger sends."""


class Strangers:
    """Opens this many connections to a port, a few at a time, with the kinds of `OPENINGS` in turn; every fifth disconnects at once."""

    def __init__(self, port, n):
        self._port, self.n_left, self._n = port, n, 0
        self._held = deque()

    def turn(self):
        """Open more connections."""
        for _ in range(min(_A_TURN, self.n_left)):
            self.n_left, self._n = self.n_left - 1, self._n + 1
            connection = socket.socket()
            connection.setblocking(False)
            status = connection.connect_ex(("127.0.0.1", self._port))
            assert status in (0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN), os.strerror(status)
            with contextlib.suppress(OSError):  # where too many wait to be accepted, it says nothing
                connection.send(list(OPENINGS.values())[self._n % len(OPENINGS)]())
            if self._n % 5 == 0:
                connection.close()
                continue
            self._held.append(connection)
            if len(self._held) > _HELD:
                self._held.popleft().close()

    def leave(self):
        """Close all connections."""
        while self._held:
            self._held.popleft().close()


class Guest:
    """A guest, with the digests of all closed ticks."""

    def __init__(self, name, port, certificate):
        self.digests = {}
        self.session = ClientSession(Client(name), Connection("127.0.0.1", port, client_tls(str(certificate))))
        self.session.client.on_final = self.digests.__setitem__

    def turn(self):
        """Take part."""
        self.session.advance(time.monotonic())
        assert not self.session.is_over and self.session.n_disconnects == 0, f"{self.session.client.name}: {self.session.reason}"


def besiege(port, certificate, n, n_late=1):
    """Connect `n` attackers to a host, and guests before and during the attack; return a report."""
    guests = [Guest("first", port, certificate)]

    def turn():
        for guest in guests:
            guest.turn()

    def all_are_in():
        turn()
        return all(len(guest.digests) > 5 for guest in guests)

    until(all_are_in, look=0.005)
    strangers = Strangers(port, n)
    while strangers.n_left:
        strangers.turn()
        turn()
        if len(guests) <= n_late and strangers.n_left < n * (1.0 - len(guests) / (n_late + 1.0)):
            guests.append(Guest(f"guest {len(guests)}", port, certificate))
        time.sleep(0.005)
    until(all_are_in, look=0.005)
    end = max(guest.session.client.confirmed for guest in guests) + 5
    until(lambda: (turn(), all(end in guest.digests for guest in guests))[1], look=0.005)
    strangers.leave()
    first, *others = (guest.digests for guest in guests)
    ticks = [tick for other in others for tick in first.keys() & other.keys()]
    differing = [tick for other in others for tick in first.keys() & other.keys() if first[tick] != other[tick]]
    report = {
        "strangers": n,
        "guests": len(guests),
        "ticks": len(ticks),
        "differing": len(differing),
        "adopted": sum(guest.session.client.n_adopted for guest in guests),
        "compared": sum(guest.session.client.n_compared for guest in guests),
    }
    for guest in guests:
        guest.session.leave()
    return report


def _serve(certificate):
    """Host the world; answer each line of input with the process's memory."""
    host = ServerThread(lambda: find_demo("simple_shapes")(0, {"count": 4}), port=0, tls=server_tls(certificate))
    host.start()
    print(host.port, flush=True)
    for _ in sys.stdin:
        print(json.dumps([resident(), host.status.n_dropped, host.failure]), flush=True)
    host.close()
    assert not host.failure


def main(n):
    """Attack a host in a separate process, with a tenth of the attackers first, and return the result, with memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = own_certificate(Path(folder))
        assert certificate is not None, "no openssl here to make a certificate with"
        command = [sys.executable, "-m", "tests.hazards.tls_siege", "--serve", str(certificate)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
            assert host.stdin is not None and host.stdout is not None

            def ask():
                assert host.stdin is not None and host.stdout is not None
                host.stdin.write("\n")
                host.stdin.flush()
                answer = json.loads(host.stdout.readline())
                return answer

            try:
                port = int(host.stdout.readline())
                at_first = ask()[0]
                besiege(port, certificate, n // 10)
                before = ask()[0]
                report = besiege(port, certificate, n)
                after, dropped, failure = ask()
            finally:
                host.stdin.close()
    megabytes = {"MB": [round(n_bytes / 1e6, 1) for n_bytes in (at_first, before, after)], "grown": after - before}
    return {**report, **megabytes, "dropped": dropped, "failure": failure}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=6_000, help="strangers")
    parser.add_argument("--serve", metavar="F.pem", help="be the host; the command starts that itself")
    options = parser.parse_args()
    if options.serve is not None:
        _serve(options.serve)
    else:
        print(json.dumps(main(options.n)))
