"""A user that grabs, throws, pushes, builds and breaks at random.

The random numbers are seeded; the actions depend on what the demo shows when the user looks, as those of a person would.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import Circle, Polygon
from engine.sim.actions import (
    Action,
    CreateBody,
    CreateJoint,
    DestroyBody,
    DestroyJoint,
    Drag,
    Drive,
    Grab,
    Pause,
    PressKey,
    Release,
    ReleaseKey,
    Restart,
    SetParameter,
    SetSpeed,
    UndoOwn,
)
from engine.sim.demo import Demo
from engine.sim.users import SPEEDS
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, RevoluteJointSpec

__all__ = ["RATE", "RandomUser"]

_T = TypeVar("_T")

RATE = 2.0
"""Default rate, actions per second."""
_DRAG_SECONDS = 0.05
"""Interval between drags."""
_HOLD_SECONDS = (0.2, 1.2)
"""Range of the time for which a body, a key or a pause is held."""
_REACH = 4.0
"""Maximum distance by which a held body is moved along each axis, m."""
_MAX_CREATED = 30
"""Number of additional bodies above which none is created."""
_SLIDE = 0.05
"""Share of a slider's length by which it is moved from its default, each way."""
_KEYS = ("left", "right", "up", "down")
_SPEEDS = [speed for speed in SPEEDS if 0.25 <= speed <= 2.0]


