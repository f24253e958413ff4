"""Hostile messages of maximum size are rejected or decoded within 500 MB (issue 29: one of 63 MB took gigabytes)."""

import json
import os
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path

import msgspec
import pytest

from engine.common.messagepack import MAX_DECODED_BYTES, MAX_PLAIN_BYTES, decoded_bytes, is_bounded
from engine.net.client import Client
from engine.net.scene import shared_scene
from engine.sim.registry import find_demo
from engine.sim.state import MAX_STATE_BYTES, encode_state

ROOT = Path(__file__).resolve().parents[3]
MAX_BYTES = 500_000_000
_N = 62_000_000


def _list_of(element, n_bytes=_N):
    n = n_bytes // len(element)
    return b"\xdd" + n.to_bytes(4, "big") + element * n


def _many(element):
    """Return a list of maximum length."""
    return _list_of(element, min(MAX_PLAIN_BYTES - 500, (MAX_DECODED_BYTES - 50_000) * len(element) // decoded_bytes(element)))


def _distinct_tables(n):
    return b"\xdd" + n.to_bytes(4, "big") + b"".join(b"\x81\xa6%06d\x01" % k for k in range(n))


def _act(act):
    return b"\x91\x95\xa6action\x00\x01\x00" + act


def _state(content):
    return zlib.compress(content, 1)


def _plain_state(plain):
    return _state(len(plain).to_bytes(4, "little") + plain)


def _welcome(scene=b"\x90", state=b"", acts=b"\x90"):
    fields = (
        b"\x9a",
        b"\xa7welcome",
        b"\x01",
        b"\xa0",
        b"\x00",
        scene,
        msgspec.msgpack.encode(state),
        acts,
        b"\x3c",
        b"\x03",
        b"\x64",
    )
    return b"".join((*fields,))


def _file(content):
    """Return a scene whose file has this content."""
    return b"\x99\xa1x\x81\xa1x" + content + b"\x00\x80\xc0\xc0\xc0\xc0\xc3"


def _scene():
    return msgspec.msgpack.encode(shared_scene(find_demo("simple_shapes")(0)))


def _scene_of_many(element, state=b""):
    return _welcome(_file(_many(element)), state)


_VALUES = {
    "lists of one": b"\x91\xc0",
    "tables of one": b"\x81\xa2ab\x01",
    "extensions": b"\xd4\x05\x00",
    "timestamps": b"\xd6\xff\x00\x00\x00\x05",
    "texts": b"\xa2ab",
    "small numbers": b"\xe0",
}
_WIDE = b"\xdc\x00\x10" + 16 * b"\x90"
MESSAGES = {
    "lists in an act": lambda: b"\x95\xa6action\x00\x01\x00" + _list_of(b"\x90"),
    "an act without its end": lambda: b"\x95\xa6action\x00\x01\x00" + _list_of(b"\x90")[:-1],
    "a list of fields": lambda: _list_of(b"\x90"),
    "counts": lambda: b"\x95\xa6closed\x00\x00\xc0" + _list_of(b"\x01"),
    "users": lambda: b"\x92\xa5users" + _list_of(b"\x90"),
    "words": lambda: b"\x92\xa7refused\xdb" + _N.to_bytes(4, "big") + b"a" * _N,
    "lists in a scene": lambda: _welcome(_file(_list_of(_WIDE))),
    "tables in a scene": lambda: _welcome(_file(_list_of(b"\x81\xa2ab\x01", 9_950_000))),
    "tables of their own keys": lambda: _welcome(_file(_distinct_tables(900_000))),
    "extensions in a scene": lambda: _welcome(_file(_list_of(b"\xd4\x05\x00", MAX_PLAIN_BYTES - 100))),
    "texts in a scene and in acts": lambda: _welcome(_file(_many(b"\xa2ab")), acts=_act(_many(b"\xa2ab"))),
    **{f"as many {name} as may be": partial(_scene_of_many, value) for name, value in _VALUES.items()},
    "as many nothings as may be, and a state": lambda: _scene_of_many(b"\xc0", bytes(_N - MAX_PLAIN_BYTES)),
    "as many lists in acts and in a state": lambda: _welcome(
        _scene(), _state(len(_many(b"\x90")).to_bytes(4, "little") + _many(b"\x90")), _act(_many(b"\x90"))
    ),
    "acts": lambda: _welcome(acts=_list_of(b"\x94\x00\x01\x00\x90")),
    "a state of nothing": lambda: _welcome(_scene(), _state(bytes(MAX_STATE_BYTES))),
    "a state without bounds": lambda: _welcome(_scene(), _state(bytes(8 * MAX_STATE_BYTES))),
    "lists in a state": lambda: _welcome(_scene(), _plain_state(_list_of(b"\x90", MAX_PLAIN_BYTES - 100))),
}  # fmt: skip


def _peaks(names):
    """Return the peak memory of a client process, bytes, for each message, each in a separate process."""
    peaks = {}
    Client("one").receive(_welcome(_scene()), 0.0)  # all that it needs is loaded
    for name in names:
        content = MESSAGES[name]()
        child = os.fork()
        if child == 0:
            client = Client("one")
            client.receive(content, 0.0)
            os._exit(0 if client.end_reason else 3)
        _, status, usage = os.wait4(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, f"{name}: it was not refused"
        peaks[name] = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return peaks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.slow
def test_oversized_messages_are_rejected_before_decoding():
    call = "import json; from tests.unit.net import test_large_messages as t; print(json.dumps(t._peaks(t.MESSAGES)))"
    peaks = json.loads(subprocess.run([sys.executable, "-c", call], cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    assert peaks.keys() == MESSAGES.keys() and max(peaks.values()) < MAX_BYTES, peaks


def test_states_of_ten_thousand_bodies_may_be_sent():
    """Their numbers contain arbitrary bytes, many of which look like the start of a map."""
    demo = find_demo("simple_shapes")(1, {"count": 200})
    for _ in range(30):
        demo.sim.step()
    unpacked = encode_state(demo)
    plain = unpacked[4 : 4 + int.from_bytes(unpacked[:4], "little")]
    assert is_bounded(50 * plain)


@pytest.mark.parametrize("element", _VALUES.values(), ids=_VALUES)
def test_values_of_each_kind_are_counted_before_they_are_decoded(element):
    assert is_bounded(_many(element)[5:]) and not is_bounded(2 * _many(element)[5:])
