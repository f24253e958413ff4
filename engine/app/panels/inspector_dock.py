"""The inspector at the right: what is selected, in numbers that can be changed, and the settings of the world."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.keys import is_plain
from engine.app.panels.dock import Dock
from engine.app.panels.form import Form
from engine.common.errors import LabError
from engine.editor.editor import Editor
from engine.editor.joint_page import joint_rows
from engine.editor.pages import body_rows, world_rows
from engine.editor.rows import Row
from engine.render import palette
from engine.render.camera import Place
from engine.render.palette import mix

if TYPE_CHECKING:
    from engine.demo.session import Session

__all__ = ["InspectorDock"]

_WIDTH = 256.0
_TABS = 34.0
_PAGES = ("Selection", "World")


class InspectorDock(Dock):
    """Two pages; open while the tool that selects is in the hand, and whenever I has opened it.

    Attributes
    ----------
    form : Form
        The rows of the page that is shown.
    """

    side = "right"
    folds = True
    title = "Inspector"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("I", "inspector, world settings: open, close"),
        ("Enter, Tab, Esc", "in a field: take, next, leave"),
        ("Shift click", "on + or -: ten steps"),
    )

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.form = Form(editor.say)
        self._is_open = False
        self._was_selecting = False
        self._page = 1
        self._shown: tuple[int, ...] = ()

    @property
    def size(self) -> float:
        return _WIDTH if self._is_open else 0.0

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return _PAGES[self._page]

    def begin(self, session: Session) -> None:
        self.editor.begin(session)
        self.form.stop_typing()
        self._is_open = self._was_selecting = False
        self._page = 1

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if self._is_open:
            if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                for k, rect in enumerate(self._tabs()):
                    if rect.collidepoint(event.pos):
                        self.form.stop_typing()
                        self._page = k
                        return True
            if self.form.handle(event):
                return True
            if event.type == pygame.MOUSEBUTTONDOWN and pygame.Rect(self.place).collidepoint(event.pos):
                return True
        if event.type == pygame.KEYDOWN and event.key == pygame.K_i and is_plain(event):
            self.toggle()
            return True
        return False

    def toggle(self) -> None:
        """Open or close it."""
        self._is_open = not self._is_open
        self.form.stop_typing()

    def update(self, session: Session, elapsed: float) -> None:
        editor = self.editor
        editor.session = session
        editor.prune()
        if editor.is_selecting != self._was_selecting:
            self._was_selecting = self._is_open = editor.is_selecting
        joint = () if editor.joint is None else (-1, *editor.joint)
        shown = (*(number for one in editor.selection for number in one), *joint)
        if shown != self._shown:  # something else is selected
            if shown:
                self._page = 0
            elif self._shown:
                self._page = 1
            self.form.stop_typing()
            self._shown = shown

    def shows(self, session: Session) -> Hashable:
        demo = session.demo
        if self.form.is_pointed or not demo.stages:
            return None
        state = (demo.steps, tuple(self.editor.selection), self.editor.joint) if self._page == 0 else demo.stages[0].world.settings
        return self._page, self.editor.refusal, self.form.state, state

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        if not self._is_open or self.place[2] < 1:
            return
        left, top, _, height = self.place
        ui = self.fonts.ui_scale
        pygame.draw.rect(surface, palette.PANEL, self.place)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left, top + height - 1))
        for k, rect in enumerate(self._tabs()):
            chosen = k == self._page
            ground = mix(palette.PANEL, palette.ACCENT, 0.42) if chosen else palette.PANEL_RAISED
            pygame.draw.rect(surface, ground, rect, border_radius=round(5 * ui))
            words = self.fonts.render(_PAGES[k], 12.5, palette.TEXT if chosen else palette.CAPTION, chosen)
            surface.blit(words, words.get_rect(center=rect.center))
        self.form.lay_out(self._rows(), self._form_place(), self.fonts)
        self.form.draw(surface)

    # Inside

    def _rows(self) -> list[Row]:
        self.editor.prune()
        try:
            if self._page == 1:
                return world_rows(self.editor)
            return body_rows(self.editor) if self.editor.joint is None else joint_rows(self.editor, self.editor.joint)
        except LabError:  # a body or a joint went in the middle of this frame
            return []

    def _tabs(self) -> list[pygame.Rect]:
        left, top, width, _ = self.place
        ui = self.fonts.ui_scale
        pad, gap, high = round(10 * ui), round(4 * ui), round((_TABS - 12.0) * ui)
        wide = (width - 2 * pad - gap) // 2
        return [pygame.Rect(left + pad + k * (wide + gap), top + round(8 * ui), wide, high) for k in range(2)]

    def _form_place(self) -> Place:
        left, top, width, height = self.place
        tabs = round(_TABS * self.fonts.ui_scale)
        return left + 1, top + tabs, max(width - 1, 0), max(height - tabs, 0)
