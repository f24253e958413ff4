"""Recording in the window, and films and pages of the last seconds. The buttons are at the end of the timeline."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from engine.app.exports import Export, FilmExport, PageExport
from engine.app.files.opening import file_stem
from engine.app.files.writing import failure_words
from engine.app.panels.dock import Dock, WindowActions
from engine.app.panels.timeline_dock import TimelineDock
from engine.common.errors import LabError
from engine.common.words import counted
from engine.render import palette
from engine.sim.recordings import SUFFIX
from engine.sim.recordings.recorder import free_path
from engine.sim.replaying import record
from engine.ui.rows import Button

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["SECONDS", "RecordingDock"]

SECONDS = 20.0
"""Length of a film or a page at most, simulated seconds before the present step."""

_USERS = (pygame.KEYDOWN, pygame.KEYUP, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL, pygame.DROPFILE, pygame.TEXTINPUT)
"""Events that are ignored while a file is written."""


class RecordingDock(Dock):
    """Records inputs, and exports films and pages, beside the `timeline`; `size` returns the size of the window, pixels."""

    side = "over"
    worlds = "own"
    title = "Recording, film"

    def __init__(self, timeline: TimelineDock, size: Callable[[], tuple[int, int]], actions: WindowActions) -> None:
        self._timeline, self._size, self._actions = timeline, size, actions
        self._session: Session | None = None
        self._export: Export | None = None

    @property
    def is_busy(self) -> bool:
        """True while a file is being written, which blocks everything else."""
        return self._export is not None

    @property
    def is_at_work(self) -> bool:
        return self.is_busy

    def begin(self, session: Session) -> None:
        self._give_up_export()
        if self._session is not None and self._session.recorder is not None:
            self._stop(self._session, session)
        self._session = session
        self._timeline.more, self._timeline.draw_more = self._buttons, self._draw_on_line

    def break_off(self, session: Session) -> None:
        try:
            self._give_up_export()
        finally:
            self._stop(session, session)

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        history = session.timeline.history
        if history is None:
            return False
        if event.type == pygame.QUIT:
            self.break_off(session)
            return False
        if self.is_busy:
            if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
                self._give_up_export()
                session.messages.say("Nothing was written.")
            return event.type in _USERS
        return False

    def update(self, session: Session, elapsed: float) -> None:
        history = session.timeline.history
        if history is None:
            return
        if session.recorder is not None:
            self._record(session)
        if self._export is not None:
            self._go_on(self._export, session)

    def _draw_on_line(self, surface: pygame.Surface, session: Session) -> None:
        history = session.timeline.history
        if history is None:
            return
        recording = session.recording
        if recording is not None and recording.branch is history.branch and recording.begun > 0:
            bar, ui = self._timeline.bar, self.fonts.ui_scale
            at, reach = self._timeline.x_of(recording.begun, history), round(7 * ui)
            pygame.draw.line(surface, palette.UNEXPLAINED, (at, bar.top - reach), (at, bar.bottom + reach), max(2, round(2 * ui)))

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        history = session.timeline.history
        if history is None:
            return
        if self._export is not None:
            self._draw_progress(surface, f"writing {self._export.path.name}", self._export.share)

    # Recording

    def toggle_recording(self, session: Session) -> None:
        """Start or stop recording into a new file in the working directory."""
        if session.recorder is not None:
            self._stop(session, session)
            return
        if session.timeline.history is None:
            return
        path = free_path(Path.cwd(), _name(session), SUFFIX)
        try:
            session.recorder = record(session.timeline.history, path)
        except (LabError, OSError) as error:
            session.messages.say(f"Cannot record: {error}", palette.WARNING)
            return
        now = session.recorder.begun
        before = f", including the {now:,} steps so far" if now else ""
        session.messages.say(f"Recording to {path}{before}. Ctrl R stops.")

    def _record(self, session: Session) -> None:
        assert session.recorder is not None
        try:
            session.recorder.update()
        except (LabError, OSError) as error:
            session.messages.say(f"Recording stopped: {error}", palette.WARNING)
            session.recorder = None

    def _stop(self, session: Session, told: Session) -> None:
        """Stop recording a session; the message goes to the shown session."""
        recorder, session.recorder = session.recorder, None
        if recorder is None:
            return
        try:
            recorder.close()
        except (LabError, OSError) as error:
            told.messages.say(f"Recording stopped: {error}", palette.WARNING)
            return
        before = f", {recorder.begun:,} of them before the recording began," if 0 < recorder.begun <= recorder.steps else ""
        told.messages.say(f"Recorded {counted(recorder.steps, 'step')}{before} into {recorder.path}")

    # Films

    def export(self, session: Session, suffix: str) -> None:
        """Start writing the last seconds before the present step, at most `SECONDS`, as a film or a page in the working directory."""
        history = session.timeline.history
        if history is None or self.is_busy:
            return
        session.timeline.finish()
        last = history.now
        first = max(last - round(SECONDS / session.demo.step_seconds), 0)
        if last <= first:
            session.messages.say("There is nothing to export yet.")
            return
        session.driver.release_all()
        path = free_path(Path.cwd(), _name(session), suffix)
        surface = pygame.display.get_surface()
        size = self._size() if surface is None else surface.get_size()
        try:
            if suffix == ".html":
                self._export = PageExport(session, path, first, last)
            else:
                self._export = FilmExport(session, path, first, last, size, self.fonts.ui_scale, self._actions.paint)
        except (LabError, OSError) as error:
            session.messages.say(f"Nothing can be exported: {error}", palette.WARNING)

    def _go_on(self, export: Export, session: Session) -> None:
        try:
            is_done = export.work()
        except (LabError, OSError) as error:
            self._export = None
            export.cancel()
            session.messages.say(f"Nothing was written: {failure_words(error)}", palette.WARNING)
            return
        if is_done:
            self._export = None
            session.messages.say(export.words)

    def _give_up_export(self) -> None:
        if self._export is not None:
            export, self._export = self._export, None
            export.cancel()

    # Inside

    def _buttons(self, session: Session) -> tuple[Button, ...]:
        icon, color = ("stop", palette.UNEXPLAINED) if session.recorder is not None else ("record", None)
        return self._actions.button("record", icon=icon, color=color), self._actions.button("film", icon="film")

    def _draw_progress(self, surface: pygame.Surface, words: str, share: float) -> None:
        """Return the progress, shown in place of the timeline, which is unusable meanwhile."""
        ui, plate = self.fonts.ui_scale, pygame.Rect(self._timeline.place)
        inset = round(12 * ui)
        pygame.draw.rect(surface, palette.PANEL_RAISED, plate)
        shortened = self.fonts.shortened(f"{words}: {100.0 * share:.0f} %   (Esc cancels)", 14, max(plate.width - 2 * inset, 1))
        text = self.fonts.render(shortened, 14, palette.TEXT)
        surface.blit(text, text.get_rect(center=(plate.centerx, plate.centery - round(3 * ui))))
        bar = pygame.Rect(plate.left + inset, plate.bottom - round(8 * ui), max(plate.width - 2 * inset, 1), round(4 * ui))
        pygame.draw.rect(surface, palette.PANEL_EDGE, bar, border_radius=bar.height // 2)
        bar.width = round(share * bar.width)
        pygame.draw.rect(surface, palette.ACCENT, bar, border_radius=bar.height // 2)


def _name(session: Session) -> str:
    return f"{file_stem(session.demo)}-{time.strftime('%Y-%m-%d-%H%M%S')}"
