"""The state of a shared demo as bytes, without a pickle: for one who joins, or whose copy has gone astray.

    digest (16) | zlib of: length (4) | MessagePack: [version, demo, values, classes, worlds, attributes] | bytes of arrays

It is what `engine.history.capture` captures: the worlds by their snapshots, and what the demo, its `Simulation` and its stages hold beside
them, as `engine.net.objects` tells it. It goes onto a demo that was just built of the same scene, or onto one that runs; refused, that
stays as it was.

A demo that has just been built, and one that a client builds of the same scene, are alike: their state is empty bytes.
"""

from __future__ import annotations

import contextlib
import math
import zlib
from collections import deque
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np

from engine.common.errors import LabError
from engine.geometry import AABB
from engine.history.capture import CapturedState, capture, captured_attributes, put_back, restore
from engine.history.recordings.inputs import as_plain, input_of
from engine.history.recordings.layout import is_number
from engine.net.messages import LARGEST_PLAIN, is_bearable
from engine.net.objects import ObjectReader, ObjectWriter, StateError, class_name, may_be_set
from engine.net.scene import check_hertz
from engine.net.snapshots import plain_snapshot, snapshot_of
from engine.render.interpolation import PathPiece, StepImpacts, StepPath
from engine.sim.demo import Demo
from engine.sim.dropping import DroppedBody
from engine.sim.grip import Grip
from engine.sim.input_log import Input
from engine.sim.inverse import Inverse, Part
from engine.sim.parameters import parameter_values
from engine.sim.users import MOST_UNDO, MOST_USERS, PUSHES, SPEEDS, User, Users
from engine.world.solver import solver_name

__all__ = ["LARGEST_STATE", "StateError", "decode_state", "encode_state"]

LARGEST_STATE = 64_000_000
"""Bytes, unpacked: ten thousand bodies in a heap have a third of it."""
_VERSION = 2
_DIGEST_BYTES, _LENGTH_BYTES = 16, 4
_LEVEL = 1
"""Of zlib: the fastest."""


def encode_state(demo: Demo) -> bytes:
    """Return the state of a demo, at a keyframe.

    Raises
    ------
    StateError
        It holds something that cannot be told, which is named, or too much.
    """
    stages = demo.stages
    worlds = [stage.world for stage in stages]
    snapshots = [world.snapshot() for world in worlds]
    writer = ObjectWriter([demo, demo.sim, *stages, *worlds, *(snapshot.contacts for snapshot in snapshots)])
    told = [plain_snapshot(snapshot, writer, f"stages[{k}].world") for k, snapshot in enumerate(snapshots)]
    attributes = [
        [[name, writer.write(_told(name, value), f"{path}{name}")] for name, value in captured_attributes(thing).items()]
        for thing, path in zip((demo, demo.sim, *stages), _paths(len(stages)), strict=True)
    ]
    plain = msgspec.msgpack.encode([_VERSION, demo.id, dict(demo.values), writer.classes, told, attributes])
    content = b"".join((len(plain).to_bytes(_LENGTH_BYTES, "little"), plain, *writer.content))
    if len(content) > LARGEST_STATE or not is_bearable(plain):
        raise StateError(f"the state of {demo.id} has {len(content)} bytes, more than can be told")
    packed = zlib.compress(content, _LEVEL)
    return blake2b(packed, digest_size=_DIGEST_BYTES).digest() + packed


def decode_state(demo: Demo, content: bytes) -> None:
    """Bring a demo, just built of the same scene or running, into a state; nothing where that is empty.

    Raises
    ------
    StateError
        It is none, or none of such a demo; the demo stands as before.
    """
    if not content:
        return
    before: CapturedState | None = None
    with contextlib.suppress(LabError):  # of a world that is lost there is nothing to go back to
        before = capture(demo)
    try:
        _put(demo, *_unpacked(content))
    except Exception as error:
        if before is not None:
            restore(demo, before)
        told = str(error) if isinstance(error, LabError) else f"the state is damaged: {type(error).__name__}: {error}"
        raise StateError(" ".join(told.split())) from None  # what a wrong type ends in is told in one line as well


def _told(name: str, value: Any) -> Any:
    """Return an attribute as it is told: of what was dropped not where its picture lies on this disk."""
    if name != "dropped" or not any(one.file is not None and one.file.picture is not None for one in value):
        return value
    files = {id(one.file): replace(one.file, picture=None) for one in value if one.file is not None}
    return [replace(one, file=None if one.file is None else files[id(one.file)]) for one in value]


