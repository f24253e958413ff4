"""Worlds that the tests of the soft step share."""

from __future__ import annotations

from typing import Any

from engine.experiments.references import Lab
from engine.world import World


def world(n_steps: int = 8, **settings: Any) -> World:
    """Return an empty world of the soft step with `n_steps` sub-steps, in which nothing sleeps unless said."""
    return Lab(sub_steps=n_steps).world(**settings)
