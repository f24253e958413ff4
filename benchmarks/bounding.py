"""Measure each bounding volume: area, false hits, nanoseconds to test and to update.

The records are those of the figure. ``python -m benchmarks.bounding TABLE.md PICTURE.png`` measures every outline of the scene, and areas
and false hits of the outlines in tests/outlines, and writes both; it also says what walking round the hull saves a k-DOP.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._trade_off import ALL_VOLUMES, TradeOff, neighbors, trade_offs
from benchmarks.measuring import Record, record, seconds_in_turn
from demos._bounding_outlines import OUTLINES, outline_named
from engine.bounding._kdop_kernel import posed_kdops
from engine.bounding.batch import VolumeBatch
from engine.bounding.cloud import cloud_of
from engine.bounding.kdop import kdop_axes
from engine.bounding.kinds import Volume, volume_name
from engine.bounding.outlines import outlines_meeting
from engine.geometry._rotation_kernel import turn_poses

__all__ = ["Cost", "measured", "run"]

AMOUNT = 2_000
"""Pairs in a call."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of each round, for a call of `AMOUNT` tests and one of twice as many updates."""

    test: list[float]
    update: list[float]

    @property
    def test_ns(self) -> float:
        """Nanoseconds a test."""
        return 1e9 * statistics.median(self.test) / AMOUNT

    @property
    def update_ns(self) -> float:
        """Nanoseconds an update of one body, its cosine and sine known."""
        return 1e9 * statistics.median(self.update) / (2 * AMOUNT)


def run(quick: bool = False) -> list[Record]:
    """Time tests and updates of every volume around the figure; the notes say how tight each is."""
    rounds = 3 if quick else 21
    trades, costs, _ = measured(outline_named("figure"), ALL_VOLUMES, rounds, 2_000 if quick else 20_000)
    records = []
    for trade in trades:
        name, cost = volume_name(trade.volume), costs[trade.volume]
        note = f"{trade.area_ratio:.2f} times the area, {trade.false_rate:.1%} false"
        records.append(record(f"bounding test, {name}", "tests/s", cost.test, note=note, amount=AMOUNT))
        records.append(record(f"bounding update, {name}", "bodies/s", cost.update, note="116 corners, 24 on the hull", amount=2 * AMOUNT))
    return records


def measured(
    rings: Sequence[np.ndarray], volumes: Sequence[Volume], rounds: int, n_pairs: int
) -> tuple[tuple[TradeOff, ...], dict[Volume, Cost], float]:
    """Return the trade-offs of volumes, what each costs, and nanoseconds of asking the outlines themselves."""
    cloud = cloud_of(np.concatenate(list(rings)))
    poses = neighbors(cloud, AMOUNT)
    turned = np.empty((2 * AMOUNT, 4))
    turn_poses(poses, turned)
    which, pairs = np.zeros(2 * AMOUNT, dtype=np.int64), np.column_stack((np.arange(AMOUNT), np.arange(AMOUNT, 2 * AMOUNT)))
    calls, batches = {}, {volume: VolumeBatch(volume[0], [cloud], volume[1] or 4) for volume in volumes}
    for volume, batch in batches.items():
        rows = batch.update(which, poses)
        calls["test", volume] = lambda batch=batch, rows=rows: _done(batch.overlap_checked(rows, pairs))
        calls["update", volume] = lambda batch=batch, rows=rows: _done(batch.update_turned(which, turned, rows))
    calls["truth", volumes[0]] = lambda: _done(outlines_meeting(rings, poses))
    times = seconds_in_turn(calls, rounds)
    costs = {volume: Cost(times["test", volume], times["update", volume]) for volume in volumes}
    return trade_offs(rings, volumes, n_pairs), costs, 1e9 * statistics.median(times["truth", volumes[0]]) / AMOUNT


def _done(_answers: object) -> None:
    return None


