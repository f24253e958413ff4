"""The copied picture of a static scene always equals one drawn by a painter without a cache."""

import contextlib
import copy
import random
from dataclasses import fields

import numpy as np
import pygame
import pytest

from engine.app import frame
from engine.app.frame import FramePainter
from engine.app.session import Session
from engine.common.errors import LabError
from engine.contracts import Difference, StepAgreement
from engine.demo import Demo, Parameter
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.raster import load_raster
from engine.render.views import Layers
from engine.sim.actions import Drag, Grab, Release
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World
from tests.edits import edit_of
from tests.hazards.monkey import live_worlds

SIZE = (360, 260)


class Yard(Demo):
    """Boxes and discs that fall on a floor, a lever, a sensor; parameters select what else is shown."""

    id, category, title, watch = "yard", "Tests", "Yard", "They fall. They lie."
    parameters = (
        Parameter("boxes", 3, 1, 5, whole=True),
        Parameter("worlds", 1, 1, 2, whole=True),
    )

    def build(self):
        """One world, or two."""
        self.colors = {}
        self.outlined = set()
        for k in range(int(self.parameter("worlds"))):
            world = self.add_stage(World(), offset=(12.0 * k, 0.0), label=f"world {k}" if k else "", mark_touching=k == 0).world
            floor = world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.3)),), type="static"))
            for n in range(int(self.parameter("boxes"))):
                shape = Circle(0.4) if n % 2 else Polygon.box(0.4, 0.3)
                world.create_body(BodySpec((FixtureSpec(shape, density=4.0 + 40.0 * k),), position=(1.1 * n - 1.5, 0.75 + 0.02 * n)))
            lever = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.9, 0.1)),), position=(3.0, 1.2)))
            world.create_joint(RevoluteJointSpec(floor, lever, anchor=(3.0, 1.2)))
            gate = BodySpec((FixtureSpec(Polygon.box(0.3, 0.6), sensor=True),), type="static", position=(-3.0, 0.9))
            world.create_body(gate)

    def body_colors(self, stage):
        return self.colors

    def outlined_bodies(self, stage):
        return self.outlined

    def draw(self, canvas):
        """Mark the newest body."""
        stage = self.stages[0]
        canvas.text(stage.drawn_pose(stage.world.body_ids[-1])[:2], "newest", palette.TEXT)


class Watched:
    """A session with its painter; each frame is also drawn by a new painter for comparison."""

    def __init__(self, demo, raster, grounds):
        self.raster, self.grounds = raster, grounds
        self.surface = pygame.Surface(SIZE)
        self.session = Session(demo, (0, 0, *SIZE), Layers(), has_history=True)
        self.session.clock.paused = True
        self.painter = FramePainter(1.0, raster)
        self.pointer = None

    def frame(self, after=""):
        """Draw a frame as in a window; return whether it was copied, and compare it with one drawn with only the last scales."""
        painter, n_grounds = self.painter, len(self.grounds)
        fresh = FramePainter(painter.fonts.ui_scale, painter.raster)
        painter.prepare(self.session, self.pointer)
        fresh.prepare(self.session, self.pointer)
        fresh._was_left, fresh._debug._impulses = painter._was_left, copy.deepcopy(painter._debug._impulses)
        painter.paint(self.surface, self.session, self.pointer)
        if len(self.grounds) > n_grounds:
            return False
        expected = self.surface.copy()
        fresh.paint(expected, self.session, self.pointer)
        assert np.array_equal(*map(pygame.surfarray.array3d, (self.surface, expected))), f"what is copied is another picture after {after}"
        for fresh_frame, other in zip(fresh._found, painter._found, strict=True):
            assert fresh_frame.differences.differences == other.differences.differences
            assert fresh_frame.differences.positions.tobytes() == other.differences.positions.tobytes()
            assert fresh_frame.points.tobytes() == other.points.tobytes() and fresh_frame.camera == other.camera
        return True


@pytest.fixture(scope="module")
def raster():
    return load_raster()


@pytest.fixture(autouse=True)
def dark():
    yield
    palette.use_theme("dark")


