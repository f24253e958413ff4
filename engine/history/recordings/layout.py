"""How a recording lies in its file: a head of 12 bytes, and chunks that are only ever appended.

    89 43 4C 52  0D 0A 1A 0A   version (4)           "\\x89CLR\\r\\n\\x1a\\n": a file that went through a text mode is noticed at once
    type (4)  length (4)  crc (4)  crc (4)  payload  again and again; numbers little-endian, unsigned
                                                     zlib.crc32 of type and length, and of the payload: a length
                                                     that was damaged is not taken for an end that was cut off

    "HEAD"   zlib(JSON)     which demo, seed, parameters, versions, platform; the state at the beginning
    "PART"   zlib(part)     a stretch of steps: inputs, a hash for each step, a digest for each body and step; see `Part`
    "KEYS"   zlib(states)   the raw float32 state of every body at a step
    "BACK"   JSON           [step, inputs]: what follows goes on from there, and what was ahead of it counts no more
    "END "   nothing        it was ended, and not cut off

A chunk of another type is skipped: a later program may add some. The version changes when what is here is read otherwise. Writing a
chunk is one `write`: a program that dies while recording leaves whole chunks and at most one that is cut short.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.errors import Described, InvalidInputError
from engine.common.json_file import check_values
from engine.common.limits import MAX_RECORDED_INPUTS, MAX_RECORDED_STEPS, MAX_RECORDED_VALUES, MAX_UNPACKED
from engine.history.state_log import DIGEST_BYTES, BodyIds

__all__ = [
    "HASH_BYTES",
    "LARGEST_FILE",
    "LONGEST_CHUNK",
    "MAGIC",
    "SUFFIX",
    "VERSION",
    "Part",
    "RecordingError",
    "Unpacked",
    "chunk",
    "chunks_of",
    "ids_of",
    "inflated",
    "is_number",
    "json_of",
    "packed_part",
    "part_of",
    "start_of_file",
]

MAGIC = b"\x89CLR\r\n\x1a\n"
VERSION = 2
SUFFIX = ".rec"
HASH_BYTES = 16

_START = struct.Struct("<8sI")
_HEAD = struct.Struct("<4sI")
_FRAME = struct.Struct("<4sIII")
LARGEST_FILE = 120_000_000
"""Bytes; an hour of 200 bodies that all move has 90 million."""
LONGEST_CHUNK = 64_000_000
"""Bytes of a chunk, packed and unpacked: a part of half a second of 10,000 bodies has a million."""

_LARGEST_NUMBER = 1e300
"""Larger whole numbers are no floats."""


class RecordingError(InvalidInputError):
    """A file is no recording, or a damaged one."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a recording: it begins after `step` steps and `given` of the inputs there.

    `inputs` are rows of a step, a user and a plain action, in order; hashes, bodies and digests are those after the steps that follow.
    """

    step: int
    given: int
    inputs: Sequence[Sequence[Any]]
    hashes: Sequence[bytes]
    bodies: Sequence[BodyIds]
    digests: Sequence[bytes]


def start_of_file() -> bytes:
    """Return the first bytes of every recording."""
    return _START.pack(MAGIC, VERSION)


def chunk(kind: bytes, payload: bytes) -> bytes:
    """Return a chunk as it lies in the file."""
    return _FRAME.pack(kind, len(payload), zlib.crc32(_HEAD.pack(kind, len(payload))), zlib.crc32(payload)) + payload


def chunks_of(content: bytes, file: str) -> Iterator[tuple[bytes, bytes]]:
    """Return type and payload of every whole chunk. What is cut off at the end is left out.

    Raises
    ------
    RecordingError
        It is another file, a newer one, or damaged before its end.
    """
    if content[: len(MAGIC)] != MAGIC[: len(content)] or not content:
        raise RecordingError(file, "a recording of this program", Described("another file" if content else "an empty file"))
    if len(content) < _START.size:
        raise RecordingError(file, "a recording", Described("one that ends before it begins"))
    version = _START.unpack_from(content)[1]
    if version != VERSION:
        wanted = f"a recording of version {VERSION}" + (", or read by the program that wrote it" if version > VERSION else "")
        raise RecordingError(file, wanted, Described(f"version {version}"))
    at = _START.size
    while at + _FRAME.size <= len(content):
        kind, length, head_sum, sum_ = _FRAME.unpack_from(content, at)
        end = at + _FRAME.size + length
        if length > LONGEST_CHUNK or zlib.crc32(_HEAD.pack(kind, length)) != head_sum:
            raise RecordingError(file, "whole", Described(f"damage at byte {at}"))
        if end > len(content):
            return
        payload = content[at + _FRAME.size : end]
        if zlib.crc32(payload) != sum_:
            raise RecordingError(file, "whole", Described(f"damage at byte {at}"))
        yield kind, payload
        at = end


class Unpacked:
    """How many bytes one file may unpack to still, all chunks together, and how many values of JSON."""

    def __init__(self) -> None:
        self.left = MAX_UNPACKED
        self._values = MAX_RECORDED_VALUES
        self._steps = MAX_RECORDED_STEPS
        self._inputs = MAX_RECORDED_INPUTS

    def take_part(self, n_steps: int, n_inputs: int, place: str) -> None:
        self._steps -= n_steps
        self._inputs -= n_inputs
        if self._steps < 0:
            raise RecordingError(place, f"of a recording of at most {MAX_RECORDED_STEPS} steps", Described("more"))
        if self._inputs < 0:
            raise RecordingError(place, f"of a recording of at most {MAX_RECORDED_INPUTS} inputs", Described("more"))

    def take_text(self, content: bytes, place: str) -> None:
        self.take(len(content), place)
        self.take_values(_n_values(content, place), place)

    def take_values(self, n_values: int, place: str) -> None:
        self._values -= n_values
        if self._values < 0:
            raise RecordingError(place, f"of a recording of at most {MAX_RECORDED_VALUES} values of JSON", Described("more"))

    def take(self, n_bytes: int, place: str) -> None:
        self.left -= n_bytes
        if self.left < 0:
            raise RecordingError(place, f"of a recording that unpacks to at most {MAX_UNPACKED} bytes", Described("more"))


def inflated(payload: bytes, place: str, room: Unpacked | None = None) -> bytes:
    """Return what zlib has packed, unless it is too much, for a chunk or for what is left of the `room` of a file."""
    unpacker = zlib.decompressobj()
    most = LONGEST_CHUNK if room is None else min(LONGEST_CHUNK, room.left + 1)
    try:
        content = unpacker.decompress(payload, most)
    except zlib.error:
        raise RecordingError(place, "packed by zlib", Described("other bytes")) from None
    if room is not None:
        room.take(len(content), place)
    if not unpacker.eof or unpacker.unused_data:
        raise RecordingError(place, f"packed by zlib, at most {LONGEST_CHUNK} bytes", Described("more, or less"))
    return content


def _n_values(content: bytes, place: str) -> int:
    try:
        return check_values(content, place)
    except InvalidInputError as error:
        raise RecordingError(error.field, error.requirement, error.value) from None


def json_of(content: bytes, place: str, room: Unpacked | None = None) -> Any:
    """Return the plain data of JSON with finite numbers."""

    n_values = _n_values(content, place)
    if room is not None:
        room.take_values(n_values, place)

    def refuse(constant: str) -> None:
        raise RecordingError(place, "JSON with finite numbers", constant)

    try:
        return json.loads(content.decode("utf-8"), parse_constant=refuse)
    except RecordingError:
        raise
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise RecordingError(place, "JSON", Described("something else")) from None


def packed_part(part: Part, place: str = "part", room: Unpacked | None = None) -> bytes:
    """Return a part as a payload: the length of the JSON, the JSON, the hashes, the digests.

    The digests of a step are written as what they differ by (exclusive or) from those of the step before, where it has the same bodies:
    bodies at rest are zeros then, and take no space. `room` is what the file may unpack to still.
    """
    changes: list[list[Any]] = []
    words: list[bytes] = []
    known: BodyIds | None = None
    before = b""
    for k, (ids, digests) in enumerate(zip(part.bodies, part.digests, strict=True)):
        if ids != known:
            changes.append([k, [list(stage) for stage in ids]])
            known, before = ids, bytes(len(digests))
        words.append(_either(digests, before))
        before = digests
    plain = {"step": part.step, "given": part.given, "steps": len(part.hashes), "inputs": list(part.inputs), "bodies": changes}
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False).encode()
    rest = b"".join(part.hashes) + b"".join(words)
    if room is not None:
        room.take_part(len(part.hashes), len(part.inputs), place)
        room.take_text(text, place)
        room.take(4 + len(rest), place)
    return zlib.compress(struct.pack("<I", len(text)) + text + rest, 6)


def part_of(payload: bytes, place: str, room: Unpacked | None = None) -> Part:
    """Return the part in a payload; its inputs are as they stand there. `room` is what the file may unpack to still."""
    content = inflated(payload, place, room)
    if len(content) < 4:
        raise RecordingError(place, "whole", Described("too short"))
    text_end = 4 + int(struct.unpack_from("<I", content)[0])
    plain = json_of(content[4:text_end], place, room)
    if not isinstance(plain, dict) or any(not _is_count(plain.get(name)) for name in ("step", "given", "steps")):
        raise RecordingError(place, "an object with step, given and steps", plain)
    inputs, changes, steps = plain.get("inputs"), plain.get("bodies"), plain["steps"]
    if not isinstance(inputs, list) or not isinstance(changes, list):
        raise RecordingError(place, "an object with inputs and bodies", plain)
    if len(inputs) > MAX_RECORDED_INPUTS:
        raise RecordingError(f"{place}: inputs", f"at most {MAX_RECORDED_INPUTS}", Described(str(len(inputs))))
    hashes_end = text_end + HASH_BYTES * steps
    if hashes_end > len(content):
        raise RecordingError(place, "as long as its steps", Described(f"{len(content)} bytes"))
    hashes = [content[at : at + HASH_BYTES] for at in range(text_end, hashes_end, HASH_BYTES)]
    bodies, digests, end = _unpacked(content, hashes_end, changes, steps, place)
    if end != len(content):
        raise RecordingError(place, "as long as its bodies", Described(f"{len(content)} bytes"))
    return Part(plain["step"], plain["given"], inputs, hashes, bodies, digests)


def _unpacked(content: bytes, at: int, changes: list[Any], steps: int, place: str) -> tuple[list[BodyIds], list[bytes], int]:
    listed: dict[int, BodyIds] = {}
    for change in changes:
        if not (isinstance(change, list) and len(change) == 2 and _is_count(change[0]) and isinstance(change[1], list)):
            raise RecordingError(f"{place}: bodies", "pairs of a step and ids", change)
        listed[change[0]] = ids_of(change[1], f"{place}: bodies")
    bodies: list[BodyIds] = []
    digests: list[bytes] = []
    ids: BodyIds | None = None
    size, before = 0, b""
    for k in range(steps):
        if k in listed:
            ids = listed[k]
            size = DIGEST_BYTES * sum(len(stage) for stage in ids)
            before = bytes(size)
        if ids is None or at + size > len(content):
            raise RecordingError(place, "as long as its bodies", Described(f"{len(content)} bytes"))
        word = _either(content[at : at + size], before)
        before = before if word == before else word
        bodies.append(ids)
        digests.append(before)
        at += size
    return bodies, digests, at


def ids_of(plain: object, place: str) -> BodyIds:
    """Return ids of bodies, stage by stage, of plain data."""
    if not isinstance(plain, list) or any(not isinstance(stage, list) or not all(map(_is_count, stage)) for stage in plain):
        raise RecordingError(place, "lists of ids", plain)
    return tuple(tuple(stage) for stage in plain)


def is_number(value: object) -> bool:
    """Tell whether plain data are a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST_NUMBER and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _either(one: bytes, other: bytes) -> bytes:
    return (np.frombuffer(one, dtype=np.uint8) ^ np.frombuffer(other, dtype=np.uint8)).tobytes()
