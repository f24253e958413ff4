"""Writes recording files: each record is appended completely or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from engine.common.errors import Described, InvalidInputError
from engine.common.files import naming
from engine.sim.action import Input
from engine.sim.action_codec import as_plain
from engine.sim.demo import Demo
from engine.sim.history import Start
from engine.sim.recordings.recording import present_makers
from engine.sim.recordings.records import MAX_FILE_BYTES, Back, End, Header, Part, RecordingError, Room, encode_record, start_of_file
from engine.sim.state_log import StateLog

__all__ = ["RecordingWriter", "header_of", "row_of"]

_END_BYTES = 64
"""Bytes reserved for the `End` record."""


class RecordingWriter:
    """Creates a recording file and appends records to it.

    Parameters
    ----------
    path : path-like
        File to create; an existing file is not overwritten.
    header : Header
        Header of the recording; see `header_of`.
    room : Room, optional
        Remaining capacity of the file; records beyond it are rejected, because the file could not be loaded. None means no limit.

    Attributes
    ----------
    steps, n_inputs : int
        Number of steps in the file, and of inputs after the last step.

    Raises
    ------
    InvalidInputError
        The file exists, or cannot be created.
    RecordingError
        The record exceeds the limits for loading; raised here or by `add`, and the file is unchanged.
    OSError
        The disk is full or was removed; raised here or by any method, and nothing more is written.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header, room: Room | None = None) -> None:
        self.path = Path(path)
        self._room = room
        content = start_of_file() + encode_record(header, "the header", room)
        try:
            self._file: IO[bytes] | None = open(self.path, "xb")  # noqa: SIM115 - closed by `end`
        except FileExistsError:
            raise InvalidInputError("recording", "a file that does not exist yet", str(path)) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "invalid name"
            raise InvalidInputError("recording", f"a file that can be created ({reason})", str(path)) from None
        self.steps = self.n_inputs = self._end = 0
        try:
            self._write(content, 0, 0)
        except BaseException:
            self.discard()
            raise

    @property
    def is_open(self) -> bool:
        """True until the file is closed."""
        return self._file is not None

    def add(self, part: Part, n_inputs: int) -> None:
        """Append the part that follows; `n_inputs` is the number of inputs after its last step."""
        place = f"{self.path}, step {part.step}"
        content = encode_record(part, place, self._room)
        if self._room is not None and self._end + len(content) > MAX_FILE_BYTES - _END_BYTES:
            raise RecordingError(place, f"small enough for a recording of at most {MAX_FILE_BYTES} bytes", Described("a larger one"))
        self._write(content, part.step + part.n_steps, n_inputs)

    def go_back(self, step: int, n_inputs: int) -> None:
        """Continue the recording from an earlier step, after its first `n_inputs` inputs."""
        self._write(encode_record(Back(step, n_inputs)), step, n_inputs)

    def end(self) -> None:
        """Write the end record and close the file."""
        try:
            self._write(encode_record(End()), self.steps, self.n_inputs)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file without writing."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # the disk may still be full
                file.close()

    def discard(self) -> None:
        """Close and delete the file."""
        self.abandon()
        self.path.unlink(missing_ok=True)

    def _write(self, content: bytes, steps: int, n_inputs: int) -> None:
        """Append `content`, after which the file has `steps` steps and `n_inputs` inputs after the last one.

        The position is updated last, so that a write interrupted by Ctrl-C is overwritten, not duplicated.
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
        self._end, self.steps, self.n_inputs = self._end + len(content), steps, n_inputs


def header_of(demo: Demo, start: Start, states: StateLog, state: bytes, scene: Mapping[str, Any] | None, begun: int = 0) -> Header:
    """Return the header of a recording of `demo` that starts at the first logged state; `state` is that state, compressed."""
    return Header(
        demo=demo.id,
        seed=str(demo.seed),
        scene=None if scene is None else dict(scene),
        values=start.values,
        solver=start.solver,
        chosen_solver=start.chosen_solver,
        chosen_settings=start.chosen_settings,
        keeps_solver_state=start.keeps_solver_state,
        step_seconds=demo.step_seconds,
        begun=begun,
        makers=present_makers(start.solver),
        state=state,
        hash=states.hashes[0],
        bodies=states.bodies[0],
        digests=states.digests[0],
    )


def row_of(step: int, done: Input) -> tuple[int, int, Any]:
    """Return an input in the format of `Part.inputs`: step, user, plain action."""
    return step, done.user, as_plain(done.action.without_files(Path.cwd()))
