"""What a step of clipping by Box2D's rule claims, from the shapes alone."""

from __future__ import annotations

from functools import partial

from tests.unit.trace.claims import manifold

check = partial(manifold.check, rule="box2d")
