"""A recording out of its file, every value checked: it plays, or it is refused in one line."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

from engine.common.errors import Described, renamed
from engine.common.files import read_at_most
from engine.common.limits import MAX_RECORDED_INPUTS, MAX_RECORDED_STEPS
from engine.history.branch import Branch
from engine.history.recordings.layout import (
    HASH_BYTES,
    LARGEST_FILE,
    RecordingError,
    Unpacked,
    chunks_of,
    ids_of,
    inflated,
    is_number,
    json_of,
    part_of,
)
from engine.history.recordings.recording import Recording
from engine.history.state_log import DIGEST_BYTES
from engine.sim.actions import Input, action_of
from engine.sim.users import MAX_USERS
from engine.world.fields import named_values
from engine.world.solver import DEFAULT, solvers

__all__ = ["load_recording", "recording_of"]

_STATE_BYTES = 24
_HEAD = ("demo", "seed", "values", "step_seconds", "makers", "hash", "bodies", "digests")


def load_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording.

    One that was cut off, because the program that recorded it came to a sudden end, is read as far as it is whole; its `is_ended` is
    False. Whether this program has the demo is not looked at.

    Raises
    ------
    RecordingError
        There is no such file, it is no recording, a newer one, or damaged; one line says which.
    """
    content = read_at_most(path, "recording", LARGEST_FILE, f"a recording of at most {LARGEST_FILE} bytes", RecordingError)
    return recording_of(content, os.fspath(path))


def recording_of(content: bytes, name: str = "recording") -> Recording:
    """Return the recording that a file's content is; errors as `load_recording`."""
    head: dict[str, Any] | None = None
    branch = Branch()
    branches, is_ended, room, n_inputs = 0, False, Unpacked(), 0
    for number, (kind, payload) in enumerate(chunks_of(content, name)):
        place = f"{name}, chunk {number}"
        if head is None:
            if kind != b"HEAD":
                raise RecordingError(place, "the head", kind)
            head = _head(payload, place, branch, room)
            continue
        is_ended = kind == b"END "
        if kind == b"HEAD":
            raise RecordingError(place, "the only head", Described("another"))
        if kind == b"PART":
            n_inputs += _append(branch, payload, place, room)
            if n_inputs > MAX_RECORDED_INPUTS:
                raise RecordingError(name, f"a recording of at most {MAX_RECORDED_INPUTS} inputs", Described("more"))
        elif kind == b"KEYS":
            _take_states(branch, payload, place, room)
        elif kind == b"BACK":
            _back(branch, payload, place)
            branches += 1
            room.take(len(branch.states.raw), place)  # which are all looked at
    if head is None:
        raise RecordingError(name, "a recording", Described("one that ends before it begins"))
    makers = {name: made for name, made in head["makers"].items() if isinstance(name, str) and isinstance(made, str)}
    return Recording(
        head["demo"],
        head.get("scene"),
        head["seed"],
        head["values"],
        head["step_seconds"],
        makers,
        branch,
        branches,
        is_ended,
        head.get("remembers", True) is not False,
        head.get("waits", False) is True,
        min(head.get("begun", 0), branch.last),
        head.get("solver", DEFAULT),
        head.get("chosen"),
        head.get("chosen_settings"),
        head.get("shared", False) is True,
    )


