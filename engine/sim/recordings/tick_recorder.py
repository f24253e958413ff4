"""Records a shared simulation on a server, tick by tick, without keeping the history in memory."""

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
from engine.sim.state_log import StateLog, raw_states

__all__ = ["TickRecorder"]

_INTERVAL = 0.5
"""Wall-clock time between writes, seconds."""
_MAX_BYTES = 1_000_000
"""Maximum size of unwritten hashes and digests, bytes."""
_MAX_INPUTS = 1000
"""Maximum number of unwritten inputs."""
_RAW_TICKS = 300
"""Ticks between raw states, five seconds. Writing one at every keyframe would take a quarter of the file."""


class TickRecorder:
    """Records a shared demo to a new file, tick by tick, in bounded memory.

    ``replay FILE --verify`` verifies the file. When the file reaches the maximum size, or the disk is full, recording stops with the reason
    in `ended`; the simulation continues.

    Parameters
    ----------
    demo : Demo
        The demo before its first tick and first input.
    path : path-like
        File to create; an existing file is not overwritten.
    scene : mapping, optional
        Content of the demo's scene file, if it was loaded from one.

    Attributes
    ----------
    ticks : int
        Number of recorded ticks, including the latest ones, which are possibly not written yet.
    ended : str
        Reason why recording stopped; empty while recording.

    Raises
    ------
    InvalidInputError
        The file exists, or cannot be created.
    OSError
        The disk is full.
    """

    def __init__(self, demo: Demo, path: str | os.PathLike[str], scene: Mapping[str, Any] | None = None) -> None:
        self._demo = demo
        self.ticks = 0
        self.ended = ""
        states = StateLog()
        states.note(demo, demo_hash(demo))
        self._writer = RecordingWriter(path, header_of(demo, Start.of(demo), states, compress_state(encode_state(demo)), scene), Room())
        self.path = self._writer.path
        self._begin_part()

    def _begin_part(self) -> None:
        self._inputs: list[tuple[int, int, Any]] = []
        self._states = StateLog()
        self._n_bytes = 0
        self._written = monotonic()

    @property
    def is_open(self) -> bool:
        """True while recording."""
        return self._writer.is_open

    def tick(self, inputs: Sequence[Input], digest: bytes | None = None) -> None:
        """Record the tick that the demo has just completed, and the inputs applied before it.

        `digest` is the demo's `engine.sim.history.demo_hash`; None computes it.
        """
        if not self.is_open:
            return
        self._inputs += [row_of(self.ticks, done) for done in inputs]
        self.ticks += 1
        states = self._states
        states.note(self._demo, demo_hash(self._demo) if digest is None else digest)
        self._n_bytes += len(states.digests[-1]) + HASH_BYTES
        if self.ticks % _RAW_TICKS == 0:
            states.raw[self.ticks] = raw_states(self._demo)
        if self._n_bytes > _MAX_BYTES or len(self._inputs) > _MAX_INPUTS or monotonic() - self._written > _INTERVAL:
            self.flush()

    def flush(self) -> None:
        """Write all unwritten ticks."""
        n_ticks = len(self._states.hashes)
        if not self.is_open or not n_ticks:
            return
        part = Part.of(self.ticks - n_ticks, 0, self._inputs, self._states)
        try:
            self._writer.add(part, 0)
        except (LabError, OSError) as error:
            self._end(str(error))
        self._begin_part()

    def close(self) -> None:
        """Write the remaining ticks and the end record, and close the file."""
        self.flush()
        self._end("")

    def _end(self, why: str) -> None:
        """Write the end record, close the file, and store the first reason in `ended`."""
        self.ended = self.ended or why
        if self.is_open:
            try:
                self._writer.end()
            except OSError as error:
                self.ended = self.ended or str(error)
