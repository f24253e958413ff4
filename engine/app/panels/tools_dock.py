"""The tool bar at the right of the view: it shows the active tool, and passes events to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.editor.draw_tools import BoxTool, CircleTool, FreehandTool, PolygonTool
from engine.app.editor.editor import Editor
from engine.app.editor.join_tools import DistanceTool, PrismaticTool, RevoluteTool, WeldTool, WheelTool
from engine.app.editor.select_tool import SelectTool
from engine.app.editor.tool import KeyPress, Pointer, Tool, ghost
from engine.app.keys import tooltip
from engine.app.panels.dock import Dock, WindowActions
from engine.common.errors import LabError
from engine.ui.rows import Button, Buttons, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.render.canvas import Canvas

__all__ = ["ToolsDock"]

_BUTTON, _MIN_BUTTON, _GAP, _MARGIN = 28.0, 13.0, 3.0, 14.0
"""Button height, its minimum in a low bar, the gap between buttons, and the margin above and below, design pixels."""
_HINT_SECONDS = 7.0
_SHIFT = pygame.KMOD_SHIFT
_CTRL = pygame.KMOD_CTRL | pygame.KMOD_META
_TIME_KEYS = (pygame.K_z, pygame.K_y)
_MODIFIERS = (pygame.K_LSHIFT, pygame.K_RSHIFT, pygame.K_LCTRL, pygame.K_RCTRL, pygame.K_LMETA, pygame.K_RMETA)
"""Keys that change what is being drawn."""


class HandTool(Tool):
    """The hand, which grabs and throws; the window itself implements it."""

    name, letter = "Hand", "G"
    hint = "drag a body to throw it"


class ToolsDock(Dock):
    """Buttons of the tools, chosen by click or Shift and a letter; Esc returns to the hand. The last button opens the inspector."""

    side = "right"
    extent = 40.0
    shown = True
    title = "Tools"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Shift S", "select bodies, or a joint by its ring; Esc returns to the hand"),
        ("Shift B C P F", "draw: box, circle, polygon, outline"),
        ("Shift H D W L O", "join: hinge, rod, weld, slider, wheel"),
        ("Shift while drawing", "make the body static; Ctrl snaps to the grid"),
        ("Del, P", "delete or pin the selection"),
        ("Ctrl C X V D A", "copy, cut, paste, duplicate, select all"),
    )

    def __init__(self, editor: Editor, actions: WindowActions) -> None:
        self.editor, self._actions = editor, actions
        kinds = (HandTool, SelectTool, BoxTool, CircleTool, PolygonTool, FreehandTool)
        joints = (RevoluteTool, DistanceTool, WeldTool, PrismaticTool, WheelTool)
        self.tools: tuple[Tool, ...] = tuple(kind(editor) for kind in (*kinds, *joints))
        self.tool = self.tools[0]
        self._has_world = True
        self._hint_for = 0.0

    @property
    def size(self) -> float:
        return super().size if self._has_world else 0.0

    def begin(self, session: Session) -> None:
        self._has_world = bool(session.demo.stages)
        self.editor.begin(session)
        self.tool.cancel()
        self.editor.is_dragging = False
        self.tool = self.tools[0]
        self.editor.is_selecting = self.editor.is_building = False

    def pick(self, tool: Tool) -> None:
        """Switch to a tool."""
        editor = self.editor
        self.tool.cancel()
        self.editor.is_dragging = False
        if tool is not self.tools[0] and editor.refusal:
            editor.say(editor.refusal)
            tool = self.tools[0]
        elif tool is not self.tools[0]:
            editor.session.messages.answer(f"{tool.name}: {tool.hint}", is_passing=True)
            self._hint_for = _HINT_SECONDS
        else:
            editor.session.messages.end_passing()
        if not isinstance(tool, SelectTool):
            editor.selection = []
        self.tool = tool
        editor.is_selecting = isinstance(tool, SelectTool)
        editor.is_building = not isinstance(tool, HandTool | SelectTool)

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if event.type in (pygame.KEYDOWN, pygame.KEYUP) and event.key in _MODIFIERS and self.tool.is_busy:
            pointer = self.form.ui.pointer
            if pointer is not None and self._is_in_view(pointer, session):
                self.tool.move(self._at(pointer, session))
            return False
        if event.type == pygame.KEYDOWN:
            return self._key(event, session)
        if super().handle(event, session):
            return True
        if event.type == pygame.MOUSEMOTION:
            if self._is_idle:
                return False
            if self.editor.is_dragging or self._is_in_view(event.pos, session):
                self.tool.move(self._at(event.pos, session))
            return self.editor.is_dragging
        if self._is_idle:
            return False
        is_alt = pygame.key.get_mods() & pygame.KMOD_ALT  # keys of the camera
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and not is_alt and self._is_in_view(event.pos, session):
            self.editor.is_dragging = True
            with self.editor.telling():
                self.tool.press(self._at(event.pos, session))
            return True
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self.editor.is_dragging:
            self.editor.is_dragging = False
            with self.editor.telling():
                self.tool.release(self._at(event.pos, session))
            return True
        if event.type == pygame.WINDOWFOCUSLOST and self.editor.is_dragging:
            self.editor.is_dragging = False
            self.tool.cancel()
        return False

    def update(self, session: Session, elapsed: float) -> None:
        editor = self.editor
        editor.session = session
        editor.prune()
        if self._hint_for > 0.0:
            self._hint_for -= elapsed
            if self._hint_for <= 0.0:
                session.messages.end_passing()
        with editor.telling():
            editor.background.collect(editor.session)
        with editor.telling():
            self.tool.update()

    def paint(self, canvas: Canvas, session: Session) -> None:
        for outline in self.editor.being_cut:
            ghost(canvas, list(outline))
        try:
            self.tool.paint(canvas)
        except LabError:  # a body was deleted since the pointer moved; the next frame notices it
            self.tool.cancel()

    def rows(self, session: Session) -> Sequence[Row]:
        refusal = self.editor.refusal
        buttons = [
            Button(
                tool.name,
                partial(self.pick, tool),
                tooltip(tool.name, f"Shift {tool.letter}", refusal if refusal and k else tool.hint),
                icon=tool.name,
                is_on=tool is self.tool,
                is_off=bool(refusal) and k > 0,
            )
            for k, tool in enumerate(self.tools)
        ]
        buttons.append(self._actions.button("inspector", icon="Inspector"))
        room = (self.place[3] / self.fonts.ui_scale - _MARGIN) / len(buttons) - _GAP
        return (Buttons(tuple(buttons), columns=1, height=min(max(room, _MIN_BUTTON), _BUTTON)),)

    # Inside

    @property
    def _is_idle(self) -> bool:
        """True if the hand tool is active."""
        return self.tool is self.tools[0]

    def _key(self, event: pygame.event.Event, session: Session) -> bool:
        pointer = self.form.ui.pointer
        at = self._at(pointer, session) if pointer is not None and self._is_in_view(pointer, session) else None
        if event.key == pygame.K_ESCAPE:
            return self._escape()
        if event.mod & _CTRL and event.key in _TIME_KEYS:
            self.tool.cancel()
            return False
        with self.editor.telling():
            pressed = KeyPress(pygame.key.name(event.key), bool(event.mod & _SHIFT), bool(event.mod & _CTRL))
            if self.tool.key(pressed, at):
                return True
        if event.mod & _SHIFT and not event.mod & (_CTRL | pygame.KMOD_ALT):
            for tool in self.tools:
                if event.key == pygame.key.key_code(tool.letter.lower()):
                    self.pick(tool)
                    return True
        return False

    def _escape(self) -> bool:
        """Cancel an unfinished action, else clear the selection, else return to the hand, else leave the key to the window."""
        if self.tool.is_busy:
            self.tool.cancel()
            self.editor.is_dragging = False
        elif self.editor.selection or self.editor.joint is not None:
            self.editor.selection = []
        elif not self._is_idle:
            self.pick(self.tools[0])
        else:
            return False
        return True

    def _is_in_view(self, pixel: tuple[int, int], session: Session) -> bool:
        return session.view.holds(pixel)

    def _at(self, pixel: tuple[int, int], session: Session) -> Pointer:
        camera, mods, ui = session.view.camera, pygame.key.get_mods(), self.fonts.ui_scale
        at = pixel[0] / ui, pixel[1] / ui
        return Pointer(at, session.view.to_world(pixel), camera.scale / ui, bool(mods & _SHIFT), bool(mods & _CTRL))
