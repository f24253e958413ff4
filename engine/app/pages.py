"""Pages of docs, opened beside the window."""

from __future__ import annotations

import webbrowser
from pathlib import Path

__all__ = ["open_page", "page_path"]

_DOCS = Path(__file__).resolve().parents[2] / "docs"


def page_path(page: str) -> Path | None:
    """Return the file of a page, such as "gjk.md#derivation": of docs/algorithms, or with a folder of docs; None where it is not here."""
    name = page.partition("#")[0]
    path = _DOCS / ("" if "/" in name else "algorithms") / name
    return path if path.is_file() else None


def open_page(page: str) -> str:
    """Open a page with what shows such files here; return what is to be said of it."""
    path = page_path(page)
    if path is None:
        return f"docs/algorithms/{page} is not on this computer: it is among the project's sources"
    heading = page.partition("#")[2].replace("-", " ")
    where = f"{path}{f', under {heading}' if heading else ''}"
    return f"opened: {where}" if webbrowser.open(path.as_uri()) else f"to be read in {where}"