def _paths(n_stages: int) -> tuple[str, ...]:
    return "", "sim.", *(f"stages[{k}]." for k in range(n_stages))


def _unpacked(content: bytes) -> tuple[list[Any], bytes]:
    """Return the plain data, and the bytes behind it."""
    digest, packed = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if blake2b(packed, digest_size=_DIGEST_BYTES).digest() != digest:
        raise StateError("the state has been damaged on its way")
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(packed, LARGEST_STATE)
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise StateError(f"a state must be of at most {LARGEST_STATE} bytes")
    end = _LENGTH_BYTES + int.from_bytes(unpacked[:_LENGTH_BYTES], "little")
    told = unpacked[_LENGTH_BYTES:end]
    if not _LENGTH_BYTES < end <= len(unpacked) or not is_bearable(told):
        raise StateError(f"a state must have at most {LARGEST_PLAIN} bytes of lists")
    plain = msgspec.msgpack.decode(told)
    if type(plain) is not list or len(plain) != 6 or plain[0] != _VERSION:
        raise StateError(f"a state must be of version {_VERSION}")
    return plain, unpacked[end:]


def _put(demo: Demo, plain: list[Any], content: bytes) -> None:
    _, name, values, classes, told, attributes = plain
    if name != demo.id:
        raise StateError(f"the state must be of {demo.id}, got {name!r:.80}")
    checked = parameter_values(demo.parameters, values)
    if checked != values:
        raise StateError("the state must have every parameter")
    if checked != demo.values or len(told) != len(demo.stages):  # it runs, and has been built otherwise
        demo.values = checked
        demo.restart()
    stages = demo.stages
    worlds = [stage.world for stage in stages]
    if len(told) != len(stages) or len(attributes) != len(stages) + 2:
        raise StateError(f"the state must be of {len(stages)} worlds, got {len(told)}")
    things: list[object] = [demo, demo.sim, *stages, *worlds]
    reader = ObjectReader(things, classes, content)
    snapshots = [snapshot_of(one, reader, f"stages[{k}].world") for k, one in enumerate(told)]
    things += [snapshot.contacts for snapshot in snapshots]
    owners = (demo, demo.sim, *stages)
    read = [_attributes(owner, one, reader, path) for owner, one, path in zip(owners, attributes, _paths(len(stages)), strict=True)]
    if not reader.is_whole:
        raise StateError("there are more bytes than arrays")
    _check_demo(demo, read[0])
    _check_run(demo, read[1])
    for one, world, path in zip(read[2:], worlds, _paths(len(stages))[2:], strict=True):
        if one["world"] is not world:
            raise StateError(f"{path}world must be the stage's own")
        _check_picture(one, path)
    for world, snapshot in zip(worlds, snapshots, strict=True):
        world.restore(snapshot, must_hold=True)
    for owner, one in zip(owners, read, strict=True):
        put_back(owner, one)
    demo.sim.use_missing_referees()


def _attributes(owner: object, plain: Any, reader: ObjectReader, path: str) -> dict[str, Any]:
    """Return the attributes of the demo, its run or a stage; each is of the kind that it has there, unless one of them is None."""
    present = captured_attributes(owner)
    found: dict[str, Any] = {}
    for name, one in plain:
        if type(name) is not str or not may_be_set(type(owner), name) or (name in vars(owner) and name not in present):
            raise StateError(f"{path}{name!r:.80} is no part of a state")
        found[name] = reader.read(one, present.get(name))
        if not _is_alike(found[name], present.get(name)):
            kinds = type(present[name]).__name__, type(found[name]).__name__
            raise StateError(f"{path}{name} must be of {kinds[0]}, got {kinds[1]}")
    missing = (_OF_A_DEMO if isinstance(owner, Demo) else set(present)) - set(found)
    strange = set() if isinstance(owner, Demo) else set(found) - set(present)
    if missing or strange:
        raise StateError(f"{path}{min(missing | strange)} is {'missing' if missing else 'no part of a state'}")
    return found


_OF_A_DEMO = frozenset({"values", "stages", "dropped", "steps", "held", "ready", "_grip", "sim"})
"""What every demo has; what it has beside that may come later."""


