"""A hostile server sends large messages one after another to a program that reads none: the program's memory is bounded (issue 29)."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.server import ServerProtocol

from engine.net import connection as net
from engine.net import messages as m
from engine.net.link import LinkSettings
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]
MAX_BYTES = 400_000_000
"""Maximum memory of a process with only the connection, which has 60 MB before it begins."""
_N_MESSAGES = 20
_STILL_SECONDS = 2.0
"""Time without a further byte after which the program is taken to read no more; if that is too early, the test finds less."""


def _serve(listening):
    """Complete the handshake with a client, and send it large messages until killed."""
    connection, _ = listening.accept()
    protocol = ServerProtocol(max_size=None)
    events = []
    while not events:
        protocol.receive_data(connection.recv(65_536))
        events = protocol.events_received()
    protocol.send_response(protocol.accept(events[0]))
    connection.sendall(b"".join(protocol.data_to_send()))
    frame = b"\x82\x7f" + m.MAX_SERVER_MESSAGE_BYTES.to_bytes(8, "big") + bytes(m.MAX_SERVER_MESSAGE_BYTES)
    for _ in range(_N_MESSAGES):
        connection.sendall(frame)
    signal.pause()


def _peak(latency):
    """Return the memory of a connected process that reads nothing; a slow link buffers data as well."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        child = os.fork()
        if child == 0:
            try:
                _serve(listening)
            finally:
                os._exit(1)
        net.SILENT_SECONDS = PATIENCE  # it answers no pings
        connection = net.Connection("127.0.0.1", listening.getsockname()[1])
        connection.link = LinkSettings(latency=latency)
        until(lambda: connection.n_received >= m.MAX_SERVER_MESSAGE_BYTES)
        n_before = -1
        while connection.n_received != n_before:
            n_before = connection.n_received
            time.sleep(_STILL_SECONDS)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        connection.close()
    return _most_bytes()


def _most_bytes():
    """Return the peak memory of this process; on Linux, `ru_maxrss` starts with its parent's value."""
    if sys.platform == "linux":
        return 1024 * int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.parametrize("latency", [0.0, pytest.param(0.9, marks=pytest.mark.slow)])
def test_unconsumed_data_is_not_read(latency):
    command = [sys.executable, "-c", f"from tests.unit.net import test_hostile_server as t; print(t._peak({latency}))"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert int(output) < MAX_BYTES, output
