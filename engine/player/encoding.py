"""Encodes a recording as text in a page: a JSON header and streams of integers, compressed by gzip, in base64.

    uint32 length of the header | header, JSON in ASCII | streams, in the order of ``header["streams"]``

A stream is a sequence of integers, mostly small differences. Each is zigzag-coded (0, -1, 1, -2 become 0, 1, 2, 3) and written in groups of
seven bits, lowest first; the high bit of a byte means that another follows (LEB128). `web/data.js` reads it.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import IntArray
from engine.common.words import shown

__all__ = ["first_differences", "packed_recording", "second_differences", "varints"]

_MAX_GROUPS = 8
"""Seven-bit groups of the largest integer, 2^55: more than the 2^53 up to which a browser counts exactly."""


def varints(values: IntArray) -> bytes:
    """Return integers as zigzag LEB128.

    Examples
    --------
    >>> varints(np.array([0, -1, 63, 64])).hex()
    '00017e8001'
    """
    zigzag = (values << 1) ^ (values >> 63)
    groups = (zigzag[:, None] >> np.arange(0, 7 * _MAX_GROUPS, 7)) & 127
    n_groups = np.maximum(_MAX_GROUPS - np.argmax(groups[:, ::-1] != 0, axis=1), 1)
    n_groups[zigzag == 0] = 1
    place = np.arange(_MAX_GROUPS)
    groups[place < n_groups[:, None] - 1] |= 128
    encoded: bytes = groups[place < n_groups[:, None]].astype(np.uint8).tobytes()
    return encoded


def first_differences(values: IntArray, starts: IntArray) -> IntArray:
    """Return each value minus the one before it; each run that begins at one of the `starts` begins with its own first value.

    Examples
    --------
    >>> first_differences(np.array([5, 7, 8, 100, 99]), np.array([0, 3])).tolist()
    [5, 2, 1, 100, -1]
    """
    differences = np.diff(values, prepend=0)
    differences[starts] = values[starts]
    return differences


def second_differences(values: IntArray, starts: IntArray) -> IntArray:
    """Return each value minus its extrapolation from the two before it, so that uniform motion becomes zeros.

    Examples
    --------
    >>> second_differences(np.array([5, 7, 9, 11, 12]), np.array([0])).tolist()
    [5, 2, 0, 0, -1]
    """
    speeds = first_differences(values, starts)
    speeds[starts] = 0
    differences = np.diff(speeds, prepend=0)
    differences[starts] = values[starts]
    return differences


def _readable(value: Any) -> Any:
    """Return JSON data with every text as `shown` writes it: without direction marks, control characters and halves of letters."""
    if isinstance(value, str):
        return shown(value, in_lines=True)
    if isinstance(value, Mapping):
        return {name: _readable(item) for name, item in value.items()}
    return [_readable(item) for item in value] if isinstance(value, list | tuple) else value


def packed_recording(header: Mapping[str, Any], streams: Mapping[str, IntArray]) -> str:
    """Return a recording as base64; the same content gives the same text."""
    encoded = {name: varints(values) for name, values in streams.items()}
    described = {**_readable(header), "streams": {name: len(content) for name, content in encoded.items()}}
    head = json.dumps(described, allow_nan=False, separators=(",", ":")).encode("ascii")
    content = struct.pack("<I", len(head)) + head + b"".join(encoded.values())
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
