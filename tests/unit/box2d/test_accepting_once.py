"""What is checked when a command is given and again when it is applied is computed once (issue 29: a body of 5,000 pieces took seconds)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.box2d import accepting
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, World


def test_each_polygon_of_a_body_is_made_as_box2d_holds_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    kept = accepting.without_flat_corners

    def counted(corners: Any, make: Any) -> Any:
        made.append(corners)
        return kept(corners, make)

    monkeypatch.setattr(accepting, "without_flat_corners", counted)
    shapes = [Polygon(np.array([(k, 0.1), (k + 0.7, 0.3), (k + 0.2, 0.9)]) + 0.0123) for k in range(20)]
    world = World()
    body = world.create_body(BodySpec(tuple(map(FixtureSpec, shapes)), type="dynamic"))
    assert len(made) <= 2 * len(shapes)  # as it was given, and as it is held
    held = [world.fixture(fixture).shape for fixture in world.body(body).fixtures]
    assert all(accepting.accepted(FixtureSpec(shape)).shape == shape for shape in held)
