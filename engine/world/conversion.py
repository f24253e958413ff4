"""Conversion of a snapshot from one solver to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from engine.common.errors import renamed
from engine.world.fields import named_values
from engine.world.joints import ResolvedJoint
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import Solver, load_solver
from engine.world.specs import BodySpec, FixtureSpec

__all__ = ["converted"]

_Entry = TypeVar("_Entry", bound=tuple[object, ...])


def converted(
    snapshot: WorldSnapshot, solver: str, solver_settings: Mapping[str, float | str] | Iterable[tuple[str, float | str]] = ()
) -> WorldSnapshot:
    """Return a snapshot as one of another solver: the same ids, poses, velocities and sleep.

    Between two methods of `engine.dynamics.solvers` everything else stays too, contacts with their impulses. To and from Box2D there also
    go the forces that wait, the seconds at rest, and which pairs touch; impulses start from zero, and specifications are from then on as
    the new solver holds them: rounded, with its skins.

    Parameters
    ----------
    solver : str
        One of `engine.world.solvers`.
    solver_settings : mapping or pairs
        The settings of that solver itself.

    Raises
    ------
    InvalidInputError
        The solver cannot take a setting, a shape, a body or a joint; the message has its id.
    """
    kind = load_solver(solver)
    settings = kind.accept(replace(snapshot.settings, solver_settings=named_values("solver_settings", solver_settings)))
    fixtures, bodies, joints = _fixtures(snapshot, kind), _bodies(snapshot, kind), _joints(snapshot, kind)
    held = replace(snapshot, fixtures=fixtures, bodies=bodies, joints=joints)
    return replace(held, solver=solver, settings=settings, state=kind.state_of(held, settings))


def _fixtures(snapshot: WorldSnapshot, kind: type[Solver]) -> tuple[tuple[int, int, FixtureSpec], ...]:
    entries = []
    for entry in snapshot.fixtures:
        fixture, body, spec = entry
        with renamed(partial(_named, f"body {body}, fixture {fixture}")):
            held = kind.accept(spec)
        entries.append(entry if held is spec else (fixture, body, held))
    return _same_where_equal(entries, snapshot.fixtures)


def _bodies(snapshot: WorldSnapshot, kind: type[Solver]) -> tuple[tuple[int, BodySpec, tuple[int, ...]], ...]:
    specs = {fixture: spec for fixture, _, spec in snapshot.fixtures}
    entries = []
    for entry in snapshot.bodies:
        body, spec, fixtures = entry
        full_spec = replace(spec, fixtures=tuple(specs[fixture] for fixture in fixtures))
        with renamed(partial(_named, f"body {body}")):
            held = replace(kind.accept(full_spec), fixtures=())
        entries.append(entry if held == spec else (body, held, fixtures))
    return _same_where_equal(entries, snapshot.bodies)


def _joints(snapshot: WorldSnapshot, kind: type[Solver]) -> tuple[tuple[int, ResolvedJoint], ...]:
    entries = []
    for entry in snapshot.joints:
        joint, resolved = entry
        with renamed(partial(_named, f"joint {joint}")):
            kind.accept(resolved.spec)
            held = kind.accept(resolved)
        entries.append(entry if held is resolved else (joint, held))
    return _same_where_equal(entries, snapshot.joints)


def _named(part: str, field: str) -> str:
    return f"{part}: {field}"


def _same_where_equal(entries: list[_Entry], known: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    """Return the known tuple itself where all entries are its own: caches made from it stay valid then."""
    return known if all(entry is other for entry, other in zip(entries, known, strict=True)) else tuple(entries)
