"""A user that grabs, throws, pushes, creates and destroys bodies at random.

The random numbers are seeded; the actions also depend on the state that the client displays, as a person's actions would.
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
"""Range of the duration of a grab, key press, pause or speed change."""
_REACH = 4.0
"""Maximum distance that a grabbed body is dragged along each axis, m."""
_MAX_CREATED = 30
"""Maximum number of bodies beyond the initial ones."""
_SLIDE = 0.05
"""Maximum distance by which a slider is moved from its default, as a fraction of the slider's length."""
_KEYS = ("left", "right", "up", "down")
_FREQUENCIES = {
    "grab": 8.0, "push": 4.0, "create": 3.0, "destroy": 1.5, "connect": 1.5, "undo": 1.0, "disconnect": 0.5, "pause": 0.5, "speed": 0.5,
    "slide": 0.4, "restart": 0.1,
}  # fmt: skip
"""Relative frequency of each kind of action."""
_EDITS = {"create", "destroy", "connect", "disconnect"}
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
        """For each ongoing input, by name: when it ends, s, and the action that ends it."""
        self._hand = self._target = (0.0, 0.0)
        """Present and target position of the drag, m."""
        self._dragged_at = 0.0
        self._n_initial = 0

    def play(self, demo: Demo, now: float) -> None:
        """Act on the demo at the given rate; call once per frame, with the time in seconds."""
        if self._looked_at is None:
            self._looked_at, self._n_initial = now, _n_bodies(demo)
        elapsed, self._looked_at = now - self._looked_at, now
        self.release(now)
        if "hand" in self._ends and now - self._dragged_at >= _DRAG_SECONDS:  # approach the target exponentially
            (x, y), (to_x, to_y) = self._hand, self._target
            self._hand, self._dragged_at = (x + 0.3 * (to_x - x), y + 0.3 * (to_y - y)), now
            self._act(Drag(self._hand))
        if self._rng.random() < self._rate * elapsed:
            bodies = [
                (k, body)
                for k, stage in enumerate(demo.stages)
                for body in stage.world.body_ids
                if stage.world.body(body).spec.type == "dynamic"
            ]
            kind = str(self._rng.choice(list(_FREQUENCIES), p=np.array(list(_FREQUENCIES.values())) / sum(_FREQUENCIES.values())))
            if bodies and not (demo.no_edits and kind in _EDITS):
                self._begin(kind, demo, *self._pick(bodies), now)

    def release(self, now: float = math.inf) -> None:
        """End the inputs whose end time has come; by default all."""
        for held, (at, action) in list(self._ends.items()):
            if at <= now:
                del self._ends[held]
                self._act(action)

    def _begin(self, kind: str, demo: Demo, k: int, body: int, now: float) -> None:
        """Begin an action at body `body` of stage `k`; `kind` is a key of `_FREQUENCIES`."""
        stage, n_bodies = demo.stages[k], _n_bodies(demo)
        world = stage.world
        x, y = (float(value) for value in world.state(body).position)
        match kind:
            case "grab" if "hand" not in self._ends:
                self._hand, self._dragged_at = (x + stage.offset[0], y + stage.offset[1]), now
                self._target = self._near(self._hand, _REACH)
                self._hold("hand", now, Release(), Grab(self._hand))
            case "push":
                key = self._pick(_KEYS)
                self._hold("key", now, ReleaseKey(key), Drive(k, body), PressKey(key))
            case "pause":
                self._hold("pause", now, Pause(False), Pause(True))
            case "speed":
                self._hold("speed", now, SetSpeed(1.0), SetSpeed(self._pick(_SPEEDS)))
            case "create" if n_bodies < self._n_initial + _MAX_CREATED:
                size = float(self._rng.uniform(0.15, 0.5))
                shapes: tuple[Circle | Polygon, ...] = Circle(size), Polygon.box(size, 0.6 * size)
                position, angle = self._near((x, y + 2.0), 2.0), float(self._rng.uniform(-1.0, 1.0))
                spec = BodySpec((FixtureSpec(self._pick(shapes), density=1.0),), position=position, angle=angle)
                self._act(CreateBody.of(k, spec))
            case "destroy" if 2 * n_bodies > self._n_initial:
                self._act(DestroyBody(k, body))
            case "connect":  # connect to the nearest other body by a hinge or a rod
                others = [other for other in world.body_ids if other != body and world.body(other).spec.type == "dynamic"]
                places = {other: tuple(map(float, world.state(other).position)) for other in others}
                if places:
                    other = min(places, key=lambda other: math.dist(places[other], (x, y)))
                    to_x, to_y = places[other]
                    is_rod = math.dist((x, y), (to_x, to_y)) >= LINEAR_SLOP and self._rng.random() < 0.5
                    middle = (0.5 * (x + to_x), 0.5 * (y + to_y))
                    rod = DistanceJointSpec(body, other, (x, y), (to_x, to_y)) if is_rod else None
                    self._act(CreateJoint.of(k, rod or RevoluteJointSpec(body, other, middle)))
            case "disconnect" if world.joint_ids:
                self._act(DestroyJoint(k, int(self._pick(world.joint_ids))))
            case "slide" if demo.parameters:  # stay near the default: the far end may create ten times as many bodies
                parameter = self._pick(demo.parameters)
                low, high = parameter.slider_ends
                place = parameter.on_slider(parameter.default) + _SLIDE * (high - low) * float(self._rng.uniform(-1.0, 1.0))
                value = parameter.snapped(min(max(place, low), high))
                self._act(SetParameter(parameter.name, float(round(value)) if parameter.choices else value))
            case "undo":
                self._act(UndoOwn())
            case "restart":
                self._act(Restart())

    def _hold(self, what: str, now: float, end: Action, *begin: Action) -> None:
        """Apply the `begin` actions, and `end` after a random time, unless an input named `what` is ongoing."""
        if what not in self._ends:
            self._ends[what] = now + float(self._rng.uniform(*_HOLD_SECONDS)), end
            for action in begin:
                self._act(action)

    def _pick(self, items: Sequence[_T]) -> _T:
        return items[int(self._rng.integers(len(items)))]

    def _near(self, point: tuple[float, float], reach: float) -> tuple[float, float]:
        dx, dy = self._rng.uniform(-reach, reach, 2)
        return point[0] + float(dx), point[1] + float(dy)


def _n_bodies(demo: Demo) -> int:
    return sum(len(stage.world.body_ids) for stage in demo.stages)
