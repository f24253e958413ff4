"""Which docks the window has, in the order in which they get events; see `engine.app.dock`."""

from __future__ import annotations

from engine.app.asking_dock import AskingDock
from engine.app.camera_dock import CameraDock
from engine.app.dock import Dock
from engine.app.event_dock import EventDock
from engine.app.files_dock import FilesDock
from engine.app.hands.hands import Hands
from engine.app.hands.inspector_dock import InspectorDock
from engine.app.hands.tools_dock import ToolsDock
from engine.app.menu_dock import MenuDock
from engine.app.plot_dock import PlotDock
from engine.app.recording_dock import RecordingDock
from engine.app.step_dock import StepDock
from engine.app.timeline_dock import TimelineDock

__all__ = ["make_docks"]


def make_docks() -> tuple[Dock, ...]:
    """Return new docks for a window: first who asks, then who may be typed in, then who lies over the view that tools work in."""
    asking = AskingDock()
    hands = Hands()
    inspector = InspectorDock(hands)
    timeline = TimelineDock()
    recording, files = RecordingDock(timeline), FilesDock(asking)
    return (
        asking,
        MenuDock(recording, files),
        recording,
        inspector,
        files,
        CameraDock(hands),
        ToolsDock(hands, inspector),
        timeline,
        PlotDock(),
        StepDock(),
        EventDock(),
    )
