"""Renders pages from the templates in this folder, as self-contained HTML files that follow the reader's light or dark theme.

Jinja2 escapes all inserted text; only drawings, made by `engine.report.charts`, are inserted as markup.
"""

from __future__ import annotations

import base64
import functools
from typing import TYPE_CHECKING, Any

from engine.report.charts import THEMES
from engine.report.tables import Cell, Link, format_cell, meters

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_macro", "render_page"]


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("engine.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals["themes"] = Markup(THEMES)
    made.filters.update(meters=meters, cell=_as_link, drawing=Markup, png=_as_data)
    made.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return made


def render_page(template: str, **values: Any) -> str:
    """Render a template, such as "compare.html", with `values` as its variables."""
    return _environment().get_template(template).render(values) + "\n"


def render_macro(name: str, *values: Any) -> str:
    """Render a macro of "parts.html", such as "table"."""
    return str(getattr(_environment().get_template("parts.html").module, name)(*values))


def _as_link(cell: Cell) -> Link:
    return cell if isinstance(cell, Link) else Link(format_cell(cell))


def _as_data(content: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(content).decode("ascii")
