"""What is true of a world, whatever drives it: its bodies, fixtures and joints by id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.geometry import FixtureShape
from engine.world.specs import BodySpec, FixtureSpec

__all__ = ["BodyEntry", "FixtureEntry"]


@dataclass(slots=True)
class BodyEntry:
    """A living body; the specifications of its fixtures are theirs."""

    spec: BodySpec
    fixtures: list[int]
    joints: list[int] = field(default_factory=list)

    def copied(self) -> BodyEntry:
        """Return a copy with lists of its own."""
        return BodyEntry(self.spec, list(self.fixtures), list(self.joints))


@dataclass(slots=True)
class FixtureEntry:
    """A living fixture; `shape` as Box2D holds it, `made` the Box2D shape that it was created from, for the next rebuild."""

    spec: FixtureSpec
    body: int
    shape: FixtureShape
    made: Any
