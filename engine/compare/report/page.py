"""The frame of a report: one HTML file that needs nothing else. It follows the reader's choice of a light or a dark page.

Text goes through `html.escape` wherever it is put in; nothing here takes markup from a user.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape

__all__ = ["COLORS", "folded", "metres", "numbers", "page", "preformatted", "scrolling", "standalone_svg", "table"]

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b2430",
    "soft": "#5a6878",
    "line": "#d5dce5",
    "raised": "#f4f6f9",
    "link": "#0b6bb5",
    "ours": "#0b7d4b",
    "box2d": "#b85c00",
    "wrong": "#c62828",
    "a": "#1f6fb2",
    "b": "#7d4fb5",
}
_DARK = {
    "paper": "#0d1117",
    "ink": "#dee5ee",
    "soft": "#98a6b8",
    "line": "#2c3746",
    "raised": "#151b24",
    "link": "#56b4e9",
    "ours": "#46c98a",
    "box2d": "#f0b43c",
    "wrong": "#ff6b6b",
    "a": "#6fb1e8",
    "b": "#bd98e6",
}
"""The window's colours on dark; darker ones on white, each at least 4.5 : 1 against its paper (WCAG 2.2, contrast minimum)."""


def _variables(colors: Mapping[str, str]) -> str:
    return "; ".join(f"--{name}: {value}" for name, value in colors.items())


COLORS = (
    f":root {{ color-scheme: light dark; {_variables(_LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_DARK)} }} }}"
)

_STYLE = f"""
{COLORS}
* {{ box-sizing: border-box }}
html {{ -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }}
body {{ background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: break-word }}
h1 {{ font-size: 1.7rem; line-height: 1.25; margin: 0 0 .6rem }}
h2 {{ font-size: 1.35rem; margin: 3rem 0 .6rem; border-top: 1px solid var(--line); padding-top: 1.5rem }}
h3 {{ font-size: 1.1rem; margin: 2.2rem 0 .4rem }} h4 {{ font-size: 1rem; margin: 1.6rem 0 .3rem }}
a {{ color: var(--link) }} code, pre {{ font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, monospace }}
.scroll {{ overflow-x: auto; margin: 1rem 0 }}
table {{ border-collapse: collapse }} caption {{ text-align: left; color: var(--soft); padding-bottom: .3rem }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line) }}
th {{ color: var(--soft); font-weight: 600 }} th.number, td.number {{ text-align: right; font-variant-numeric: tabular-nums }}
td.number {{ white-space: nowrap }} td.name {{ overflow-wrap: anywhere; min-width: 9rem }} td.long {{ min-width: 13rem }}
@media (max-width: 56rem) {{ table {{ font-size: .92rem }} th, td {{ padding-right: .8rem }} }}
pre {{ background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: .7rem .9rem; margin: .6rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere }}
img, svg {{ max-width: 100%; height: auto; display: block }}
img, svg.pair {{ border: 1px solid var(--line); border-radius: 4px }} img {{ width: 100%; min-width: 44rem; max-width: none }}
figure {{ margin: .6rem 0 }} figcaption {{ margin-top: .4rem }}
.shown {{ display: flex; flex-wrap: wrap; gap: .4rem 1.4rem }} .views {{ flex: 4 1 22rem; min-width: 0; display: grid; gap: .6rem }}
.shown figcaption {{ flex: 3 1 20rem; min-width: 0; margin: 0 }} .shown p {{ margin: .6rem 0 }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.2rem; margin: 1rem 0 }}
.charts figure {{ margin: 0 }}
.right, .ours {{ color: var(--ours) }} .wrong {{ color: var(--wrong) }} .box2d {{ color: var(--box2d) }}
.a {{ color: var(--a) }} .b {{ color: var(--b) }} .caption {{ color: var(--soft) }} .answer {{ margin: 0 }}
.key {{ display: inline-block; width: .75em; height: .75em; border-radius: 50%; border: .18em solid currentColor; margin-right: .35em }}
.key.full {{ background: currentColor }}
details {{ margin: .4rem 0 }} summary {{ cursor: pointer }}
@media print {{ details > * {{ display: block }} }}
"""


def page(title: str, body: Sequence[str]) -> str:
    """Return a whole page; `body` is markup."""
    head = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
    ]
    return "\n".join([*head, *body, "</body></html>"]) + "\n"


def scrolling(wide: str) -> str:
    """Return what is wide so that it scrolls by itself where the screen is narrow."""
    return f'<div class="scroll">{wide}</div>'


Cell = str | tuple[str, str]
"""Markup, or its class in the style sheet and the markup."""


def numbers(texts: Iterable[str], kind: str = "number") -> list[Cell]:
    """Return cells of numbers."""
    return [(kind, escape(text)) for text in texts]


def table(heads: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table that scrolls by itself where the screen is narrow."""

    def row(tag: str, cells: Sequence[Cell]) -> str:
        parts = []
        for cell in cells:
            kind, markup = ("", cell) if isinstance(cell, str) else cell
            parts.append(f'<{tag} class="{kind}">{markup}</{tag}>' if kind else f"<{tag}>{markup}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    return scrolling("\n".join(["<table>", row("th", heads), *(row("td", cells) for cells in rows), "</table>"]))


def preformatted(text: str) -> str:
    """Return text as it stands, to be copied."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, plain: object) -> str:
    """Return plain data as JSON behind a line to open it with."""
    return f"<details><summary>{escape(summary)}</summary>{preformatted(json.dumps(plain, allow_nan=False))}</details>"


def standalone_svg(svg: str) -> bytes:
    """Return a drawing that lies in a page as the content of a file of its own."""
    style = f"<style>{COLORS} svg {{ background: var(--paper) }} text {{ font-family: system-ui, sans-serif }}</style>"
    opening, bracket, rest = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1).partition(">")
    return f"{opening}{bracket}{style}{rest}\n".encode()


_UNITS = ((1e3, "km", 1e3), (1.0, "m", 1.0), (1e-3, "mm", 1e-3), (1e-6, "µm", 1e-6), (1e-9, "nm", 1e-9), (0.0, "pm", 1e-12))


def metres(length: float) -> str:
    """Return a length in the unit in which it is easiest to read.

    Examples
    --------
    >>> [metres(one) for one in (0.0, 2.5e-9, 0.0123, 1.5, 12345.0)]
    ['0', '2.5 nm', '12.3 mm', '1.5 m', '12.3 km']
    """
    if length == 0.0:
        return "0"
    unit, value = next((name, size) for least, name, size in _UNITS if abs(length) >= least)
    return f"{float(f'{length / value:.3g}'):g} {unit}"
