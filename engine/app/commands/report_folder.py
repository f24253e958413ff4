"""The folder of ``--report``: a page, and beside it the pairs and pictures that it names, each written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.app.files import write_atomically
from engine.common.errors import InvalidInputError

if TYPE_CHECKING:
    from engine.compare.pair_file import Pair

__all__ = ["PAGE", "write_report"]

PAGE = "report.html"


def write_report(folder: str, page: str, pairs: Mapping[str, Pair], pictures: Mapping[str, bytes]) -> Path:
    """Write the pairs and pictures, by the names of their files, and last the page; return where that is.

    Raises
    ------
    InvalidInputError
        The folder takes them no longer; it was checked before the work began.
    """
    from engine.compare.pair_file import save_pair

    target = Path(folder)
    try:
        for name, content in pictures.items():
            write_atomically(target / name, content)
        for name, pair in pairs.items():
            save_pair(target / name, pair)
        write_atomically(target / PAGE, page.encode("utf-8"))
    except OSError as error:
        raise InvalidInputError("--report", f"a folder that takes the report ({error.strerror})", folder) from None
    return target / PAGE
