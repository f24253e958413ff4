"""The snapshot of a world as plain data for MessagePack, and back, checked."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import msgspec
import numpy as np

from engine.contracts import no_contacts
from engine.net.objects import ObjectReader, ObjectWriter, StateError
from engine.scenes.codec import JOINT_KINDS, from_plain, to_plain
from engine.world import BodySpec, FixtureSpec, WorldSettings, WorldSnapshot, load_solver
from engine.world.joints import ResolvedJoint
from engine.world.snapshot import SolverState
from engine.world.snapshot_check import check_contacts, check_snapshot

__all__ = ["plain_snapshot", "snapshot_of"]

_NUMBERS = tuple(field.name for field in fields(ResolvedJoint) if field.name not in ("spec", "bodies"))


def plain_snapshot(snapshot: WorldSnapshot, writer: ObjectWriter, path: str) -> list[Any]:
    """Return the plain data of a snapshot; a fixture's specification that several have is told once.

    Raises
    ------
    StateError
        Something of its solver's cannot be told.
    """
    told: dict[bytes, int] = {}
    rows = [[fixture, body, told.setdefault(_told(spec), len(told))] for fixture, body, spec in snapshot.fixtures]
    state = snapshot.state
    return [
        snapshot.solver,
        to_plain(snapshot.settings, np.float64),
        snapshot.step_index,
        [[body, msgspec.Raw(_told(spec)), list(fixtures)] for body, spec, fixtures in snapshot.bodies],
        [msgspec.Raw(content) for content in told],
        rows,
        [
            [joint, to_plain(one.spec, np.float64), list(one.bodies), *(getattr(one, name) for name in _NUMBERS)]
            for joint, one in snapshot.joints
        ],
        writer.write(state.motion, f"{path}.motion"),
        writer.write(dict(load_solver(snapshot.solver).packed_contacts(snapshot)), f"{path}.contacts"),
        writer.write(np.array(sorted(state.touching), dtype=np.int64).reshape(-1, 2), f"{path}.touching"),
        writer.write(state.events, f"{path}.events"),
        writer.write(state.memory, f"{path}.memory"),
        state.is_whole,
        list(snapshot.next_ids),
        list(snapshot.out_of_range),
    ]


def _told(spec: BodySpec | FixtureSpec) -> bytes:
    """Return a specification as MessagePack; kept, for it never changes, and a server tells the same ones again and again."""
    known = _TOLD.get(id(spec))
    if known is None:
        if len(_TOLD) >= _MOST_TOLD:
            _TOLD.clear()
        known = _TOLD[id(spec)] = spec, msgspec.msgpack.encode(to_plain(spec, np.float64))
    return known[1]


_TOLD: dict[int, tuple[object, bytes]] = {}
_MOST_TOLD = 40_000
"""Half a kilobyte each."""


def snapshot_of(plain: Any, reader: ObjectReader, path: str) -> WorldSnapshot:
    """Return the snapshot of such data.

    Raises
    ------
    StateError, InvalidInputError
        It is none, or one that its solver could not bear; names what is wrong with its place.
    """
    match plain:
        case [
            str(solver), settings, int(step), [*bodies], [*specs], [*rows], [*joints], motion, told, touching, events, memory,
            bool(is_whole), [*next_ids], [*out_of_range],
        ]:  # fmt: skip
            kind = load_solver(solver)
        case _:
            raise StateError(f"{path} must be a snapshot of a world")
    one_of = [from_plain(one, f"{path}.specs[{k}]", {"fixture": FixtureSpec}, None, np.float64) for k, one in enumerate(specs)]
    fixtures = tuple((fixture, body, one_of[at]) for fixture, body, at in (_row(row, len(one_of)) for row in rows))
    is_at, left = reader.read(motion), reader.read(told)
    pairs, pending, remembered = reader.read(touching), reader.read(events), reader.read(memory)
    if not isinstance(pairs, np.ndarray) or pairs.dtype != np.int64 or pairs.ndim != 2 or pairs.shape[1] != 2 or not isinstance(left, dict):
        raise StateError(f"{path} must have pairs that touch, and contacts")
    snapshot = WorldSnapshot(
        solver=solver,
        settings=from_plain(settings, f"{path}.settings", {"settings": WorldSettings}, None, np.float64),
        step_index=step,
        bodies=tuple(_body(one, f"{path}.bodies[{k}]") for k, one in enumerate(bodies)),
        fixtures=fixtures,
        joints=tuple(_joint(one, f"{path}.joints[{k}]") for k, one in enumerate(joints)),
        state=SolverState(is_at, no_contacts(0), frozenset(map(tuple, pairs.tolist())), pending, remembered, is_whole),
        next_ids=tuple(next_ids),
        out_of_range=tuple(out_of_range),
    )
    check_snapshot(snapshot, path)
    contacts = kind.unpacked_contacts(left, remembered, fixtures)
    check_contacts(contacts, path)
    return replace(snapshot, state=replace(snapshot.state, contacts=contacts))


def _row(plain: Any, n_specs: int) -> tuple[int, int, int]:
    match plain:
        case [int(fixture), int(body), int(at)] if 0 <= at < n_specs:
            return fixture, body, at
    raise StateError(f"a fixture must have a body and a specification, got {plain!r:.80}")


def _body(plain: Any, path: str) -> tuple[int, BodySpec, tuple[int, ...]]:
    match plain:
        case [int(body), spec, [*fixtures]]:
            return body, from_plain(spec, path, {"body": BodySpec}, None, np.float64), tuple(fixtures)
    raise StateError(f"{path} must have an id, a specification and fixtures")


def _joint(plain: Any, path: str) -> tuple[int, ResolvedJoint]:
    match plain:
        case [int(joint), spec, [a, b], *numbers] if len(numbers) == len(_NUMBERS):
            made = from_plain(spec, path, JOINT_KINDS, None, np.float64)
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in zip(_NUMBERS, numbers, strict=True)
            }
            return joint, ResolvedJoint(made, (a, b), **values)
    raise StateError(f"{path} must have an id, a specification, two bodies and numbers")
