"""Reads a packed recording like `engine/player/web/data.js`; written from the format's description."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray, IntArray

__all__ = ["Decoded", "decoded"]


@dataclass(frozen=True)
class Decoded:
    """`header` and `streams` of a recording; `centers` of each body, (steps, 3): center of mass and angle."""

    header: dict[str, Any]
    streams: dict[str, IntArray]
    centers: list[FloatArray]

    def poses(self, body):
        """Return the poses of a body's origin at all its steps, (steps, 3)."""
        at, (x, y) = self.centers[body], self.header["bodies"][body]["center"]
        cos, sin = np.cos(at[:, 2]), np.sin(at[:, 2])
        return np.column_stack((at[:, 0] - (cos * x - sin * y), at[:, 1] - (sin * x + cos * y), at[:, 2]))


def decoded(text):
    """Decode a recording."""
    content = gzip.decompress(base64.b64decode(text))
    start = 4 + int.from_bytes(content[:4], "little")
    header, streams = json.loads(content[4:start]), {}
    for name, length in header["streams"].items():
        streams[name] = _integers(content[start : start + length])
        start += length
    assert start == len(content)
    centers, row = [], 0
    for body in header.get("bodies", ()):
        rows = slice(row, row + body["steps"])
        grid = np.column_stack([_twice_summed(streams[name][rows]) for name in ("x", "y", "angle")])
        centers.append(grid * (header["pitch"], header["pitch"], body["turn"]))
        row += body["steps"]
    return Decoded(header, streams, centers)


def _integers(content):
    values, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append((value >> 1) ^ -(value & 1))
            value = shift = 0
    return np.array(values, dtype=np.int64)


def _twice_summed(differences):
    speeds = differences.copy()
    speeds[0] = 0
    return differences[0] + np.cumsum(np.cumsum(speeds))
