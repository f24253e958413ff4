"""The folder of ``--report``: a page, and beside it the pairs and pictures that it names, each written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.app.files import write_atomically
from engine.common.errors import InvalidInputError
from engine.common.words import shown

if TYPE_CHECKING:
    from engine.compare.pair.file import Pair

__all__ = ["page_in", "write_report"]

_PAGE = "report.html"


def page_in(folder: str | None) -> str | None:
    """Return where the page of a folder is, None of none."""
    return None if folder is None else str(Path(folder) / _PAGE)


def write_report(folder: str, page: str, pairs: Mapping[str, Pair], pictures: Mapping[str, bytes]) -> Path:
    """Write the pairs and pictures, by the names of their files, and last the page; return where that is.

    Raises
    ------
    InvalidInputError
        The folder takes them no longer; it was checked before the work began.
    """
    from engine.compare.pair.file import save_pair

    target = Path(folder)
    try:
        for name, content in pictures.items():
            write_atomically(target / name, content)
        for name, pair in pairs.items():
            save_pair(target / name, pair)
        write_atomically(target / _PAGE, shown(page, in_lines=True).encode("utf-8"))
    except OSError as error:
        raise InvalidInputError("--report", f"a folder that takes the report ({error.strerror})", folder) from None
    return target / _PAGE
