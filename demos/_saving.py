"""Files that a demo saves: under a name that is still free."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.common.errors import LabError

__all__ = ["saved_as_new"]


def saved_as_new(folder: Path, stem: str, save: Callable[[Path], object]) -> str:
    """Save under the first of the names ``stem_1.json``, ``stem_2.json``, ... that is free; return what is to be said of it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = next(file for k in range(1, 1_000_000) if not (file := folder / f"{stem}_{k}.json").exists())
        save(path)
    except (OSError, LabError) as error:
        return f"not saved: {error.strerror or error}" if isinstance(error, OSError) else f"not saved: {error}"
    return f"saved as {path}"
