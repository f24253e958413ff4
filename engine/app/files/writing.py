"""Output files of commands: checked before a run starts, then written by `write_atomically`, completely or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.common.errors import InvalidInputError
from engine.common.files import is_special, real_path

if TYPE_CHECKING:
    import pygame

__all__ = ["check_directory", "check_writable", "failure_words", "png_bytes"]


def check_writable(field: str, path: str | os.PathLike[str], suffixes: tuple[str, ...] = ()) -> Path:
    """Return `path` if a file can be written there; this changes nothing.

    Parameters
    ----------
    field : str
        The caller's name for the file, such as ``--screenshot``.
    path : path-like
        The file to create or replace. Its directory must exist.
    suffixes : tuple of str
        The allowed suffixes, such as ``(".png",)``; empty for any.

    Raises
    ------
    InvalidInputError
        The path is a directory, its directory is missing, is a file or is not writable, or the suffix is not allowed.
    """
    name = os.fspath(path)
    if not name or "\0" in name:
        raise InvalidInputError(field, "a file name", name)
    try:
        return _checked_file(field, name, suffixes)
    except InvalidInputError:
        raise
    except OSError as error:  # the name is too long, or links form a loop
        raise InvalidInputError(field, f"a usable file name ({error.strerror})", name) from None


def check_directory(field: str, path: str | os.PathLike[str]) -> Path:
    """Return `path` if it is a directory, or can be created as one, in which files can be written.

    Raises
    ------
    InvalidInputError
        It is a file, cannot be created, or is not writable.
    """
    name = os.fspath(path)
    if not name or "\0" in name:
        raise InvalidInputError(field, "a directory name", name)
    target = Path(name)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInputError(field, "a directory, not a file", name) from None
    except OSError as error:
        raise InvalidInputError(field, f"a directory that can be created ({error.strerror})", name) from None
    _probe(field, "a directory", target, name)
    return target


def failure_words(error: Exception) -> str:
    """Return why writing failed: the file and the system's message without its number.

    >>> failure_words(FileNotFoundError(2, "No such file or directory", "scene.json"))
    'scene.json: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _checked_file(field: str, given: str, suffixes: tuple[str, ...]) -> Path:
    target = Path(given)
    if target.is_dir() or given.endswith(("/", os.sep)):
        raise InvalidInputError(field, "a file, not a directory", given)
    if suffixes and target.suffix.lower() not in suffixes:
        raise InvalidInputError(field, "a file name that ends in " + " or ".join(suffixes), given)
    parent = real_path(target).parent
    if not parent.exists():
        raise InvalidInputError(field, "a file in a directory that exists", given)
    if not parent.is_dir():
        raise InvalidInputError(field, f"a file in a directory ({parent.name} is a file)", given)
    if target.exists() and not os.access(target, os.W_OK):
        raise InvalidInputError(field, "a file that may be replaced (this one is write-protected)", given)
    if not is_special(target):
        _probe(field, "a file in a directory", parent, given)
    return target


def _probe(field: str, wanted: str, directory: Path, given: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=directory):  # unnamed if the system allows it, so that no file can be left behind
            pass
    except OSError as error:
        raise InvalidInputError(field, f"{wanted} where files may be written ({error.strerror})", given) from None


def png_bytes(surface: pygame.Surface) -> bytes:
    """Encode a surface as PNG.

    Pillow encodes it: pygame-ce 2.5.8 never frees a file object that it has saved into, nor its contents, and on a full disk it silently
    writes a truncated file.
    """
    import pygame
    from PIL import Image

    mode: Literal["RGB", "RGBA"] = "RGBA" if surface.get_flags() & pygame.SRCALPHA else "RGB"
    content = io.BytesIO()
    Image.frombytes(mode, surface.get_size(), pygame.image.tobytes(surface, mode)).save(content, "PNG")
    return content.getvalue()
