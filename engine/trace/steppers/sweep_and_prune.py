"""Sweep and prune on one axis, step by step: `engine.broadphase._sweep_kernel`."""

from __future__ import annotations

from engine.broadphase import SweepAndPrune
from engine.broadphase._sweep_kernel import AXIS_GAIN, SWEEP_ANEW, SWEEP_AXIS, SWEEP_INSERT, SWEEP_NEW, SWEEP_RUN, SWEEP_TEST
from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Question, Role, TraceStep, View
from engine.trace import given
from engine.trace._tree import BOXES, common, listed
from engine.trace.cases import BoxesCase, box_corners
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHM", "SweepAndPruneSteps"]

AXIS = View("axis", "intervals on the axis, in order", x="along the axis, m", y="place in the order")

_MAX_ANSWERS = 10
"""Maximum number of answers to a question, and of pairs in a sentence."""

Pairs = tuple[tuple[int, int], ...]


class SweepAndPruneSteps(Algorithm[BoxesCase]):
    """Boxes are added one after the other, as bodies are between frames, and the order is updated after each; then all pairs are
    computed: the answer is the sorted pairs, each with its smaller number first."""

    title = "Sweep and prune: which boxes overlap?"
    page = "sweep_and_prune.md#derivation"
    case_of = staticmethod(given.of_boxes)
    pseudo_code = (
        "for each new box:",
        "  axis = the one along which the centers' variance is twice as large",
        "  if it has changed: sort all boxes again",
        "  else put the box at the end, and while the one before it",
        "    begins later: swap the two",
        "for each box, in order:",
        "  active boxes are those after it that begin before it ends",
        "  for each active box:",
        "    if the two overlap on the other axis too: a pair",
        "sort the pairs",
    )
    views = (PLANE, AXIS)
    beside = ("grid", "dynamic_tree")

    @property
    def example(self) -> BoxesCase:
        return BOXES

    def scenery(self, case: BoxesCase) -> tuple[Mark, ...]:
        return case.scenery[:-1]  # no region is asked for

    def query(self, case: BoxesCase) -> Pairs:
        return _answer(case, None)

    def steps(self, case: BoxesCase) -> list[TraceStep]:
        pairs, rows = record_rows(lambda trace: _answer(case, trace))
        sweep = _Sweep(case)
        for kind, *numbers in rows:
            if kind == SWEEP_AXIS:
                sweep.choose(numbers)
            elif kind == SWEEP_NEW:
                sweep.arrive(int(numbers[0]), int(numbers[1]))
            elif kind == SWEEP_INSERT:
                sweep.insert(int(numbers[0]), int(numbers[1]), int(numbers[2]))
            elif kind == SWEEP_ANEW:
                sweep.place(int(numbers[0]), int(numbers[1]))
            elif kind == SWEEP_RUN:
                sweep.run(int(numbers[0]), int(numbers[4]))
            elif kind == SWEEP_TEST:
                sweep.test(int(numbers[0]), int(numbers[1]), numbers[2] == 1.0)
        sweep.answer(pairs)
        return sweep.entries


def _answer(case: BoxesCase, trace: FloatArray | None) -> Pairs:
    structure = SweepAndPrune()
    structure.trace = trace
    for box in case.boxes:
        structure.insert([box])
        structure.sketch()  # brings the order up to date
    return tuple((i, j) for i, j in structure.pairs().tolist())


