"""What one client of a server may ask for, and how it is counted: whoever asks for more is dropped, and the others notice nothing.

Rates are held by token buckets (Turner, "New directions in communications", IEEE Communications Magazine 24 (10), 1986): so much a second
on the average, and `BURST` seconds' worth of it at once, for a connection that has stood still brings everything together.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.common.errors import LabError
from engine.sim.input_log import Input
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, load_solver
from engine.world.fields import named_values

if TYPE_CHECKING:
    from engine.sim.demo import Demo
    from engine.sim.inverse import Inverse

__all__ = [
    "BURST",
    "MOST_WORK",
    "Bucket",
    "Limits",
    "Size",
    "dearest_of",
    "has_more_values",
    "loads",
    "made_by",
    "owned",
    "undone_by",
    "unmade_by",
    "without_picture",
    "work_of",
]

BURST = 4.0
"""Seconds whose worth may come at once."""
MOST_WORK = 16.0
"""Times a solver's default that what it is set to may take."""
_CUBED = frozenset({"largest"})
"""Settings that are the size of a matrix."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server bears, of one client unless it says otherwise.

    Attributes
    ----------
    connections : int
        Of all: 64 users, and those who have not said hello. When there are more, of the address from which most of those come, the one that
        has waited longest is cut off.
    half_open : int
        Connections from one address that have not said hello, TLS or not yet; when there are more the one that has waited longest is cut
        off.
    free_guesses : int
        Wrong passwords from one address without a pause.
    guess_seconds : float
        Pause after the next, in which none is looked at; twice as long after each more, up to ten minutes.
    hello_seconds : float
        Until a connection that says no hello is dropped.
    silent_seconds : float
        Until a client that says nothing any more is dropped: a ping is due four times a second.
    joins_per_s : float
        New users, and those who come back, of all connections together.
    messages_per_s, bytes_per_s : float
        A drag at 240 Hz, a pointer at 60 Hz and 4 pings are 300 messages of 40 bytes. Two messages of the greatest size may come at once.
    values_per_act : int
        Numbers, texts and lists; a body of 64 polygons of 16 corners has 3,000.
    acts_per_tick : int
        More wait for the next tick.
    ticks_ahead : int
        Of the first open tick, for which an act may be meant; four windows at least.
    numbers_ahead : int
        By which an act's number may lie beyond the last one's.
    shapes_per_s : float
        Bodies, shapes and joints created. What comes at once may lie in one place: all pairs of 120 shapes cost Box2D one slow tick of
        half a second, those of 400 five seconds.
    denials_per_s : float
        Acts that do not count, for guests may not do so or there is too much of it: who goes on faster is dropped.
    work : float
        Times that of a solver's defaults, by its counts of iterations and sub-steps, to which the settings may be changed: one tick of a
        million iterations would take minutes.
    bodies, shapes, joints : int
        Of its own that there may be at a time.
    world_bodies, world_shapes : int
        That the world may have, for someone to create another.
    replies_per_s : float
        Bytes sent to one that asks again, an act it has sent twice included.
    states_per_s : float
        Whole states sent to one that has none or asks again.
    states_at_once : int
        Whole states sent to all at one keyframe.
    processor_share : float
        Of one processor, that its messages and acts may take.
    past_bytes : int
        Of all acts since the beginning, kept for those who join a demo whose state cannot be told.
    """

    connections: int = 96
    half_open: int = 32
    free_guesses: int = 5
    guess_seconds: float = 1.0
    hello_seconds: float = 10.0
    silent_seconds: float = 15.0
    joins_per_s: float = 8.0
    messages_per_s: float = 600.0
    bytes_per_s: float = 32_000.0
    values_per_act: int = 10_000
    acts_per_tick: int = 32
    ticks_ahead: int = 240
    numbers_ahead: int = 1_000
    shapes_per_s: float = 30.0
    denials_per_s: float = 5.0
    work: float = MOST_WORK
    bodies: int = 500
    shapes: int = 2_000
    joints: int = 500
    world_bodies: int = 5_000
    world_shapes: int = 20_000
    replies_per_s: float = 128_000.0
    states_per_s: float = 0.5
    states_at_once: int = 8
    processor_share: float = 0.5
    past_bytes: int = 1_000_000


class Bucket:
    """So many tokens a second; `BURST` seconds' worth at the beginning and at the most."""

    __slots__ = ("_at", "_left", "most", "rate")

    def __init__(self, rate: float, now: float, most: float = 0.0) -> None:
        self.rate = rate
        self.most = self._left = max(BURST * rate, most)
        self._at = now

    def take(self, amount: float, now: float) -> bool:
        """Take tokens out; False, and nothing is taken, where there are not so many."""
        self._left = min(self.most, self._left + self.rate * max(0.0, now - self._at))
        self._at = max(self._at, now)
        if amount > self._left:
            return False
        self._left -= amount
        return True


class Size(NamedTuple):
    """Counts of bodies, shapes (fixtures) and joints."""

    bodies: int = 0
    shapes: int = 0
    joints: int = 0

    def plus(self, other: Size) -> Size:
        """Return the sums."""
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


