"""Which docks the window has, in the order in which they get events; see `engine.app.panels.dock`."""

from __future__ import annotations

from engine.app.panels.asking_dock import AskingDock
from engine.app.panels.camera_dock import CameraDock
from engine.app.panels.dock import Dock
from engine.app.panels.event_dock import EventDock
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.menu_dock import MenuDock
from engine.app.panels.plot_dock import PlotDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.panels.step_dock import StepDock
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.panels.tools_dock import ToolsDock
from engine.editor.editor import Editor

__all__ = ["make_docks"]


def make_docks() -> tuple[Dock, ...]:
    """Return new docks for a window: first who asks, then who may be typed in, then who lies over the view that tools work in."""
    asking = AskingDock()
    editor = Editor()
    inspector = InspectorDock(editor)
    timeline = TimelineDock()
    recording, files = RecordingDock(timeline), FilesDock(asking)
    return (
        asking,
        MenuDock(recording, files),
        recording,
        inspector,
        files,
        CameraDock(editor),
        ToolsDock(editor, inspector),
        timeline,
        PlotDock(),
        StepDock(),
        EventDock(),
    )
