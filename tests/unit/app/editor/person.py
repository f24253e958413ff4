"""A simulated user of a window, with positions in meters and frames after events."""

import itertools
import time

import pygame

from engine.app.panels.tools_dock import ToolsDock
from engine.app.window import Window
from engine.demo import Demo
from engine.geometry import Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World

__all__ = ["CTRL", "FRAME", "SHIFT", "Closed", "Person", "Point", "Yard"]

FRAME = 1.0 / 60.0
SHIFT, CTRL = pygame.KMOD_LSHIFT, pygame.KMOD_LCTRL
Point = tuple[float, float]


class Yard(Demo):
    """A floor, an edge next to it, and two boxes in the air: bodies 0 to 3."""

    id, category, title, watch = "yard", "Tests", "Yard", "Whatever you build."

    def build(self):
        """One world."""
        world = World()
        world.create_body(BodySpec((FixtureSpec(Polygon.box(8.0, 0.5)),), type="static", position=(0.0, -0.5)))
        world.create_body(BodySpec((FixtureSpec(Segment((-8.0, 3.0), (-7.0, 6.0), 0.0)),), type="static"))
        for x in (-2.0, 2.0):
            world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(x, 3.0)))
        self.add_stage(world)


class Closed(Yard):
    """A read-only demo."""

    id = "closed"
    no_edits = "this one is finished"


class Person:
    """A user's input to a window, with positions in meters."""

    def __init__(self, demo, size=(1280, 720)):
        self.size = size
        self.waits = True
        self.window = Window(size, (type(demo),), demo)
        self.surface = pygame.Surface(size)
        self.frames(2)
        left, top, width, _ = self.window.screen.view
        self.at(pygame.MOUSEMOTION, (left + width // 2, top + 2))  # under a pointer in the view no panel moves the picture

    @property
    def tools(self):
        """The tool bar."""
        return next(dock for dock in self.window.docks if isinstance(dock, ToolsDock))

    @property
    def history(self):
        """The demo's."""
        assert self.window.session.timeline.history is not None
        return self.window.session.timeline.history

    @property
    def stage(self):
        """The first."""
        return self.window.session.demo.stages[0]

    @property
    def world(self):
        """The world of the first stage."""
        return self.stage.world

    @property
    def said(self):
        """Return the message at the bottom of the view."""
        message = self.window.session.messages.now
        return "" if message is None else message.words

    def frames(self, n=1):
        """Run frames, drawing the first and the last."""
        for k in range(n):
            self.window.update(FRAME)
            if k in (0, n - 1):
                self.window.show(self.surface)
        while self.waits and self.tools.editor.background.is_busy:  # an outline is being cut: on a busy machine that outlasts the frame
            time.sleep(0.005)
            self.window.update(0.0)

    def key(self, key, mod=0, letter=""):
        """Press and release."""
        self.window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=letter))
        self.window.handle(pygame.event.Event(pygame.KEYUP, key=key, mod=mod))
        self.frames()

    def pixel(self, point):
        """Return the screen pixel of a point of the view."""
        x, y = self.window.session.view.camera.to_screen(point)
        return round(x), round(y)

    def at(self, kind, pixel):
        """Send one pointer event, and run a frame."""
        more = {"rel": (1, 1), "buttons": (0, 0, 0)} if kind == pygame.MOUSEMOTION else {"button": 1}
        self.window.handle(pygame.event.Event(kind, pos=pixel, **more))
        self.frames()

    def move(self, point):
        """Move the pointer."""
        self.at(pygame.MOUSEMOTION, self.pixel(point))

    def click(self, point):
        """Press and release."""
        self.move(point)
        self.at(pygame.MOUSEBUTTONDOWN, self.pixel(point))
        self.at(pygame.MOUSEBUTTONUP, self.pixel(point))

    def drag(self, *points):
        """Press at the first point, move through all, and release at the last."""
        self.move(points[0])
        self.at(pygame.MOUSEBUTTONDOWN, self.pixel(points[0]))
        for a, b in itertools.pairwise(points):
            for k in (1, 2, 3):
                self.move((a[0] + k / 3 * (b[0] - a[0]), a[1] + k / 3 * (b[1] - a[1])))
        self.at(pygame.MOUSEBUTTONUP, self.pixel(points[-1]))

    def pick(self, letter):
        """Choose a tool."""
        self.key(pygame.key.key_code(letter.lower()), SHIFT, letter)

    def pause(self):
        """Stop time."""
        self.key(pygame.K_SPACE)
        assert self.window.session.clock.paused

    def newest(self):
        """The id of the newest body."""
        return self.world.body_ids[-1]