def _head(payload: bytes, place: str, branch: Branch, room: Unpacked) -> dict[str, Any]:
    head = json_of(inflated(payload, place, room), place)
    missing = [name for name in _HEAD if not isinstance(head, dict) or name not in head]
    if missing:
        raise RecordingError(place, "an object with " + ", ".join(_HEAD), Described("without " + missing[0]))
    demo, seed, values, seconds = head["demo"], head["seed"], head["values"], head["step_seconds"]
    if not isinstance(demo, str):
        raise RecordingError(f"{place}: demo", "a text", demo)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**128:
        raise RecordingError(f"{place}: seed", "a whole number >= 0", seed)
    if not isinstance(values, dict) or not all(is_number(value) for value in values.values()):
        raise RecordingError(f"{place}: values", "names with finite numbers", values)
    if not is_number(seconds) or not 0.0 < seconds <= 1.0:
        raise RecordingError(f"{place}: step_seconds", "greater than 0 s and at most 1 s", seconds)
    begun = head.get("begun", 0)
    if not isinstance(begun, int) or isinstance(begun, bool) or begun < 0:
        raise RecordingError(f"{place}: begun", "a whole number >= 0", begun)
    if not isinstance(head["makers"], dict):
        raise RecordingError(f"{place}: makers", "an object", head["makers"])
    if head.get("scene") is not None and not isinstance(head["scene"], dict):
        raise RecordingError(f"{place}: scene", "the content of a scene file", head["scene"])
    for name, usual in (("solver", DEFAULT), ("chosen", None)):
        if head.get(name, usual) not in (usual, *solvers()):
            raise RecordingError(f"{place}: {name}", "one of " + ", ".join(solvers()), head[name])
    if head.get("chosen_settings") is not None:
        with renamed(lambda field: f"{place}: {field}"):
            head["chosen_settings"] = named_values("chosen_settings", head["chosen_settings"])
    branch.states.bodies.append(ids_of(head["bodies"], f"{place}: bodies"))
    branch.states.hashes.append(_bytes(head["hash"], HASH_BYTES, f"{place}: hash"))
    branch.states.digests.append(_bytes(head["digests"], DIGEST_BYTES * sum(map(len, branch.states.bodies[0])), f"{place}: digests"))
    found: dict[str, Any] = head
    return found


def _append(branch: Branch, payload: bytes, place: str, room: Unpacked) -> int:
    """Add a part to a branch; return how many inputs it has."""
    part = part_of(payload, place, room)
    if branch.last + len(part.hashes) > MAX_RECORDED_STEPS:
        raise RecordingError(place, f"of a recording of at most {MAX_RECORDED_STEPS} steps", Described("more"))
    if part.step != branch.last or part.given != len(branch.inputs[-1]):
        here = f"step {branch.last}, input {len(branch.inputs[-1])}"
        raise RecordingError(place, f"what follows {here}", Described(f"step {part.step}, input {part.given}"))
    added: list[list[Input]] = [[] for _ in range(len(part.hashes) + 1)]
    for k, one in enumerate(part.inputs):
        is_row = isinstance(one, list) and len(one) == 3 and type(one[0]) is type(one[1]) is int
        if not is_row or not 0 <= one[0] - part.step <= len(part.hashes) or not 0 <= one[1] <= MAX_USERS:
            raise RecordingError(f"{place}: inputs[{k}]", f"a step of this part, a user from 0 to {MAX_USERS}, and an action", one)
        action = action_of(one[2], f"{place}: inputs[{k}]").without_files(Path.cwd())
        added[one[0] - part.step].append(Input(action, one[1]))
    branch.inputs.extend(added[0])
    for given in added[1:]:
        branch.inputs.add_step(given)
    branch.states.hashes.extend(part.hashes)
    branch.states.bodies.extend(branch.states.bodies[-1] if ids == branch.states.bodies[-1] else ids for ids in part.bodies)
    branch.states.digests.extend(part.digests)
    return len(part.inputs)


def _take_states(branch: Branch, payload: bytes, place: str, room: Unpacked) -> None:
    content = inflated(payload, place, room)
    step = int(struct.unpack_from("<I", content)[0]) if len(content) >= 4 else -1
    if not 0 <= step <= branch.last or len(content) - 4 != _STATE_BYTES * sum(map(len, branch.states.bodies[step])):
        raise RecordingError(place, "the states of the bodies of a step", Described(f"{len(content)} bytes for step {step}"))
    branch.states.raw[step] = content[4:]


def _back(branch: Branch, payload: bytes, place: str) -> None:
    """Cut a branch off; at its place, for a copy of what is left, each time, could take a short file hours."""
    plain = json_of(payload, place)
    is_pair = isinstance(plain, list) and len(plain) == 2 and all(isinstance(one, int) and not isinstance(one, bool) for one in plain)
    if not is_pair or not 0 <= plain[0] <= branch.last or not 0 <= plain[1] <= len(branch.inputs[plain[0]]):
        raise RecordingError(place, "a step and a number of inputs that have been", plain)
    step, given = plain
    branch.cut(step, given)


def _bytes(plain: object, size: int, place: str) -> bytes:
    try:
        found = bytes.fromhex(plain) if isinstance(plain, str) else b""
    except ValueError:
        found = b""
    if len(found) != size or not isinstance(plain, str):
        raise RecordingError(place, f"{size} bytes as hexadecimal digits", plain)
    return found
