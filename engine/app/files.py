"""Files written by commands: checked before a run starts, and whole or not there at all.

A result goes to a temporary file beside its target and takes the target's name only when it is complete, so that neither
Ctrl-C nor a full disk leaves half a picture, nor costs the picture that was there before.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from engine.common.errors import InvalidInputError

__all__ = ["check_directory", "check_writable", "write_atomically"]


def check_writable(field: str, path: str | os.PathLike[str], suffixes: tuple[str, ...] = ()) -> Path:
    """Return `path` if a file can be written there; nothing is changed.

    Parameters
    ----------
    field : str
        The name the caller knows the file by, such as ``--screenshot``.
    path : path-like
        The file, new or to be replaced. Its directory must exist.
    suffixes : tuple of str
        The endings allowed, such as ``(".png",)``; none given: any.

    Raises
    ------
    InvalidInputError
        The path is a directory, its directory is missing or is a file, nothing may be written there, or the
        ending is another one.
    """
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InvalidInputError(field, "a file name", given)
    try:
        return _checked_file(field, given, suffixes)
    except InvalidInputError:
        raise
    except OSError as error:  # a name too long, a loop of links
        raise InvalidInputError(field, f"a usable file name ({error.strerror})", given) from None


def check_directory(field: str, path: str | os.PathLike[str]) -> Path:
    """Return `path` if it is, or was just made, a directory in which files can be written.

    Raises
    ------
    InvalidInputError
        It is a file, or it can be neither made nor written to.
    """
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InvalidInputError(field, "a directory name", given)
    target = Path(given)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInputError(field, "a directory, not a file", given) from None
    except OSError as error:
        raise InvalidInputError(field, f"a directory that can be made ({error.strerror})", given) from None
    _probe(field, target, given)
    return target


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path`, whole or not at all.

    A symbolic link keeps pointing where it did. A device or pipe (``/dev/stdout``) is written to, not replaced.
    """
    target = Path(path)
    if _is_special(target):
        target.write_bytes(content)
        return
    real = _real(target)
    temporary = _temporary_beside(real)
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        if real.exists():
            os.chmod(temporary, stat.S_IMODE(real.stat().st_mode))
        os.replace(temporary, real)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _checked_file(field: str, given: str, suffixes: tuple[str, ...]) -> Path:
    target = Path(given)
    if target.is_dir() or given.endswith(("/", os.sep)):
        raise InvalidInputError(field, "a file, not a directory", given)
    if suffixes and target.suffix.lower() not in suffixes:
        raise InvalidInputError(field, "a file name that ends in " + " or ".join(suffixes), given)
    parent = _real(target).parent
    if not parent.exists():
        raise InvalidInputError(field, "a file in a directory that exists", given)
    if not parent.is_dir():
        raise InvalidInputError(field, f"a file in a directory ({parent.name} is a file)", given)
    if target.exists() and not os.access(target, os.W_OK):
        raise InvalidInputError(field, "a file that may be replaced (this one is write-protected)", given)
    if not _is_special(target):
        _probe(field, parent, given)
    return target


def _probe(field: str, directory: Path, given: str) -> None:
    probe = _temporary_beside(directory / "probe")
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise InvalidInputError(field, f"where files may be written ({error.strerror})", given) from None


def _temporary_beside(target: Path) -> Path:
    return target.parent / f".{secrets.token_hex(8)}.part"


def _real(target: Path) -> Path:
    return Path(os.path.realpath(target))


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()
