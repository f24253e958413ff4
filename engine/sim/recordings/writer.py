"""A recording that is being written: records are appended, each whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from engine.common.errors import Described, InvalidInputError
from engine.common.files import naming
from engine.sim.action import Input
from engine.sim.action_fields import as_plain
from engine.sim.demo import Demo
from engine.sim.history import Start
from engine.sim.recordings.recording import present_makers
from engine.sim.recordings.records import MAX_FILE_BYTES, Back, End, Header, Part, RecordingError, Room, encode_record, start_of_file
from engine.sim.state_log import StateLog

__all__ = ["RecordingWriter", "header_of", "row_of"]

_END_BYTES = 64
"""Room for the record that says that it is the end."""


class RecordingWriter:
    """Writes a new file.

    Parameters
    ----------
    path : path-like
        A file that is not there yet: nothing is overwritten.
    header : Header
        How the recording begins; see `header_of`.
    room : Room, optional
        How much more the file may hold, so that it can be read again; what is beyond is refused. Without it nothing is.

    Attributes
    ----------
    steps, n_inputs : int
        How many steps are in the file, and how many of the inputs behind the last of them.

    Raises
    ------
    InvalidInputError
        There is such a file, or none can be made.
    RecordingError
        A record of that size could not be read again, here or in `add`; the file stays as it is.
    OSError
        The disk is full, or gone, here or in any method; nothing more is written then.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header, room: Room | None = None) -> None:
        self.path = Path(path)
        self._room = room
        content = start_of_file() + encode_record(header, "the header", room)
        try:
            self._file: IO[bytes] | None = open(self.path, "xb")  # noqa: SIM115 - closed by `end`
        except FileExistsError:
            raise InvalidInputError("recording", "a file that is not there yet", str(path)) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "no such name"
            raise InvalidInputError("recording", f"a file that can be made ({reason})", str(path)) from None
        self.steps = self.n_inputs = self._end = 0
        try:
            self._write(content, 0, 0)
        except BaseException:
            self.discard()
            raise

    @property
    def is_open(self) -> bool:
        """True if it can still be written to."""
        return self._file is not None

    def add(self, part: Part, n_inputs: int) -> None:
        """Add a part that goes on from here; `n_inputs` inputs stand behind its last step."""
        place = f"{self.path}, step {part.step}"
        content = encode_record(part, place, self._room)
        if self._room is not None and self._end + len(content) > MAX_FILE_BYTES - _END_BYTES:
            raise RecordingError(place, f"of a recording of at most {MAX_FILE_BYTES} bytes", Described("more"))
        self._write(content, part.step + part.n_steps, n_inputs)

    def go_back(self, step: int, n_inputs: int) -> None:
        """Write that what follows goes on after an earlier step, and so many of the inputs there."""
        self._write(encode_record(Back(step, n_inputs)), step, n_inputs)

    def end(self) -> None:
        """Write that this is the end, and close the file."""
        try:
            self._write(encode_record(End()), self.steps, self.n_inputs)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Write nothing more."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what did not fit before does not fit now
                file.close()

    def discard(self) -> None:
        """Write nothing more, and delete the file."""
        self.abandon()
        self.path.unlink(missing_ok=True)

    def _write(self, content: bytes, steps: int, n_inputs: int) -> None:
        """Append to the file, which has so many steps then, and so many of the inputs there.

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
        self._end, self.steps, self.n_inputs = self._end + len(content), steps, n_inputs


def header_of(demo: Demo, start: Start, states: StateLog, state: bytes, scene: Mapping[str, Any] | None, begun: int = 0) -> Header:
    """Return the header of a recording that begins at the start of a log of states, with the compressed state there."""
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
    """Return an input as it stands in a part: the step, the user, and the plain action."""
    return step, done.user, as_plain(done.action.without_files(Path.cwd()))
