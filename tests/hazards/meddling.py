"""A random player of a demo, acting through its history: grabs, drags, keys, parameters, edits, files, restarts."""

import math
import random
from collections import Counter
from pathlib import Path

from engine.app.files.opening import drop_size, load_dropped
from engine.common.errors import LabError
from engine.sim.actions import (
    CreateJoint,
    Drag,
    Drop,
    Edit,
    Grab,
    PressKey,
    Release,
    ReleaseAll,
    ReleaseKey,
    Restart,
    SetParameter,
    SetSolver,
    Turn,
    TurnWheel,
)
from tests.edits import edit_of
from tests.hazards.fuzz import Fuzzer

__all__ = ["KEYS", "Meddler", "sample_files"]

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("left", "right", "up", "down", "return", "tab", "backspace", "a", "b", "c", "d", "f", "g", "h", "j", "k", "m", "t", "w", "x")
MAX_BODIES = 30
"""More than the demo began with are not created."""
MAX_DROPS = 3
MAX_FAILURES = 8
"""Steps that may fail in a row before the demo is restarted: a body without which it cannot go on was destroyed."""

WEIGHTS = {
    "grab": 12,
    "wave": 2,
    "press": 6,
    "release_key": 4,
    "release_all": 1,
    "turn": 2,
    "on_wheel": 2,
    "set_parameter": 1,
    "restart": 0.4,
    "drop": 0.5,
    "create_body": 8,
    "destroy_body": 3,
    "create_fixture": 2,
    "destroy_fixture": 1,
    "create_joint": 4,
    "destroy_joint": 1,
    "set_pose": 4,
    "set_velocity": 4,
    "set_awake": 2,
    "set_body": 3,
    "set_fixture": 2,
    "set_joint": 1,
    "set_settings": 2,
    "apply_impulse": 6,
}
"""Relative frequency of each action."""
BUSY = 0.25
SWITCHING = 0.02
"""Chance of another solver between two steps."""


