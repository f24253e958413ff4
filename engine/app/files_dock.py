"""Files out of the window: the scene as it stands, tables of what happened, a picture; and the scene that a crash left behind.

What is written goes into the folder that the program was started in, under the name of the demo, with a number where that is taken: no
file that is there is ever replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.autosave import EVERY, Autosave
from engine.app.dock import Dock
from engine.app.files import write_atomically
from engine.app.headless import png_bytes
from engine.app.recordings.recorder import free_path
from engine.app.scene_demo import SceneDemo, load_any_scene, scene_demo
from engine.common.errors import LabError
from engine.render import palette
from engine.render.hud import draw_lines, lines_size
from engine.scenes import Scene, save_scene
from engine.scenes.scene import MOST_NOTES, scene_of_snapshot
from engine.scenes.tables import Tables

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.window import Window

__all__ = ["MOST_STEPS", "FilesDock"]

MOST_STEPS = 3600
"""Steps of the past that tables are written of: a minute at 60 Hz. They are taken again for it, and the picture waits."""


class FilesDock(Dock):
    """Writes files; in the browser it offers what a crash left behind.

    Attributes
    ----------
    autosave : Autosave or None
        Set by whoever opens a window that somebody works in.
    """

    side = "over"
    always = True
    title = "Files"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Ctrl S", "save the scene as it stands"),
        ("Ctrl T", "contacts, states, times as CSV"),
        ("F12", "a picture of the window"),
        ("Ctrl O", "open what a crash left behind"),
    )

    def __init__(self) -> None:
        self.autosave: Autosave | None = None
        self._since = 0.0
        self._kept: tuple[object, ...] | None = None
        self._wants_picture = False
        self._banner = pygame.Rect(0, 0, 0, 0)

    def begin(self, window: Window) -> None:
        self._since, self._kept = 0.0, None

    def handle(self, event: pygame.event.Event, window: Window) -> bool:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self._banner.collidepoint(event.pos):
            self._open_left(window)
            return True
        if event.type != pygame.KEYDOWN:
            return False
        control = event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        if control and event.key == pygame.K_o and self._offers:
            self._open_left(window)
        elif window.browsing:
            return False
        elif event.key == pygame.K_F12:
            self._wants_picture = True
        elif control and event.key == pygame.K_s:
            _told(window.session, self._save)
        elif control and event.key == pygame.K_t:
            _told(window.session, _write_tables)
        else:
            return False
        return True

    def update(self, window: Window, elapsed: float) -> None:
        self._since += elapsed
        if self.autosave is not None and not window.browsing and self._since >= EVERY:
            self._since = 0.0
            self._autosave(window.session)
        if self._wants_picture:
            self._wants_picture = False
            surface = pygame.Surface(window.size)
            window.draw(surface)
            _told(window.session, lambda session: _write_picture(session, surface))

    def draw(self, surface: pygame.Surface, window: Window) -> None:
        self._banner = pygame.Rect(0, 0, 0, 0)
        if not self._offers or self.autosave is None:
            return
        lines = [(f"A scene of {self.autosave.left[0].words} was not saved when the program broke off.", palette.WARNING)]
        lines.append(("Ctrl O, or a click here, opens it.", palette.TEXT))
        left, top, width, _ = window.view
        size = lines_size(self.fonts, lines)
        gap = round(12 * self.fonts.ui_scale)
        self._banner = pygame.Rect(left + width - size[0] - gap, top + gap, *size)
        draw_lines(surface, self.fonts, self._banner.topleft, lines, alpha=255)

    @property
    def _offers(self) -> bool:
        return self.autosave is not None and bool(self.autosave.left)

    def _open_left(self, window: Window) -> None:
        assert self.autosave is not None
        left = self.autosave.left[0]
        try:
            path = str(self.autosave.open(left))
            scene = load_any_scene(path)
        except (LabError, OSError) as error:
            window.session.messages.say(f"the scene left behind cannot be opened: {error}", palette.WARNING)
            return
        window.open_demo(scene_demo(scene, path))
        window.session.messages.say(f"the scene as it was kept on {left.words}; Ctrl S saves it where you work")

    def _save(self, session: Session) -> str:
        path = free_path(Path.cwd(), _name(session), ".json")
        scene = _scene(session)()
        save_scene(path, scene)
        left_out = f"; {scene.notes[0]}" if scene.notes else ""
        return f"saved as {path}; python main.py run {path.name} opens it{left_out}"

    def _autosave(self, session: Session) -> None:
        """Keep the scene if somebody has done something to it and it has changed since."""
        history = session.history
        if history is None or not history.marks or not session.demo.stages or self.autosave is None:
            return
        now = (id(history), history.now, history.last, history.marks)
        if now != self._kept:
            self._kept = now
            self.autosave.keep(_scene(session))


def _told(session: Session, action: Callable[[Session], str]) -> None:
    """Do it, and say what came of it."""
    try:
        session.messages.say(action(session))
    except (LabError, OSError) as error:
        session.messages.say(f"nothing was written: {error}", palette.WARNING)


def _name(session: Session) -> str:
    demo = session.demo
    return Path(demo.opened_from).stem or demo.id if isinstance(demo, SceneDemo) else demo.id


def _scene(session: Session) -> Callable[[], Scene]:
    """Return what gives the first world of a demo as it stands, without the hand; it may be called in another thread, and later."""
    demo = session.demo
    if not demo.stages:
        raise LabError("this demo has no world")
    stage = demo.stages[0]
    held = {demo.grip[1]} if demo.grip is not None and demo.grip[0] is stage else set()
    title = demo.title if isinstance(demo, SceneDemo) else f"{demo.title}, from step {stage.world.step_index} on"
    notes = ("The first of several worlds of the demo.",) if len(demo.stages) > 1 else ()
    snapshot, watch = stage.world.snapshot(), demo.watch

    def scene() -> Scene:
        made = scene_of_snapshot(snapshot, title, watch, without_joints=held)
        return replace(made, notes=(*notes, *made.notes[: MOST_NOTES - 1]))

    return scene


def _write_tables(session: Session) -> str:
    """Take the steps of the past again, write down what they did, and come back."""
    history, demo = session.history, session.demo
    if history is None or not demo.stages:
        raise LabError("this demo has no past")
    here = history.now
    first = max(here - MOST_STEPS, 0)
    name = _name(session)
    paths = [free_path(Path.cwd(), f"{name}-{table}", ".csv") for table in ("contacts", "states", "timings")]
    try:
        with Tables(*paths) as tables:
            history.seek(first)
            _add(tables, session)
            while history.now < here:
                history.step()
                _add(tables, session)
    finally:
        history.seek(here)
    return f"steps {first} to {here} written to {', '.join(path.name for path in paths)}"


def _add(tables: Tables, session: Session) -> None:
    stages = session.demo.stages
    assert session.history is not None
    tables.add(session.history.now, [stage.world for stage in stages], [(stage.times.step, stage.times.check) for stage in stages])


def _write_picture(session: Session, surface: pygame.Surface) -> str:
    path = free_path(Path.cwd(), _name(session), ".png")
    write_atomically(path, png_bytes(surface))
    return f"picture written to {path}"
