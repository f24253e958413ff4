"""The page of ``solvers``: a table with a picture a cell, what each method measured, and the costs of being exact as a chart."""

from __future__ import annotations

import io
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from engine.compare.report.page import numbers, page, table

if TYPE_CHECKING:
    from engine.experiments.solvers import BenchScene, Cell, Need, Plan, Rung, Variant

__all__ = ["CHART", "TABLES", "draw_ladder", "drawn", "file_stem", "solvers_page", "tables_as_text"]

CHART = "accuracy-cost.png"
TABLES = "tables.md"
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666", "#000000")
"""Okabe and Ito's, which colour-blind readers can tell apart."""
_MARKS = "os^vDP*X<>p"
_LEAST_ERROR = 1e-9
"""Metres as which smaller errors are drawn: 0 has no place on a logarithmic axis."""
_COLUMNS = 3
_MEASURES = (
    ("end_penetration", "overlap at the end, m"),
    ("max_penetration", "deepest, m"),
    ("end_joint_error", "joint error at the end, m"),
    ("max_joint_error", "most, m"),
    ("error", "off the exact answer, m"),
    ("drift", "drift at rest, m"),
    ("energy_gain_share", "energy gained"),
    ("momentum_lost_share", "momentum lost"),
    ("force_error", "force error"),
    ("rest_at", "at rest after, s"),
    ("ms_per_step", "ms a step"),
    ("cost_ratio", "of the soft step's"),
)


def file_stem(scene: str, variant: Variant) -> str:
    """Return what files about a method in a scene are called."""
    return re.sub(r"[^\w.-]+", "-", f"{scene}-{variant.label}")


def drawn(scenes: Sequence[BenchScene], cells: Sequence[Cell], ladder: Sequence[Rung], accuracy: float) -> dict[str, bytes]:
    """Return the pictures of the page by the names of their files: how each scene stands at the end, and the chart."""
    from engine.app.headless import no_screen, small_picture_of
    from engine.common.errors import LabError
    from engine.demo.scene_demo import scene_demo

    pictures = {CHART: draw_ladder(scenes, ladder, accuracy)} if ladder else {}
    with no_screen():
        for cell in cells:
            if cell.end is not None:
                try:
                    pictures[f"{file_stem(cell.scene, cell.variant)}.png"] = small_picture_of(scene_demo(cell.end)())
                except LabError:  # what is left cannot be shown: the cell has its reason
                    continue
    return pictures


