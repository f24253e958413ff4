"""Files out of the window: the scene, a picture; files into it; and scenes that were left unsaved.

What was built in a demo is set aside when the demo is left or the window closes, and offered again; after a crash likewise. A
scene goes into the file that it was opened from or saved in before; else into the folder that the program was started in, under the name of
the demo, with a number where that is taken. A file that this window has neither opened nor written, or that another program has changed
meanwhile, is not replaced without asking.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from engine.app.autosave import EVERY, Autosave, LeftBehind
from engine.app.files import check_writable, failure_words, png_bytes, write_atomically
from engine.app.layout import is_inside
from engine.app.navigator import Navigator
from engine.app.panels.asking_dock import Answer, AskingDock, Question
from engine.app.panels.dock import Dock, WindowActions
from engine.app.saving import Moment, built, kept_maker, moments, scene_at
from engine.app.scene_files import file_stem, is_own_scene, kept_scene_demo, load_any_scene, plain_title, scenes_in
from engine.app.screen import Screen
from engine.app.session import Saved
from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.installation import program
from engine.common.words import counted
from engine.render import palette
from engine.render.palette import Color
from engine.scenes import save_scene
from engine.sim.recordings.recorder import free_path
from engine.sim.scene_demo import SceneDemo

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.status_strip import Note

__all__ = ["FilesDock"]

_SCENE_SUFFIX = ".json"
_MAX_LISTED = 4
"""Scene files of the present folder that are offered where one is to be opened."""
_Stamp = tuple[int, int]
"""When a file was changed, nanoseconds, and its size."""
_MAX_REOPENED = 6
"""Of the scenes that were left unsaved, those that Ctrl O lists."""
_CROSS = "[×] "
"""What an offer begins with: a click on it closes it."""
_OFFERED_FOR = 12.0
"""Seconds for which a demo that is entered offers what was left in it, or by a crash: it stands in place of the figures."""


class FilesDock(Dock):
    """Writes files; offers what was left unsaved in the browser, in the demo it was built in for a while, and after a crash everywhere.

    Names, and which moment is meant, are asked for with `asking`. There is an `autosave` where a window is opened on a display.
    """

    side = "over"
    always = True
    title = "Files"

    def __init__(self, asking: AskingDock, navigator: Navigator, screen: Screen, actions: WindowActions) -> None:
        self._asking, self._navigator, self._screen, self._actions = asking, navigator, screen, actions
        self.autosave: Autosave | None = None
        self._since = 0.0
        self._kept: tuple[object, ...] | None = None
        self._wants_picture = False
        self._shown_for = 0.0
        self._ours: dict[Path, _Stamp] = {}
        """Files that this window has opened or written, as they were then."""
        self._aside: dict[Session, LeftBehind] = {}
        """Files of sessions that were left, which the window still has."""
        self._to_tell: tuple[str, Color] | None = None
        """Of the demo that was left, for the next one to say."""
        self._is_kept = True
        """Whether what was built there could be kept."""
        self._has_warned = False

    def begin(self, session: Session) -> None:
        self._since, self._kept, self._shown_for = 0.0, None, 0.0
        demo, is_new = session.demo, session.timeline.history is not None and session.timeline.history.last == 0
        if isinstance(demo, SceneDemo) and demo.opened_from and is_new:
            path = Path(demo.opened_from).resolve()
            self._ours[path] = _stamp(path)
        found = self._aside.pop(session, None)
        if found is not None and self.autosave is not None:
            self.autosave.discard(found)
        self._aside = {one: left for one, left in self._aside.items() if one in self._navigator.left}
        if self._to_tell is not None and not (self._is_kept and self._offered() is not None):  # else the offer says the same
            self._navigator.session.messages.say(*self._to_tell)
        self._to_tell = None

    def leave(self, session: Session) -> None:
        if self.autosave is None or session.timeline.history is None or not self._is_unsaved(session):
            return
        with contextlib.suppress(LabError):  # without a world there is nothing to keep
            left = self.autosave.set_aside(kept_maker(session), file_stem(session.demo))
            if left is not None:
                self._aside[session] = left
            words = f"Your work in {plain_title(session.demo.title)} was not saved"
            self._is_kept = not self.autosave.failure or self.autosave.is_mended()
            if not self._is_kept:
                self._to_tell = f"{words} and could not be backed up: {self.autosave.failure}", palette.WARNING
            else:
                self._to_tell = f"{words}; Ctrl O returns to it.", palette.TEXT

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            offered = self._offered()
            if offered is None or not is_inside(event.pos, self._screen.layout.strip) or not self.is_told():
                return False
            if self.cross().collidepoint(event.pos):
                self._put_away(offered)
            else:
                self._take_up(offered)
            return True
        return False

    def reopen(self) -> None:
        """Open what was left unsaved; where several scenes were, ask which; where none was, ask for a file."""
        left = self.autosave.left if self.autosave is not None else ()
        offered = self._offered() or (left[0] if len(left) == 1 else None)
        if offered is not None:
            self._take_up(offered)
        elif left:
            self._ask_to_reopen()
        else:
            self.ask_to_open()

    def save(self) -> None:
        """Save the scene where it belongs."""
        _told(self._navigator.session, self._save)

    def save_as(self) -> None:
        """Ask for a name and save the scene under it."""
        _told(self._navigator.session, self._ask_for_a_name)

    def picture(self) -> None:
        """Write a picture of the window in the next frame."""
        self._wants_picture = True

    def update(self, session: Session, elapsed: float) -> None:
        self._since += elapsed
        self._shown_for += elapsed if self.is_told() else 0.0
        if self.autosave is not None and not self._navigator.browsing and self._since >= EVERY:
            self._since = 0.0
            self._autosave(self._navigator.session)
        if self._wants_picture:
            self._wants_picture = False
            surface = pygame.Surface(self._screen.layout.size)
            self._actions.show(surface)
            _told(self._navigator.session, lambda session: _write_picture(session, surface))

    def note(self, session: Session) -> Note | None:
        """Return the offer of what was left unsaved, one at a time: the others are in the list of Ctrl O."""
        offered = self._offered()
        if offered is None:
            return None
        if not isinstance(offered, LeftBehind):
            step = 0 if offered.timeline.history is None else offered.timeline.history.now
            told = f"{plain_title(offered.demo.title)} is as you left it, at step {step}."
            return f"{_CROSS}{told} Ctrl O or a click here returns to it.", palette.TEXT
        if offered.demo:
            words = f"Your work in {offered.demo} of {offered.words} was not saved."
        else:
            words = f"A scene of {offered.words} was not saved when the program crashed."
        return f"{_CROSS}{words} Ctrl O or a click here opens it.", palette.WARNING

    def is_told(self) -> bool:
        """Tell whether the offer is what stands in the strip."""
        note = self.note(self._navigator.session)
        return note is not None and self._actions.note() == note

    def cross(self) -> pygame.Rect:
        """Return where a click closes the offer: its beginning; one on the rest of the strip opens the scene."""
        left, top, _, height = self._screen.layout.strip
        return pygame.Rect(left, top, round(16 * self.fonts.ui_scale) + self.fonts.width(_CROSS, 12, True), height)

    def would_lose(self) -> str:
        """Return the title of a demo with something built in it that is in no file, and can be kept in none; else ""."""
        is_kept = self.autosave is not None and not self.autosave.failure
        return next(
            (
                plain_title(one.demo.title)
                for one in (*self._navigator.left, self._navigator.session)
                if not is_kept and self._is_unsaved(one)
            ),
            "",
        )

    def _offered(self) -> LeftBehind | Session | None:
        """Return what is offered.

        In the list that is the demo that was left last, where it cannot be chosen there, else the newest scene that was left unsaved; in a
        demo, for a while, its own, else what a crash left.
        """
        found = self.autosave.offered if self.autosave is not None else ()
        if self._navigator.browsing:
            last = self._navigator.left[-1] if self._navigator.left else None
            return last if last is not None and not self._navigator.is_listed(last.demo) else found[0] if found else None
        if self._shown_for >= _OFFERED_FOR:
            return None
        name = file_stem(self._navigator.session.demo)
        return next(iter((*(one for one in found if one.demo == name), *(one for one in found if not one.demo))), None)

    def _put_away(self, left: LeftBehind | Session) -> None:
        """Offer it no more."""
        if not isinstance(left, LeftBehind):
            self._navigator.left.remove(left)
        elif self.autosave is not None:
            self.autosave.offer_no_more()

    def _ask_to_reopen(self) -> None:
        """Ask which of those that were left unsaved to open, or a file."""
        assert self.autosave is not None

        def opening(left: LeftBehind) -> Callable[[str], None]:
            return lambda _: self._take_up(left)

        listed = tuple(Answer(f"{left.demo or 'when the program broke off'}, {left.words}", opening(left)) for left in self.autosave.left)
        others = len(listed) - _MAX_REOPENED
        words = f"The newest {_MAX_REOPENED}, and {counted(others, 'older one')} after them." if others > 0 else ""
        answers = (*listed[:_MAX_REOPENED], Answer("A file", lambda _: self.ask_to_open()))
        self._asking.ask(Question("Open what was not saved", words, answers), self._navigator.session)

    def _take_up(self, left: LeftBehind | Session) -> None:
        """Go back to a demo that was left, or open the scene that is left of it."""
        session = next((one for one, aside in self._aside.items() if one is left or aside == left), left)
        if isinstance(session, LeftBehind):
            self._open_left(session)
        elif session in self._navigator.left:
            self._navigator.come_back(session)
        elif isinstance(left, LeftBehind):
            self._open_left(left)

    def _open_left(self, left: LeftBehind) -> None:
        assert self.autosave is not None
        try:
            path = str(self.autosave.open(left))
            scene = load_any_scene(path)
        except (LabError, OSError) as error:
            self._navigator.session.messages.say(f"The unsaved scene cannot be opened: {error}", palette.WARNING)
            return
        kind = kept_scene_demo(scene, path, left.written)
        if self._navigator.open_demo(kind):
            self._navigator.session.saved = Saved(is_reopened=True)
            self._navigator.session.clock.paused = True  # it was being worked on
            self._navigator.session.messages.say(f"As it was on {left.words}, paused. Space goes on, Ctrl S saves it.")

    # -- saving -------------------------------------------------------------------------------------------------------

    def _save(self, session: Session) -> str:
        """Save where the scene belongs; return what is to be told, "" while something is asked."""
        return self._save_in(session, self._place_of(session), session.saved.title)

    def _place_of(self, session: Session) -> Path:
        """Return the file that a session's scene was saved in or opened from, else a new one in the present folder."""
        saved, demo = session.saved, session.demo
        if saved.path is not None:
            return saved.path
        if isinstance(demo, SceneDemo) and demo.opened_from and not saved.is_reopened and is_own_scene(demo.opened_from):
            return Path(demo.opened_from).resolve()
        return free_path(Path.cwd(), file_stem(demo), _SCENE_SUFFIX)

    def _save_in(self, session: Session, path: Path, title: str, may_replace: bool = False) -> str:
        """Save in a file; ask first whether another's may be replaced, and which moment is meant."""
        if not session.demo.stages:
            raise LabError("this demo has no world")
        session.timeline.finish()
        if path.exists() and not may_replace and self._ours.get(path) != _stamp(path):
            self._ask_to_replace(session, path, title)
            return ""
        found = moments(session)
        if len(found) == 1:
            return self._write(session, path, title, found[0])

        def writing(moment: Moment) -> Callable[[str], None]:
            return lambda _: _told(session, lambda session: self._write(session, path, title, moment))

        answers = tuple(Answer(moment.question, writing(moment)) for moment in found)
        words = f"The scene has moved since you built it. Saving into {path.name}:"
        self._asking.ask(Question("Save which moment?", words, answers), session)
        return ""

    def _ask_to_replace(self, session: Session, path: Path, title: str) -> None:
        words = "Another program has changed it." if path in self._ours else "It was neither opened nor saved in this window."
        answers = (
            Answer("Another name", lambda _: _told(session, self._ask_for_a_name)),
            Answer("Replace it", lambda _: _told(session, lambda session: self._save_in(session, path, title, may_replace=True))),
        )
        self._asking.ask(Question(f"Replace {path.name}?", words, answers), session)

    def _ask_for_a_name(self, session: Session, typed: str = "", wrong: str = "") -> str:
        """Ask under which name to save; what is wrong with the one that was typed is told."""
        if not session.demo.stages:
            raise LabError("this demo has no world")

        def take(name: str) -> None:
            try:
                path = _named(name)
            except InvalidInputError as error:
                wrong = str(error)
                _told(session, lambda session: self._ask_for_a_name(session, name, wrong))
                return
            _told(session, lambda session: self._save_in(session, path, path.stem))

        shown = typed or self._place_of(session).name
        self._asking.ask(Question("Save the scene as", wrong or f"In {Path.cwd()}", (Answer("Save", take),), shown), session)
        return ""

    def _write(self, session: Session, path: Path, title: str, moment: Moment) -> str:
        scene = scene_at(session, moment, title)
        save_scene(path, scene)
        self._ours[path] = _stamp(path)
        inputs = [] if session.timeline.history is None else [one for _, one in built(session.timeline.history, moment.step)]
        session.saved = Saved(path, title, inputs)
        left_out = f"; {scene.notes[0]}" if scene.notes else ""
        shown = path.name if path.parent == Path.cwd() else path
        return f"saved as {path}, {moment.answer}; {program()} run {shown} opens it{left_out}"

    # -- opening ------------------------------------------------------------------------------------------------------

    def ask_to_open(self, wrong: str = "") -> None:
        """Ask which file to open: one of the scenes of the present folder, or one that is typed."""

        def take(name: str) -> None:
            try:
                path = _typed(name)
                is_there = path.is_file()
            except (InvalidInputError, OSError):  # no such user, a name too long
                is_there = False
            if not is_there:
                self.ask_to_open(f"There is no file {name or 'without a name'}.")
                return
            self._actions.open_file(path)

        def taking(name: str) -> Callable[[str], None]:
            return lambda _: take(name)

        listed = tuple(Answer(f"{path.name}", taking(str(path))) for path in scenes_in(Path(), _MAX_LISTED))
        words = wrong or "Scenes, recordings, pairs and levels (.svg) open; pictures and body files fall in."
        self._asking.ask(Question("Open a file", words, (Answer("Open what is typed", take), *listed), ""), self._navigator.session)

    # -- what is left unsaved -----------------------------------------------------------------------------------------

    def _autosave(self, session: Session) -> None:
        """Keep the scene if something was built in it that is in no file and it has changed since; what is in one is not kept twice."""
        history = session.timeline.history
        if history is None or not session.demo.stages or self.autosave is None:
            return
        if not self._is_unsaved(session):
            self._kept = None
            self.autosave.forget()
            return
        now = (id(history), tuple(id(one) for _, one in built(history)))
        if now != self._kept and not self.autosave.is_writing and not session.timeline.is_on_the_way:
            self._kept = now
            with contextlib.suppress(LabError):  # of a world that broke
                self.autosave.keep(kept_maker(session))
        if not self.autosave.failure:
            self._has_warned = False
        elif not self._has_warned:
            self._has_warned = True
            session.messages.say(f"What you build cannot be backed up ({self.autosave.failure}); save it with Ctrl S.", palette.WARNING)

    def _is_unsaved(self, session: Session) -> bool:
        """Tell whether something was built by hand that is in no file: a throw, a slider or a key builds nothing."""
        if session.is_only_played:
            return False
        if session.timeline.history is None:
            return False
        now, saved = [one for _, one in built(session.timeline.history)], session.saved
        if not now or saved.built is None:
            return bool(now) or saved.is_reopened
        return len(now) != len(saved.built) or any(one is not other for one, other in zip(now, saved.built, strict=True))


