"""Sweep and prune on one axis, step by step: `engine.broadphase._sweep_kernel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.broadphase import SweepAndPrune
from engine.broadphase._sweep_kernel import AXIS_GAIN, AxisChosen, BoxAdded, BoxInserted, OrderSorted, PairTested, RunFound
from engine.common.words import counted
from engine.contracts.trace import Mark, Question, Role, View
from engine.trace._boxes import Box, PairsAlgorithm, PairsDecoder, how_many, listed, named_boxes
from engine.trace.marks import path
from engine.trace.protocol import PLANE, code
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHMS"]

AXIS = View("axis", "intervals on the axis, in order", x="along the axis, m", y="place in the order")


class _Decoder(PairsDecoder):
    costs = ("swaps", "boxes tested")
    search = "sweep"

    def set_up(self) -> None:
        super().set_up()
        self.order: list[int] = []
        self.active: list[int] = []
        self.axis = 0

    def shown(self, kind: str, roles: Mapping[int, Role]) -> Iterable[Mark]:
        """Return the order on the axis, and the end of the box that is compared with those after it."""
        ends = [(self.boxes[item][self.axis], self.boxes[item][self.axis + 2]) for item in self.order]
        rows = [
            path(roles.get(item, "other"), (low, float(place)), (high, float(place)), view=AXIS.name, text=str(item))
            for place, (item, (low, high)) in enumerate(zip(self.order, ends, strict=True))
        ]
        if kind in ("run", "test"):
            item = next(item for item, role in roles.items() if role == "looked_at")
            end = self.boxes[item][self.axis + 2]
            rows.append(path("bound", (end, 0.0), (end, float(len(self.order) - 1)), view=AXIS.name))
        return rows

    def axis_chosen(self, e: AxisChosen) -> None:
        if e.axis == e.before:
            return
        self.axis = e.axis
        name, wider, less = "xy"[e.axis], max(e.spread) / e.n, min(e.spread) / e.n
        self.show(
            "axis", 1, f"The centers' variance along {name} is {square_meters(wider)}, more than {AXIS_GAIN:.0f} times that "
            f"along {'yx'[e.axis]}, {square_meters(less)}. The sweep now uses {name}, on which fewer intervals overlap.",
            {}, values={"variance": wider, "other variance": less},
        )  # fmt: skip

    def box_added(self, e: BoxAdded) -> None:
        if e.item == 0:
            self.order = [e.item]
            why = "Boxes that overlap do so on both axes, so sorting along one leaves few pairs to test."
            self.show("insertion", 3, f"{why} Box {e.item} is the first to be added.", {e.item: "new"}, values={"place": 0.0, "swaps": 0.0})

    def box_inserted(self, e: BoxInserted) -> None:
        item, place, to, n_swaps = e.item, e.place, e.to, e.place - e.to
        passed = self.order[to:place]
        if place == len(self.order):
            self.order.append(item)
        del self.order[place]
        self.order.insert(to, item)
        self.counts["swaps"] += n_swaps
        words = f"Box {item} begins at {'xy'[self.axis]} = {meters(self.boxes[item][self.axis])}, "
        if passed:
            words += f"before {named_boxes(passed)}, so {counted(n_swaps, 'swap moves', 'swaps move')} it left to place {to}."
        else:
            words += f"not before box {self.order[to - 1]}, so it stays at the end, place {to}."
        self.show(
            "insertion", 4 if passed else 3, words, {**dict.fromkeys(passed, "looked_at"), item: "new"},
            values={"place": float(to), "swaps": float(n_swaps)},
            question=how_many(f"How many boxes does box {item} pass?", place, n_swaps),
        )  # fmt: skip

    def order_sorted(self, e: OrderSorted) -> None:
        self.order = [int(item) for item in e.order]
        words = f"The old order does not apply to this axis, so all boxes are sorted again. The new order is {listed(self.order)}."
        self.show("sorted anew", 2, words, dict.fromkeys(self.order, "looked_at"))

    def run_found(self, e: RunFound) -> None:
        item, self.active = self.order[e.place], self.order[e.place + 1 : e.beyond]
        ends, has_next = f"Box {item} ends at {meters(self.boxes[item][self.axis + 2])}", e.beyond < len(self.order)
        if self.active:
            stop = f"; box {self.order[e.beyond]} begins after that and ends the list" if has_next else ""
            those = "is active because it begins" if len(self.active) == 1 else "are active because they begin"
            words = f"{ends}. {named_boxes(self.active).capitalize()} {those} before that{stop}."
        elif has_next:
            words = f"{ends}, before the next one, box {self.order[e.beyond]}, begins. None is active, so all others are skipped."
        else:
            words = f"Box {item} is the last in the order, so none is active."
        self.show(
            "run", 6, words, {**dict.fromkeys(self.active, "best"), item: "looked_at"},
            question=how_many(f"How many boxes are active for box {item}?", len(self.order) - e.place - 1, len(self.active)),
        )  # fmt: skip

    def pair_tested(self, e: PairTested) -> None:
        item, other, is_met = e
        self.counts["boxes tested"] += 1
        name = "yx"[self.axis]
        spans = [" to ".join(meters(self.boxes[k][1 - self.axis + side]) for side in (0, 2)) for k in (item, other)]
        if is_met:
            self.met(item, other)
        self.show(
            "test", 8 if is_met else 7,
            f"On {name}, boxes {item} and {other} extend from {spans[0]} and from {spans[1]}, so they "
            f"{'overlap and form a pair' if is_met else 'are apart and form no pair'}.",
            {**dict.fromkeys(self.active, "best"), item: "looked_at", other: "new" if is_met else "dropped"},
            question=Question(f"Do boxes {item} and {other} overlap on {name} too?", ("yes", "no"), 0 if is_met else 1),
        )  # fmt: skip

    def spared(self, n: int) -> str:
        return f"; the other {n} do not overlap on {'xy'[self.axis]}" if n > 0 else ""


class SweepAndPruneSteps(PairsAlgorithm):
    """Boxes are added one after the other, as bodies are between frames, and the order is updated after each; then all pairs are
    computed."""

    name = "sweep_and_prune"
    title = "Sweep and prune: which boxes overlap?"
    page = "sweep_and_prune.md#derivation"
    pseudo_code = code("""
        for each new box:
          axis = the one along which the centers' variance is twice as large
          if it has changed: sort all boxes again
          else put the box at the end, and while the one before it
            begins later: swap the two
        for each box, in order:
          active boxes are those after it that begin before it ends
          for each active box:
            if the two overlap on the other axis too: a pair
        sort the pairs
    """)
    views = (PLANE, AXIS)
    beside = ("grid",)
    decoder = _Decoder

    def all_pairs(self, boxes: tuple[Box, ...]) -> Any:
        structure = SweepAndPrune()
        for n in range(1, len(boxes) + 1):
            structure.update(boxes[:n])
            structure.sketch()  # brings the order up to date
        return structure.pairs()


ALGORITHMS = (SweepAndPruneSteps(),)
