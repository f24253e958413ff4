"""The file dialog: the files of a folder that the window can open, the samples, and a field for a path or a part of a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.app.asking import Answer, Asking, Question
from engine.common.errors import Described, InvalidInputError
from engine.common.installation import laboratory
from engine.sim.recordings import SUFFIX

if TYPE_CHECKING:
    from engine.app.screen import Appearance, Screen
    from engine.app.session import Session

__all__ = ["SAMPLES", "OpenDialog", "typed_path"]

SAMPLES = laboratory() / "sprites" / "samples"
"""Folder of the pictures and scenes that come with the program."""
_ROW, _OTHER_ROWS = 33.0, 210.0
"""Height of an entry, and height of everything else in and around the dialog, design pixels."""
_MIN_ROWS = 3


class OpenDialog:
    """Asks which file to open, through `asking`, and passes it to `open_file`."""

    def __init__(self, asking: Asking, open_file: Callable[[Path], object]) -> None:
        self._asking, self._open_file = asking, open_file

    def show(self, session: Session, appearance: Appearance, screen: Screen) -> None:
        """Show the folder from which a file was opened last."""
        n_rows = max(int((screen.layout.size[1] / screen.ui_scale - _OTHER_ROWS) / _ROW), _MIN_ROWS)
        _Visit(self._asking, self._open_file, session, appearance, n_rows).show(appearance.open_folder)


class _Visit:
    """An open dialog; `n_rows` entries are listed at once."""

    def __init__(self, asking: Asking, open_file: Callable[[Path], object], session: Session, appearance: Appearance, n_rows: int) -> None:
        self._asking, self._open_file, self._session, self._appearance, self._n_rows = asking, open_file, session, appearance, n_rows

    def show(self, folder: Path, first: int = 0, part: str = "", wrong: str = "") -> None:
        """List the entries of a folder whose names contain `part`, from number `first`; `wrong` says what is wrong with the typed text."""
        folder = _resolved(folder)
        entries = [path for path in _entries(folder) if part.lower() in path.name.lower()]
        if part and not entries:
            self.show(folder, wrong=f"There is no file {part}.")
            return
        answers = [Answer("Open this file", partial(self._take_typed, folder))]
        if not first and not part:
            answers.append(Answer("Up one folder", partial(self._go, folder.parent)))
            if folder != SAMPLES and SAMPLES.is_dir():
                answers.append(Answer("Samples", partial(self._go, SAMPLES)))
        end = first + max(self._n_rows - len(answers), 1)
        answers += [Answer(_label(path), partial(self._take, path)) for path in entries[first:end]]
        if end < len(entries):
            answers.append(Answer(f"More: {len(entries) - end}", lambda _: self.show(folder, end, part)))
        words = wrong or f"{folder}: scenes, recordings and shape pairs are opened; pictures and body files are dropped into the demo."
        self._asking.ask(Question("Open a file", words, tuple(answers), ""), self._session)

    def _go(self, folder: Path, typed: str) -> None:
        self.show(folder)

    def _take(self, path: Path, typed: str) -> None:
        if path.is_dir():
            self.show(path)
        else:
            self._appearance.remember_folder(path.parent)
            self._open_file(path)

    def _take_typed(self, folder: Path, typed: str) -> None:
        """Open the typed file or folder, or the only entry, or sample, whose name contains the text; of several, list them."""
        try:
            path = folder / typed_path(typed)
            exists = path.exists()
        except (InvalidInputError, OSError):  # no such user, or the name is too long
            exists = False
        found = {place: [entry for entry in _entries(place) if typed.lower() in entry.name.lower()] for place in (SAMPLES, folder) if typed}
        place = SAMPLES if found.get(SAMPLES) and not found[folder] else folder
        named = found.get(place, [])
        if exists:
            self._take(path, typed)
        elif len(named) == 1:
            self._take(named[0], typed)
        elif typed:
            self.show(place, part=typed)
        else:
            self.show(folder, wrong="Type the name of a file, or choose one.")


def typed_path(name: str) -> Path:
    """Return the typed path; its first part may be a user's home, such as ~."""
    if not name:
        raise InvalidInputError("the field", "a file name", Described("nothing"))
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise InvalidInputError("the name", "in the home folder of an existing user", name) from None


def _entries(folder: Path) -> list[Path]:
    """Return the files in a folder that can be opened, the newest first (samples by name), then its folders; hidden ones are left out."""
    from engine.decompose.tracing import TRACED_SUFFIXES

    suffixes = (".json", SUFFIX, *TRACED_SUFFIXES)
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []
    folders = sorted((path for path in paths if path.is_dir()), key=lambda path: path.name.lower())
    files = sorted((path for path in paths if path not in folders and path.suffix.lower() in suffixes), key=lambda path: path.name.lower())
    return (files if folder == SAMPLES else sorted(files, key=_written, reverse=True)) + folders


def _written(path: Path) -> float:
    """Return the modification time of a file, seconds; 0 if it does not exist."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _label(path: Path) -> str:
    return f"{path.name}/" if path.is_dir() else path.name


def _resolved(folder: Path) -> Path:
    """Return the absolute path of a folder; the user's home if it does not exist."""
    try:
        return folder.resolve(strict=True)
    except OSError:
        return Path.home()
