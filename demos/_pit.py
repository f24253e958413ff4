"""Base class of the scenes in which a heap of bodies lies in a pit and can be tossed up."""

from __future__ import annotations

from typing import ClassVar

from demos._gallery import add_shape
from engine.demo import Demo, Stage
from engine.geometry import Polygon

__all__ = ["WALL", "Pit"]

WALL = 0.5
"""Thickness of the floor and of the walls, meters."""


class Pit(Demo):
    """A demo with one world, whose first body is a pit.

    Attributes
    ----------
    stage : Stage
    toss : (float, (float, float), float)
        Largest sideways speed, smallest and largest upward speed, m/s, and largest angular speed, rad/s, of a tossed body.
    """

    stage: Stage
    keys = (("T", "toss everything up"),)
    toss: ClassVar[tuple[float, tuple[float, float], float]]

    def dig(self, half_width: float, height: float, friction: float, restitution: float = 0.0) -> None:
        """Create the pit, with its floor at y = 0 and this much room between its walls."""
        sides = (
            Polygon.box(half_width + WALL, 0.5 * WALL, (0.0, -0.5 * WALL)),
            Polygon.box(0.5 * WALL, 0.5 * height, (-half_width - 0.5 * WALL, 0.5 * height)),
            Polygon.box(0.5 * WALL, 0.5 * height, (half_width + 0.5 * WALL, 0.5 * height)),
        )
        add_shape(self.stage, sides, (0.0, 0.0), type="static", friction=friction, restitution=restitution, name="pit")
        self._tosses = 0

    def on_key(self, key: str) -> bool:
        """Toss all bodies up with T, at random velocities."""
        if key != "t":
            return False
        self._tosses += 1
        rng, (sideways, upward, spin) = self.rng(f"toss {self._tosses}"), self.toss
        for body in self.loose_bodies():
            velocity = float(rng.uniform(-sideways, sideways)), float(rng.uniform(*upward))
            self.stage.world.set_velocity(body, velocity, float(rng.uniform(-spin, spin)))
        return True

    def loose_bodies(self) -> list[int]:
        """Return the ids of all dynamic bodies."""
        world = self.stage.world
        return [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]

    def set_material(self, name: str) -> None:
        """Give all fixtures the value of the parameter `name`, a field of `FixtureSpec`, and wake the bodies."""
        world = self.stage.world
        for fixture in world.fixture_ids:
            world.set_fixture(fixture, **{name: self.parameter(name)})
        self.wake()

    def wake(self) -> None:
        """Wake all dynamic bodies."""
        for body in self.loose_bodies():
            self.stage.world.set_awake(body, True)
