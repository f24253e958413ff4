"""Tables and charts as plain data. A table can be printed in the terminal, written as Markdown, or inserted into a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from rich.table import Table as RichTable

__all__ = ["STYLES", "Cell", "Chart", "Curve", "Link", "Table", "Value", "format_cell", "meters"]


class Link(NamedTuple):
    """A cell with a style, a link or a picture.

    Parameters
    ----------
    text : str
    kind : str
        Class in the style sheet, such as "right" or "wrong".
    href : str
        Target of a link; shown only in pages.
    picture : bytes
        A small PNG above the text; shown only in pages.
    """

    text: str
    kind: str = ""
    href: str = ""
    picture: bytes = b""


STYLES = {"right": "green", "wrong": "bold red", "note": "yellow", "title": "bold", "caption": "dim"}
"""Terminal styles by kind of cell or line."""
Value: TypeAlias = str | float | int | None
Cell: TypeAlias = Value | Link


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text and numbers.

    Parameters
    ----------
    title : str
    columns : tuple of str
        Headings, with units.
    rows : tuple of tuple of Cell
    text_columns : tuple of int
        Text columns, aligned left; the others are numbers, aligned right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    text_columns: tuple[int, ...] = (0,)

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "columns": self.columns, "rows": self.rows}

    def as_rich(self) -> RichTable:
        """Return the table for the terminal."""
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=None, header_style="bold", pad_edge=False)
        for number, title in enumerate(self.columns):
            table.add_column(title, justify="left" if number in self.text_columns else "right", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(format_cell(cell), style=STYLES.get(_kind(cell), "")) for cell in row))
        return table

    def as_markdown(self) -> str:
        head, *rows = ("| " + " | ".join(line) + " |\n" for line in (self.columns, *(map(format_cell, row) for row in self.rows)))
        return f"{head}|{'---|' * len(self.columns)}\n{''.join(rows)}"


@dataclass(frozen=True, slots=True)
class Curve:
    """A named curve; its points are sorted by x."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves with a common x axis.

    Parameters
    ----------
    title, x, y : str
        Labels, with units.
    curves : tuple of Curve
    is_log : pair of bool
        Whether x and y have a logarithmic scale.
    limit : float, optional
        The y value at which a dotted horizontal line is drawn.
    """

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    is_log: tuple[bool, bool] = (False, False)
    limit: float | None = None


def format_cell(cell: Cell) -> str:
    """Return a cell's text. Floats have three significant digits and, from 1000 on, are rounded to integers; None becomes "-".

    Examples
    --------
    >>> [format_cell(cell) for cell in ("a", 0.12345, 12345.6, 12345, None)]
    ['a', '0.123', '12,346', '12,345', '-']
    """
    if cell is None:
        return "-"
    if isinstance(cell, Link):
        return cell.text
    if isinstance(cell, float):
        return f"{cell:,.0f}" if 1e3 <= abs(cell) < 1e9 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _kind(cell: Cell) -> str:
    return cell.kind if isinstance(cell, Link) else ""


_UNITS = ((1e3, "km", 1e3), (1.0, "m", 1.0), (1e-3, "mm", 1e-3), (1e-6, "µm", 1e-6), (1e-9, "nm", 1e-9), (0.0, "pm", 1e-12))


def meters(length: float) -> str:
    """Return a length in the most readable unit.

    Examples
    --------
    >>> [meters(length) for length in (0.0, 2.5e-9, 0.0123, 1.5, 12345.0)]
    ['0', '2.5 nm', '12.3 mm', '1.5 m', '12.3 km']
    """
    if length == 0.0:
        return "0"
    unit, scale = next((name, size) for bound, name, size in _UNITS if abs(length) >= bound)
    return f"{float(f'{length / scale:.3g}'):g} {unit}"
