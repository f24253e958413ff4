"""File format of recordings: a 12-byte file header, then append-only records.

    89 43 4C 52  0D 0A 1A 0A   version (4)           "\\x89CLR\\r\\n\\x1a\\n": reveals text-mode conversion of the file
    length (4)  crc (4)  crc (4)  payload            repeated for each record; integers are little-endian, unsigned
                                                     zlib.crc32 of the length and of the payload, so that a damaged length
                                                     is not mistaken for a truncated file

The payload is a record in MessagePack, compressed with zlib: a `Header`, then `Part` and `Back` in any order, finally an `End`. Each record
is written by a single `write`, so that a crash leaves at most the last record incomplete.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_RECORDED_INPUTS, MAX_RECORDED_MEMORY, MAX_RECORDED_STEPS, MAX_UNPACKED
from engine.common.messagepack import decoded_bytes, is_bounded, plain_fields
from engine.sim.state_log import DIGEST_BYTES, BodyIds, StateLog

__all__ = [
    "HASH_BYTES",
    "MAGIC",
    "MAX_FILE_BYTES",
    "MAX_RECORD_BYTES",
    "SUFFIX",
    "VERSION",
    "Back",
    "End",
    "Header",
    "Part",
    "Record",
    "RecordingError",
    "Room",
    "encode_record",
    "frame",
    "records_of",
    "start_of_file",
]

MAGIC = b"\x89CLR\r\n\x1a\n"
VERSION = 3
SUFFIX = ".rec"
HASH_BYTES = 16
MAX_FILE_BYTES = 120_000_000
"""Maximum size of a file. An hour of 200 moving bodies takes 90 million bytes."""
MAX_RECORD_BYTES = 64_000_000
"""Maximum size of a record, compressed and uncompressed. Half a second of 10,000 bodies takes a million bytes."""

_START = struct.Struct("<8sI")
_LENGTH = struct.Struct("<I")
_FRAME = struct.Struct("<III")
_LEVEL = 6

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Hash: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]
_Ids: TypeAlias = tuple[tuple[_Count, ...], ...]


class RecordingError(InvalidInputError):
    """A file is not a recording, or is damaged."""


class _Record(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base class of records, encoded as an array that starts with the record's tag."""


class Header(_Record, frozen=True, tag="header"):
    """The demo's configuration and initial state.

    Attributes
    ----------
    demo : str
        Id of the demo.
    seed : str
        Decimal digits; may exceed 64 bits.
    scene : dict or None
        Content of the demo's scene file, if it was loaded from one.
    values : dict of str to float
        The demo's parameters.
    solver : str
        Solver of its worlds; if they differ, that of the first world.
    chosen_solver, chosen_settings : str or None, pairs or None
        Solver and solver-specific settings that replace the defaults of the demo or its scene file.
    keeps_solver_state : bool
        True if its worlds preserve the complete solver state.
    step_seconds : float
    begun : int
        Step at which recording started; earlier steps are included.
    makers : dict of str to str
        Versions of the recording program, the solver's library, NumPy and Python, and the platform.
    state : bytes
        Compressed initial state (`engine.sim.state`).
    hash, bodies, digests
        Hash of the initial state, body ids by stage, and body digests.
    """

    demo: str
    seed: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,39}$")]
    scene: dict[str, Any] | None
    values: dict[str, float]
    solver: str
    chosen_solver: str | None
    chosen_settings: tuple[tuple[str, float | str], ...] | None
    keeps_solver_state: bool
    step_seconds: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
    begun: _Count
    makers: dict[str, str]
    state: bytes
    hash: _Hash
    bodies: _Ids
    digests: bytes


