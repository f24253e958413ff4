"""Messages of the greatest size from one who means harm: refused, or decoded, within 500 MB (issue 29: one of 63 MB took gigabytes)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from engine.demo.registry import find_demo
from engine.net import messages as m
from engine.net.client import Client
from engine.net.scene import scene_of
from engine.net.state import LARGEST_STATE

ROOT = Path(__file__).resolve().parents[3]
MOST_BYTES = 500_000_000
_N = 62_000_000


def _list_of(element: bytes, n_bytes: int = _N) -> bytes:
    n = n_bytes // len(element)
    return b"\xdd" + n.to_bytes(4, "big") + element * n


def _state(content: bytes) -> bytes:
    packed = zlib.compress(content, 1)
    return blake2b(packed, digest_size=16).digest() + packed


def _plain_state(plain: bytes) -> bytes:
    return _state(len(plain).to_bytes(4, "little") + plain)


def _welcome(scene: bytes = b"\x80", state: bytes = b"", acts: bytes = b"\x90") -> bytes:
    fields = (
        b"\x9b",
        b"\xa7welcome",
        b"\x01",
        b"\xa0",
        b"\x00",
        scene,
        msgspec.msgpack.encode(state),
        acts,
        b"\x00",
        b"\x3c",
        b"\x03",
        b"\x64",
    )
    return b"".join((*fields,))


def _scene() -> bytes:
    return msgspec.msgpack.encode(scene_of(find_demo("simple_shapes")(0)))


_WIDE = b"\xdc\x00\x10" + 16 * b"\x90"
MESSAGES: dict[str, Callable[[], bytes]] = {
    "lists in an act": lambda: b"\x95\xa5acted\x00\x01\x00" + _list_of(b"\x90"),
    "an act without its end": lambda: b"\x95\xa5acted\x00\x01\x00" + _list_of(b"\x90")[:-1],
    "a list of fields": lambda: _list_of(b"\x90"),
    "counts": lambda: b"\x95\xa6closed\x00\x00\xc0" + _list_of(b"\x01"),
    "users": lambda: b"\x92\xa7present" + _list_of(b"\x90"),
    "words": lambda: b"\x92\xa7refused\xdb" + _N.to_bytes(4, "big") + b"a" * _N,
    "lists in a scene": lambda: _welcome(b"\x81\xa1x" + _list_of(_WIDE)),
    "texts in a scene": lambda: _welcome(b"\x81\xa1x" + _list_of(b"\xa2ab", m.LARGEST_PLAIN - 100)),
    "as many lists in a scene as may be": lambda: _welcome(b"\x81\xa1x" + _list_of(b"\x90", m.MOST_LISTS - 2)),
    "acts": lambda: _welcome(acts=_list_of(b"\x94\x00\x01\x00\x90")),
    "a state of nothing": lambda: _welcome(_scene(), _state(bytes(LARGEST_STATE))),
    "a state without bounds": lambda: _welcome(_scene(), _state(bytes(8 * LARGEST_STATE))),
    "lists in a state": lambda: _welcome(_scene(), _plain_state(_list_of(b"\x90", m.LARGEST_PLAIN - 100))),
    "texts in a state": lambda: _welcome(_scene(), _plain_state(_list_of(b"\xa2ab", m.LARGEST_PLAIN - 100))),
}  # fmt: skip


def _peaks() -> dict[str, int]:
    """Return how many bytes a client's process comes to hold for each message, in a process of its own, beside what it held before."""
    found = {}
    Client("one").receive(_welcome(_scene()), 0.0)  # all that it needs is loaded
    for name, make in MESSAGES.items():
        content = make()
        child = os.fork()
        if child == 0:
            client = Client("one")
            client.receive(content, 0.0)
            os._exit(0 if client.refused else 3)
        _, status, usage = os.wait4(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, f"{name}: it was not refused"
        found[name] = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_what_is_too_much_is_refused_before_it_is_decoded() -> None:
    command = [sys.executable, "-c", "import json; from tests.unit.net import test_large_messages as t; print(json.dumps(t._peaks()))"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    peaks = json.loads(told)
    assert peaks.keys() == MESSAGES.keys() and max(peaks.values()) < MOST_BYTES, peaks


@pytest.mark.parametrize("size", [m.LARGEST_FROM_CLIENT - 40, m.LARGEST_FROM_CLIENT + 40])
def test_what_a_client_says_is_bounded_by_its_size(size: int) -> None:
    content = b"\x94\xa3did\x00\x00" + _list_of(b"\x90", size)
    if len(content) > m.LARGEST_FROM_CLIENT:
        with pytest.raises(m.MessageError, match="at most 64000 bytes"):
            m.decode_from_client(content)
    else:
        assert isinstance(m.decode_from_client(content), m.Did)