def draw_ladder(scenes: Sequence[BenchScene], ladder: Sequence[Rung], accuracy: float) -> bytes:
    """Return a PNG: the error over the cost, a panel a scene, a line a method; the same rungs give the same bytes, with one matplotlib.

    Costs are those of the soft step. Where a method does not stand there is no mark.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    shown = [scene for scene in scenes if any(rung.scene == scene.name for rung in ladder)]
    methods = list(dict.fromkeys(rung.solver for rung in ladder))
    columns = min(_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(4.6 * columns, 3.6 * rows + 0.8), dpi=80, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for panel, scene in zip(panels, shown, strict=False):
        for k, method in enumerate(methods):
            points = [
                (rung.cost_ratio, max(rung.error, _LEAST_ERROR))
                for rung in ladder
                if (rung.solver, rung.scene) == (method, scene.name)
                and rung.stands
                and rung.error is not None
                and rung.cost_ratio is not None
            ]
            x, y = zip(*points, strict=True) if points else ((), ())
            color = _COLORS[k % len(_COLORS)]
            panel.plot(x, y, color=color, marker=_MARKS[k % len(_MARKS)], ls="-" if k < len(_COLORS) else "--", ms=5, lw=1.5, label=method)
        panel.axhline(accuracy, color="0.4", lw=1.0, ls=":")
        panel.set(xscale="log", yscale="log", xlabel="cost of a step, soft step = 1", ylabel="error, m")
        panel.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_title(scene.title, fontsize=11)
        panel.grid(alpha=0.3)
    for panel in panels[len(shown) :]:
        panel.set_visible(False)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=6, fontsize=9, frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None}, pil_kwargs={"optimize": True})
    return picture.getvalue()


def solvers_page(
    plan: Plan,
    scenes: Sequence[BenchScene],
    cells: Sequence[Cell],
    needed: Sequence[Need],
    pictures: Mapping[str, bytes],
    is_whole: bool = True,
) -> str:
    """Return the page; `pictures` are the files beside it."""
    cut = "" if is_whole else ' <span class="wrong">Interrupted: this is what was done.</span>'
    body = [
        "<h1>solvers: methods of simulation by scene</h1>",
        f"<p>{len(scenes)} scenes, {len(plan.variants)} methods, {plan.hertz:g} Hz.{cut} What is measured, and how: "
        "<code>docs/solvers.md</code>. Each scene is a file beside this page, for the command <code>run</code>.</p>",
        _summary(plan, cells),
        "<h2>Who stands</h2>",
        _matrix(plan, scenes, cells, pictures),
    ]
    if CHART in pictures:
        body += [
            "<h2>What exactness costs</h2>",
            f'<figure><img src="{CHART}" alt="error over cost, a panel a scene, a line a method">',
            '<figcaption class="caption">Each mark is a number of sub-steps or iterations; down and left is better. No mark: it does not '
            "stand. Dotted: the error that is borne.</figcaption></figure>",
            _needs(needed),
        ]
    body.append("<h2>Measures</h2>")
    for scene in scenes:
        own = [cell for cell in cells if cell.scene == scene.name]
        measures = [(name, words) for name, words in _MEASURES if any(getattr(cell, name) is not None for cell in own)]
        rows = [
            [escape(cell.variant.label), *numbers(_number(getattr(cell, name)) for name, _ in measures), _verdict(cell)] for cell in own
        ]
        heads = ["method", *numbers(words for _, words in measures), "stands"]
        body += [
            f'<h3 id="{scene.name}">{escape(scene.title)}</h3>',
            f'<p class="caption">{escape(scene.standing)}</p>',
            table(heads, rows),
        ]
    return page("solvers: methods of simulation by scene", body)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _verdict(cell: Cell) -> str:
    kind, words = ("right", "yes") if cell.stands else ("wrong" if cell.stands is False else "caption", cell.reason)
    return f'<span class="{kind}">{escape(words)}</span>'


def _summary(plan: Plan, cells: Sequence[Cell]) -> str:
    rows = []
    for variant in plan.variants:
        own = [cell for cell in cells if cell.variant == variant]
        costs = [cell.cost_ratio for cell in own if cell.cost_ratio]
        counts = (sum(cell.stands is one for cell in own) for one in (True, False, None))
        cost = f"{statistics.geometric_mean(costs):.2f}" if costs else ""
        rows.append([escape(variant.label), *numbers([*map(str, counts), cost])])
    return table(["method", *numbers(["stands", "falls", "refuses or is stopped", "cost, geometric mean, soft step = 1"])], rows)


def _matrix(plan: Plan, scenes: Sequence[BenchScene], cells: Sequence[Cell], pictures: Mapping[str, bytes]) -> str:
    at = {(cell.scene, cell.variant): cell for cell in cells}
    rows = []
    for scene in scenes:
        row = [f'<a href="#{scene.name}">{escape(scene.title)}</a><br><a class="caption" href="{scene.name}.json">{scene.name}.json</a>']
        for variant in plan.variants:
            cell = at[scene.name, variant]
            name = f"{file_stem(scene.name, variant)}.png"
            picture = f'<img src="{name}" alt="" loading="lazy" style="width: 10rem; min-width: 0">' if name in pictures else ""
            row.append(picture + _verdict(cell))
        rows.append(row)
    return table(["scene", *(escape(variant.label) for variant in plan.variants)], rows)


def _needs(needed: Sequence[Need]) -> str:
    rows = []
    for one in needed:
        words = "not with any tried" if not one.reached else "as it is" if one.effort is None else f"{one.setting} {one.effort}"
        figures = numbers([f"{one.accuracy:g}", _number(one.error), _number(one.ms_per_step), _number(one.cost_ratio)])
        rows.append([escape(one.scene), escape(one.solver), escape(words), *figures])
    return table(["scene", "method", "needs", *numbers(["for an error of, m", "has, m", "ms a step", "cost, soft step = 1"])], rows)


def tables_as_text(plan: Plan, scenes: Sequence[BenchScene], cells: Sequence[Cell], needed: Sequence[Need]) -> str:
    """Return who stands, with the error in mm, and what each method needs, as tables of Markdown: those of ``docs/solvers.md``."""
    at = {(cell.scene, cell.variant): cell for cell in cells}
    lines = _text_table("scene", plan.variants, [(scene.name, [_words(at[scene.name, one]) for one in plan.variants]) for scene in scenes])
    for words, counted in (("stands", scenes), ("of what can stand", [scene for scene in scenes if scene.can_stand])):
        counts = [sum(at[scene.name, one].stands is True for scene in counted) for one in plan.variants]
        lines.append(_line(f"**{words}, of {len(counted)}**", map(str, counts)))
    costs = [[ratio for scene in scenes if (ratio := at[scene.name, one].cost_ratio)] for one in plan.variants]
    lines.append(_line("cost, soft step = 1", (f"{statistics.geometric_mean(own):.2f}" if own else "" for own in costs)))
    if needed:
        solvers = list(dict.fromkeys(one.solver for one in needed))
        known = {(one.scene, one.solver): one for one in needed}
        rows = [(scene.name, [_need_words(known.get((scene.name, one))) for one in solvers]) for scene in scenes]
        lines += ["", _line("scene", (f"`{one}`" for one in solvers)), "|---" * (len(solvers) + 1) + "|"]
        lines += [_line(f"`{name}`", words) for name, words in rows]
    return "\n".join(lines) + "\n"


def _text_table(first: str, variants: Sequence[Variant], rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    head = [_line(first, (f"`{one.label}`" for one in variants)), "|---" * (len(variants) + 1) + "|"]
    return head + [_line(f"`{name}`", words) for name, words in rows]


def _line(first: str, others: Iterable[str]) -> str:
    return "| " + " | ".join([first, *others]) + " |"


def _words(cell: Cell) -> str:
    """Return what a cell of the table says: yes with the error in mm; when it fell; or the first word of the reason."""
    if cell.stands:
        mm = 1e3 * (cell.error or 0.0)
        return "yes <0.1" if mm < 0.1 else f"yes {mm:.2g}" if mm < 10.0 else f"yes {mm:.0f}"
    if cell.fell_at is not None:
        return f"**{'explodes' if cell.reason.startswith('exploded') else 'no'}** {cell.fell_at:.2g} s"
    if cell.stands is False:
        return "**no**"
    return f"{cell.reason.split(':')[0].split(' after ')[0]} at {cell.seconds:.2g} s" if cell.seconds else "refused"


def _need_words(need: Need | None) -> str:
    if need is None or not need.reached:
        return "-"
    return f"{'as it is' if need.effort is None else need.effort}: {_number(need.cost_ratio)}"
