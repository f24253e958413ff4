"""The recorder of a server writes every tick and keeps none of them in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from engine.common.errors import LabError
from engine.sim.action import Input
from engine.sim.demo import Demo
from engine.sim.history import Start, demo_hash
from engine.sim.recordings.records import HASH_BYTES, Part, Room
from engine.sim.recordings.writer import RecordingWriter, header_of, row_of
from engine.sim.state import compress_state, encode_state
from engine.sim.state_log import BodyIds, StateLog, body_digests, body_ids, raw_states

__all__ = ["TickRecorder"]

_INTERVAL = 0.5
"""Seconds of wall clock between two writes."""
_MAX_BYTES = 1_000_000
"""Bytes of hashes and digests waiting to be written."""
_MAX_INPUTS = 1000
"""Inputs waiting to be written."""
_RAW_TICKS = 300
"""Ticks between two that are written with the numbers of all bodies: five seconds. Every keyframe would make a quarter of the file."""


class TickRecorder:
    """Writes a shared demo into a new file, tick by tick, in bounded memory.

    ``replay FILE --verify`` repeats the ticks. When the file is as large as can be read, or the disk is full, recording ends, and `ended`
    says why; the world goes on.

    Parameters
    ----------
    demo : Demo
        At its first tick, before anything was done to it.
    path : path-like
        A file that is not there yet: nothing is overwritten.
    scene : mapping, optional
        The content of the scene file that the demo was made of, for one that was.

    Attributes
    ----------
    ticks : int
        Recorded so far; the last of them wait to be written.
    ended : str
        Why it records no more; empty while it does.

    Raises
    ------
    InvalidInputError
        There is such a file, or none can be made.
    OSError
        The disk is full.
    """

    def __init__(self, demo: Demo, path: str | os.PathLike[str], scene: Mapping[str, Any] | None = None) -> None:
        self._demo = demo
        self.ticks = 0
        self.ended = ""
        states = StateLog()
        states.note(demo, demo_hash(demo))
        self._bodies = states.bodies[0]
        self._writer = RecordingWriter(path, header_of(demo, Start.of(demo), states, compress_state(encode_state(demo)), scene), Room())
        self.path = self._writer.path
        self._begin_part()

    def _begin_part(self) -> None:
        self._inputs: list[tuple[int, int, Any]] = []
        self._hashes: list[bytes] = []
        self._ids: list[BodyIds] = []
        self._digests: list[bytes] = []
        self._raw: dict[int, bytes] = {}
        self._n_bytes = 0
        self._written = monotonic()

    @property
    def is_open(self) -> bool:
        """True while it records."""
        return self._writer.is_open

    def tick(self, inputs: Sequence[Input], digest: bytes | None = None) -> None:
        """Record the tick that the demo has just taken, and the inputs right before it.

        `digest` is `engine.sim.history.demo_hash` of the demo, if it is known.
        """
        if not self.is_open:
            return
        self._inputs += [row_of(self.ticks, done) for done in inputs]
        self.ticks += 1
        ids, digests = body_ids(self._demo), body_digests(self._demo)
        self._bodies = self._bodies if ids == self._bodies else ids
        self._hashes.append(demo_hash(self._demo) if digest is None else digest)
        self._ids.append(self._bodies)
        self._digests.append(digests)
        self._n_bytes += len(digests) + HASH_BYTES
        if self.ticks % _RAW_TICKS == 0:
            self._raw[self.ticks] = raw_states(self._demo)
        if self._n_bytes > _MAX_BYTES or len(self._inputs) > _MAX_INPUTS or monotonic() - self._written > _INTERVAL:
            self.flush()

    def flush(self) -> None:
        """Write the ticks that wait."""
        if not self.is_open or not self._hashes:
            return
        part = Part.of(self.ticks - len(self._hashes), 0, self._inputs, self._hashes, self._ids, self._digests, self._raw)
        try:
            self._writer.add(part, 0)
        except (LabError, OSError) as error:
            self._end(str(error))
        self._begin_part()

    def close(self) -> None:
        """Write the rest and the end, and close the file."""
        self.flush()
        self._end("")

    def _end(self, why: str) -> None:
        """Stop recording."""
        self.ended = why
        if self.is_open:
            try:
                self._writer.end()
            except OSError as error:
                self.ended = why or str(error)
