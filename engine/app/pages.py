"""A page of docs, shown over the view: its Markdown, as the text that pygame_gui's text box can show.

Pictures are left out, but for their captions; a table becomes a list of its rows.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton, UITextBox

from engine.app.screen import Screen
from engine.app.widgets import hex_color, theme_for
from engine.render import palette

__all__ = ["PageReader", "page_path", "page_text"]

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_SIZE, _CODE = 14.0, 13.0
_HEADINGS = (20.0, 17.0, 15.0)
"""Font sizes of the text, of code, and of headings, design pixels."""
_WIDTH, _INSET, _ROW = 760.0, 12.0, 28.0
"""Design pixels: the largest width of the page, what is left free around it, and the height of its button."""
_BLOCK = re.compile(r"(?P<heading>#+) |(?P<table>\|)|(?P<item> *(?:- |\d+\. ))|(?P<code> {4})|!\[(?P<caption>.*?)\]\(")
_KINDS = ("heading", "table", "item", "code", "caption")


def page_path(page: str) -> Path | None:
    """Return the file of a page, such as "gjk.md#derivation": of docs/algorithms, or with a folder of docs; None where it is not here."""
    name = page.partition("#")[0]
    path = _DOCS / ("" if "/" in name else "algorithms") / name
    return path if path.is_file() and path.suffix == ".md" else None


def page_text(markdown: str, folder: str, ui_scale: float) -> str:
    """Return Markdown as the HTML that `UITextBox` understands; links lead to pages, `folder` is the one of this page in docs."""
    parts = [_as_html(kind, lines, folder, ui_scale) for kind, lines in _blocks(re.sub(r"<!--.*?-->", "", markdown, flags=re.S))]
    return "<br>".join(part for part in parts if part)


class PageReader:
    """Shows a page over everything else until it is closed, by Esc, its button or a click beside it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._page = ""
        self._shown: tuple[str, tuple[int, int], float, str] | None = None
        self._manager: UIManager | None = None
        self._box: UITextBox | None = None
        self._close: UIButton | None = None

    @property
    def page(self) -> str:
        """Page that is shown, such as "gjk.md#derivation"; empty for none."""
        return self._page

    def open(self, page: str) -> str:
        """Show a page; return why that cannot be, empty if it can."""
        if page_path(page) is None:
            return f"docs/algorithms/{page} is not on this computer; it is part of the project's source code"
        self._page = page
        return ""

    def close(self) -> None:
        """Show nothing."""
        self._page, self._shown, self._manager, self._box, self._close = "", None, None, None, None

    def handle(self, event: pygame.event.Event) -> bool:
        """Handle an event; return True if no one else is to."""
        if not self._page or self._manager is None or self._box is None:
            return False
        if event.type == pygame.KEYDOWN:
            self._key(event.key)
            return True
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and not self._plate.collidepoint(event.pos):
            self.close()
            return True
        self._manager.process_events(event)
        if event.type == pygame_gui.UI_BUTTON_PRESSED and event.ui_element is self._close:
            self.close()
        elif event.type == pygame_gui.UI_TEXT_BOX_LINK_CLICKED and event.ui_element is self._box:
            self.open(event.link_target)
        return event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL)

    def update(self, elapsed: float) -> None:
        """Let real seconds pass."""
        if self._manager is not None:
            self._manager.update(elapsed)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the page while there is one."""
        if not self._page:
            return
        shown = self._page, self._screen.layout.size, self._screen.ui_scale, palette.theme_name()
        if shown != self._shown:
            self._build()
            self._shown = shown
        assert self._manager is not None
        fonts = self._screen.painter.fonts
        surface.blit(fonts.plate(self._plate.size, palette.PANEL, 255, self._px(8), palette.ACCENT), self._plate.topleft)
        self._manager.draw_ui(surface)

    @property
    def _plate(self) -> pygame.Rect:
        left, top, width, height = self._screen.view
        inset = self._px(_INSET)
        plate = pygame.Rect(0, top + inset, min(width - 2 * inset, self._px(_WIDTH)), height - 2 * inset)
        plate.centerx = left + width // 2
        return plate

    def _px(self, design: float) -> int:
        return round(design * self._screen.ui_scale)

    def _build(self) -> None:
        path = page_path(self._page)
        assert path is not None
        ui, plate, row = self._screen.ui_scale, self._plate, self._px(_ROW)
        self._manager = manager = UIManager(self._screen.layout.size, theme_for(ui), enable_live_theme_updates=False)
        manager.add_font_paths("fira_code", str(Path(pygame_gui.__file__).parent / "data" / "FiraCode-Regular.ttf"))
        fonts = manager.ui_theme.get_font_dictionary()
        styles = product(("noto_sans",), (_SIZE, *_HEADINGS), (False, True), (False, True))
        for name, size, is_bold, is_italic in (*styles, ("fira_code", _CODE, False, False)):
            pixels = round(size * ui)
            if not fonts.check_font_preloaded(fonts.create_font_id(pixels, name, is_bold, is_italic)):
                fonts.preload_font(pixels, name, is_bold, is_italic, force_immediate_load=True)
        folder = path.parent.relative_to(_DOCS).as_posix()
        text = page_text(path.read_text(encoding="utf-8"), folder, ui)
        inner = plate.inflate(-2 * self._px(4), -2 * self._px(4))
        self._box = UITextBox(text, pygame.Rect(inner.left, inner.top, inner.width, inner.height - row - self._px(4)), manager)
        self._close = UIButton(pygame.Rect(inner.left, inner.bottom - row, inner.width, row), "Close  Esc", manager)
        manager.update(0.0)

    def _key(self, key: int) -> None:
        bar = None if self._box is None else self._box.scroll_bar
        moves = {
            pygame.K_UP: -0.1,
            pygame.K_DOWN: 0.1,
            pygame.K_PAGEUP: -0.9,
            pygame.K_PAGEDOWN: 0.9,
            pygame.K_HOME: -1e9,
            pygame.K_END: 1e9,
        }
        if key == pygame.K_ESCAPE:
            self.close()
        elif bar is not None and key in moves:
            start = bar.start_percentage + moves[key] * bar.visible_percentage
            bar.set_scroll_from_start_percentage(min(max(start, 0.0), 1.0 - bar.visible_percentage))


def _blocks(markdown: str) -> Iterable[tuple[str, list[str]]]:
    """Yield the blocks of a page: heading, table, item, code, caption or text, and their lines."""
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
            begins = "text"  # goes on with the item
        if line.strip() and lines and ((begins == kind and kind in ("table", "code")) or (begins == "text" and kind in ("text", "item"))):
            lines.append(line)
        else:
            if lines:
                yield kind, lines
            kind, lines = (begins, [line]) if line.strip() else ("", [])
    if lines:
        yield kind, lines


def _as_html(kind: str, lines: list[str], folder: str, ui_scale: float) -> str:
    if kind == "heading":
        level, _, words = lines[0].partition(" ")
        size = round(_HEADINGS[min(len(level), len(_HEADINGS)) - 1] * ui_scale)
        return f"<font pixel_size={size}><b>{_inline(words, folder)}</b></font>"
    if kind == "code":
        rows = "<br>".join(html.escape(line.removeprefix("    "), quote=False) for line in lines)
        while rows.endswith("<br>"):
            rows = rows.removesuffix("<br>")
        return f"<font face=fira_code pixel_size={round(_CODE * ui_scale)}>{rows}</font><br>"
    if kind == "table":
        return _table(lines, folder)
    words = " ".join(line.strip() for line in lines)
    if kind == "caption":
        match = _BLOCK.match(words)
        assert match is not None
        return f"<i>Picture: {_inline(match['caption'], folder)}</i><br>"
    if kind == "item":
        bullet, _, rest = words.partition(" ")
        return f"{'•' if bullet == '-' else bullet} {_inline(rest, folder)}"
    return f"{_inline(words, folder)}<br>"


def _table(lines: list[str], folder: str) -> str:
    """Return a row of a table as its first cell in bold, and the others under the names of their columns."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    heads, parts = rows[0], []
    for row in rows[2:]:
        others = [f"{head}: {cell}" if head else cell for head, cell in zip(heads[1:], row[1:], strict=False) if cell]
        parts.append(f"• <b>{_inline(row[0], folder)}</b> {_inline('; '.join(others), folder)}")
    return "<br>".join(parts) + "<br>"


def _inline(words: str, folder: str) -> str:
    """Return a paragraph with its code, bold and italic words and links marked up."""
    pieces = re.split(r"(``.+?``|`.+?`)", words)
    for k, piece in enumerate(pieces):
        escaped = html.escape(piece.strip("`") if k % 2 else piece, quote=False)
        if k % 2:
            pieces[k] = f"<font color={hex_color(palette.ACCENT)}>{escaped}</font>"
        else:
            escaped = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escaped)
            pieces[k] = re.sub(r"\*(\S(?:.*?\S)?)\*", r"<i>\1</i>", escaped)
    return re.sub(r"\[([^][]*)\]\(([^()\s]*)\)", lambda match: _link(match[1], match[2], folder), "".join(pieces))


def _link(words: str, target: str, folder: str) -> str:
    """Return a link to another page, or the words alone where the target is no page of docs."""
    page = posixpath.normpath(posixpath.join(folder, target.partition("#")[0]))
    name = page.removeprefix("algorithms/") if page.count("/") == 1 else page
    return f'<a href="{name}">{words}</a>' if target and page_path(name) is not None else words
