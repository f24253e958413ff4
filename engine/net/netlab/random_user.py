"""Hands without a user: they look at what their client sees, and take, throw, push, build, break, turn and stop things at random.

What they draw is seeded; what they do depends on what they see when they look, as a user's doings would.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import Circle, Polygon
from engine.net.script import Script
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
from engine.sim.stage import Stage
from engine.sim.users import SPEEDS
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, RevoluteJointSpec

__all__ = ["LATEST", "RATE", "Actor", "RandomUser", "ScriptedUser"]

RATE = 2.0
"""Default rate of a random hand, actions a second."""
_DRAG_SECONDS = 0.05
"""Interval between drags, seconds."""
_SHORTEST, LATEST = 0.2, 1.2
"""Range of the duration for which a body, a key or a pause is held, seconds."""
_REACH = 4.0
"""Distance by which a held body is moved, each way, meters."""
_MAX_NEW = 30
"""Number of additional bodies above which hands create no more."""
_SLIDE = 0.05
"""Share of a slider's length by which it is moved from its default, each way."""
_KEYS = ("left", "right", "up", "down")


class Actor(Protocol):
    """A client, as far as hands need it."""

    @property
    def demo(self) -> Demo | None:
        """The demo that the client shows."""

    def act(self, action: Action, now: float) -> object:
        """Apply an action."""


