"""Draws charts and drawings with matplotlib, as PNG files and as SVG that takes its colors from the page."""

from __future__ import annotations

import functools
import io
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from engine.report.tables import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = [
    "COLORS",
    "METHOD_COLORS",
    "METHOD_MARKS",
    "THEMES",
    "as_png",
    "as_svg",
    "draw_charts",
    "set_log_ticks",
    "standalone_svg",
    "styled",
]

COLORS = {
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
"""Colors on a light page. Drawings use these values, and `as_svg` replaces each by its CSS variable."""
_P = ParamSpec("_P")
_T = TypeVar("_T")

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
"""The window's colors, for dark pages. In both themes, colors have a contrast of at least 4.5 : 1 to the background (WCAG 2.2)."""


def _variables(colors: Mapping[str, str]) -> str:
    return "; ".join(f"--{name}: {value}" for name, value in colors.items())


THEMES = (
    f":root {{ color-scheme: light dark; {_variables(COLORS)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_DARK)} }} }}"
)
"""CSS variables of both themes; the reader's system selects one."""

METHOD_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", COLORS["soft"], COLORS["ink"])
"""Okabe and Ito's palette, distinguishable by color-blind readers, and two grays."""
METHOD_MARKS = "os^vDP*X<>p"
_DASHES = ("-", "--", "-.", ":")
_PANEL = 4.8, 4.0
"""Size of a panel, inches."""
_PNG_DPI = 72
_N_NAMED = 8
"""Maximum number of points in a curve for which each x value gets its own tick on a linear axis."""

_FONT = "DejaVu Sans"
"""Font included with matplotlib."""
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "report",
    "font.sans-serif": [_FONT],
    "font.size": 10.0,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.labelcolor", "ytick.labelcolor"), COLORS["ink"]),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), COLORS["soft"]),
    "grid.color": COLORS["line"],
    **dict.fromkeys(("xtick.major.size", "xtick.minor.size", "ytick.major.size", "ytick.minor.size"), 0.0),
}
"""Style of figures. Ticks have no length, because in SVG each tick would refer to a definition elsewhere."""
_NOT_INLINE = re.compile(
    r"<metadata>.*?</metadata>|<style.*?</style>|<clipPath.*?</clipPath>|<defs>\s*</defs>|<!--.*?-->"
    r'|\s(?:clip-path|xmlns|xmlns:xlink|version|id)="(?!m[0-9a-f]{10}")[^"]*"',
    re.DOTALL,
)
_MARK_IDS = re.compile(r'(id="|href="#)(?=m[0-9a-f]{10}")')
"""Ids of markers, the only ids that are referenced."""


def styled(draw: Callable[_P, _T]) -> Callable[_P, _T]:
    """Decorate a function so that it draws in the style of the pages; use it for every function that creates a figure."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **options: _P.kwargs) -> _T:
        import matplotlib

        with matplotlib.rc_context(_SETTINGS):  # type: ignore[arg-type] # keys are literal types
            return draw(*args, **options)

    return drawn


@styled
def draw_charts(charts: Sequence[Chart], title: str = "") -> Figure:
    """Return a figure with charts side by side (four as two by two), with a single legend if all have curves with the same names."""
    from matplotlib.figure import Figure

    n_columns = 2 if len(charts) in (2, 4) else min(3, len(charts))
    n_rows = -(-len(charts) // n_columns)
    has_one_legend = len({tuple(curve.name for curve in chart.curves) for chart in charts}) == 1
    figure = Figure(figsize=(_PANEL[0] * n_columns, _PANEL[1] * n_rows + 0.4), layout="constrained")
    if title:
        figure.suptitle(title, fontsize=13)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    for panel, chart in zip(panels, charts, strict=False):
        _draw_curves(panel, chart)
        panel.set_title(chart.title, fontsize=11)
        panel.set(xlabel=chart.x, ylabel=chart.y)
        panel.set_axisbelow(True)
        panel.grid()
        if not has_one_legend:
            panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, fontsize=8, frameon=False)
    for panel in panels[len(charts) :]:
        panel.set_visible(False)
    if has_one_legend:
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    return figure


def _draw_curves(panel: Axes, chart: Chart) -> None:
    for k, curve in enumerate(chart.curves):
        color, mark, dash = (values[k % len(values)] for values in (METHOD_COLORS, METHOD_MARKS, _DASHES))
        panel.plot(curve.x, curve.y, label=curve.name, color=color, marker=mark, linestyle=dash, markersize=5, linewidth=1.6)
    if chart.limit is not None:
        panel.axhline(chart.limit, color=COLORS["soft"], lw=1.0, ls=":")
    x_scale, y_scale = ("log" if is_log else "linear" for is_log in chart.is_log)
    panel.set(xscale=x_scale, yscale=y_scale)
    places = chart.curves[0].x
    is_same = all(curve.x == places for curve in chart.curves)
    if is_same and (chart.is_log[0] or len(places) <= _N_NAMED):
        panel.set_xticks(places, [f"{x:.3g}" for x in places], fontsize=8)
        panel.minorticks_off()
    elif chart.is_log[0]:
        set_log_ticks(panel.xaxis, (1, 2, 5))


def set_log_ticks(axis: Axis, digits: Sequence[float]) -> None:
    """Label a logarithmic axis with plain numbers, which in each decade begin with these digits."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=digits))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def as_png(figure: Figure, dpi: int = _PNG_DPI) -> bytes:
    """Return the figure as a PNG on white; equal figures give equal bytes with the same version of matplotlib."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=dpi, metadata={"Software": None}, pil_kwargs={"optimize": True})
    return content.getvalue()


@styled
def as_svg(figure: Figure, title: str) -> str:
    """Return the figure as an ``<svg>`` element with the colors of the page's theme, and ids that are unique on the page."""
    content = io.StringIO()
    figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
    text = content.getvalue()
    body = _NOT_INLINE.sub("", text[text.index("<svg") :])
    body = body.replace(f"'{_FONT}'", "sans-serif")
    body = _MARK_IDS.sub(rf"\g<1>d{zlib.crc32(body.encode() + title.encode()):08x}", body)
    for name, value in COLORS.items():
        body = body.replace(value, f"var(--{name})")
    opening, bracket, rest = body.partition(">")
    return f'{opening} role="img"{bracket}<title>{escape(title)}</title>{rest.strip()}'


def standalone_svg(svg: str) -> bytes:
    """Return the content of a standalone SVG file, given an element returned by `as_svg`."""
    style = f"<style>{THEMES} svg {{ background: var(--paper) }}</style>"
    opening, bracket, rest = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1).partition(">")
    return f"{opening}{bracket}{style}{rest}\n".encode()
