"""Reading regular files of limited size, and writing files atomically.

Every file that a user names is opened by `open_plain`: opening a named pipe would wait for a writer forever.

Data is written to a temporary file in the target's folder, and that file is renamed when it is complete, so that neither Ctrl-C nor a full
disk leaves half a file or destroys the previous one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from engine.common.errors import Described, InvalidInputError
from engine.common.interrupts import DeferredInterrupt

__all__ = [
    "is_special",
    "name_beside",
    "naming",
    "open_plain",
    "read_at_most",
    "real_path",
    "relative_path",
    "temporary_beside",
    "write_atomically",
]


def read_at_most(
    path: str | os.PathLike[str], kind: str, largest: int, requirement: str, refusal: type[InvalidInputError] = InvalidInputError
) -> bytes:
    """Return the content of a regular file; at most `largest` + 1 bytes are read.

    Parameters
    ----------
    kind : str
        Kind of file, for the message: "pair file".
    requirement : str
        Requirement in the error message if the file is too large: "a drawing of at most 2 MB".
    refusal : type of InvalidInputError, optional
        Class of the error.

    Raises
    ------
    InvalidInputError
        The file cannot be read, is not a regular file, or is too large.
    """
    name = os.fspath(path)
    try:
        with open_plain(path) as file:
            content = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "invalid name"
        raise refusal(kind, f"a file that can be read ({reason})", name) from None
    if len(content) > largest:
        raise refusal(name, requirement, Described("more"))
    return content


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading. Folders are rejected, as are pipes and devices, which may block forever.

    Raises
    ------
    OSError
        The file does not exist or is not a regular file.
    """
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    return os.fdopen(number, "rb")


def name_beside(folder: str | os.PathLike[str], name: str) -> str | None:
    """Return the path of a file that another file in `folder` refers to; None if it is outside the folder.

    A file may refer only to files in its own folder or below, with symbolic links resolved. The file need not exist.
    """
    is_foreign = PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute() or bool(PureWindowsPath(name).drive)
    if is_foreign or ".." in PureWindowsPath(name).parts:
        return None
    path = os.path.normpath(os.path.join(folder, name))
    try:
        return path if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)) else None
    except (OSError, ValueError):  # not a valid file name
        return None


def relative_path(file: str, folder: str | os.PathLike[str]) -> str:
    """Return a file's path relative to a folder, with forward slashes; unchanged if it is on another drive."""
    try:
        return PurePath(os.path.relpath(file, folder)).as_posix()
    except ValueError:
        return file


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` atomically.

    A symbolic link is followed, not replaced. A device or pipe (``/dev/stdout``) is written to, not replaced. While a regular file is being
    written, Ctrl-C is deferred.

    Raises
    ------
    OSError
        The disk is full or not writable; the error names `path`.
    """
    target = Path(path)
    with naming(target):
        if is_special(target):
            target.write_bytes(content)
            return
        real = real_path(target)
        temporary = temporary_beside(real)
        with DeferredInterrupt():
            try:
                with open(temporary, "xb") as file:
                    file.write(content)
                if real.exists():
                    os.chmod(temporary, stat.S_IMODE(real.stat().st_mode))
                os.replace(temporary, real)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


@contextlib.contextmanager
def naming(target: str | os.PathLike[str]) -> Iterator[None]:
    """Set the file name of an `OSError`, because the error for a full disk has none, and a temporary name means nothing to a user."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(target)) from None


def temporary_beside(target: Path) -> Path:
    """Return an unused file name in the same folder."""
    return target.parent / f".{secrets.token_hex(8)}.part"


def real_path(target: Path) -> Path:
    """Return the target of a chain of symbolic links."""
    return Path(os.path.realpath(target))


def is_special(target: Path) -> bool:
    """Return whether the target exists and is not a regular file, such as a device or a pipe."""
    return target.exists() and not target.is_file()
