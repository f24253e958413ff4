"""Loads a recording from a file and validates every value; an invalid recording is rejected with a one-line error."""

from __future__ import annotations

import math
import os
from pathlib import Path

from engine.common.errors import Described, renamed
from engine.common.files import read_at_most
from engine.sim.actions import Input, action_kinds, action_of
from engine.sim.branch import Branch
from engine.sim.recordings.recording import Recording
from engine.sim.recordings.records import MAX_FILE_BYTES, Back, End, Header, Part, RecordingError, records_of
from engine.sim.state_log import DIGEST_BYTES
from engine.sim.users import MAX_USERS
from engine.world.fields import named_values
from engine.world.solver import solvers

__all__ = ["load_recording", "recording_of"]

_STATE_BYTES = 24


def load_recording(path: str | os.PathLike[str]) -> Recording:
    """Load a recording.

    A recording that was truncated because its program terminated unexpectedly is loaded up to the last complete record, with `is_ended`
    False. This function does not check that the recorded demo is available.

    Raises
    ------
    RecordingError
        The file does not exist, is not a recording, has another version, or is damaged.
    """
    content = read_at_most(path, "recording", MAX_FILE_BYTES, f"a recording of at most {MAX_FILE_BYTES} bytes", RecordingError)
    return recording_of(content, os.fspath(path))


def recording_of(content: bytes, name: str = "recording") -> Recording:
    """Decode a recording from the content of a file; raises the same errors as `load_recording`."""
    header: Header | None = None
    branch, branches, is_ended = Branch(), 0, False
    for place, record in records_of(content, name):
        is_ended = isinstance(record, End)
        if header is None:
            if not isinstance(record, Header):
                raise RecordingError(place, "the header", Described(type(record).__name__))
            header = record
            _begin(branch, header, place)
        elif isinstance(record, Header):
            raise RecordingError(place, "the only header", Described("another"))
        elif isinstance(record, Part):
            _append(branch, record, place)
        elif isinstance(record, Back):
            _go_back(branch, record, place)
            branches += 1
    if header is None:
        raise RecordingError(name, "a recording", Described("a file without records"))
    return Recording(header, branch, branches, is_ended)


def _begin(branch: Branch, header: Header, place: str) -> None:
    if not all(map(math.isfinite, header.values.values())):
        raise RecordingError(f"{place}: values", "finite numbers", Described("others"))
    for field, solver in (("solver", header.solver), ("chosen_solver", header.chosen_solver)):
        if solver is not None and solver not in solvers():
            raise RecordingError(f"{place}: {field}", "one of " + ", ".join(solvers()), solver)
    if header.chosen_settings is not None:
        with renamed(lambda field: f"{place}: {field}"):
            named_values("chosen_settings", header.chosen_settings)
    if len(header.digests) != DIGEST_BYTES * sum(map(len, header.bodies)):
        raise RecordingError(f"{place}: digests", "two bytes for each body", Described(f"{len(header.digests)} bytes"))
    branch.states.bodies.append(header.bodies)
    branch.states.hashes.append(header.hash)
    branch.states.digests.append(header.digests)


def _append(branch: Branch, part: Part, place: str) -> None:
    """Append a part to a branch."""
    if part.step != branch.last or part.n_inputs != len(branch.inputs[-1]):
        here = f"step {branch.last}, input {len(branch.inputs[-1])}"
        raise RecordingError(place, f"the part that follows {here}", Described(f"step {part.step}, input {part.n_inputs}"))
    added: list[list[Input]] = [[] for _ in range(part.n_steps + 1)]
    kinds, directory = action_kinds(), Path.cwd()
    for k, (step, user, plain) in enumerate(part.inputs):
        if not 0 <= step - part.step <= part.n_steps or user > MAX_USERS:
            raise RecordingError(f"{place}: inputs[{k}]", f"at a step of this part, by a user from 0 to {MAX_USERS}", [step, user])
        action = action_of(plain, f"{place}: inputs[{k}]", kinds).without_files(directory)
        if action.needs_user and user == 0:
            raise RecordingError(f"{place}: inputs[{k}]", f"by a user from 1 to {MAX_USERS}", Described("user 0, the user of a local run"))
        added[step - part.step].append(Input(action, user))
    states = branch.states
    for digest, ids, digests in part.after_each_step(place):
        states.hashes.append(digest)
        states.bodies.append(states.bodies[-1] if ids == states.bodies[-1] else ids)
        states.digests.append(digests)
    for k, inputs in enumerate(added):
        if k > 0:
            branch.add_step()
        branch.add(branch.last, inputs)
    for step, state in part.states.items():
        if not part.step <= step <= branch.last or len(state) != _STATE_BYTES * sum(map(len, states.bodies[step])):
            raise RecordingError(f"{place}: states", "24 bytes for each body of a step", Described(f"{len(state)} bytes for step {step}"))
        states.raw[step] = state


def _go_back(branch: Branch, back: Back, place: str) -> None:
    """Truncate a branch in place: with a copy each time, a short file could take hours to load."""
    if back.step > branch.last or back.n_inputs > len(branch.inputs[back.step]):
        raise RecordingError(place, "a step and a number of inputs in the recording", [back.step, back.n_inputs])
    branch.cut(back.step, back.n_inputs)
