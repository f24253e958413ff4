"""Saves the scene and pictures, opens files, and offers unsaved scenes.

A scene is saved in the file that it was opened from or last saved in; otherwise in the working directory, under the name of the demo, with
a number if that file exists. A file that this window has neither opened nor written, or that another program has changed since, is replaced
only after a question.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from engine.app.asking import Answer, Question
from engine.app.files.opening import file_stem, is_own_scene, load_any_scene
from engine.app.files.places import pictures_folder
from engine.app.files.recovery import EVERY, Recovery, RecoveryFile
from engine.app.files.saving import built, kept_maker, scene_maker
from engine.app.files.writing import check_writable, failure_words, png_bytes
from engine.app.navigator import Navigator
from engine.app.panels.dock import Dock, WindowActions
from engine.app.panels.open_dialog import OpenDialog, typed_path
from engine.app.screen import Appearance, Screen
from engine.app.session import Saved, Session
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import write_atomically
from engine.common.words import counted
from engine.render import palette
from engine.render.palette import Color
from engine.scenes import save_scene
from engine.sim.recordings.recorder import free_path
from engine.sim.scene_demo import SceneDemo, scene_demo

if TYPE_CHECKING:
    from engine.app.status_strip import Note

__all__ = ["FilesDock"]

_SCENE_SUFFIX = ".json"
_Stamp = tuple[int, int]
"""Modification time of a file, nanoseconds, and its size."""
_MAX_LISTED = 6
"""Maximum number of unsaved scenes that Ctrl Shift O lists."""
_OFFERED_FOR = 12.0
"""Duration for which the status strip offers an unsaved scene, seconds."""


class FilesDock(Dock):
    """Writes files, and offers unsaved scenes: in the list of demos, and for a while in the demo in which they were built.

    Attributes
    ----------
    recovery : Recovery or None
        None in a window without a display.
    """

    side = "over"
    always = True
    title = "Files"

    def __init__(self, navigator: Navigator, screen: Screen, actions: WindowActions) -> None:
        self._asking, self._navigator, self._screen, self._actions = screen.asking, navigator, screen, actions
        self._dialog = OpenDialog(screen.asking, actions.open_file)
        self.recovery: Recovery | None = None
        self._since = 0.0
        self._kept: tuple[object, ...] | None = None
        self._wants_picture = False
        self._shown_for = 0.0
        self._told: set[Path] = set()
        """Recovery files whose loss has been reported; it is reported once."""
        self._ours: dict[Path, _Stamp] = {}
        """Files that this window has opened or written, with their stamps at that time."""
        self._news: tuple[str, Color] | None = None
        """Message about the demo that was left, shown in the next one."""
        self._has_warned = False

    def begin(self, session: Session) -> None:
        if self._shown_for:
            self._told |= {file.path for file in (self.recovery.left if self.recovery is not None else ())}
        self._since, self._kept, self._shown_for = 0.0, None, 0.0
        demo, is_new = session.demo, session.timeline.history is not None and session.timeline.history.last == 0
        if isinstance(demo, SceneDemo) and demo.opened_from and is_new:
            path = Path(demo.opened_from).resolve()
            self._ours[path] = _stamp(path)
        if self.recovery is not None and session.saved.recovery is not None:
            self.recovery.resume(session.saved.recovery)
        if self._news is not None and (self.note(session) is None or self._news[1] is palette.WARNING):
            session.messages.say(*self._news)
        self._news = None

    def leave(self, session: Session) -> None:
        recovery, saved = self.recovery, session.saved
        if recovery is None or session.timeline.history is None:
            return
        if not self._is_unsaved(session):
            self._forget(session)
            return
        with contextlib.suppress(LabError):  # without a world there is nothing to save
            saved.recovery = recovery.keep(kept_maker(session), saved.recovery, file_stem(session.demo))
            recovery.leave(saved.recovery)
            if recovery.failure:
                recovery.wait()
            if recovery.failure:
                words = f"Your work in {session.demo.title} was not saved and could not be backed up: {recovery.failure}"
                self._news = words, palette.WARNING

    def reopen(self, appearance: Appearance) -> None:
        """List the unsaved scenes, to open or discard one; show the file dialog if there is none."""
        left, offered = self.recovery.left if self.recovery is not None else (), self._offered()
        if offered is not None and self._kept_session(offered) is not None:
            self._return_to(offered)
        elif not left:
            self.ask_to_open(appearance)
        else:
            first = [offered] if isinstance(offered, RecoveryFile) else []
            listed = (*first, *(file for file in left if file not in first))
            words = f"These scenes were not saved. Choose one to continue with it, discard some, or open a saved file.{_more(listed)}"
            answers = (
                *_answers(listed, self._return_to),
                Answer("Discard…", lambda _: self._ask_to_discard(listed)),
                Answer("Open a saved file", lambda _: self.ask_to_open(appearance)),
            )
            self._asking.ask(Question("Open unsaved work", words, answers), self._navigator.session)

    def _ask_to_discard(self, listed: Sequence[RecoveryFile]) -> None:
        """Ask which unsaved scenes to delete."""
        answers = list(_answers(listed, lambda file: self._discard((file,))))
        if len(listed) > 1:
            answers.append(Answer(f"All {len(listed)}", lambda _: self._discard(listed)))
        words = f"A discarded scene is deleted for good.{_more(listed)}"
        self._asking.ask(Question("Discard unsaved work", words, tuple(answers)), self._navigator.session)

    def _discard(self, files: Sequence[RecoveryFile]) -> None:
        """Delete recovery files, and forget the demos that are kept as they were left with that work."""
        for file in files:
            if self.recovery is not None:
                self.recovery.delete(file.path)
            session = self._kept_session(file)
            if session is not None:
                self._navigator.left.remove(session)
        what = f"Your work in {files[0].demo} from {files[0].time} was" if len(files) == 1 else f"{len(files)} unsaved scenes were"
        self._navigator.session.messages.answer(f"{what} discarded.")

    def ask_to_open(self, appearance: Appearance) -> None:
        """Show the file dialog."""
        self._dialog.show(self._navigator.session, appearance, self._screen)

    def save(self) -> None:
        """Save the scene in its file."""
        _attempt(self._navigator.session, self._save)

    def save_as(self) -> None:
        """Ask for a name and save the scene under it."""
        _attempt(self._navigator.session, self._ask_for_a_name)

    def picture(self) -> None:
        """Write a screenshot in the next frame."""
        self._wants_picture = True

    def update(self, session: Session, elapsed: float) -> None:
        self._since += elapsed
        note = self.note(session)
        self._shown_for += elapsed if note is not None and note == self._actions.note() else 0.0
        if self.recovery is not None and not self._navigator.browsing and self._since >= EVERY:
            self._since = 0.0
            self._keep(self.recovery, self._navigator.session)
        if self._wants_picture:
            self._wants_picture = False
            surface = pygame.Surface(self._screen.layout.size)
            self._actions.show(surface)
            _attempt(self._navigator.session, partial(_write_picture, surface))

    def note(self, session: Session) -> Note | None:
        """Return the offer of the last unsaved scene."""
        offered = self._offered()
        if offered is None or self._shown_for >= _OFFERED_FOR:
            return None
        if isinstance(offered, RecoveryFile):
            if offered.path in self._told or self._kept_session(offered) is not None:
                return None
            return f"Your work in {offered.demo} from {offered.time} was not saved. Ctrl Shift O opens or discards it.", palette.WARNING
        step = 0 if offered.timeline.history is None else offered.timeline.history.now
        return f"{offered.demo.title} is still as you left it, at step {step}. Ctrl Shift O returns to it.", palette.TEXT

    def would_lose(self) -> str:
        """Return the title of a demo with unsaved work that is not backed up either; otherwise ""."""
        if self.recovery is not None and not self.recovery.failure:
            return ""
        sessions = (*self._navigator.left, self._navigator.session)
        return next((session.demo.title for session in sessions if self._is_unsaved(session)), "")

    def _offered(self) -> RecoveryFile | Session | None:
        """Return the unsaved scene to offer.

        In the list, it is the demo that was left last, if the list does not contain it. Otherwise it is, for a while, the newest unsaved
        scene; in a demo, the newest one built in that demo.
        """
        is_listing, name = self._navigator.browsing, file_stem(self._navigator.session.demo)
        if is_listing and self._navigator.left and not self._navigator.is_listed(self._navigator.left[-1].demo):
            return self._navigator.left[-1]
        offered = self.recovery.left if self.recovery is not None and self._shown_for < _OFFERED_FOR else ()
        return next((file for file in offered if is_listing or file.demo == name), None)

    def _return_to(self, left: RecoveryFile | Session) -> None:
        """Return to a demo that was left, or open its recovery file."""
        session = self._kept_session(left)
        if session is not None:
            self._navigator.come_back(session)
        elif isinstance(left, RecoveryFile):
            self._open_left(left)

    def _kept_session(self, left: RecoveryFile | Session) -> Session | None:
        """Return the kept demo for which a recovery file was written, or None if it is no longer kept."""
        if isinstance(left, Session):
            return left
        return next((session for session in self._navigator.left if session.saved.recovery == left.path), None)

    def _open_left(self, left: RecoveryFile) -> None:
        try:
            if self.recovery is not None:
                self.recovery.wait()
            kind = scene_demo(load_any_scene(str(left.path)), str(left.path))
        except (LabError, OSError) as error:
            self._navigator.session.messages.say(f"The unsaved scene cannot be opened: {error}", palette.WARNING)
            return
        if self._navigator.open_demo(kind):
            session = self._navigator.session
            session.saved = Saved(recovery=left.path, is_reopened=True)
            session.clock.paused = True  # the user was working on it
            session.messages.say(f"This is the scene from {left.time}; it is paused. Space continues; Ctrl S saves it.")
            if self.recovery is not None:
                self.recovery.resume(left.path)

    # -- saving -------------------------------------------------------------------------------------------------------

    def _save(self, session: Session) -> str:
        """Save the scene in its file; return the message, "" while a question is open."""
        return self._save_in(session, self._place_of(session), session.saved.title)

    def _place_of(self, session: Session) -> Path:
        """Return the file in which a session's scene was saved or opened, otherwise a new one in the working directory."""
        saved, demo = session.saved, session.demo
        if saved.path is not None:
            return saved.path
        if isinstance(demo, SceneDemo) and demo.opened_from and not saved.is_reopened and is_own_scene(demo.opened_from):
            return Path(demo.opened_from).resolve()
        return free_path(Path.cwd(), file_stem(demo), _SCENE_SUFFIX)

    def _save_in(self, session: Session, path: Path, title: str, may_replace: bool = False) -> str:
        """Save in a file what is seen; ask first whether to replace a foreign file."""
        if not session.demo.stages:
            raise LabError("this demo has no world")
        session.timeline.finish()
        if path.exists() and not may_replace and self._ours.get(path) != _stamp(path):
            self._ask_to_replace(session, path, title)
            return ""
        return self._write(session, path, title)

    def _ask_to_replace(self, session: Session, path: Path, title: str) -> None:
        words = "Another program has changed it." if path in self._ours else "A file with this name already exists."
        answers = (
            Answer("Choose another name", lambda _: _attempt(session, self._ask_for_a_name)),
            Answer("Replace it", lambda _: _attempt(session, lambda session: self._save_in(session, path, title, may_replace=True))),
        )
        self._asking.ask(Question(f"Replace {path.name}?", words, answers), session)

    def _ask_for_a_name(self, session: Session, typed: str = "", wrong: str = "") -> str:
        """Ask for the file name; `wrong` explains what is wrong with the one that was typed."""
        if not session.demo.stages:
            raise LabError("this demo has no world")

        def take(name: str) -> None:
            try:
                path = _named(name)
            except InvalidInputError as error:
                wrong = str(error)
                _attempt(session, lambda session: self._ask_for_a_name(session, name, wrong))
                return
            _attempt(session, lambda session: self._save_in(session, path, path.stem))

        shown = typed or self._place_of(session).name
        self._asking.ask(Question("Save the scene as", wrong or f"In {Path.cwd()}", (Answer("Save", take),), shown), session)
        return ""

    def _write(self, session: Session, path: Path, title: str) -> str:
        scene = scene_maker(session, title)()
        save_scene(path, scene)
        self._ours[path] = _stamp(path)
        session.done.add("saved")
        history = session.timeline.history
        self._forget(session)
        if isinstance(session.demo, SceneDemo):
            type(session.demo).opened_from = str(path)  # its name is shown in the view
        session.saved = Saved(path, title, [] if history is None else [change for _, change in built(history)])
        left_out = f"; {scene.notes[0]}" if scene.notes else ""
        state = "" if history is None else f", in its state at step {history.now}"
        return f"Saved as {path}{state}; Menu, Open… opens it{left_out}"

    # -- unsaved changes ----------------------------------------------------------------------------------------------

    def _keep(self, recovery: Recovery, session: Session) -> None:
        """Write the recovery file if something was built since the scene was last saved or backed up."""
        history = session.timeline.history
        if history is None or not session.demo.stages:
            return
        if not self._is_unsaved(session):
            self._kept = None
            self._forget(session)
            return
        state = (id(history), tuple(id(change) for _, change in built(history)))
        if state != self._kept and not recovery.is_writing and not session.timeline.is_on_the_way:
            self._kept = state
            with contextlib.suppress(LabError):  # from a world that failed
                session.saved.recovery = recovery.keep(kept_maker(session), session.saved.recovery, file_stem(session.demo))
        if recovery.failure and not self._has_warned:
            session.messages.say(f"Your work cannot be backed up ({recovery.failure}); save it with Ctrl S.", palette.WARNING)
        self._has_warned = bool(recovery.failure)

    def _forget(self, session: Session) -> None:
        """Delete the recovery file of a session, because its scene is saved or nothing remains built in it."""
        if self.recovery is not None and session.saved.recovery is not None:
            self.recovery.delete(session.saved.recovery)
            session.saved.recovery = None

    def _is_unsaved(self, session: Session) -> bool:
        """Return True if unsaved objects were built by hand; a throw, a slider or a key builds nothing."""
        if session.is_only_played or session.timeline.history is None:
            return False
        now, saved = [change for _, change in built(session.timeline.history)], session.saved
        if not now or saved.built is None:
            return bool(now) or saved.is_reopened
        return len(now) != len(saved.built) or any(a is not b for a, b in zip(now, saved.built, strict=True))