class Part(_Record, frozen=True, tag="part"):
    """Consecutive steps with their inputs.

    Attributes
    ----------
    step, n_inputs : int
        Start of the part: the last step before it, and the number of that step's inputs already written.
    inputs : list of (step, user, plain action)
        Inputs; user 0 means a single user.
    hashes : bytes
        Hash after each step, 16 bytes per step.
    bodies : list of (k, ids by stage)
        Body ids from the k-th step of the part on.
    digests : bytes
        Digests of all bodies after each step, two bytes per body, XORed with those of the previous step if it has the same bodies, so that
        bodies at rest compress to zeros.
    states : dict of int to bytes
        Raw float32 state of all bodies at some steps, 24 bytes per body.
    """

    step: _Count
    n_inputs: _Count
    inputs: list[tuple[_Count, _Count, Any]]
    hashes: bytes
    bodies: list[tuple[_Count, _Ids]]
    digests: bytes
    states: dict[_Count, bytes]

    @classmethod
    def of(cls, step: int, n_inputs: int, inputs: list[tuple[int, int, Any]], states: StateLog) -> Part:
        """Create a part from the states after each of its steps."""
        changes: list[tuple[int, BodyIds]] = []
        words: list[bytes] = []
        before = b""
        for k, (ids, word) in enumerate(zip(states.bodies, states.digests, strict=True)):
            if not changes or ids != changes[-1][1]:
                changes.append((k, ids))
                before = bytes(len(word))
            words.append(_xor(word, before))
            before = word
        return cls(step, n_inputs, inputs, b"".join(states.hashes), changes, b"".join(words), states.raw)

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.hashes) // HASH_BYTES

    def after_each_step(self, place: str) -> Iterator[tuple[bytes, BodyIds, bytes]]:
        """Yield the hash, body ids and digests after each step.

        Raises
        ------
        RecordingError
            The lengths of the hashes and digests do not match the steps and bodies.
        """
        if len(self.hashes) % HASH_BYTES:
            raise RecordingError(place, "a part with 16 bytes of hash per step", Described(f"{len(self.hashes)} bytes"))
        changes, at, ids, before = dict(self.bodies), 0, None, b""
        for k in range(self.n_steps):
            if k in changes:
                ids = changes[k]
                before = bytes(DIGEST_BYTES * sum(map(len, ids)))
            word = self.digests[at : at + len(before)]
            if ids is None or len(word) != len(before):
                raise RecordingError(place, "a part with two bytes of digest per body and step", Described(f"{len(self.digests)} bytes"))
            at += len(before)
            before = before if not any(word) else _xor(word, before)
            yield self.hashes[HASH_BYTES * k : HASH_BYTES * (k + 1)], ids, before
        if at != len(self.digests):
            raise RecordingError(place, "a part with two bytes of digest per body and step", Described(f"{len(self.digests)} bytes"))


class Back(_Record, frozen=True, tag="back"):
    """The recording continues from an earlier step, after its first `n_inputs` inputs; later steps are abandoned."""

    step: _Count
    n_inputs: _Count


class End(_Record, frozen=True, tag="end"):
    """Marks a complete recording."""


Record: TypeAlias = Header | Part | Back | End
_decoder = msgspec.msgpack.Decoder(Record)


class Room:
    """Remaining capacity of a file, so that a small file that would expand to gigabytes is rejected."""

    def __init__(self) -> None:
        self.n_bytes = MAX_UNPACKED
        self._left = {
            f"{MAX_RECORDED_STEPS} steps": MAX_RECORDED_STEPS,
            f"{MAX_RECORDED_INPUTS} inputs": MAX_RECORDED_INPUTS,
            f"{MAX_RECORDED_MEMORY} bytes of memory": MAX_RECORDED_MEMORY,
        }

    def take_bytes(self, n: int, place: str) -> None:
        """Consume `n` uncompressed bytes."""
        self.n_bytes -= n
        if self.n_bytes < 0:
            requirement = f"small enough for a recording that unpacks to at most {MAX_UNPACKED} bytes"
            raise RecordingError(place, requirement, Described("a larger one"))

    def take(self, n_steps: int, n_inputs: int, n_memory: int, place: str) -> None:
        """Consume steps, inputs, and bytes of memory after decoding."""
        for (limit, left), n in zip(self._left.items(), (n_steps, n_inputs, n_memory), strict=True):
            self._left[limit] = left - n
            if left < n:
                raise RecordingError(place, f"small enough for a recording of at most {limit}", Described("a larger one"))


