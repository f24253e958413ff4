"""Renders pages from the templates in this folder, as self-contained HTML files that follow the reader's light or dark theme.

Jinja2 escapes all inserted text; only drawings, made by `engine.report.charts`, are inserted as markup.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import TYPE_CHECKING, Any

from engine.report.charts import THEMES
from engine.report.tables import Cell, Link, format_cell, meters

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_macro", "render_page"]

_TEMPLATES = "report/templates"


@functools.cache
def _environment(folder: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("engine", folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals["themes"] = Markup(THEMES)
    made.filters.update(meters=meters, cell=_as_link, drawing=Markup, png=_as_data, digest=_digest)
    made.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return made


def render_page(template: str, folder: str = _TEMPLATES, **values: Any) -> str:
    """Render a template, such as "compare.html", of a folder of `engine`, with `values` as its variables."""
    return _environment(folder).get_template(template).render(values) + "\n"


def render_macro(name: str, *values: Any) -> str:
    """Render a macro of "parts.html", such as "table"."""
    return str(getattr(_environment(_TEMPLATES).get_template("parts.html").module, name)(*values))


def _as_link(cell: Cell) -> Link:
    return cell if isinstance(cell, Link) else Link(format_cell(cell))


def _as_data(content: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(content).decode("ascii")


def _digest(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")
