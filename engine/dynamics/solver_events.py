"""Events of the methods (`engine.common.events`): what a step of a solver does, in order.

`contact` is a row of `Problem.contacts`, `k` one of its points. ``v_a`` and ``v_b`` are the velocities of both bodies, three numbers each,
*after* the event, ``x_a`` and ``x_b`` their shifts since the start of the step; `old` and `new` are an accumulated impulse, N s.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from engine.common.arrays import FloatArray, Point

__all__ = [
    "BOUNCED", "COLLISIONS", "END", "FLY", "FREE", "FROZEN", "JOINTS", "MOVE", "PUSH_APART", "RELAX", "SWEEP", "TAKEN_BACK", "VELOCITIES",
    "WARMED",
    "BodyDescent", "DualUpdate", "FrictionHeld", "FrictionRow", "NormalRow", "PairCollision", "PairRow", "PieceEnd", "PivotDone",
    "PointForce", "PointPlaced", "PointPushed", "PointRestored", "PointSlid", "RowFound", "RowsTried", "Stage", "WarmStart",
]  # fmt: skip

FREE, WARMED, JOINTS, SWEEP, MOVE, RELAX, BOUNCED, END, FLY, VELOCITIES, COLLISIONS, FROZEN, PUSH_APART, TAKEN_BACK = range(14)
"""Stages: gravity, forces and damping have been added; the last impulses have been applied; joints have been solved; sweep `number` over
the contacts begins; bodies have moved; relaxation begins; restitution has been applied; the step ends; bodies have moved freely; velocities
have been computed from positions; passes of collisions begin; passes with frozen layers begin; sweeps that push bodies apart begin; the
impulses that pushed crammed bodies apart have been taken back."""

Motion: TypeAlias = FloatArray | tuple[float, ...]
"""Three numbers: x, y and angle."""


class Stage(NamedTuple):
    """A stage, with the velocities and shifts (n, 3) of all bodies."""

    stage: int
    number: int
    velocity: FloatArray
    shift: FloatArray


class WarmStart(NamedTuple):
    """The initial impulses (m, 2, 2) of all points along normal and tangent, and the velocities (n, 3) after them."""

    impulse: FloatArray
    velocity: FloatArray


class NormalRow(NamedTuple):
    """A point solved along the normal: P <- P - kept P - share m (J v + bias)."""

    contact: int
    k: int
    old: float
    new: float
    v_a: Motion
    v_b: Motion
    bias: float
    share: float
    kept: float


class FrictionRow(NamedTuple):
    """A point solved along the tangent: P <- P - m J v, within the limit of friction."""

    contact: int
    k: int
    old: float
    new: float
    v_a: Motion
    v_b: Motion


class PairRow(NamedTuple):
    """Both points solved together along the normal: J v + bias + give P >= 0."""

    contact: int
    old: tuple[float, float]
    new: tuple[float, float]
    v_a: Motion
    v_b: Motion
    bias: tuple[float, float]
    give: tuple[float, float]


class PairCollision(NamedTuple):
    """Impulses of a pair; `excess` is the speed at which each point closes too fast, NaN if it was not solved, `frozen` has bit 1 if A and
    bit 2 if B counts as infinitely heavy.
    """

    contact: int
    p: tuple[float, float]
    tangent: float
    v_a: Motion
    v_b: Motion
    excess: tuple[float, float]
    e: float
    frozen: int
    slides: bool


class PointPushed(NamedTuple):
    """A correction of positions along n without change of velocity; the impulse is in kg m."""

    contact: int
    k: int
    gap: float
    impulse: float
    x_a: Motion
    x_b: Motion
    n: Point


class PointPlaced(NamedTuple):
    """XPBD's displacement along the normal by the error C, with its softness and the levers of both bodies."""

    contact: int
    k: int
    old: float
    new: float
    x_a: Motion
    x_b: Motion
    error: float
    soft: float
    levers: tuple[float, float]


class FrictionHeld(NamedTuple):
    """XPBD's displacement along the tangent by the error; `new` is NaN if static friction does not hold."""

    contact: int
    k: int
    old: float
    new: float
    x_a: Motion
    x_b: Motion
    error: float
    levers: tuple[float, float]


class PointRestored(NamedTuple):
    """A normal velocity set by restitution, with the impulse added and the lever arms of both bodies."""

    contact: int
    k: int
    added: float
    v_a: Motion
    v_b: Motion
    arm: tuple[float, float, float, float]


class PointSlid(NamedTuple):
    """Sliding friction of XPBD, with the lever arms of both bodies."""

    contact: int
    k: int
    old: float
    new: float
    v_a: Motion
    v_b: Motion
    arm: tuple[float, float, float, float]


class BodyDescent(NamedTuple):
    """AVBD's step of a body from n constraints: its shift after it, and the matrix (6,) and residual (3,) of its Newton step."""

    body: int
    x: FloatArray
    matrix: FloatArray
    residual: FloatArray
    n: int


class DualUpdate(NamedTuple):
    """AVBD's impulses and stiffnesses, N/m, of a point before and after, and its errors, m, along normal and tangent."""

    contact: int
    k: int
    old: float
    new: float
    old_t: float
    new_t: float
    stiff: float
    stiffer: float
    missing: float
    slip: float
    stiff_t: float
    stiffer_t: float


class PointForce(NamedTuple):
    """A spring and a damper: forces, N, along normal and tangent, rates, m/s, and the stretch, m; the levers of both bodies along both."""

    contact: int
    k: int
    gap: float
    along: float
    across: float
    rate: float
    slide: float
    stretch: float
    is_first: bool
    levers: tuple[float, float, float, float]


class RowFound(NamedTuple):
    """A row of a system solved by pivoting: its impulse or force, its rate or acceleration and the normal; contact -1 is a new pair."""

    contact: int
    k: int
    is_tangent: bool
    force: float
    rate: float
    normal: Point


class RowsTried(NamedTuple):
    """The result of the rows before it: the number of systems solved (-1: a collision), whether it is exact, and the rows that act."""

    number: int
    is_exact: bool
    n_free: int


class PivotDone(NamedTuple):
    """A pivot of Dantzig's method: the row that grows and the one that changes, (contact, k, is_tangent), its status, and the force."""

    entering: tuple[int, int, bool]
    changed: tuple[int, int, bool]
    becomes: int
    force: float


class PieceEnd(NamedTuple):
    """A piece of the step, in seconds, ends, by a collision or at its end."""

    time: float
    seconds: float
    is_collision: bool
