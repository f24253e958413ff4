"""Files that one program at a time holds; the system lets go of them whatever happens to the program."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["held", "hold"]

_HELD_BY_ANOTHER = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


def hold(file: IO[bytes]) -> None:
    """Lock a file for as long as it is open; an `OSError` if another program holds it."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold a file while the body runs, made for that and taken away after; yields False, at once, if another program holds it.

    Where the file system knows no locks, as some that are reached over a network, no process holds anything, and it yields True.
    """
    file = _held(path)
    if file is None:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):  # Windows takes no open file away: the next one does
            path.unlink()
        file.close()


def _held(path: Path) -> IO[bytes] | None:
    while True:
        file = open(path, "ab")  # noqa: SIM115 - held open by the caller
        try:
            hold(file)
        except OSError as error:
            if error.errno in _HELD_BY_ANOTHER:
                file.close()
                return None
            return file
        if _is_at(path, file):
            return file
        file.close()  # its holder has taken it away between our opening it and our holding it


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Tell whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
