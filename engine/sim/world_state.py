"""Encoding of world snapshots as plain data for MessagePack, and validated decoding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields as fields_of
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.common.content_cache import ContentCache
from engine.common.errors import Described, InvalidInputError, renamed
from engine.contracts import ContactPoint, PairEvent, StepContacts
from engine.scenes.codec import from_plain, to_plain
from engine.scenes.kinds import JOINT_KINDS
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.values import StateError, ValueReader, ValueWriter, decode_spec, encode_spec
from engine.world import BodySpec, FixtureSpec, WorldSettings, WorldSnapshot, load_solver
from engine.world.joints.interface import ResolvedJoint, check_numbers
from engine.world.records import BodyMotion
from engine.world.snapshot import SolverState
from engine.world.snapshot_check import check_contacts, check_snapshot

__all__ = ["WorldState", "decode_world", "encode_world"]

_EVENTS = ("step", "removed", "began", "ended")
_COLUMNS = tuple(field.name for field in fields_of(StepContacts) if field.name not in _EVENTS)
_JOINT_NUMBERS = tuple(field.name for field in fields_of(ResolvedJoint) if field.name not in ("spec", "bodies"))


class ContactsState(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Encoded `StepContacts`: arrays by name, encoded by `ValueWriter`, and events."""

    step: int
    columns: Any
    removed: tuple[ContactPoint, ...]
    began: tuple[PairEvent, ...]
    ended: tuple[PairEvent, ...]


class _Structure(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Settings, bodies, fixtures and joints of a world, shared by keyframes until an edit. Specifications are encoded by `encode_spec`.

    Attributes
    ----------
    bodies : list of (id, specification, fixture ids)
    specs : list of bytes
        Distinct specifications of fixtures.
    fixtures : list of (id, body id, index in `specs`)
    joints : list of (id, MessagePack of a `ResolvedJoint`)
    """

    settings: bytes
    bodies: list[tuple[int, bytes, tuple[int, ...]]]
    specs: list[bytes]
    fixtures: list[tuple[int, int, int]]
    joints: list[tuple[int, bytes]]


_decoder = msgspec.msgpack.Decoder(_Structure)


class WorldState(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Encoded `WorldSnapshot`; `memory` is solver-specific and encoded by `ValueWriter`.

    Attributes
    ----------
    structure : bytes
        MessagePack of `_Structure`.
    motion : bytes
        x, y, angle, vx, vy, omega of every body, in the precision of the solver.
    awake : bytes
        One byte per body, 0 or 1.
    """

    solver: str
    structure: bytes
    step_index: int
    motion: bytes
    awake: bytes
    contacts: ContactsState
    touching: list[tuple[int, int]]
    events: tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]]
    memory: Any
    is_whole: bool
    next_ids: tuple[int, int, int]
    out_of_range: tuple[int, ...]
    rate_since: tuple[float, int] = (0.0, 0)

    def poses_and_velocities(self) -> NDArray[np.floating]:
        """Return x, y, angle, vx, vy, omega of every body, (n, 6), in the precision of the solver.

        Raises
        ------
        StateError
            `motion` has the wrong length.
        """
        dtype, n = np.dtype(load_solver(self.solver).capabilities.precision), len(self.awake)
        if len(self.motion) != 6 * n * dtype.itemsize:
            raise StateError(f"motion must have {6 * n} numbers, got {len(self.motion)} bytes")
        return np.frombuffer(self.motion, dtype=dtype).reshape(n, 6).copy()


def encode_world(snapshot: WorldSnapshot, writer: ValueWriter, path: str) -> WorldState:
    """Encode the snapshot of a world.

    Raises
    ------
    StateError
        The solver's memory contains a value that cannot be encoded.
    """
    specs: dict[bytes, int] = {}
    rows = [(fixture, body, specs.setdefault(encode_spec(spec), len(specs))) for fixture, body, spec in snapshot.fixtures]
    structure = _Structure(
        settings=encode_spec(snapshot.settings),
        bodies=[(body, encode_spec(spec), fixtures) for body, spec, fixtures in snapshot.bodies],
        specs=list(specs),
        fixtures=rows,
        joints=[(joint, encode_spec(resolved, _plain_joint)) for joint, resolved in snapshot.joints],
    )
    state, contacts = snapshot.state, snapshot.contacts
    return WorldState(
        solver=snapshot.solver,
        structure=msgspec.msgpack.encode(structure),
        step_index=snapshot.step_index,
        motion=state.motion.values.tobytes(),
        awake=state.motion.awake.tobytes(),
        contacts=ContactsState(
            contacts.step,
            writer.write({name: getattr(contacts, name) for name in _COLUMNS}, f"{path}.contacts"),
            contacts.removed,
            contacts.began,
            contacts.ended,
        ),
        touching=sorted(state.touching),
        events=state.events,
        memory=writer.write(state.memory, f"{path}.memory"),
        is_whole=state.is_whole,
        next_ids=snapshot.next_ids,
        out_of_range=snapshot.out_of_range,
        rate_since=snapshot.rate_since,
    )