class Meddler:
    """Plays with one demo.

    Parameters
    ----------
    history : History
    seed : int
    files : tuple of BodyFile
        What it drops.
    busy : float
        Probability of an action between two steps.
    solvers : tuple of str
        What it lets drive the demo, now one and now another; nothing else than before where there are none.
    """

    def __init__(self, history, seed, files=(), busy=BUSY, solvers=()):
        self.solvers = solvers
        self.history, self.random, self.seen = history, random.Random(f"{history.demo.id} {seed}"), Counter[str]()
        self.files, self.busy, self.n_drops, self.n_failures = files, busy, 0, 0
        self.tried = []
        """All that was attempted, with the number of steps taken before it."""
        self.hand = None
        self.most = sum(len(stage.world.body_ids) for stage in history.demo.stages) + MAX_BODIES
        self.maker = Fuzzer("plain", seed)
        self.maker.random = self.random

    def step(self):
        """Take a step, possibly after an action."""
        if self.n_failures > MAX_FAILURES:
            self.act(Restart())
            self.n_failures = 0
        if self.hand is not None:
            self.pull()
        if self.solvers and self.random.random() < SWITCHING:
            self.act(SetSolver(self.random.choice(self.solvers)))
        if self.random.random() < self.busy:
            self.do(self.random.choices(tuple(WEIGHTS), WEIGHTS.values())[0])
        try:
            self.history.step()
            self.n_failures = 0
        except LabError:
            self.seen["failed step"] += 1
            self.n_failures += 1

    def act(self, action):
        """Act through the history; a rejection is a valid result."""
        self.tried.append((self.history.now, action))
        names = [type(action).__name__, *(["Edit"] if isinstance(action, Edit) else [])]
        try:
            result = self.history.act(action)
        except LabError:
            self.seen.update(f"{name} refused" for name in names)
            return None
        self.seen.update(names)
        return result

    def do(self, what):
        demo, r = self.history.demo, self.random
        if what in ("grab", "turn"):
            self.hand = self.point(near=0.9)
            if not self.act((Grab if what == "grab" else Turn)(self.hand)):
                self.hand = None
        elif what == "wave":  # the hand moves, or opens, whether it holds something or not
            self.act(Drag(self.point(near=0.2)))
            if r.random() < 0.5:
                self.act(Release())
        elif what == "press":
            self.act(PressKey(r.choice(KEYS)))
        elif what == "release_key":
            self.act(ReleaseKey(r.choice(sorted(demo.held) or KEYS)))
        elif what in ("release_all", "restart"):
            self.act(Restart() if what == "restart" else ReleaseAll())
            self.hand = None
        elif what == "on_wheel":
            self.act(TurnWheel(self.point(near=0.5), r.choice((-2.0, -1.0, 1.0, 3.0))))
        elif what == "set_parameter":
            if demo.parameters:
                chosen = r.choice(demo.parameters)
                self.act(SetParameter(chosen.name, self.value(chosen)))
        elif what == "drop":
            if self.files and self.n_drops < MAX_DROPS:
                self.n_drops += 1
                self.act(Drop.of(r.choice(self.files), self.point(near=0.3)))
        elif demo.stages and not demo.no_edits:
            self.edit(what)

    def pull(self):
        """Move the hand, and eventually release it."""
        assert self.hand is not None
        x, y = self.hand
        self.hand = x + self.random.gauss(0.0, 0.3), y + self.random.gauss(0.05, 0.3)
        self.act(Drag(self.hand))
        if self.random.random() < 0.04:
            self.act(Release())
            self.hand = None

    def point(self, near):
        """A point of the picture: with probability `near` that of a body, otherwise anywhere in the demo's initial view."""
        demo, r = self.history.demo, self.random
        stage = r.choice(demo.stages) if demo.stages else None
        if stage is not None and stage.world.body_ids and r.random() < near:
            x, y = stage.world.poses[r.randrange(len(stage.world.body_ids)), :2].tolist()
            return x + stage.offset[0] + r.gauss(0.0, 0.1), y + stage.offset[1] + r.gauss(0.0, 0.1)
        box = demo.home()
        return r.uniform(box.lower[0], box.upper[0]), r.uniform(box.lower[1], box.upper[1])

    def value(self, parameter):
        """A valid value; for numbers not far from the default, so that no demo becomes a hundred times as large."""
        if parameter.choices:
            return self.random.randint(int(parameter.low), int(parameter.high))
        value = parameter.default * self.random.uniform(0.6, 1.5)
        value = min(max(value, parameter.low), parameter.high)
        return round(value) if parameter.whole else value

    def edit(self, what):
        """Change a world by hand."""
        demo, r = self.history.demo, self.random
        number = r.randrange(len(demo.stages))
        stage = demo.stages[number]
        maker, world = self.maker, stage.world
        maker.world = world

        def there():
            x, y = self.point(near=0.3)
            return x - stage.offset[0], y - stage.offset[1]

        maker.place = there
        maker.support = lambda spec: self.act(CreateJoint.of(number, spec))
        try:
            arguments, changes = self.edited(what, there)
        except LabError:  # a body or joint that cannot be described at all
            self.seen["never made"] += 1
            return
        edit = edit_of(number, what, *arguments, **changes)
        self.act(edit.continued() if r.random() < 0.1 and self.seen["Edit"] else edit)

    def edited(self, what, there):
        """The positional and keyword arguments of a method of the maker's world."""
        maker, r = self.maker, self.random
        world = maker.world
        bodies, fixtures = world.body_ids, world.fixture_ids
        changes = {}
        match what:
            case "create_body":
                if len(bodies) >= self.most:
                    return (-1,), {}
                arguments = (maker.body(),)
            case "create_fixture":
                arguments = maker.any_of(bodies), maker.fixture()
            case "create_joint":
                arguments = (maker.joint(),)
            case "destroy_body":
                arguments = (maker.any_of(bodies),)
            case "destroy_fixture":
                arguments = (maker.any_of(fixtures),)
            case "destroy_joint":
                arguments = (maker.any_of(world.joint_ids),)
            case "set_pose":
                arguments = maker.any_of(bodies), there(), r.uniform(-math.pi, math.pi)
            case "set_velocity":
                arguments = maker.any_of(bodies), maker.vector(10.0), maker.number(10.0)
            case "set_awake":
                arguments = maker.any_of(bodies), r.random() < 0.5
            case "set_body":
                arguments, changes = (maker.any_of(bodies),), maker.body_change()
            case "set_fixture":
                arguments, changes = (maker.any_of(fixtures),), maker.fixture_change()
            case "set_joint":
                joint, changes = maker.joint_change()
                arguments = (joint,)
            case "set_settings":
                arguments, changes = (), maker.settings_change()
                if changes.get("hertz") == 1.0:  # a second a step: everything is gone after two
                    changes["hertz"] = 30.0
            case _:
                arguments = maker.any_of(bodies), maker.vector(5.0), r.choice((None, there()))
        return arguments, changes


def sample_files(demo):
    """The program's sprites, at the size at which the demo would drop them."""
    size = drop_size(demo.home())
    paths = [ROOT / "sprites" / "figure_body.json", ROOT / "sprites" / "samples" / "gear.svg", ROOT / "sprites" / "samples" / "paw.png"]
    return tuple(load_dropped(str(path), size) for path in paths)