def _answers(files: Sequence[RecoveryFile], action: Callable[[RecoveryFile], object]) -> Iterator[Answer]:
    """Yield an answer for each of the first unsaved scenes, which calls `action` with it."""

    def calling(file: RecoveryFile) -> Callable[[str], object]:
        return lambda _: action(file)

    for file in files[:_MAX_LISTED]:
        yield Answer(f"{file.demo}, {file.time}: {file.size}", calling(file))


def _more(files: Sequence[RecoveryFile]) -> str:
    """Return how many unsaved scenes are not among the answers."""
    others = len(files) - _MAX_LISTED
    return f" {counted(others, 'older scene')} will follow." if others > 0 else ""


def _named(name: str) -> Path:
    """Return the file of a typed name; raises `InvalidInputError` if the name is invalid."""
    path = typed_path(name)
    if not path.suffix and path.name not in ("", ".."):  # otherwise a folder, which is rejected
        path = path.with_name(f"{path.name}{_SCENE_SUFFIX}")
    return check_writable("the name", path, (_SCENE_SUFFIX,)).resolve()


def _stamp(path: Path) -> _Stamp:
    """Return the modification time and size, by which a change of a file is noticed; (-1, -1) if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_mtime_ns, status.st_size


def _attempt(session: Session, action: Callable[[Session], str]) -> None:
    """Write a file, and show the returned message, or why writing failed."""
    try:
        words = action(session)
        if words:
            session.messages.say(words)
    except (LabError, OSError) as error:
        session.messages.say(f"Nothing was written: {failure_words(error)}", palette.WARNING)


def _write_picture(surface: pygame.Surface, session: Session) -> str:
    path = free_path(pictures_folder(), file_stem(session.demo), ".png")
    write_atomically(path, png_bytes(surface))
    return f"picture written to {path}"
