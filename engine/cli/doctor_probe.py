"""What `doctor` tries in a process of its own, since a broken Box2D takes its interpreter with it."""

from __future__ import annotations

import json
import sys

__all__ = ["main"]


def main() -> None:
    """Drop a disc on a floor through the wrapper, test the memory reader, and print what came out as JSON."""
    from engine.geometry import Circle, Polygon
    from engine.world import BodySpec, FixtureSpec, World, load_solver

    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static", position=(0.0, -0.5)))
    disc = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 1.0)))
    touched = sum(len(world.step().began) for _ in range(60))
    height = world.state(disc).position[1]
    fell_well = touched == 1 and abs(height - 0.5) < 0.02
    solver = load_solver("box2d")
    found = {"fell_well": fell_well, "height": height, "memory_problem": solver.prepare(), "engine": solver.capabilities.version}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