def made_by(one: Input) -> Size:
    """Return how much a user's act creates; what a demo's own keys create is counted once it is there."""
    if one.action == "drop":
        return Size(1, len(one.arguments[0].pieces))
    if one.action not in ("edit", "amend_edit"):
        return Size()
    method, given = one.arguments[1], [*one.arguments[2], *(value for _, value in (one.arguments[3] if len(one.arguments) > 3 else ()))]
    if method == "create_body":
        return Size(1, sum(len(spec.fixtures) for spec in given if isinstance(spec, BodySpec)))
    if method == "create_fixture":
        return Size(0, sum(isinstance(spec, FixtureSpec) for spec in given))
    return Size(0, 0, 1) if method == "create_joint" else Size()


def undone_by(inverse: Inverse) -> Size:
    """Return how much taking an action back creates."""
    total = Size()
    for part in inverse.parts:
        total = total.plus(made_by(part.one))
    return total


def unmade_by(one: Input, demo: Demo) -> Size:
    """Return how much an act takes away of what there is, and taking it back creates again."""
    if one.action not in ("edit", "amend_edit") or not one.arguments[1].startswith("destroy_"):
        return Size()
    with contextlib.suppress(LabError, LookupError, TypeError):  # it is not there, or not yet
        stage, method, (number, *_), *_ = one.arguments
        world = demo.stages[stage].world
        if method == "destroy_joint":
            return Size(0, 0, 1)
        body = world.body(number if method == "destroy_body" else world.fixture(number).body)
        return Size(1, len(body.fixtures), len(body.joints)) if method == "destroy_body" else Size(0, 1, len(body.joints))
    return Size()


def work_of(one: Input, demo: Demo) -> float:
    """Return how many times the work of a solver's defaults a change of settings asks for, by its counts; 1 for any other act."""
    solvers, named, own = demo.sim.solvers, {}, ()
    if one.action in ("set_solver", "amend_solver"):
        solvers, own = one.arguments[:1], one.arguments[1] if len(one.arguments) > 1 else ()
    elif one.action in ("edit", "amend_edit") and one.arguments[1] == "set_settings" and len(one.arguments) > 3:
        named = dict(one.arguments[3])
        own = named.pop("solver_settings", ())
    else:
        return 1.0
    work = 1.0
    for name in solvers:
        with contextlib.suppress(LabError):  # what is wrong is refused where it is carried out
            usual = {each.name: each.default for each in fields(WorldSettings)} | load_solver(name).own_settings(WorldSettings())
            work = max(
                work, math.prod(_ratio(key, value, usual.get(key)) for key, value in {**named, **dict(named_values("", own))}.items())
            )
    return work


def dearest_of(world: World) -> tuple[float, str]:
    """Return how many times its default the dearest of a world's settings is, by its counts, and the name of that."""
    solver = load_solver(world.solver)
    usual = {each.name: each.default for each in fields(WorldSettings)} | solver.own_settings(WorldSettings())
    now = {name: getattr(world.settings, name, None) for name in usual} | solver.own_settings(world.settings)
    return max((_ratio(name, value, usual[name]), name) for name, value in now.items())


def _ratio(name: str, value: object, usual: object) -> float:
    """Return how much more work a count makes than the usual one; 1 of what is no count."""
    if type(usual) is not int or not isinstance(value, int | float):
        return 1.0
    return max(value / max(usual, 1), 1.0) ** (3 if name in _CUBED else 1)


def has_more_values(plain: list[Any], most: int) -> bool:
    """Tell whether plain data hold more than so many values, before anything else looks at them."""
    waiting: list[Any] = [plain]
    found = 0
    while waiting and found <= most:
        one = waiting.pop()
        inner = one if isinstance(one, list) else [*one, *one.values()] if isinstance(one, dict) else ()
        found += 1 + len(inner)
        if found <= most:
            waiting.extend(some for some in inner if isinstance(some, list | dict))
    return found > most


def loads(demo: Demo, ids_of_a_user: int) -> dict[int, int]:
    """Return how much work each user's shapes make, 0 for the demo's own: a count of them, and of the contacts that they have."""
    found: Counter[int] = Counter()
    for stage in demo.stages:
        world = stage.world
        found.update(fixture // ids_of_a_user for fixture in world.fixture_ids)
        owners = np.maximum(world.contacts.fixture_a // ids_of_a_user, world.contacts.fixture_b // ids_of_a_user)
        found.update(owners.tolist())
    return found


def owned(demo: Demo, ids_of_a_user: int) -> tuple[dict[int, Size], Size]:
    """Return what there is of each user, by the ranges of ids, and of all together, the demo's own included."""
    found: dict[int, list[int]] = {}
    for stage in demo.stages:
        world = stage.world
        ids: tuple[Iterable[int], ...] = (world.body_ids, world.fixture_ids, world.joint_ids)
        for kind, some in enumerate(ids):
            for one in some:
                found.setdefault(one // ids_of_a_user, [0, 0, 0])[kind] += 1
    sizes = {user: Size(*counts) for user, counts in found.items()}
    total = Size()
    for size in sizes.values():
        total = total.plus(size)
    return sizes, total


def without_picture(one: Input) -> Input:
    """Return an act without the path of a picture that is on the disk of who dropped it: no business of the others' machines."""
    if one.action != "drop" or one.arguments[0].picture is None:
        return one
    arguments: tuple[Any, ...] = (replace(one.arguments[0], picture=None), *one.arguments[1:])
    return replace(one, arguments=arguments)
