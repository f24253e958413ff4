"""A recording that is being written: a head, and chunks that are only ever appended, each whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from engine.common.errors import Described, InvalidInputError
from engine.common.files import naming
from engine.history.recordings.layout import LARGEST_FILE, Part, RecordingError, Unpacked, chunk, packed_part, start_of_file
from engine.history.recordings.recording import present_makers
from engine.sim.action import Input
from engine.sim.action_fields import as_plain

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["RecordingWriter", "head_of", "row_of"]

_ROOM_OF_AN_END = 64
"""Bytes; the chunk that says that it is the end has sixteen."""


class RecordingWriter:
    """Writes a new file.

    Parameters
    ----------
    path : path-like
        A file that is not there yet: nothing is overwritten.
    head : mapping
        Which demo it is of, and how it began; see `head_of`.
    room : Unpacked, optional
        What the file may hold still, so that it can be read again; what is beyond is refused. Without it nothing is.

    Attributes
    ----------
    steps, given : int
        How many steps are in the file, and how many of the inputs behind the last of them.

    Raises
    ------
    InvalidInputError
        There is such a file, or none can be made.
    RecordingError
        Nothing of that size could be read again, here or in `add`; the file stays as it is.
    OSError
        The disk is full, or gone, here or in any method; nothing more is written then.
    """

    def __init__(self, path: str | os.PathLike[str], head: Mapping[str, Any], room: Unpacked | None = None) -> None:
        self.path = Path(path)
        self._room = room
        text = json.dumps(dict(head), allow_nan=False).encode()
        if room is not None:
            room.take_text(text, "the head")
        content = start_of_file() + chunk(b"HEAD", zlib.compress(text, 6))
        try:
            self._file: IO[bytes] | None = open(self.path, "xb")  # noqa: SIM115 - closed by `end`
        except FileExistsError:
            raise InvalidInputError("recording", "a file that is not there yet", str(path)) from None
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else "no such name"
            raise InvalidInputError("recording", f"a file that can be made ({told})", str(path)) from None
        self.steps = self.given = self._end = 0
        try:
            self._write(content, 0, 0)
        except BaseException:
            self.discard()
            raise

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to."""
        return self._file is not None

    def add(self, part: Part, states: Mapping[int, bytes], given: int) -> None:
        """Add a part that goes on from here, with the raw states of some of its steps; `given` inputs stand behind the last step then."""
        room, place = self._room, f"{self.path}, step {part.step}"
        content = chunk(b"PART", packed_part(part, place, room))
        for step, state in states.items():
            content += chunk(b"KEYS", zlib.compress(struct.pack("<I", step) + state, 6))
            if room is not None:
                room.take(4 + len(state), place)
        if room is not None and self._end + len(content) > LARGEST_FILE - _ROOM_OF_AN_END:
            raise RecordingError(place, f"of a recording of at most {LARGEST_FILE} bytes", Described("more"))
        self._write(content, part.step + len(part.hashes), given)

    def go_back(self, step: int, given: int) -> None:
        """Say that what follows goes on from a step before, and so many of the inputs there."""
        self._write(chunk(b"BACK", json.dumps([step, given]).encode()), step, given)

    def end(self) -> None:
        """Say that this is the end, and close the file."""
        try:
            self._write(chunk(b"END ", b""), self.steps, self.given)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Write nothing more."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what did not fit before does not fit now
                file.close()

    def discard(self) -> None:
        """Write nothing more, and take the file away."""
        self.abandon()
        self.path.unlink(missing_ok=True)

    def _write(self, content: bytes, steps: int, given: int) -> None:
        """Add to the file, which has so many steps then, and of the inputs there so many are given.

        Until that is noted it counts as not written: what Ctrl-C leaves behind is written over, and not written twice.
        """
        if self._file is None:
            return
        try:
            with naming(self.path):
                self._file.seek(self._end)
                self._file.write(content)
                self._file.flush()
                self._file.truncate()
        except OSError:
            self.abandon()
            raise
        self._end, self.steps, self.given = self._end + len(content), steps, given


def head_of(demo: Demo, scene: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the head of a recording of a demo that begins where it stands, but for the state: `hash`, `bodies` and `digests`."""
    run = demo.sim
    return {
        "demo": demo.id,
        "solver": run.solvers[0],
        "chosen": run.solver,
        "chosen_settings": run.solver_settings,
        "scene": scene,
        "seed": demo.seed,
        "values": dict(demo.values),
        "remembers": run.keeps_solver_state,
        "waits": bool(run.waits),
        "shared": run.is_shared,
        "step_seconds": demo.step_seconds,
        "begun": 0,
        "makers": present_makers(run.solvers[0]),
    }


def row_of(step: int, one: Input) -> list[Any]:
    """Return an input as it stands in a part: the step, the user, and the plain action."""
    return [step, one.user, as_plain(one.action.without_files(Path.cwd()))]