def _typed(name: str) -> Path:
    """Return the path that was typed, of which the first part may be a user's folder."""
    if not name:
        raise InvalidInputError("the name", "of a file", Described("nothing"))
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise InvalidInputError("the name", "of a file in a folder of a user who is known here", name) from None


def _named(name: str) -> Path:
    """Return the file that a name means; an `InvalidInputError` says what is wrong with it."""
    path = _typed(name)
    if not path.suffix and path.name not in ("", ".."):  # else a folder, which is refused as one
        path = path.with_name(f"{path.name}{_SCENE_SUFFIX}")
    return check_writable("the name", path, (_SCENE_SUFFIX,)).resolve()


def _stamp(path: Path) -> _Stamp:
    """Return by what a change of a file is noticed; of one that is not there, what no file has."""
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_mtime_ns, found.st_size


def _told(session: Session, action: Callable[[Session], str]) -> None:
    """Do it, and say what came of it; nothing while it asks."""
    try:
        words = action(session)
        if words:
            session.messages.say(words)
    except (LabError, OSError) as error:
        session.messages.say(f"Nothing was written: {failure_words(error)}", palette.WARNING)


def _write_picture(session: Session, surface: pygame.Surface) -> str:
    path = free_path(Path.cwd(), file_stem(session.demo), ".png")
    write_atomically(path, png_bytes(surface))
    return f"picture written to {path}"
