"""Files out of the window: the scene as it stands, a picture; and scenes that were left unsaved.

What somebody has built in a demo is set aside when the demo is left or the window closes, and offered again; after a crash likewise. What
is written goes into the folder that the program was started in, under the name of the demo, with a number where that is taken: no file
that is there is ever replaced.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.autosave import EVERY, Autosave, LeftBehind
from engine.app.dock import Dock
from engine.app.files import failure_words, write_atomically
from engine.app.headless import png_bytes
from engine.app.recordings.recorder import free_path
from engine.app.scene_demo import SceneDemo, file_stem, kept_scene_demo, load_any_scene, plain_title
from engine.common.errors import LabError
from engine.render import palette
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color
from engine.scenes import Scene, SceneWorld, save_scene
from engine.scenes.scene import LONGEST_TEXT, MOST_NOTES, MOST_WORLDS, scene_of_snapshot

if TYPE_CHECKING:
    from engine.app.demo import Demo
    from engine.app.history import Input
    from engine.app.session import Session
    from engine.app.stage import Stage
    from engine.app.window import Window

__all__ = ["FilesDock"]

_BUILDING = ("edit", "edit_too", "drop")
"""What is done to a demo by which somebody builds in it, of `engine.app.history.ACTIONS`."""
_MOST_BANNER = 3
"""Lines of the banner, from which on it says less."""
_OFFERED_FOR = 12.0
"""Seconds for which a demo that is entered offers what was left in it, or by a crash: it lies over the picture."""


class FilesDock(Dock):
    """Writes files; offers what was left unsaved in the browser, in the demo it was built in for a while, and after a crash everywhere.

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
        ("F12", "a picture of the window"),
        ("Ctrl O", "open what was left unsaved"),
    )

    def __init__(self) -> None:
        self.autosave: Autosave | None = None
        self._since = 0.0
        self._kept: tuple[object, ...] | None = None
        self._wants_picture = False
        self._banner = self._away = pygame.Rect(0, 0, 0, 0)
        self._shown_for = 0.0
        self._saved: list[Input] | None = None
        """What had been built when the scene was saved; None where it was not."""
        self._reopened: type[Demo] | None = None
        """The demo of the scene that was offered and opened: it is as unsaved as before."""
        self._to_tell: tuple[str, Color] | None = None
        """Of the demo that was left, for the next one to say."""
        self._has_warned = False

    def begin(self, window: Window) -> None:
        self._since, self._kept, self._saved, self._shown_for = 0.0, None, None, 0.0
        if self._to_tell is not None:
            window.session.messages.say(*self._to_tell)
            self._to_tell = None

    def leave(self, window: Window) -> None:
        session = window.session
        if self.autosave is None or session.history is None or not self._is_unsaved(session):
            return
        with contextlib.suppress(LabError):  # without a world there is nothing to keep
            self.autosave.set_aside(_scene(session, is_kept=True), file_stem(session.demo))
            words = f"what you built in {plain_title(session.demo.title)} was not saved"
            if self.autosave.failure and not self.autosave.is_mended():
                self._to_tell = f"{words}, and could not be kept: {self.autosave.failure}", palette.WARNING
            else:
                self._to_tell = f"{words}; it is kept, and Ctrl O opens it again", palette.TEXT

    def handle(self, event: pygame.event.Event, window: Window) -> bool:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            offered = self._offered(window)
            if offered is not None and self._away.collidepoint(event.pos):
                self._put_away(offered, window)
                return True
            if offered is not None and self._banner.collidepoint(event.pos):
                self._open_left(offered, window)
                return True
        if event.type != pygame.KEYDOWN:
            return False
        control = event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        if control and event.key == pygame.K_o and self.autosave is not None and self.autosave.left:
            self._open_left(self._offered(window) or self.autosave.left[0], window)
        elif window.browsing:
            return False
        elif event.key == pygame.K_F12:
            self._wants_picture = True
        elif control and event.key == pygame.K_s:
            _told(window.session, self._save)
        else:
            return False
        return True

    def update(self, window: Window, elapsed: float) -> None:
        self._since += elapsed
        self._shown_for += elapsed
        if self.autosave is not None and not window.browsing and self._since >= EVERY:
            self._since = 0.0
            self._autosave(window.session)
        if self._wants_picture:
            self._wants_picture = False
            surface = pygame.Surface(window.size)
            window.draw(surface)
            _told(window.session, lambda session: _write_picture(session, surface))

    def draw(self, surface: pygame.Surface, window: Window) -> None:
        self._banner = self._away = pygame.Rect(0, 0, 0, 0)
        offered = self._offered(window)
        if offered is None:
            return
        if offered.demo:
            words = f"What you built in {offered.demo} on {offered.words} was not saved."
        else:
            words = f"A scene of {offered.words} was not saved when the program broke off."
        cross = [("×", palette.TEXT)]
        left, top, width, _ = window.view
        small, gap = lines_size(self.fonts, cross), round(12 * self.fonts.ui_scale)
        room = max(width - small[0] - 4 * gap, 1)
        told = ((words, palette.WARNING), ("Ctrl O, or a click here, opens it.", palette.TEXT))
        brief = ((f"Not saved: {offered.demo or 'a scene'}", palette.WARNING), ("Ctrl O opens it.", palette.TEXT))
        for chosen in (told, brief):
            lines = [(line, color) for words, color in chosen for line in self.fonts.wrapped(words, 14.0, room)]
            if len(lines) <= _MOST_BANNER:
                break
        size = lines_size(self.fonts, lines)
        self._away = pygame.Rect(left + width - small[0] - gap, top + gap, *small)
        self._banner = pygame.Rect(self._away.left - size[0] - gap // 3, top + gap, *size)
        if self._banner.colliderect(window.readout):  # under the demo's own words
            self._banner.top = self._away.top = window.readout.bottom + gap // 2
        draw_lines(surface, self.fonts, self._banner.topleft, lines, alpha=255)
        draw_lines(surface, self.fonts, self._away.topleft, cross, alpha=255)

    def _offered(self, window: Window) -> LeftBehind | None:
        """Return what the banner is about: in the list the newest; in a demo, for a while, its own, else what a crash left."""
        found = self.autosave.left if self.autosave is not None else ()
        if window.browsing:
            return found[0] if found else None
        if self._shown_for >= _OFFERED_FOR:
            return None
        name = file_stem(window.session.demo)
        return next(iter((*(one for one in found if one.demo == name), *(one for one in found if not one.demo))), None)

    def _put_away(self, left: LeftBehind, window: Window) -> None:
        """Offer it no more; it stays in the folder for a while."""
        assert self.autosave is not None
        try:
            window.session.messages.say(f"put away: {self.autosave.open(left)}")
        except OSError as error:
            window.session.messages.say(f"the scene left behind cannot be put away: {error}", palette.WARNING)

    def _open_left(self, left: LeftBehind, window: Window) -> None:
        assert self.autosave is not None
        try:
            path = str(self.autosave.open(left))
            scene = load_any_scene(path)
        except (LabError, OSError) as error:
            window.session.messages.say(f"the scene left behind cannot be opened: {error}", palette.WARNING)
            return
        kind = kept_scene_demo(scene, path, left.written)
        if window.open_demo(kind):
            self._reopened = kind
            window.session.clock.paused = True  # somebody was at work on it
            window.session.messages.say(f"as it was kept on {left.words}, paused; Space: it moves, Ctrl S saves it where you work")

    def _save(self, session: Session) -> str:
        path = free_path(Path.cwd(), file_stem(session.demo), ".json")
        scene = _scene(session)()
        save_scene(path, scene)
        self._saved = _built(session)
        left_out = f"; {scene.notes[0]}" if scene.notes else ""
        return f"saved as {path}; python main.py run {path.name} opens it{left_out}"

    def _autosave(self, session: Session) -> None:
        """Keep the scene if somebody has done something to it and it has changed since."""
        history = session.history
        if history is None or not session.demo.stages or self.autosave is None:
            return
        if not history.marks and not (type(session.demo) is self._reopened and self._saved is None):
            return
        now = (id(history), history.now, history.last, history.marks)
        if now != self._kept:
            self._kept = now
            self.autosave.keep(_scene(session, is_kept=True))
        if not self.autosave.failure:
            self._has_warned = False
        elif not self._has_warned and self._is_unsaved(session):
            self._has_warned = True
            session.messages.say(f"what you build is not kept ({self.autosave.failure}): Ctrl S saves it", palette.WARNING)

    def _is_unsaved(self, session: Session) -> bool:
        """Tell whether something was built by hand that is in no file: a throw, a slider or a key builds nothing."""
        if session.is_only_played:
            return False
        built = _built(session)
        if self._saved is not None:
            return len(built) != len(self._saved) or any(one is not other for one, other in zip(built, self._saved, strict=True))
        return bool(built) or type(session.demo) is self._reopened


def _built(session: Session) -> list[Input]:
    """Return the changes by hand, and the files dropped, since the last restart."""
    found: list[Input] = []
    history = session.history
    if history is None:
        return found
    start = history.now - session.demo.steps
    for step, given in enumerate(history.line.inputs[: history.now + 1]):
        for one in given if step >= start else ():
            if one.action == "restart":
                found.clear()
            elif one.action in _BUILDING:
                found.append(one)
    return found


def _told(session: Session, action: Callable[[Session], str]) -> None:
    """Do it, and say what came of it."""
    try:
        session.messages.say(action(session))
    except (LabError, OSError) as error:
        session.messages.say(f"nothing was written: {failure_words(error)}", palette.WARNING)


def _scene(session: Session, is_kept: bool = False) -> Callable[[], Scene]:
    """Return what gives the worlds of a demo as they stand, without the hand; it may be called in another thread, and later.

    One that is kept, and not saved, is called as its demo is.
    """
    demo = session.demo
    if not demo.stages:
        raise LabError("this demo has no world")
    grip = demo.grip
    step = demo.stages[0].world.step_index
    title, watch = plain_title(demo.title), demo.watch
    if not isinstance(demo, SceneDemo):
        watch = f"What stood in the demo {title} at step {step}, as it moved then. Its own keys, sliders and rules are no part of this."
        title = title if is_kept else f"{title}, from step {step} on"
    shown = demo.stages[:MOST_WORLDS]
    offsets = _side_by_side(shown)
    is_in_place = all(stage.offset == offset for stage, offset in zip(shown, offsets, strict=True))
    camera = session.seen if is_in_place else None
    labels = [stage.label[:LONGEST_TEXT] for stage in shown]
    held = [{grip.joint} if grip is not None and grip.stage is stage else set() for stage in shown]
    snapshots = [stage.world.snapshot() for stage in shown]
    notes = (f"Left out: {len(demo.stages) - len(shown)} worlds; a scene has {MOST_WORLDS} at the most.",) if demo.stages != shown else ()

    def scene() -> Scene:
        made = [scene_of_snapshot(snapshot, title, watch, without_joints=hand) for snapshot, hand in zip(snapshots, held, strict=True)]
        told = tuple(note for one in made for note in one.notes)
        others = tuple(
            SceneWorld(one.settings, one.bodies, one.joints, offset, label)
            for one, offset, label in zip(made[1:], offsets[1:], labels[1:], strict=True)
        )
        return replace(made[0], camera=camera, notes=(*notes, *told)[:MOST_NOTES], offset=offsets[0], label=labels[0], worlds=others)

    return scene


def _side_by_side(stages: Sequence[Stage]) -> list[tuple[float, float]]:
    """Return where the worlds are in the picture; worlds in one place, which the demo draws apart by itself, below each other."""
    offsets = [stage.offset for stage in stages]
    if len(set(offsets)) == len(offsets):
        return offsets
    top, found = 0.0, []
    for stage in stages:
        box = stage.bounds
        lower, upper = (0.0, 0.0) if box is None else (box.lower[1] - stage.offset[1], box.upper[1] - stage.offset[1])
        found.append((0.0, top - upper))
        top -= (upper - lower) * (1.0 + _GAP)
    return found


_GAP = 0.1
"""Between worlds below each other, in heights."""


def _write_picture(session: Session, surface: pygame.Surface) -> str:
    path = free_path(Path.cwd(), file_stem(session.demo), ".png")
    write_atomically(path, png_bytes(surface))
    return f"picture written to {path}"