class RandomUser:
    """A user that acts at random.

    Parameters
    ----------
    rng : Generator
    act : callable
        Applies an action.
    rate : float
        Mean number of actions begun per second.
    """

    def __init__(self, rng: np.random.Generator, act: Callable[[Action], object], rate: float = RATE) -> None:
        self._rng, self._act, self._rate = rng, act, rate
        self._looked_at: float | None = None
        self._ends: dict[str, tuple[float, Action]] = {}
        """By what is held: when that ends, s, and the action that ends it."""
        self._hand = self._target = (0.0, 0.0)
        """Where the hand is, and where it goes, m."""
        self._dragged_at = 0.0
        self._n_initial = 0

    def play(self, demo: Demo, now: float) -> None:
        """Look at the demo at a time, in seconds, and act at the given rate."""
        if self._looked_at is None:
            self._looked_at, self._n_initial = now, _n_bodies(demo)
        elapsed, self._looked_at = now - self._looked_at, now
        self.release(now)
        if "hand" in self._ends and now - self._dragged_at >= _DRAG_SECONDS:
            self._drag(now)
        if self._rng.random() >= self._rate * elapsed:
            return
        bodies = [
            (k, body)
            for k, stage in enumerate(demo.stages)
            for body in stage.world.body_ids
            if stage.world.body(body).spec.type == "dynamic"
        ]
        if bodies:
            begin = _ACTIONS[int(self._rng.choice(len(_ACTIONS), p=_SHARES))]
            if not (demo.no_edits and begin in _EDITS):
                begin(self, demo, *self._pick(bodies), now)

    def release(self, now: float = math.inf) -> None:
        """End all that is held until a time."""
        for held, (at, action) in list(self._ends.items()):
            if at <= now:
                del self._ends[held]
                self._act(action)

    # -- what is held for a while -------------------------------------------------------------------------------------

    def _hold(self, what: str, now: float, end: Action, *begin: Action) -> None:
        """Apply actions, and another after a random time, unless such a thing is held already."""
        if what not in self._ends:
            self._ends[what] = now + float(self._rng.uniform(*_HOLD_SECONDS)), end
            for action in begin:
                self._act(action)

    def _grab(self, demo: Demo, k: int, body: int, now: float) -> None:
        if "hand" not in self._ends:
            (x, y), (dx, dy) = demo.stages[k].world.state(body).position, demo.stages[k].offset
            self._hand, self._dragged_at = (float(x + dx), float(y + dy)), now
            self._target = self._near(self._hand, _REACH)
            self._hold("hand", now, Release(), Grab(self._hand))

    def _drag(self, now: float) -> None:
        """Move the hand by a share of the way, so that a body is released at speed."""
        (x, y), (to_x, to_y) = self._hand, self._target
        self._hand, self._dragged_at = (x + 0.3 * (to_x - x), y + 0.3 * (to_y - y)), now
        self._act(Drag(self._hand))

    def _push(self, demo: Demo, k: int, body: int, now: float) -> None:
        key = self._pick(_KEYS)
        self._hold("key", now, ReleaseKey(key), Drive(k, body), PressKey(key))

    def _pause(self, demo: Demo, k: int, body: int, now: float) -> None:
        self._hold("pause", now, Pause(False), Pause(True))

    def _change_speed(self, demo: Demo, k: int, body: int, now: float) -> None:
        self._hold("speed", now, SetSpeed(1.0), SetSpeed(self._pick(_SPEEDS)))

    # -- edits --------------------------------------------------------------------------------------------------------

    def _create(self, demo: Demo, k: int, body: int, now: float) -> None:
        """Create a disc or a box above a body."""
        if _n_bodies(demo) < self._n_initial + _MAX_CREATED:
            size = float(self._rng.uniform(0.15, 0.5))
            shapes: tuple[Circle | Polygon, ...] = Circle(size), Polygon.box(size, 0.6 * size)
            x, y = demo.stages[k].world.state(body).position
            position, angle = self._near((float(x), float(y) + 2.0), 2.0), float(self._rng.uniform(-1.0, 1.0))
            self._act(CreateBody.of(k, BodySpec((FixtureSpec(self._pick(shapes), density=1.0),), position=position, angle=angle)))

    def _destroy(self, demo: Demo, k: int, body: int, now: float) -> None:
        """Destroy a body, but leave half of the initial ones."""
        if 2 * _n_bodies(demo) > self._n_initial:
            self._act(DestroyBody(k, body))

    def _connect(self, demo: Demo, k: int, body: int, now: float) -> None:
        """Join a body to the nearest other one, by a hinge or a rod."""
        world = demo.stages[k].world
        a = np.array(world.state(body).position)
        others = [other for other in world.body_ids if other != body and world.body(other).spec.type == "dynamic"]
        if not others:
            return
        places = np.array([world.state(other).position for other in others])
        nearest = int(np.argmin(np.hypot(*(places - a).T)))
        other, b = others[nearest], places[nearest]
        if math.dist(a, b) >= LINEAR_SLOP and self._rng.random() < 0.5:
            self._act(CreateJoint.of(k, DistanceJointSpec(body, other, (float(a[0]), float(a[1])), (float(b[0]), float(b[1])))))
        else:
            x, y = 0.5 * (a + b)
            self._act(CreateJoint.of(k, RevoluteJointSpec(body, other, (float(x), float(y)))))

    def _disconnect(self, demo: Demo, k: int, body: int, now: float) -> None:
        joints = demo.stages[k].world.joint_ids
        if joints:
            self._act(DestroyJoint(k, int(self._pick(joints))))

    # -- the rest -----------------------------------------------------------------------------------------------------

    def _undo(self, demo: Demo, k: int, body: int, now: float) -> None:
        self._act(UndoOwn())

    def _slide(self, demo: Demo, k: int, body: int, now: float) -> None:
        """Move a slider near its default: its end may mean ten times the bodies."""
        if demo.parameters:
            parameter = self._pick(demo.parameters)
            low, high = parameter.slider_ends
            place = parameter.on_slider(parameter.default) + _SLIDE * (high - low) * float(self._rng.uniform(-1.0, 1.0))
            value = parameter.snapped(min(max(place, low), high))
            self._act(SetParameter(parameter.name, float(round(value)) if parameter.choices else value))

    def _restart(self, demo: Demo, k: int, body: int, now: float) -> None:
        self._act(Restart())

    def _pick(self, items: Sequence[_T]) -> _T:
        return items[int(self._rng.integers(len(items)))]

    def _near(self, point: tuple[float, float], reach: float) -> tuple[float, float]:
        dx, dy = self._rng.uniform(-reach, reach, 2)
        return point[0] + float(dx), point[1] + float(dy)


_FREQUENCIES = {
    RandomUser._grab: 8.0,
    RandomUser._push: 4.0,
    RandomUser._create: 3.0,
    RandomUser._destroy: 1.5,
    RandomUser._connect: 1.5,
    RandomUser._disconnect: 0.5,
    RandomUser._undo: 1.0,
    RandomUser._slide: 0.4,
    RandomUser._pause: 0.5,
    RandomUser._change_speed: 0.5,
    RandomUser._restart: 0.1,
}
"""Relative frequency of each action."""
_ACTIONS, _SHARES = list(_FREQUENCIES), np.array(list(_FREQUENCIES.values())) / sum(_FREQUENCIES.values())
_EDITS = {RandomUser._create, RandomUser._destroy, RandomUser._connect, RandomUser._disconnect}


def _n_bodies(demo: Demo) -> int:
    return sum(len(stage.world.body_ids) for stage in demo.stages)