def tables(results: dict[str, tuple[tuple[TradeOff, ...], dict[Volume, Cost], float]]) -> str:
    """Return four tables in Markdown: a row for each volume, a column for each outline."""
    heads = "| volume | " + " | ".join(results) + " |\n|---|" + "--:|" * len(results) + "\n"
    parts = []
    for title, cell in (
        ("Area over the outline's", lambda trade, cost: f"{trade.area_ratio:.2f}"),
        ("False hits, share of the pairs that are apart", lambda trade, cost: f"{trade.false_rate:.1%}".replace("%", " %")),
        ("False hits per true hit", lambda trade, cost: f"{trade.false_per_hit:.2f}"),
        ("Nanoseconds per test", lambda trade, cost: f"{cost.test_ns:.1f}"),
        ("Nanoseconds per update", lambda trade, cost: f"{cost.update_ns:.1f}"),
    ):
        text = f"**{title}**\n\n{heads}"
        for at, volume in enumerate(ALL_VOLUMES):
            cells = [cell(trades[at], costs[volume]) for trades, costs, _ in results.values()]
            text += f"| {volume_name(volume)} | " + " | ".join(cells) + " |\n"
        if title == "Nanoseconds per test":
            text += "| *the outlines themselves* | " + " | ".join(f"{truth:.0f}" for _, _, truth in results.values()) + " |\n"
        parts.append(text)
    return "\n".join(parts)


def cheapest(results: dict[str, tuple[tuple[TradeOff, ...], dict[Volume, Cost], float]]) -> str:
    """Return a table in Markdown: which volume makes the whole cheapest, for what a narrow test costs and how many neighbors a body has.

    For a pair: its test, the updates of its two bodies, each shared by its pairs, and for every yes, true or false, a narrow test.
    """
    text = (
        "**The cheapest volume overall**\n\n| cost of a narrow-phase test | pairs per body | "
        + " | ".join(results)
        + " |\n|--:|--:|"
        + "---|" * len(results)
        + "\n"
    )
    for narrow in (100.0, 300.0, 1000.0, 10_000.0):
        for pairs in (1, 10):
            cells = []
            for trades, costs, _ in results.values():
                total = {}
                for trade in trades:
                    yes = trade.false_rate * (1.0 - trade.n_hits / trade.n_pairs) + trade.n_hits / trade.n_pairs
                    cost = costs[trade.volume]
                    total[trade.volume] = cost.test_ns + 2.0 * cost.update_ns / pairs + yes * narrow
                cells.append(volume_name(min(total, key=lambda volume: total[volume])).partition(",")[0])
            text += f"| {narrow:,.0f} ns | {pairs} | " + " | ".join(cells) + " |\n"
    return text