class ScriptedUser:
    """Hands that play a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def play(self, actor: Actor, tick: int, now: float) -> None:
        """Apply the actions that are due."""
        for action in self.script.due(tick):
            actor.act(action, now=now)


class RandomUser:
    """Hands that act at random.

    Parameters
    ----------
    rng : Generator
    rate : float
        Mean number of actions begun a second.
    """

    def __init__(self, rng: np.random.Generator, rate: float = RATE) -> None:
        self._rng, self._rate = rng, rate
        self._looked: float | None = None
        self._ends: list[tuple[float, Callable[[Actor, float], object]]] = []
        """Pending ends of actions, by time."""
        self._busy: set[str] = set()
        self._held_at = (0.0, 0.0)
        self._pulls_to = (0.0, 0.0)
        self._dragged = 0.0
        self._n_at_first: int | None = None

    def play(self, actor: Actor, tick: int, now: float) -> None:
        """Look at the demo, and act with the given rate."""
        demo = actor.demo
        if demo is None or not demo.stages:
            return
        passed = 0.0 if self._looked is None else now - self._looked
        self._looked = now
        if self._n_at_first is None:
            self._n_at_first = _n_bodies(demo)
        for end in [end for end in self._ends if end[0] <= now]:
            self._ends.remove(end)
            end[1](actor, now)
        if "hand" in self._busy and now - self._dragged >= _DRAG_SECONDS:
            self._drag(actor, now)
        if self._rng.random() < self._rate * passed:
            methods, frequencies = list(_FREQUENCIES), np.array(list(_FREQUENCIES.values()))
            method = methods[int(self._rng.choice(len(methods), p=frequencies / frequencies.sum()))]
            method(self, actor, demo, now)

    def let_go(self, actor: Actor, now: float) -> None:
        """End all that has been begun."""
        for _, end in self._ends:
            end(actor, now)
        self._ends.clear()

    # -- what it holds for a while ------------------------------------------------------------------------------------

    def _for_a_while(self, what: str, now: float, end: Callable[[Actor, float], object]) -> None:
        self._busy.add(what)

        def ended(actor: Actor, now: float) -> None:
            self._busy.discard(what)
            end(actor, now)

        self._ends.append((now + float(self._rng.uniform(_SHORTEST, LATEST)), ended))

    def _grab(self, actor: Actor, demo: Demo, now: float) -> None:
        picked = self._some_body(demo)
        if picked is None or "hand" in self._busy:
            return
        stage, body = picked
        x, y = stage.world.state(body).position
        point = float(x + stage.offset[0]), float(y + stage.offset[1])
        self._held_at, self._dragged = point, now
        self._pulls_to = self._near(point, _REACH)
        actor.act(Grab(point), now=now)
        self._for_a_while("hand", now, lambda actor, now: actor.act(Release(), now=now))

    def _drag(self, actor: Actor, now: float) -> None:
        """Move what is held on its way, ever faster, so that it is thrown when let go."""
        self._dragged = now
        (x, y), (to_x, to_y) = self._held_at, self._pulls_to
        self._held_at = x + 0.3 * (to_x - x), y + 0.3 * (to_y - y)
        actor.act(Drag(self._held_at), now=now)

    def _push(self, actor: Actor, demo: Demo, now: float) -> None:
        picked = self._some_body(demo)
        if picked is None or "keys" in self._busy:
            return
        key = _KEYS[int(self._rng.integers(len(_KEYS)))]
        actor.act(Drive(demo.stages.index(picked[0]), picked[1]), now=now)
        actor.act(PressKey(key), now=now)
        self._for_a_while("keys", now, lambda actor, now: actor.act(ReleaseKey(key), now=now))

    def _pause(self, actor: Actor, demo: Demo, now: float) -> None:
        if "pause" not in self._busy:
            actor.act(Pause(True), now=now)
            self._for_a_while("pause", now, lambda actor, now: actor.act(Pause(False), now=now))

    def _hurry(self, actor: Actor, demo: Demo, now: float) -> None:
        if "speed" not in self._busy:
            actor.act(SetSpeed(float(self._rng.choice([speed for speed in SPEEDS if 0.25 <= speed <= 2.0]))), now=now)
            self._for_a_while("speed", now, lambda actor, now: actor.act(SetSpeed(1.0), now=now))

    # -- what it builds and breaks ------------------------------------------------------------------------------------

    def _create(self, actor: Actor, demo: Demo, now: float) -> None:
        assert self._n_at_first is not None
        picked = self._some_body(demo)
        if picked is None or demo.no_edits or _n_bodies(demo) >= self._n_at_first + _MAX_NEW:
            return
        stage, body = picked
        size = float(self._rng.uniform(0.15, 0.5))
        shape = (Circle(size), Polygon.box(size, 0.6 * size))[int(self._rng.integers(2))]
        x, y = stage.world.state(body).position
        place = self._near((float(x), float(y) + 2.0), 2.0)
        spec = BodySpec((FixtureSpec(shape, density=1.0),), position=place, angle=float(self._rng.uniform(-1.0, 1.0)))
        actor.act(CreateBody.of(demo.stages.index(stage), spec), now=now)

    def _erase(self, actor: Actor, demo: Demo, now: float) -> None:
        """Destroy a body, but leave half of those at the beginning."""
        assert self._n_at_first is not None
        picked = self._some_body(demo)
        if picked is None or demo.no_edits or 2 * _n_bodies(demo) <= self._n_at_first:
            return
        actor.act(DestroyBody(demo.stages.index(picked[0]), picked[1]), now=now)

    def _join_bodies(self, actor: Actor, demo: Demo, now: float) -> None:
        """Join a body with the nearest other one, by a hinge or a rod."""
        picked = self._some_body(demo)
        if picked is None or demo.no_edits:
            return
        stage, body = picked
        world = stage.world
        at = np.array(world.state(body).position)
        others = [other for other in world.body_ids if other != body and world.body(other).spec.type == "dynamic"]
        if not others:
            return
        places = np.array([world.state(other).position for other in others])
        k = int(np.argmin(np.hypot(*(places - at).T)))
        a, b = (float(at[0]), float(at[1])), (float(places[k, 0]), float(places[k, 1]))
        middle = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
        hinge = RevoluteJointSpec(body, others[k], middle)
        rod = DistanceJointSpec(body, others[k], a, b) if math.dist(a, b) >= LINEAR_SLOP else hinge
        actor.act(CreateJoint.of(demo.stages.index(stage), (hinge, rod)[int(self._rng.integers(2))]), now=now)

    def _part(self, actor: Actor, demo: Demo, now: float) -> None:
        """Destroy a joint."""
        stage = demo.stages[int(self._rng.integers(len(demo.stages)))]
        joints = stage.world.joint_ids
        if joints and not demo.no_edits:
            joint = int(joints[int(self._rng.integers(len(joints)))])
            actor.act(DestroyJoint(demo.stages.index(stage), joint), now=now)

    def _undo(self, actor: Actor, demo: Demo, now: float) -> None:
        actor.act(UndoOwn(), now=now)

    def _slide(self, actor: Actor, demo: Demo, now: float) -> None:
        """Move a slider, near its default: at its end may be ten times the bodies."""
        if demo.parameters:
            parameter = demo.parameters[int(self._rng.integers(len(demo.parameters)))]
            low, high = parameter.slider_ends
            place = parameter.on_slider(parameter.default) + _SLIDE * (high - low) * float(self._rng.uniform(-1.0, 1.0))
            number = parameter.snapped(min(max(place, low), high))
            if parameter.choices:
                number = float(round(number))
            actor.act(SetParameter(parameter.name, number), now=now)

    def _restart(self, actor: Actor, demo: Demo, now: float) -> None:
        actor.act(Restart(), now=now)

    # -- what it sees -------------------------------------------------------------------------------------------------

    def _some_body(self, demo: Demo) -> tuple[Stage, int] | None:
        """Return a dynamic body and its stage."""
        bodies = [(stage, body) for stage in demo.stages for body in stage.world.body_ids if stage.world.body(body).spec.type == "dynamic"]
        return bodies[int(self._rng.integers(len(bodies)))] if bodies else None

    def _near(self, point: tuple[float, float], reach: float) -> tuple[float, float]:
        dx, dy = self._rng.uniform(-reach, reach, 2)
        return point[0] + float(dx), point[1] + float(dy)


_FREQUENCIES: Mapping[Callable[[RandomUser, Actor, Demo, float], None], float] = {
    RandomUser._grab: 8.0,
    RandomUser._push: 4.0,
    RandomUser._create: 3.0,
    RandomUser._erase: 1.5,
    RandomUser._join_bodies: 1.5,
    RandomUser._part: 0.5,
    RandomUser._undo: 1.0,
    RandomUser._slide: 0.4,
    RandomUser._pause: 0.5,
    RandomUser._hurry: 0.5,
    RandomUser._restart: 0.1,
}
"""Relative frequency of each action of random hands."""


def _n_bodies(demo: Demo) -> int:
    return sum(len(stage.world.body_ids) for stage in demo.stages)