def start_of_file() -> bytes:
    """Return the file header of recordings."""
    return _START.pack(MAGIC, VERSION)


def encode_record(record: Record, place: str = "record", room: Room | None = None) -> bytes:
    """Encode a record for the file; `room` is the remaining capacity of the file.

    Raises
    ------
    RecordingError
        The record contains values that cannot be encoded, or exceeds the remaining capacity.
    """
    try:
        content = msgspec.msgpack.encode(record)
    except (TypeError, ValueError, OverflowError) as error:
        raise RecordingError(place, f"made of plain data ({error})", Described(type(record).__name__)) from None
    if room is not None:
        _take(room, record, content, place)
    return frame(zlib.compress(content, _LEVEL))


def frame(payload: bytes) -> bytes:
    """Return a payload preceded by its length and checksums."""
    length = _LENGTH.pack(len(payload))
    return _FRAME.pack(len(payload), zlib.crc32(length), zlib.crc32(payload)) + payload


def records_of(content: bytes, file: str, room: Room | None = None) -> Iterator[tuple[str, Record]]:
    """Yield the place, for error messages, and content of every complete record; a truncated last record is skipped.

    Raises
    ------
    RecordingError
        The file is not a recording, has another version, is damaged, or exceeds the limits.
    """
    if content[: len(MAGIC)] != MAGIC[: len(content)] or not content:
        raise RecordingError(file, "a recording of this program", Described("another file" if content else "an empty file"))
    if len(content) < _START.size:
        raise RecordingError(file, "a recording", Described("a truncated file header"))
    version = _START.unpack_from(content)[1]
    if version != VERSION:
        requirement = f"a recording of version {VERSION}" + (", or read by the program that wrote it" if version > VERSION else "")
        raise RecordingError(file, requirement, Described(f"version {version}"))
    at, number, room = _START.size, 0, Room() if room is None else room
    while at + _FRAME.size <= len(content):
        length, length_sum, payload_sum = _FRAME.unpack_from(content, at)
        end = at + _FRAME.size + length
        if length > MAX_RECORD_BYTES or zlib.crc32(_LENGTH.pack(length)) != length_sum:
            raise RecordingError(file, "whole", Described(f"damage at byte {at}"))
        if end > len(content):
            return
        payload, place = content[at + _FRAME.size : end], f"{file}, record {number}"
        if zlib.crc32(payload) != payload_sum:
            raise RecordingError(file, "whole", Described(f"damage at byte {at}"))
        yield place, _decoded(payload, place, room)
        at, number = end, number + 1


def _decoded(payload: bytes, place: str, room: Room) -> Record:
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(payload, min(MAX_RECORD_BYTES, room.n_bytes + 1))
    except zlib.error:
        raise RecordingError(place, "compressed with zlib", Described("other bytes")) from None
    room.take_bytes(len(content), place)
    if not unpacker.eof or unpacker.unused_data:
        raise RecordingError(place, f"compressed with zlib, at most {MAX_RECORD_BYTES} bytes", Described("more, or less"))
    try:
        fields = plain_fields(content)
        if not is_bounded(*fields):
            raise RecordingError(place, "a record that decodes to at most 200 MB", Described("a larger one"))
        record: Record = _decoder.decode(content)
    except RecordingError:
        raise
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RecordingError(place, f"a record ({error})", Described("something else")) from None
    _take_decoded(room, record, fields, place)
    return record


def _take(room: Room, record: Record, content: bytes, place: str) -> None:
    room.take_bytes(len(content), place)
    _take_decoded(room, record, plain_fields(content), place)


def _take_decoded(room: Room, record: Record, fields: Sequence[bytes], place: str) -> None:
    n_steps, n_inputs = (record.n_steps, len(record.inputs)) if isinstance(record, Part) else (0, 0)
    room.take(n_steps, n_inputs, sum(map(decoded_bytes, fields)), place)


def _xor(a: bytes, b: bytes) -> bytes:
    return (np.frombuffer(a, dtype=np.uint8) ^ np.frombuffer(b, dtype=np.uint8)).tobytes()
