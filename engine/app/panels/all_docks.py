"""Which docks the window has, in the order in which they get events; see `engine.app.panels.dock`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from engine.app.panels.asking_dock import AskingDock
from engine.app.panels.camera_dock import CameraDock
from engine.app.panels.dock import Dock
from engine.app.panels.event_dock import EventDock
from engine.app.panels.files_dock import FilesDock, FilesHost
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.menu_dock import MenuDock, MenuHost
from engine.app.panels.plot_dock import PlotDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.panels.step_dock import StepDock
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.panels.tools_dock import ToolsDock
from engine.editor.editor import Editor

if TYPE_CHECKING:
    import pygame

    from engine.app.layout import Layout
    from engine.render.canvas import Canvas

__all__ = ["DockHost", "make_docks"]


class DockHost(FilesHost, MenuHost, Protocol):
    """What the docks together see of the window."""

    @property
    def browsing(self) -> bool:
        """Whether the list of demos is shown."""

    @property
    def layout(self) -> Layout:
        """Where things lie."""

    def handle(self, event: pygame.event.Event) -> None:
        """Take in an event."""

    def paint_docks(self, canvas: Canvas) -> None:
        """Draw over the bodies what docks draw there."""


def make_docks(host: DockHost) -> tuple[Dock, ...]:
    """Return new docks for a window: first who asks, then who may be typed in, then who lies over the view that tools work in."""
    asking = AskingDock(lambda: host.view)
    editor = Editor()
    inspector = InspectorDock(editor)
    timeline = TimelineDock()
    recording, files = RecordingDock(timeline, lambda: host.layout.size, host.paint_docks), FilesDock(asking, host)
    return (
        asking,
        MenuDock(recording, files, host),
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
