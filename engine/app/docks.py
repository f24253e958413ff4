"""Which docks the window has, in the order in which they get events; see `engine.app.dock`."""

from __future__ import annotations

from engine.app.dock import Dock
from engine.app.timeline_dock import TimelineDock

__all__ = ["make_docks"]


def make_docks() -> tuple[Dock, ...]:
    """Return new docks for a window."""
    return (TimelineDock(),)