def changes(watched, chance):
    """Return possible changes to the scene, the view and the display options."""
    session, painter = watched.session, watched.painter
    demo, view, layers, timeline = session.demo, session.view, session.layers, session.timeline
    stage = demo.stages[0]
    world = stage.world
    bodies = [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]
    body = chance.choice(bodies) if bodies else None

    def toggle(target, name):
        return lambda: setattr(target, name, not getattr(target, name))

    def use_new(of, name, value):
        return lambda: setattr(of, name, value)

    def edit(method, *arguments, **named):
        return lambda: session.act(edit_of(0, method, *arguments, **named))

    def seek(step):
        return lambda: timeline.seek(min(max(step, 0), timeline.history.last if timeline.history else 0))

    def step(n):
        def take():
            timeline.finish()
            for _ in range(n):
                timeline.history.step()

        return take

    def resize():
        size = chance.choice((SIZE, (300, 300), (420, 200)))
        watched.surface = pygame.Surface(size)
        view.place((0, 0, *size))

    def scale():
        watched.painter = FramePainter(chance.choice((1.0, 1.25, 2.0)), painter.raster)

    def show_beside():
        session.compare_with("box2d")
        session.advance(0.0)

    def end_beside():
        session.compare_with("")

    def tell(n):
        contacts = world.contacts
        pairs = zip(contacts.fixture_a[:n].tolist(), contacts.fixture_b[:n].tolist(), strict=True)
        differences = tuple(Difference(a, b, (0.0, 0.5), (0.0, 1.0), (1.0, 0.0), "local_maximum", 0.01, "shallower") for a, b in pairs)
        stage._agreement = StepAgreement(compared=n, explained=n, differences=differences)

    every_change = {
        **{f"a toggle of {field.name}": toggle(layers, field.name) for field in fields(Layers)},
        "another theme": lambda: palette.use_theme(chance.choice(("dark", "light"))),
        "a zoom": lambda: view.zoom((chance.randrange(SIZE[0]), 100), chance.choice((-1.0, 1.0))),
        "a pan": lambda: view.pan(chance.choice((-7.0, 0.4, 12.0)), 3.0),
        "home": view.home,
        "a resize": resize,
        "another scale": scale,
        "another raster": use_new(painter, "raster", None if painter.raster else watched.raster),
        "the pointer": use_new(watched, "pointer", (chance.randrange(SIZE[0]), chance.randrange(SIZE[1]))),
        "no pointer": use_new(watched, "pointer", None),
        "another moment": use_new(session.clock, "_pending", 0.4),
        "a step": step(1),
        "some steps": step(chance.randrange(2, 14)),
        "a long while": step(150),
        "the past": seek(timeline.history.now - chance.randrange(1, 20) if timeline.history else 0),
        "the end": timeline.to_the_end,
        "undo": session.undo,
        "redo": timeline.redo,
        "restart": session.restart,
        "a parameter": lambda: session.set_parameter("boxes", chance.randrange(1, 6)),
        "a second world": lambda: session.set_parameter("worlds", 3 - int(demo.parameter("worlds"))),
        "a new body": edit("create_body", BodySpec((FixtureSpec(Circle(0.3)),), position=(chance.uniform(-3.0, 3.0), 2.0))),
        "marks": toggle(stage, "mark_touching"),
        "a window": use_new(stage, "window", AABB((-2.0, 0.0), (2.0, 3.0)) if stage.window is None else None),
        "an offset": use_new(stage, "offset", (chance.choice((0.0, 0.5)), 0.0)),
        "differences": lambda: tell(chance.randrange(3)),
        "a world beside": show_beside,
        "no world beside": end_beside,
        "letting go": lambda: session.act(Release()),
    }
    for joint in world.joint_ids:
        every_change["an anchor"] = edit("set_joint", joint, anchor=(chance.uniform(2.6, 3.4), 1.2))
        every_change["a joint gone"] = edit("destroy_joint", joint)
    if body is not None:
        every_change |= {
            "a color": lambda: demo.colors.update({body: (chance.randrange(256), 90, 200)}),
            "no colors": demo.colors.clear,
            "an outline": lambda: demo.outlined.symmetric_difference_update({body}),
            "a body gone": edit("destroy_body", body),
            "a body moved": edit("set_pose", body, (chance.uniform(-3.0, 3.0), 1.5), chance.random()),
            "a body asleep": edit("set_awake", body, bool(chance.randrange(2))),
            "a body held fast": edit("set_body", body, type=chance.choice(("static", "kinematic", "dynamic"))),
            "a sensor": edit("set_fixture", world.fixtures_of(body)[0], sensor=bool(chance.randrange(2))),
            "a hold": lambda: session.act(Grab(tuple(np.add(stage.drawn_pose(body)[:2], stage.offset).tolist()))),
            "a drag": lambda: session.act(Drag((chance.uniform(-3.0, 3.0), 2.0))),
        }
    return every_change


@pytest.fixture
def grounds(monkeypatch):
    """One for each background drawn."""
    drawn = []
    draw_backdrop = frame.draw_backdrop
    monkeypatch.setattr(frame, "draw_backdrop", lambda canvas: (drawn.append(None), draw_backdrop(canvas)))
    return drawn


@pytest.mark.parametrize("seed", range(2))
def test_a_copy_equals_a_fresh_drawing(seed, raster, grounds):
    watched, chance = Watched(Yard(), raster, grounds), random.Random(seed)
    done = []
    copied = 0
    for _ in range(60):
        possible = changes(watched, chance)
        done.append(chance.choice(sorted(possible)))
        with contextlib.suppress(LabError):
            possible[done[-1]]()
        copied += sum(watched.frame(", ".join(done[-4:])) for _ in range(4))
    assert copied > 20


class Heavy(Yard):
    """The same with a thousand times the mass."""

    id = "heavy"

    def build(self):
        """Build the scene with heavy bodies."""
        super().build()
        for stage in self.stages:
            for fixture in stage.world.fixture_ids:
                stage.world.set_fixture(fixture, density=4000.0)


def test_a_hidden_world_is_released_and_its_impulses_do_not_affect_the_scale(grounds):
    heavy, light = Watched(Heavy(), None, grounds), Watched(Yard(), None, grounds)
    light.painter = heavy.painter
    for window in (heavy, light):
        window.session.layers.impulses = True
        for _ in range(40):
            window.session.demo.sim.step()
    heavy.frame()
    of_heavy = heavy.painter._debug.longest_impulse
    light.frame()
    assert 0.0 < light.painter._debug.longest_impulse < 0.01 * of_heavy
    alive = []
    for _ in range(3):
        light.session.restart()
        light.frame()
        alive.append(live_worlds())
    assert alive == alive[:1] * 3
