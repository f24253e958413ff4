"""Conversion of a snapshot from one solver to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from engine.common.errors import renamed
from engine.world.fields import named_values
from engine.world.joints.interface import ResolvedJoint
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import load_solver
from engine.world.specs import BodySpec, FixtureSpec

__all__ = ["converted"]

_Entry = TypeVar("_Entry", bound=tuple[object, ...])


def converted(
    snapshot: WorldSnapshot, solver: str, solver_settings: Mapping[str, float | str] | Iterable[tuple[str, float | str]] = ()
) -> WorldSnapshot:
    """Return a snapshot converted to another solver, with the same ids, poses, velocities and sleep states.

    Conversion between two methods of `engine.dynamics.methods` also keeps the rest of the state, including contact impulses. Conversion to
    or from Box2D keeps pending forces, sleep times and touching pairs; impulses start from zero. Specifications get the new solver's
    precision and skins.

    Parameters
    ----------
    solver : str
        One of `engine.world.solvers`.
    solver_settings : mapping or pairs
        Solver-specific settings.

    Raises
    ------
    InvalidInputError
        The solver does not support a setting, shape, body or joint; the message names it.
    """
    kind = load_solver(solver)
    settings = kind.accept(replace(snapshot.settings, solver_settings=named_values("solver_settings", solver_settings)))
    specs = {fixture: spec for fixture, _, spec in snapshot.fixtures}

    def accepted_body(body: int, spec: BodySpec, fixtures: tuple[int, ...]) -> BodySpec:
        with renamed(partial(_named, f"body {body}")):
            full = replace(spec, fixtures=tuple(specs[fixture] for fixture in fixtures))
            return replace(kind.accept(full), fixtures=())

    def accepted_fixture(fixture: int, body: int, spec: FixtureSpec) -> FixtureSpec:
        with renamed(partial(_named, f"body {body}, fixture {fixture}")):
            return kind.accept(spec)

    def accepted_joint(joint: int, resolved: ResolvedJoint) -> ResolvedJoint:
        with renamed(partial(_named, f"joint {joint}")):
            return kind.accept(resolved)

    converted_snapshot = replace(
        snapshot,
        fixtures=_reused_if_equal(snapshot.fixtures, ((f, body, accepted_fixture(f, body, spec)) for f, body, spec in snapshot.fixtures)),
        bodies=_reused_if_equal(snapshot.bodies, ((b, accepted_body(b, spec, of), of) for b, spec, of in snapshot.bodies)),
        joints=_reused_if_equal(snapshot.joints, ((j, accepted_joint(j, resolved)) for j, resolved in snapshot.joints)),
    )
    return replace(converted_snapshot, solver=solver, settings=settings, state=kind.state_of(converted_snapshot, settings))


def _named(part: str, field: str) -> str:
    return f"{part}: {field}"


def _reused_if_equal(known: tuple[_Entry, ...], entries: Iterable[_Entry]) -> tuple[_Entry, ...]:
    """Return `known` itself if the entries are equal, so that caches derived from it stay valid."""
    made = tuple(entries)
    return known if made == known else made