def walks() -> str:
    """Return a table in Markdown: nanoseconds of a k-DOP's update by a walk round the hull, and by projecting every corner."""
    text = "**Walking around the hull / projecting all corners: ns per update**\n\n"
    text += "| corners of the hull | k = 8 | k = 16 | k = 32 |\n|---|--:|--:|--:|\n"
    which, poses = np.zeros(AMOUNT, dtype=np.int64), np.empty((AMOUNT, 4))
    turn_poses(neighbors(outline_named("disc")[0], AMOUNT // 2), poses)
    for corners in (4, 8, 16, 32, 64, 128):
        turn = 2.0 * np.pi * np.arange(corners) / corners
        ring = np.column_stack((np.cos(turn), np.sin(turn)))
        cells = []
        for k in (8, 16, 32):
            packed = (np.zeros(1, dtype=np.int64), np.array([corners]), ring, np.zeros((1, 3)), kdop_axes(k).copy(), which, poses)
            rows = np.empty((AMOUNT, k))
            calls = {
                name: lambda packed=packed, rows=rows, walk_from=walk_from: posed_kdops(*packed, rows, walk_from)
                for name, walk_from in (("walk", 0), ("all", 10**9))
            }
            times = seconds_in_turn(calls, 15)
            cells.append(" / ".join(f"{1e9 * statistics.median(times[name]) / AMOUNT:.0f}" for name in ("walk", "all")))
        text += f"| {corners} | " + " | ".join(cells) + " |\n"
    return text


def over_the_set(n_pairs: int) -> str:
    """Return a table in Markdown over the outlines of tests/outlines that can be decomposed."""
    from tests.outlines import KEPT, outline_of

    results = [trade_offs(list(outline_of(name).rings()), ALL_VOLUMES, n_pairs) for name in KEPT]
    assert all(trade.missed == 0 for trades in results for trade in trades)
    rates = np.array([[trade.false_rate for trade in trades] for trades in results])
    areas = np.array([[trade.area_ratio for trade in trades] for trades in results])
    text = f"**{len(results)} outlines, {n_pairs:,} pairs each**\n\n"
    text += "| volume | area, median | 10 % to 90 % | false hits, median | 10 % to 90 % |\n"
    text += "|---|--:|--:|--:|--:|\n"
    for at, volume in enumerate(ALL_VOLUMES):
        area, rate = (np.quantile(values[:, at], (0.5, 0.1, 0.9)) for values in (areas, rates))
        shares = [f"{100.0 * value:.1f}" for value in rate]
        text += (
            f"| {volume_name(volume)} | {area[0]:.2f} | {area[1]:.2f} to {area[2]:.2f} | {shares[0]} % | {shares[1]} to {shares[2]} % |\n"
        )
    cheap = [ALL_VOLUMES.index((kind, 0)) for kind in ("smallest_circle", "box", "oriented_box")]
    best = np.argmin(rates[:, cheap], axis=1)
    names = ", ".join(f"{volume_name(ALL_VOLUMES[at])} {np.mean(best == k):.0%}" for k, at in enumerate(cheap)).replace("%", " %")
    areas_agree = np.mean(np.argmin(areas[:, cheap], axis=1) == best)
    return text + (
        f"\nShare of the outlines on which each of three volumes has the fewest false hits: {names}. "
        f"It is also the smallest on {areas_agree:.0%}.\n"
    )


def draw(results: dict[str, tuple[tuple[TradeOff, ...], dict[Volume, Cost], float]], path: str) -> None:
    """Plot, for each outline, false hits over what a test and an update cost."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, 5, figsize=(13, 6), layout="constrained", sharex=True, sharey=True)
    for axes, (name, (trades, costs, _)) in zip(grid.ravel(), results.items(), strict=True):
        for at, trade in enumerate(trades):
            cost = costs[trade.volume].test_ns + costs[trade.volume].update_ns
            marker, color = MARKS[at]
            axes.semilogx(cost, 100.0 * trade.false_rate, marker, color=color, ms=7, mec="black", mew=0.5, label=volume_name(trade.volume))
        axes.set_title(name, fontsize=11)
        axes.grid(alpha=0.3)
    for axes in grid[:, 0]:
        axes.set_ylabel("false hits, % of pairs apart")
    for axes in grid[1]:
        axes.set_xlabel("ns, one test and one update")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=9)
    figure.savefig(path, dpi=100)


MARKS = (
    ("o", "#56B4E9"), ("o", "#0072B2"), ("s", "#F0E442"), ("s", "#E69F00"), ("D", "#D55E00"), ("P", "#CC79A7"),
    ("v", "#8FD6BF"), ("^", "#8FD6BF"), ("v", "#009E73"), ("^", "#009E73"), ("^", "#004D38"), ("*", "#000000"),
)  # fmt: skip
"""Marker and color of each volume, in order; Okabe and Ito's colors, and the form differs as well."""


def main(table: str, picture: str) -> None:
    """Measure all outlines, write the tables and draw the picture."""
    results = {name: measured(outline_named(name), ALL_VOLUMES, 15, 20_000) for name in OUTLINES}
    Path(table).write_text("\n".join((tables(results), cheapest(results), walks(), over_the_set(4_000))), encoding="utf-8")
    draw(results, picture)


if __name__ == "__main__":
    main(*sys.argv[1:3])
