"""Lock files, each held by one program at a time. The operating system releases a lock when the program that holds it ends or crashes."""

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
    """Lock a file until it is closed; raises `OSError` if another program holds it."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold a lock file for the duration of the with block, creating it on entry and removing it on exit. Yields False immediately if
    another program holds it.

    If the file system does not support locks, like some network file systems, nothing is locked, and the context manager yields True.
    """
    file = _held(path)
    if file is None:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):  # Windows cannot remove an open file; the next holder will remove it
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
        file.close()  # its holder removed it before we got the lock


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Return whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
