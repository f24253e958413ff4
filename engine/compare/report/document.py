"""The report of a run of `compare`: one HTML file that needs nothing else.

But for the rates it depends on what was asked for alone, not on the machine or on how many processes shared the work.
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import PurePath

from engine.box2d import BOX2D_VERSION
from engine.common.installation import program
from engine.compare.bulk.comparison import Tally
from engine.compare.bulk.tally import EDGES, KindTally, QueryTally, Sketch, Wrong
from engine.compare.pair.file import ANSWERED_BY, pair_as_json
from engine.compare.report.exhibits import Exhibit, Run
from engine.compare.report.page import Cell, folded, metres, numbers, page, preformatted, table
from engine.contracts.agreement import REASONS

__all__ = ["histogram_svg", "html_report"]


# --- Histograms as SVG: sizes to the right, a decade apart, numbers of pairs upwards, both logarithmic


_WIDTH, _HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 10, 30
_PER_DECADE = 3
_MOST_LABELS = 5


def histogram_svg(counts: Counter[int], title: str, unit: str = "m", color: str = "link") -> str:
    """Return the drawing; `unit` is m or empty, `color` one of the page's."""
    bins = sorted(counts)
    if not bins:
        return ""
    # whole decades; what lies below the first edge is drawn one bin to its left
    first = max(0, (bins[0] - 1) // _PER_DECADE) * _PER_DECADE + 1 if bins[0] > 0 else 0
    last = max(min(len(EDGES), -(-bins[-1] // _PER_DECADE) * _PER_DECADE), first + _PER_DECADE - 1)
    step = (_WIDTH - _LEFT - _RIGHT) / (last - first + 1)
    most = max(1, math.ceil(math.log10(max(counts.values()) * 1.0001)))
    per_decade = (_HEIGHT - _TOP - _BOTTOM) / (most + 0.3)
    floor = _HEIGHT - _BOTTOM
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" font-size="12">']
    parts.append(f"<title>{escape(title)}</title>")
    for decade in range(most + 1):
        y = floor - per_decade * (decade + 0.3)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="var(--soft)">{_count(10**decade)}</text>')
    for at in bins:
        n = counts[at]
        height = per_decade * (math.log10(n) + 0.3)
        low, high = EDGES[at - 1] if at > 0 else 0.0, EDGES[at] if at < len(EDGES) else math.inf
        told = f"{_size(low, unit)} to {_size(high, unit)}: {n:,}"
        x = _LEFT + step * (at - first)
        parts.append(
            f'<rect x="{x + 0.5:.1f}" y="{floor - height:.1f}" width="{max(step - 1.0, 0.5):.1f}" height="{height:.1f}" '
            f'fill="var(--{color})"><title>{escape(told)}</title></rect>'
        )
    parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{floor}" y2="{floor}" stroke="var(--soft)"/>')
    decades = [at for at in range(max(first, 1), last + 2) if at <= len(EDGES) and (at - 1) % _PER_DECADE == 0]
    every = -(-len(decades) // _MOST_LABELS)
    for at in decades:
        x = _LEFT + step * (at - first)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{floor}" y2="{floor + 4}" stroke="var(--soft)"/>')
    for at in decades[:: max(1, every)]:
        x = _LEFT + step * (at - first)
        anchor = "end" if x > _WIDTH - _RIGHT - 16 else "middle"
        parts.append(f'<text x="{x:.1f}" y="{floor + 18}" text-anchor="{anchor}" fill="var(--soft)">{_size(EDGES[at - 1], unit)}</text>')
    return "".join([*parts, "</svg>"])


def _size(value: float, unit: str) -> str:
    if math.isinf(value):
        return "more"
    return metres(value) if unit == "m" else f"{value:g}"


def _count(n: int) -> str:
    return f"{n:,}" if n < 10_000 else f"{n // 1000:,}k" if n < 1_000_000 else f"{n // 1_000_000:,}M"


# --- The page


_ERRORS = {
    "point_error": ("Error of a point, of the pairs that agree", "m"),
    "normal_error": ("Error of a component of the normal, of those that agree", ""),
    "fraction_error": ("Difference of the times of touch, of those that agree", ""),
}
_ERRORS_OF = {
    ("distance", "point_error"): "Difference of the distances that agree",
    ("aabb", "point_error"): "Difference of a box's side, of those that agree",
}

_SIZES = {
    "float32_tie": "margin of the tie",
    "face_preference": "excess depth of Box2D's axis",
    "local_maximum": "excess depth of Box2D's axis",
    "skin": "how much smaller the gap looks along Box2D's axis",
    "toi_missed": "missed depth",
    "graze": "gap of the cores",
    "starts_inside": "depth of the start",
    "short_ray": "length of the ray",
    "local_normal": "difference of the place of the hit",
    "cancellation": "error of Box2D's centroid, or width of what it refuses",
    "too_small": "width or shortest edge",
    "endless": "how far a point lay beyond its line",
    "fat_box": "gap of the tight boxes",
    "unexplained": "difference",
}
"""What the size of a difference is, by its reason; one that has none is left out."""

_COLORS = {"unexplained": "wrong"}


def html_report(total: Tally, run: Run, found: Sequence[Exhibit], folder: str, is_whole: bool = True) -> str:
    """Return the report as the text of an HTML file.

    `folder` is where the pairs are saved, as the user named it: it stands in the commands that open them.
    """
    done = max((tally.pairs for tally in total.queries.values()), default=0)
    verdict = (
        f'<span class="wrong">{total.unexplained_total:,} differences unexplained.</span>'
        if total.unexplained_total
        else '<span class="right">Every difference is explained by a proof.</span>'
    )
    cut = "" if is_whole else f' <span class="wrong">Interrupted: only {done:,} of {run.pairs:,} pairs were compared.</span>'
    body = [
        "<h1>compare: our answers against Box2D's</h1>",
        f"<p>{done:,} pairs for each query, seed {run.seed}, Box2D {escape(BOX2D_VERSION)}. {verdict}{cut} What the reasons mean, and how "
        "they are proved: <code>docs/referee.md</code>.</p>",
        preformatted(run.command()),
        _summary(total),
        _how_wrong(total),
        '<p class="caption">In the drawings A is <b class="a">blue</b> and B <b class="b">purple</b>; our answer is <span class="ours">'
        '<span class="key full"></span>green: dots, solid lines</span>, Box2D\'s <span class="box2d"><span class="key"></span>orange: '
        "rings, dashed lines</span>. The dashed outline of a contact is B moved by the depth along the normal, where it should just touch "
        "A; of a motion the shapes are drawn as they start, faintly on their way, and in colour at each one's time of touch. "
        "The wide faint line around a polygon is Box2D's skin. Random pairs are those that belong to no adversarial family: of ordinary "
        "size and place. Commands are to be called in the project's folder.</p>",
    ]
    for query, tally in total.queries.items():
        body += _query(query, tally, [one for one in found if one.query == query], folder)
    return page("compare: our answers against Box2D's", body)


def _summary(total: Tally) -> str:
    heads = ("pairs", "touching", "agree", "explained", "unexplained", "largest error", "ours", "Box2D")
    rows = []
    for query, tally in total.queries.items():
        counts = numbers(f"{count:,}" for count in (tally.pairs, tally.touching, tally.agree, tally.explained.total()))
        unexplained = numbers([f"{tally.unexplained:,}"], "number wrong" if tally.unexplained else "number right")
        rates = [f"{tally.per_second(part):,.0f}" for part in ("ours", "box2d")]
        rows.append([f'<a href="#{query}">{query}</a>', *counts, *unexplained, *numbers([metres(tally.max_point_error), *rates])])
    rates_told = '<p class="caption">Rates: pairs a second of one process, on the machine of this run.</p>'
    return table(["query", *numbers(heads)], rows) + rates_told


def _how_wrong(total: Tally) -> str:
    """Return how often and how badly Box2D is wrong, not merely different."""
    parts = []
    words = {
        "wrong_axis_share": ("Of the touching pairs, Box2D's axis is not the one of least depth", "mean excess depth", "largest"),
        "missed_share": ("Of the touches within a step, b2TimeOfImpact passes over", "mean missed depth", "largest"),
    }
    for tally in total.queries.values():
        if tally.wrong is None or not tally.touching:
            continue
        title, mean, largest = words[tally.wrong.share]
        rows = [[escape(name), *_wrong_cells(tally.wrong, kind)] for name, kind in tally.shown_kinds]
        rows.append(["<b>all</b>", *_wrong_cells(tally.wrong, tally)])
        parts += [f"<p>{title}:</p>", table(["kind of pairs", *numbers(("touching", "wrong", "share", mean, largest))], rows)]
    return "\n".join(["<h2>How often, and how badly, Box2D is wrong</h2>", *parts]) if parts else ""


def _wrong_cells(wrong: Wrong, kind: KindTally) -> list[Cell]:
    sizes = wrong.sizes(kind)
    share = sizes.count / max(1, kind.touching)
    return numbers([f"{kind.touching:,}", f"{sizes.count:,}", f"{share:.2%}", metres(sizes.mean), metres(sizes.largest)])


def _query(query: str, tally: QueryTally, found: Sequence[Exhibit], folder: str) -> list[str]:
    explained = sorted(tally.explained.items(), key=lambda item: (-item[1], item[0]))
    parts = [f'<h2 id="{query}">{query}</h2>', _kinds(tally, [reason for reason, _ in explained]), _charts(query, tally)]
    if tally.unexplained:
        shown = [one for one in found if one.example.reason == "unexplained"]
        parts.append(f'<h3 id="{query}-unexplained" class="wrong">unexplained: {tally.unexplained:,}</h3>')
        parts.append(f"<p>{escape(REASONS['unexplained'].sentence)}{_not_all(tally.unexplained, len(shown))}</p>")
        parts += [_shown(one, folder) for one in shown]
    for reason, count in explained:
        meaning = REASONS[reason]
        parts.append(f'<h3 id="{query}-{reason}">{escape(meaning.name)}: {count:,}</h3><p>{escape(meaning.sentence)}</p>')
        parts += [_shown(one, folder) for one in found if one.example.reason == reason]
    if not explained and not tally.unexplained:
        parts.append("<p>No difference.</p>")
    return parts


def _not_all(count: int, shown: int) -> str:
    return f" The first {shown:,} of them:" if shown < count else ""


def _kinds(tally: QueryTally, reasons: Sequence[str]) -> str:
    heads = ["pairs", "touching", "agree", *(REASONS[reason].name for reason in reasons), "unexplained"]
    rows = []
    for name, kind in tally.shown_kinds:
        explained = kind.explained
        counts = (kind.pairs, kind.touching, kind.agree, *(explained[reason] for reason in reasons), kind.unexplained)
        rows.append([escape(name), *numbers(f"{count:,}" if count else "-" for count in counts)])
    return table(["kind", *numbers(heads)], rows)


def _charts(query: str, tally: QueryTally) -> str:
    figures = []
    order = [*_ERRORS, "unexplained", *sorted(tally.explained, key=lambda reason: (-tally.explained[reason], reason))]
    for name in order:
        if name not in tally.histograms or not tally.histograms[name]:
            continue
        if name in _ERRORS:
            title, unit = _ERRORS[name]
            title, color = _ERRORS_OF.get((query, name), title), "link"
        elif name in _SIZES:
            title, unit, color = f"{REASONS[name].name}: {_SIZES[name]}", "m", _COLORS.get(name, "box2d")
        else:
            continue
        drawing = histogram_svg(tally.histograms[name], title, unit, color)
        figures.append(f"<figure>{drawing}<figcaption>{escape(title)}</figcaption></figure>")
    return f'<div class="charts">{"".join(figures)}</div>' if figures else ""


def _shown(one: Exhibit, folder: str) -> str:
    example = one.example
    size = f", {_SIZES[example.reason]} {metres(example.size)}" if example.reason in _SIZES else ""
    parts = [f'<h4 id="{one.name}">{escape(one.role[:1].upper() + one.role[1:])}: {escape(example.kind)}{escape(size)}</h4>']
    words = [_answers(one)]
    if one.remark:
        words.append(f"<p>{escape(one.remark)}</p>")
    evidence = one.answers.evidence if one.shrunk is not None and one.answers is not None else example.evidence
    word = "What was seen" if example.reason == "unexplained" else "The proof"
    words.append(f"<p>{word}: {escape(evidence)}.</p>")
    commands = [one.command]
    if one.pair is not None:
        file = str(PurePath(folder) / f"{one.name}.json")
        commands.append(shlex.join([*program().split(), "run", "--pair", file]))
        if one.pair.query in ANSWERED_BY:
            commands.append(shlex.join([*program().split(), "step", ANSWERED_BY[one.pair.query], "--pair", file]))
    words.append(preformatted("\n".join(commands)))
    if one.pair is not None:
        words.append(folded("the pair as JSON", pair_as_json(one.pair)))
    where = f"Chunk {example.chunk}, row {example.row} of the sequence"
    if one.shrunk is not None:
        where += f"; there: {example.evidence}"
    words.append(f'<p class="caption">{escape(where)}.</p>')
    views = "".join(f"<div>{drawing}</div>" for drawing in one.drawings)
    drawn = f'<div class="views">{views}</div>' if views else ""
    parts.append(f'<figure class="shown">{drawn}<figcaption>{"".join(words)}</figcaption></figure>')
    return "\n".join(parts)


def _answers(one: Exhibit) -> str:
    shown = one.example.shown
    if one.answers is not None:
        box2d = one.answers.box2d.words if one.answers.box2d is not None else "not asked"
        both: Iterable[tuple[str, str]] = (("ours", one.answers.ours.words), ("box2d", box2d))
    elif isinstance(shown, Sketch):
        both = (("ours", shown.our_words), ("box2d", shown.box2d_words))
    else:
        both = ()
    names = {"ours": '<span class="key full"></span>Ours', "box2d": '<span class="key"></span>Box2D'}
    return "".join(f'<p class="answer"><b class="{who}">{names[who]}</b>: {escape(words)}</p>' for who, words in both)