def decode_world(plain: WorldState, reader: ValueReader, path: str) -> WorldSnapshot:
    """Decode and validate a snapshot.

    Raises
    ------
    StateError, InvalidInputError
        The state is invalid, or impossible for its solver; the message names the field.
    """
    with renamed(lambda field: f"{path}.{field}"):
        structure = _structure(plain.solver, plain.structure)
    last, columns, memory = plain.contacts, reader.read(plain.contacts.columns), reader.read(plain.memory)
    contacts = StepContacts(last.step, **columns, removed=last.removed, began=last.began, ended=last.ended)
    check_contacts(contacts, path)
    if plain.awake.strip(b"\0\1"):
        raise StateError(f"{path}.awake must contain only 0 and 1")
    motion = BodyMotion(plain.poses_and_velocities(), np.frombuffer(plain.awake, dtype=np.bool_).copy())
    snapshot = WorldSnapshot(
        solver=plain.solver,
        settings=structure.settings,
        step_index=plain.step_index,
        bodies=structure.bodies,
        fixtures=structure.fixtures,
        joints=structure.joints,
        state=SolverState(motion, contacts, frozenset(plain.touching), plain.events, memory, plain.is_whole),
        next_ids=plain.next_ids,
        out_of_range=plain.out_of_range,
        rate_since=plain.rate_since,
    )
    check_snapshot(snapshot, path)
    for kind, largest, next_id in zip(("bodies", "fixtures", "joints"), structure.largest_ids, plain.next_ids, strict=True):
        if next_id <= largest:
            raise StateError(f"{path}.next_ids must exceed all ids of {kind}, got {next_id}")
    return snapshot


class _Parts(NamedTuple):
    """Decoded structure of a world; `largest_ids` are the largest body, fixture and joint ids outside the users' id ranges, or -1."""

    settings: WorldSettings
    bodies: tuple[tuple[int, BodySpec, tuple[int, ...]], ...]
    fixtures: tuple[tuple[int, int, FixtureSpec], ...]
    joints: tuple[tuple[int, ResolvedJoint], ...]
    largest_ids: tuple[int, int, int]


@ContentCache
def _structure(solver: str, content: bytes) -> _Parts:
    """Decode and validate a structure; cached, because keyframes share structures."""
    load_solver(solver)
    plain = _decoder.decode(content)
    if any(not 0 <= at < len(plain.specs) for _, _, at in plain.fixtures):
        raise InvalidInputError("fixtures", "indices of existing specifications", Described("others"))
    content_of = {fixture: plain.specs[at] for fixture, _, at in plain.fixtures}
    bodies = [
        (body, _named(f"bodies {body}", _body, solver, spec, tuple(content_of.get(fixture, b"") for fixture in own)), own)
        for body, spec, own in plain.bodies
    ]
    joints = [(joint, _named(f"joints {joint}", _joint, solver, resolved)) for joint, resolved in plain.joints]
    fixtures = [(fixture, body, _spec(plain.specs[at], FixtureSpec)) for fixture, body, at in plain.fixtures]
    largest = [max((row[0] for row in rows if row[0] < IDS_OF_A_USER), default=-1) for rows in (plain.bodies, plain.fixtures, plain.joints)]
    return _Parts(_spec(plain.settings, WorldSettings), tuple(bodies), tuple(fixtures), tuple(joints), (largest[0], largest[1], largest[2]))


def _named(place: str, read: Callable[..., Any], *arguments: Any) -> Any:
    """Call `read`; prefix the field of its errors with `place`."""
    try:
        return read(*arguments)
    except InvalidInputError as error:
        raise InvalidInputError(f"{place}: {error.field}", error.requirement, error.value) from None


def _spec(content: bytes, kind: type) -> Any:
    spec = decode_spec(content)
    if type(spec) is not kind:
        raise InvalidInputError("spec", f"a {kind.__name__}", Described(type(spec).__name__))
    return spec


@ContentCache
def _body(solver: str, content: bytes, fixtures: tuple[bytes, ...]) -> BodySpec:
    """Return the specification of a body; reject it if the solver would round any of its numbers, or those of its fixtures."""
    spec: BodySpec = _spec(content, BodySpec)
    complete = replace(spec, fixtures=tuple(_spec(fixture, FixtureSpec) for fixture in fixtures))
    if spec.fixtures or load_solver(solver).accept(complete) != complete:
        raise InvalidInputError("spec", "made of numbers that the solver represents exactly", Described("others"))
    return spec


def _plain_joint(joint: ResolvedJoint) -> list[Any]:
    return [to_plain(joint.spec, np.float64), list(joint.bodies), [getattr(joint, name) for name in _JOINT_NUMBERS]]


@ContentCache
def _joint(solver: str, content: bytes) -> ResolvedJoint:
    """Return a joint; reject it if the solver would round any of its numbers."""
    match msgspec.msgpack.decode(content):
        case [spec, [a, b], [*numbers]] if len(numbers) == len(_JOINT_NUMBERS):
            values = (tuple(number) if type(number) is list else number for number in numbers)
            fields: dict[str, Any] = dict(zip(_JOINT_NUMBERS, values, strict=True))
            joint = ResolvedJoint(from_plain(spec, "spec", JOINT_KINDS, None, np.float64), (a, b), **fields)
        case _:
            raise InvalidInputError("joint", "a specification, two bodies and numbers", Described("others"))
    check_numbers(joint)
    if load_solver(solver).accept(joint) != joint:
        raise InvalidInputError("spec", "made of numbers that the solver represents exactly", Described("others"))
    return joint
