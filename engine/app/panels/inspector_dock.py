"""The inspector on the right: the properties of the selection, and the settings of the world."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from engine.app.editor.editor import Editor
from engine.app.editor.joint_page import joint_rows
from engine.app.editor.pages import body_rows, world_rows
from engine.app.panels.dock import Dock
from engine.common.errors import LabError
from engine.ui.rows import Button, Buttons, Row

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["InspectorDock"]

_PAGES = ("Selection", "World")


class InspectorDock(Dock):
    """Two pages. The first selection opens it until the user returns to the hand, so that a change of tools does not resize the view; I
    always opens it.
    """

    side = "right"
    extent = 256.0
    gives_way = True
    title = "Inspector"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Tab, Enter, Esc", "next field, accept, leave"),
        ("Shift click", "on + or -: ten steps at once"),
    )

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self._page = 1
        self._shown: tuple[int, ...] = ()
        self._opened = False
        """True if a selection opened it."""

    @property
    def page(self) -> str:
        """Name of the shown page."""
        return _PAGES[self._page]

    def begin(self, session: Session) -> None:
        self.editor.begin(session)
        self.form.ui.leave(self.form)
        self.shown = self._opened = False
        self._page = 1

    def update(self, session: Session, elapsed: float) -> None:
        editor = self.editor
        editor.session = session
        editor.prune()
        joint = () if editor.joint is None else (-1, *editor.joint)
        shown = (*(number for item in editor.selection for number in item), *joint)
        if self._opened and not (editor.is_selecting or editor.is_building):
            self.shown = self._opened = False
        if editor.is_dragging:  # moving the view would move the dragged objects
            return
        if shown != self._shown:  # the selection has changed
            if shown:
                self.shown = self._opened = True
                self._turn_to(0)
            elif self._shown:
                self._turn_to(1)
            self._shown = shown

    def head(self, session: Session) -> Sequence[Row]:
        tabs = (Button(name, partial(self._turn_to, k), is_on=k == self._page) for k, name in enumerate(_PAGES))
        return (Buttons((*tabs, Button("Close", self.toggle_shown, "Close the inspector (I).", icon="close"))),)

    def rows(self, session: Session) -> Sequence[Row]:
        self.editor.prune()
        try:
            if self._page == 1:
                return world_rows(self.editor)
            return body_rows(self.editor) if self.editor.joint is None else joint_rows(self.editor, self.editor.joint)
        except LabError:  # a body or a joint was deleted during this frame
            return []

    def _turn_to(self, page: int) -> None:
        self._page = page
        self.form.ui.leave(self.form)
