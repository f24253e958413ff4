"""A page of docs over the view, with its Markdown as rows of a form.

A table becomes a list of its rows; a link is a button under its paragraph.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pygame

from engine.app.app import App
from engine.app.overlay import Overlay
from engine.render import palette
from engine.ui.rows import Button, Buttons, Image, Note, Row

__all__ = ["PageReader", "page_path", "page_rows"]

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_SIZE, _CODE = 14.0, 12.0
_HEADINGS = (20.0, 17.0, 15.0)
"""Font sizes of text, code and headings, design pixels."""
_WIDTH, _INSET = 760.0, 12.0
"""Maximum width of the page, and margin around it, design pixels."""
_BLOCK = re.compile(r"(?P<heading>#+) |(?P<table>\|)|(?P<item> *(?:- |\d+\. ))|(?P<code> {4})|!\[(?P<caption>.*?)\]\((?P<image>.*?)\)")
_KINDS = ("heading", "table", "item", "code", "caption")
_LINK = re.compile(r"\[([^][]*)\]\(([^()\s]*)\)")


def page_path(page: str) -> Path | None:
    """Return the file of a page of docs/algorithms, such as "gjk.md#derivation", or of another folder of docs; None if it is missing."""
    name = page.partition("#")[0]
    path = _DOCS / ("" if "/" in name else "algorithms") / name
    return path if path.is_file() and path.suffix == ".md" else None


def page_rows(markdown: str, folder: str, open_page: Callable[[str], object]) -> list[Row]:
    """Return the rows of a page; a link calls `open_page` with its target, and `folder` is the page's folder in docs."""
    rows: list[Row] = []
    for kind, lines in _blocks(re.sub(r"<!--.*?-->", "", markdown, flags=re.S)):
        rows += _rows_of(kind, lines, folder)
        links = [(words, target) for words, link in _LINK.findall(" ".join(lines)) if (target := _page_of(link, folder))]
        if links and kind != "code":
            buttons = (
                Button(f"{_plain(words)} ›", partial(open_page, target), color=palette.ACCENT) for words, target in dict.fromkeys(links)
            )
            rows.append(Buttons(tuple(buttons), height=21.0))
    return rows


class PageReader(Overlay):
    """Shows a page until it is closed by its button or a click outside, or by Esc, which first goes back to the pages before."""

    def __init__(self, app: App) -> None:
        super().__init__(app.screen.ui)
        self._app = app
        self.page = ""
        """The last opened page, such as "gjk.md#derivation"."""
        self.rows: list[Row] = []
        """The rows of the page."""
        self._before: list[str] = []
        """Pages whose links led here."""

    def open(self, page: str) -> str:
        """Show a page; return why that is impossible, empty on success."""
        path = page_path(page)
        if path is None:
            return f"docs/algorithms/{page} is not installed; it is part of the project's source code"
        self._before = [*self._before, self.page] if self.is_open else []
        self.page = page
        self.rows = page_rows(path.read_text(encoding="utf-8"), path.parent.relative_to(_DOCS).as_posix(), self.open)
        self.show(self._app.session)
        return ""

    def lay_out(self) -> None:
        px, (left, top, width, height) = self.form.ui.px, self._app.screen.view
        wide = min(width - 2 * px(_INSET), px(_WIDTH))
        close = Button("Close" if self._before else "Close  Esc", self.close)
        back = (Button("‹ Back  Esc", self._back),) if self._before else ()
        head = Buttons((*back, close), columns=1 + len(back))
        self.form.lay_out(self.rows, (left + (width - wide) // 2, top + px(_INSET), wide, height - 2 * px(_INSET)), (head,))

    def _back(self) -> None:
        *before, page = self._before
        self.open(page)
        self._before = before
        self.lay_out()

    def take_key(self, event: pygame.event.Event) -> bool:
        if event.key in (pygame.K_UP, pygame.K_DOWN):
            self.form.scroll(self.form.ui.px(-60.0 if event.key == pygame.K_UP else 60.0))
            return True
        if event.key == pygame.K_ESCAPE and self._before:
            self._back()
            return True
        return super().take_key(event)


def _blocks(markdown: str) -> Iterable[tuple[str, list[str]]]:
    """Yield the blocks of a page: heading, table, item, code, caption or text, with their lines."""
    kind, lines, is_fenced = "", list[str](), False
    for line in markdown.splitlines():
        if line.startswith("```"):
            is_fenced = not is_fenced
            if lines:
                yield kind, lines
            kind, lines = ("code", []) if is_fenced else ("", [])
            continue
        if is_fenced or (kind == "code" and not line.strip()):
            lines.append(line)
            continue
        match = _BLOCK.match(line)
        begins = "text" if match is None else next(name for name in _KINDS if match[name] is not None)
        if kind == "item" and line.startswith("  ") and begins == "code":
            begins = "text"  # continues the item
        if line.strip() and lines and ((begins == kind and kind in ("table", "code")) or (begins == "text" and kind in ("text", "item"))):
            lines.append(line)
        else:
            if lines:
                yield kind, lines
            kind, lines = (begins, [line]) if line.strip() else ("", [])
    if lines:
        yield kind, lines


def _rows_of(kind: str, lines: list[str], folder: str) -> list[Row]:
    if kind == "heading":
        level, _, words = lines[0].partition(" ")
        return [Note(_plain(words), _HEADINGS[min(len(level), len(_HEADINGS)) - 1], palette.TEXT, bold=True)]
    if kind == "code":
        return [Note("\n".join(line.removeprefix("    ") for line in lines).rstrip(), _CODE, palette.TEXT, is_code=True)]
    if kind == "table":
        return _table(lines)
    words = " ".join(line.strip() for line in lines)
    if kind == "caption":
        match = _BLOCK.match(words)
        assert match is not None
        caption, path = Note(_plain(match["caption"]), _CODE), (_DOCS / folder / match["image"]).resolve()
        return [Image(path), caption] if path.is_file() else [caption]
    if kind == "item":
        bullet, _, rest = words.partition(" ")
        return [Note(_plain(rest), _SIZE, palette.TEXT, lead="•" if bullet == "-" else bullet)]
    return [Note(_plain(words), _SIZE, palette.TEXT)]


def _table(lines: list[str]) -> list[Row]:
    """Return a table row as its first cell, and the others under the names of their columns."""
    table = [[_plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    rows: list[Row] = []
    for first, *cells in table[2:]:
        others = [f"{head}: {cell}" if head else cell for head, cell in zip(table[0][1:], cells, strict=False) if cell]
        rows.append(Note(f"{first}: {'; '.join(others)}" if others else first, _SIZE, palette.TEXT, lead="•"))
    return rows


def _plain(words: str) -> str:
    """Remove the Markdown marks of links, code, bold and italics."""
    pieces = re.split(r"(``.+?``|`.+?`)", _LINK.sub(r"\1", words))
    for k, piece in enumerate(pieces):
        pieces[k] = piece.strip("`") if k % 2 else re.sub(r"\*{1,2}(\S(?:.*?\S)?)\*{1,2}", r"\1", piece)
    return "".join(pieces)


def _page_of(target: str, folder: str) -> str:
    """Return the page to which a link leads; "" if it is not a page of docs."""
    page = posixpath.normpath(posixpath.join(folder, target.partition("#")[0]))
    name = page.removeprefix("algorithms/") if page.count("/") == 1 else page
    return name if target and page_path(name) is not None else ""