_FILES = frozenset({"builtins:NoneType", "engine.decompose.body_file:BodyFile"})
_PICTURES = frozenset({"builtins:NoneType", "engine.scenes.pictures:BodyPicture"})
"""Classes, by name: most demos have no use for them."""


def _is_alike(value: Any, present: Any) -> bool:
    numbers = (int, float)
    return value is None or present is None or type(value) is type(present) or (type(value) in numbers and type(present) in numbers)


def _check_demo(demo: Demo, found: dict[str, Any]) -> None:
    """Check what the base class goes by."""
    if found["sim"] is not demo.sim or len(found["stages"]) != len(demo.stages):
        raise StateError("a demo must have its own run and stages")
    if any(one is not stage for one, stage in zip(found["stages"], demo.stages, strict=True)):
        raise StateError("a demo must have its own stages")
    if found["values"] != demo.values or type(found["steps"]) is not int or found["steps"] < 0:
        raise StateError("a demo must have its parameters, and a number of steps")
    if not _are_texts(found["held"]) or not _are_texts(found["ready"]):
        raise StateError("held and ready must be sets of names")
    if any(type(one) is not DroppedBody or one.stage not in demo.stages or type(one.body) is not int for one in found["dropped"]):
        raise StateError("dropped must be bodies")
    if any(class_name(type(one.file)) not in _FILES or class_name(type(one.picture)) not in _PICTURES for one in found["dropped"]):
        raise StateError("dropped must be of files, or of a scene's pictures")
    if any(one.file is not None and one.file.picture is not None for one in found["dropped"]):
        raise StateError("dropped must have no picture that lies on a disk")
    for picture in {id(one.picture): one.picture for one in found["dropped"] if one.picture is not None}.values():
        replace(picture)  # it came without its own checks
    _check_grip(demo, found["_grip"])


def _check_grip(demo: Demo, grip: object) -> None:
    if grip is not None and (type(grip) is not Grip or grip.stage not in demo.stages or type(grip.joint) is not int):
        raise StateError("a hand must hold a joint of a stage")


def _check_picture(found: dict[str, Any], path: str) -> None:
    """Check what is drawn of a stage."""
    for body, color in found["colors"].items():
        is_color = type(color) is tuple and len(color) in (3, 4) and all(type(one) is int and 0 <= one <= 255 for one in color)
        if type(body) is not int or not is_color:
            raise StateError(f"{path}colors must be colours by body")
    if any(type(body) is not int for body in found["outline_only"]):
        raise StateError(f"{path}outline_only must be bodies")
    box = found["own_bounds"]
    if box is not None and (type(box) is not AABB or not all(_are_finite(corner, 2) for corner in (box.lower, box.upper))):
        raise StateError(f"{path}own_bounds must be a box")
    if not _are_impacts(found["impacts"]):
        raise StateError(f"{path}impacts must be moments")
    trail = found["trail"]
    if type(trail.step) is not int or type(trail._added) is not deque or type(trail._removed) is not deque:
        raise StateError(f"{path}trail must be points by step")
    for step, *columns in (*trail._added, *trail._removed):
        n = len(columns[0])
        wanted = ((n, 2), (n,))[: len(columns)]
        if type(step) is not int or any(
            one.shape != shape or not np.isfinite(one).all() for one, shape in zip(columns, wanted, strict=True)
        ):
            raise StateError(f"{path}trail must be points by step")


def _are_impacts(found: object) -> bool:
    """Tell whether they are moments of a step as the picture reads them."""
    if type(found) is StepPath:
        return (
            type(found.pieces) is tuple
            and len(found.pieces) > 0
            and all(map(_is_piece, found.pieces))
            and _is_column(found.contact_moments)
        )
    if type(found) is not StepImpacts:
        return found is None
    n = len(found.bodies) if _is_column(found.bodies, np.int64) else -1
    return _is_column(found.contact_moments) and _is_column(found.moments, n=n) and _is_column(found.poses, n=n, width=3)


def _is_piece(found: object) -> bool:
    if type(found) is not PathPiece or type(found.body_ids) is not tuple or type(found.impacts) not in (type(None), StepImpacts):
        return False
    n = len(found.body_ids)
    are_poses = _is_column(found.before, n=n, width=3) and _is_column(found.after, n=n, width=3)
    is_timed = all(isinstance(one, float) and math.isfinite(one) for one in (found.start, found.end))
    return are_poses and is_timed and _are_impacts(found.impacts)


