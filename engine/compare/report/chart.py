"""A histogram as an SVG drawing: sizes to the right, a decade apart, numbers of pairs upwards, both logarithmic."""

from __future__ import annotations

import math
from html import escape

from engine.compare.bulk.tally import EDGES, Histogram
from engine.compare.report.page import metres

__all__ = ["histogram_svg"]

_WIDTH, _HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 10, 30
_PER_DECADE = 3
_MOST_LABELS = 5


def histogram_svg(histogram: Histogram, title: str, unit: str = "m", color: str = "link") -> str:
    """Return the drawing; `unit` is m or empty, `color` one of the page's."""
    bins = sorted(histogram.counts)
    if not bins:
        return ""
    # whole decades; what lies below the first edge is drawn one bin to its left
    first = max(0, (bins[0] - 1) // _PER_DECADE) * _PER_DECADE + 1 if bins[0] > 0 else 0
    last = max(min(len(EDGES), -(-bins[-1] // _PER_DECADE) * _PER_DECADE), first + _PER_DECADE - 1)
    step = (_WIDTH - _LEFT - _RIGHT) / (last - first + 1)
    most = max(1, math.ceil(math.log10(max(histogram.counts.values()) * 1.0001)))
    per_decade = (_HEIGHT - _TOP - _BOTTOM) / (most + 0.3)
    floor = _HEIGHT - _BOTTOM
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" font-size="12">']
    parts.append(f"<title>{escape(title)}</title>")
    for decade in range(most + 1):
        y = floor - per_decade * (decade + 0.3)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="var(--soft)">{_count(10**decade)}</text>')
    for at in bins:
        n = histogram.counts[at]
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
