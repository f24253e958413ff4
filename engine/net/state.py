"""The state of a shared demo as bytes, without a pickle: for one who joins, or whose copy has gone astray.

A demo that has just been built, and one that a client builds of the same scene, are alike: their state is empty bytes.
"""

from __future__ import annotations

from engine.common.errors import LabError
from engine.demo.base import Demo

__all__ = ["StateError", "decode_state", "encode_state"]


class StateError(LabError):
    """A state cannot be told, or what came is none."""


def encode_state(demo: Demo) -> bytes:
    """Return the state of a demo, at a keyframe.

    Raises
    ------
    StateError
        It holds something that cannot be told.
    """
    raise StateError(f"the state of {demo.id} cannot be told yet")


def decode_state(demo: Demo, content: bytes) -> None:
    """Bring a demo that was just built of the same scene into a state."""
    if content:
        raise StateError("a state must be empty")