class _Sweep:
    """The current order, and the steps so far."""

    def __init__(self, case: BoxesCase) -> None:
        self.boxes = case.boxes
        self.entries: list[TraceStep] = []
        self.order: list[int] = []
        self.pairs: list[tuple[int, int]] = []
        self.active: list[int] = []
        self.axis, self.new = 0, -1
        self.cost = {"swaps": 0, "boxes tested": 0}

    def choose(self, numbers: list[float]) -> None:
        before, axis, n = int(numbers[0]), int(numbers[1]), numbers[4]
        if axis != before:
            self.axis = axis
            wider, less = max(numbers[2:4]) / n, min(numbers[2:4]) / n
            name = "xy"[axis]
            self._add(
                "axis", 1, f"The centers' variance along {name} is {square_meters(wider)}, more than {AXIS_GAIN:.0f} times the "
                f"{square_meters(less)} along {'yx'[axis]}. The sweep now uses {name}, on which fewer intervals overlap.",
                {}, values={"variance": wider, "other variance": less},
            )  # fmt: skip

    def arrive(self, place: int, item: int) -> None:
        self.new = item
        if place == 0:
            self.order = [item]
            self._add(
                "insertion",
                3,
                f"Boxes that overlap do so on both axes, so sorting along one leaves few pairs to test. Box {item} is the first to be "
                "added.",
                {item: "new"},
                {"place": 0.0, "swaps": 0.0},
            )

    def insert(self, item: int, place: int, to: int) -> None:
        passed = self.order[to:place]
        if place == len(self.order):
            self.order.append(item)
        del self.order[place]
        self.order.insert(to, item)
        self.cost["swaps"] += place - to
        begins = f"Box {item} begins at {'xy'[self.axis]} = {meters(self._low(item))}"
        if passed:
            words = f"{begins}, before {_boxes(passed)}, so {counted(place - to, 'swap moves', 'swaps move')} it left to place {to}."
        else:
            words = f"{begins}, not before box {self.order[to - 1]}, so it stays at the end, place {to}."
        question = _how_many(f"How many boxes does box {item} pass?", place, place - to)
        roles: dict[int, Role] = {**dict.fromkeys(passed, "looked_at"), item: "new"}
        self._add("insertion", 4 if passed else 3, words, roles, values={"place": float(to), "swaps": float(place - to)}, question=question)

    def place(self, place: int, item: int) -> None:
        """Append the next box of an order that is sorted again."""
        if place == 0:
            self.order = []
        self.order.append(item)
        if len(self.order) == self.new + 1:
            self._add("sorted anew", 2, "The old order does not apply to this axis, so all boxes are sorted again. The new order is "
            f"{listed(self.order)}.",
                      dict.fromkeys(self.order, "looked_at"))  # fmt: skip

    def run(self, place: int, beyond: int) -> None:
        item, self.active = self.order[place], self.order[place + 1 : beyond]
        end = meters(self.boxes[item][self.axis + 2])
        if self.active:
            stop = f"; box {self.order[beyond]} begins after that and ends the list" if beyond < len(self.order) else ""
            those = "is {}, which begins" if len(self.active) == 1 else "are {}, which begin"
            words = f"Box {item} ends at {end}. Active {those.format(_boxes(self.active))} before that{stop}."
        elif beyond < len(self.order):
            words = (
                f"Box {item} ends at {end}, before the next one, box {self.order[beyond]}, begins. None is active, so all others are "
                "skipped."
            )
        else:
            words = f"Box {item} is the last in the order, so none is active."
        question = _how_many(f"How many boxes are active for box {item}?", len(self.order) - place - 1, len(self.active))
        self._add("run", 6, words, {**dict.fromkeys(self.active, "best"), item: "looked_at"}, question=question)

    def test(self, item: int, other: int, is_met: bool) -> None:
        self.cost["boxes tested"] += 1
        name = "yx"[self.axis]
        low, high, other_low, other_high = (self.boxes[k][1 - self.axis + 2 * side] for k in (item, other) for side in range(2))
        spans = f"{meters(low)} to {meters(high)} and from {meters(other_low)} to {meters(other_high)}"
        if is_met:
            self.pairs.append((min(item, other), max(item, other)))
        verdict = "overlap and form a pair" if is_met else "are apart and form no pair"
        words = f"On {name}, boxes {item} and {other} extend from {spans}, so they {verdict}."
        roles: dict[int, Role] = {**dict.fromkeys(self.active, "best"), item: "looked_at", other: "new" if is_met else "dropped"}
        question = Question(f"Do boxes {item} and {other} overlap on {name} too?", ("yes", "no"), 0 if is_met else 1)
        self._add("test", 8 if is_met else 7, words, roles, question=question)

    def answer(self, pairs: Pairs) -> None:
        n = len(self.boxes)
        listing = f": {listed((f'{i}-{j}' for i, j in pairs), _MAX_ANSWERS)}" if pairs else ""
        verdict = f"{counted(len(pairs), 'pair')} overlap{'s' * (len(pairs) == 1)}{listing}"
        n_tested, of_all = int(self.cost["boxes tested"]), n * (n - 1) // 2
        spared = f"; the other {of_all - n_tested} do not overlap on {'xy'[self.axis]}" if n_tested < of_all else ""
        words = f"{verdict}. The sweep compared {n_tested} of {of_all} pairs of boxes{spared}."
        self._add("answer", 9, words, {k: "result" for pair in pairs for k in pair}, values={"pairs": float(len(pairs))}, result=pairs)

    def _low(self, item: int) -> float:
        return self.boxes[item][self.axis]

    def _add(
        self, kind: str, line: int, words: str, roles: dict[int, Role], values: dict[str, float] | None = None,
        question: Question | None = None, result: object = None,
    ) -> None:  # fmt: skip
        marks = [Mark("polygon", role, box_corners(self.boxes[item])) for item, role in roles.items()]
        for place, item in enumerate(self.order):
            low, high = self._low(item), self.boxes[item][self.axis + 2]
            marks.append(Mark("path", roles.get(item, "other"), ((low, float(place)), (high, float(place))), AXIS.name, str(item)))
        if kind in ("run", "test"):
            item = next(item for item, role in roles.items() if role == "looked_at")
            end = self.boxes[item][self.axis + 2]
            marks.append(Mark("path", "bound", ((end, 0.0), (end, float(len(self.order) - 1))), AXIS.name))
        marks += [Mark("polygon", "result", box_corners(common(self.boxes[i], self.boxes[j]))) for i, j in self.pairs]
        self.entries.append(
            TraceStep(
                kind, line, words, tuple(Feature("box", "", item) for item in roles), values=values or {}, marks=tuple(marks),
                cost={"steps": len(self.entries), **self.cost}, question=question, result=result,
            )
        )  # fmt: skip


def _how_many(prompt: str, most: int, right: int) -> Question | None:
    return Question(prompt, tuple(map(str, range(most + 1))), right) if 1 <= most < _MAX_ANSWERS else None


def _boxes(items: list[int]) -> str:
    return f"box{'es' if len(items) > 1 else ''} {listed(items)}"


ALGORITHM = SweepAndPruneSteps()