def _is_column(found: object, kind: type = np.float64, n: int | None = None, width: int | None = None) -> bool:
    """Tell whether it is an array of finite numbers (n,), or (n, width)."""
    if type(found) is not np.ndarray or found.dtype != kind or found.ndim != (1 if width is None else 2):
        return False
    return (n is None or len(found) == n) and (width is None or found.shape[1] == width) and bool(np.isfinite(found).all())


def _are_finite(found: object, n: int) -> bool:
    return type(found) is tuple and len(found) == n and all(type(one) is float and math.isfinite(one) for one in found)


def _check_run(demo: Demo, found: dict[str, Any]) -> None:
    """Check what steps the demo, and who shares it."""
    if found["demo"] is not demo or type(found["keeps_solver_state"]) is not bool or type(found["_is_settled"]) is not bool:
        raise StateError("sim.demo must be the demo")
    for name in ("solver", "built_for"):
        if found[name] is not None:
            solver_name(f"sim.{name}", found[name])
    if found["hertz"] is not None:
        check_hertz("sim.hertz", found["hertz"])
    if found["waits"] not in (None, False, True):
        raise StateError("sim.waits must be true, false or None")
    users = found["users"]
    if type(users) is not Users or type(users.users) is not dict or type(users.paused) is not bool or users.speed not in SPEEDS:
        raise StateError("sim.users must be users")
    if any(type(number) is not int or number < 0 for number in (users.ticks, users._owed)):
        raise StateError("sim.users must have their time")
    if type(users.away) is not dict or set(users.users) & set(users.away) or type(users.is_shared) is not bool:
        raise StateError("sim.users must be here or away")
    for number, user in (*users.users.items(), *users.away.items()):
        if type(number) is not int or not 1 <= number <= MOST_USERS or type(user) is not User:
            raise StateError(f"sim.users[{number!r:.20}] must be a user")
        _check_grip(demo, user.grip)
        ids = user.next_ids.items()
        if not all(type(k) is int and _are_numbers(next_ids, 3) for k, next_ids in ids):
            raise StateError(f"sim.users[{number}] must have ids")
        if not _are_texts(user.held) or not _are_texts(user.pushes) or not user.pushes <= set(PUSHES):
            raise StateError(f"sim.users[{number}] must have keys")
        if user.drives is not None and not _are_numbers(user.drives, 2):
            raise StateError(f"sim.users[{number}].drives must be a stage and a body")
        if type(user.undo) is not list or len(user.undo) > MOST_UNDO:
            raise StateError(f"sim.users[{number}].undo must be a list of at most {MOST_UNDO}")
        for inverse in user.undo:
            _check_inverse(inverse, f"sim.users[{number}].undo")


_TAKES_BACK = {"edit": 4, "set_solver": 2, "set_parameter": 2, "release": 0, "drive": 2}
"""How many arguments what takes an action back has."""
_MAKES = ("create_body", "create_fixture", "create_joint")


def _check_inverse(found: object, place: str) -> None:
    """Check that what is to take an action back could have been told here: it will be carried out."""
    if type(found) is not Inverse or type(found.words) is not str or type(found.parts) is not tuple:
        raise StateError(f"{place} must be of inverses")
    for part in found.parts:
        one = part.one if type(part) is Part else None
        if type(one) is not Input or one.offsets or type(one.arguments) is not tuple or len(one.arguments) != _TAKES_BACK.get(one.action):
            raise StateError(f"{place} must be of inputs that take something back")
        input_of(as_plain(one), place, of_a_user=True)
        method = one.arguments[1] if one.action == "edit" else ""
        if not all(type(pose) is tuple and len(pose) == 3 and all(map(is_number, pose)) for pose in part.poses):
            raise StateError(f"{place} must have poses of three numbers")
        if not all(type(old) is int for old in part.old) or bool(part.old) != (method in _MAKES) or len(part.poses) not in (0, 2):
            raise StateError(f"{place} must have old ids of what is created again")


def _are_texts(found: object) -> bool:
    return type(found) is set and all(type(one) is str for one in found)


def _are_numbers(found: object, n: int) -> bool:
    return type(found) is tuple and len(found) == n and all(type(one) is int and one >= 0 for one in found)
