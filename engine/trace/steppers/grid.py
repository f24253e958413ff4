"""The uniform grid, step by step: `engine.broadphase._grid_kernel`."""

from __future__ import annotations

from engine.broadphase import UniformGrid
from engine.broadphase._grid_kernel import GRID_ASK, GRID_COMPARED, GRID_PAIR, GRID_PUT, GRID_RUN, GRID_START
from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Question, Role, TraceStep
from engine.trace import given
from engine.trace._tree import BOXES, Box, common, listed
from engine.trace.cases import BoxesCase, box_corners
from engine.trace.protocol import Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "GridSteps"]

_MAX_ANSWERS = 10
"""Maximum number of answers to a question, and of pairs in a sentence."""

Pairs = tuple[tuple[int, int], ...]


class GridSteps(Algorithm[BoxesCase]):
    """Boxes in rows and columns; the answer is the pairs that overlap, each with its smaller number first, sorted."""

    title = "Uniform grid: which boxes overlap?"
    page = "broad_phase.md#derivation"
    case_of = staticmethod(given.of_boxes)
    pseudo_code = (
        "rows are 1.5 times as high, columns a quarter as wide as the mean box,",
        "  with at most two cells per box",
        "each box goes into the cell of its lower-left corner",
        "for each box, cell by cell:",
        "  in its own row: the cells after it, up to the column where it ends",
        "  in each row above, up to the row in which it ends:",
        "    from (its left end - the row's widest box) to its right end",
        "  each box in these cells is compared, eight at a time",
        "sort the pairs",
    )
    beside = ("sweep_and_prune", "dynamic_tree")

    @property
    def example(self) -> BoxesCase:
        return BOXES

    def scenery(self, case: BoxesCase) -> tuple[Mark, ...]:
        return case.scenery[:-1]  # no region is asked for

    def query(self, case: BoxesCase) -> Pairs:
        return _answer(case, None)

    def steps(self, case: BoxesCase) -> list[TraceStep]:
        pairs, rows = record_rows(lambda trace: _answer(case, trace))
        search = _Search(case)
        for k, (kind, *numbers) in enumerate(rows):
            if kind == GRID_START:
                search.start(numbers, [row for row in rows[k:] if row[0] == GRID_ASK][: len(case.boxes)])
            elif kind == GRID_PUT:
                search.put(*(int(number) for number in numbers[:3]))
            elif kind == GRID_ASK:
                search.ask(numbers)
            elif kind == GRID_RUN:
                behind = next((at for at in range(k + 1, len(rows)) if rows[at][0] not in (GRID_COMPARED, GRID_PAIR)), len(rows))
                search.run(numbers, [int(row[2]) for row in rows[k:behind] if row[0] == GRID_PAIR])
        search.answer(pairs)
        return search.entries


def _answer(case: BoxesCase, trace: FloatArray | None) -> Pairs:
    structure = UniformGrid()
    structure.trace = trace
    return tuple((i, j) for i, j in structure.pairs(case.boxes).tolist())


class _Search:
    """The grid, and the steps so far."""

    def __init__(self, case: BoxesCase) -> None:
        self.boxes = case.boxes
        self.entries: list[TraceStep] = []
        self.pairs: list[tuple[int, int]] = []
        self.item_at: list[int] = []
        self.cell_of: dict[int, tuple[int, int]] = {}
        self.box, self.own_row, self.beyond = -1, 0, 0
        self.cost = {"cells visited": 0, "boxes tested": 0}
        self.lines: tuple[Mark, ...] = ()

    def start(self, numbers: list[float], asks: list[list[float]]) -> None:
        self.low = numbers[0], numbers[1]
        self.per = numbers[2], numbers[3]
        self.shape = int(numbers[4]), int(numbers[5])
        self.high = max(box[2] for box in self.boxes), max(box[3] for box in self.boxes)
        self.item_at, self.cell_of = [int(row[2]) for row in asks], {}
        columns, rows = self.shape
        x0, y0, x1, y1 = self.cells(0, columns, 0, rows)
        verticals = [self.cells(column, column, 0, 0)[0] for column in range(columns)] + [x1]
        levels = [self.cells(0, 0, row, row)[1] for row in range(rows)] + [y1]
        self.lines = (
            *(Mark("path", "ghost", ((x, y0), (x, y1))) for x in verticals), *(Mark("path", "ghost", ((x0, y), (x1, y))) for y in levels),
        )  # fmt: skip
        size = f"{meters((x1 - x0) / columns)} by {meters((y1 - y0) / rows)}"
        words = f"{counted(columns, 'column')} and {counted(rows, 'row')} cover all the boxes' lower-left corners; each cell is {size}."
        if self.pairs:
            words += f" The buffer was too small for {len(self.pairs)} pairs, so the search runs again with a larger one."
            self.pairs = []
        values = {
            "x": x0,
            "y": y0,
            "width": (x1 - x0) / columns,
            "height": (y1 - y0) / rows,
            "columns": float(columns),
            "rows": float(rows),
        }
        self._add("grid", 0, words, {}, values=values)

    def cells(self, column: int, behind_column: int, row: int, behind_row: int) -> Box:
        """Return the box of some cells; the only column or row spans all boxes."""
        low, high = list[float](), list[float]()
        for axis, (first, behind) in enumerate(((column, behind_column), (row, behind_row))):
            only = self.shape[axis] == 1
            low.append(self.low[axis] if only else self.low[axis] + first / self.per[axis])
            high.append(self.high[axis] if only else self.low[axis] + behind / self.per[axis])
        return low[0], low[1], high[0], high[1]

    def put(self, item: int, column: int, row: int) -> None:
        self.cell_of[item] = column, row
        there = [other for other, cell in self.cell_of.items() if cell == (column, row) and other != item]
        words = f"Box {item} has its lower-left corner in column {column}, row {row}" + (
            f", where {_boxes(there)} already." if there else "."
        )
        cell = self.cells(column, column + 1, row, row + 1)
        question = None
        if 1 < self.shape[1] <= _MAX_ANSWERS:
            question = Question(f"Which row does box {item} go into? The lowest row is 0.", tuple(map(str, range(self.shape[1]))), row)
        corner = self.boxes[item][:2]
        self._add("put", 2, words, {item: "new"}, (Mark("polygon", "looked_at", box_corners(cell)), Mark("point", "new", (corner,))),
                  {"column": float(column), "row": float(row)}, question)  # fmt: skip

    def ask(self, numbers: list[float]) -> None:
        self.box, self.own_row, self.beyond = int(numbers[1]), int(numbers[2]), int(numbers[4])

    def run(self, numbers: list[float], met: list[int]) -> None:
        row, first = int(numbers[0]), int(numbers[1])
        compared = self.item_at[int(numbers[2]) : int(numbers[3])]
        self.cost["cells visited"] += self.beyond - first
        self.cost["boxes tested"] += len(compared)
        self.pairs += [(min(self.box, other), max(self.box, other)) for other in met]
        is_own = row == self.own_row
        if is_own:
            where = f"Box {self.box} searches its own row, {row}, starting at its own cell, column {first}"
        else:
            begun = f"column {first}"
            where = f"Box {self.box} reaches into row {row}, which is searched from its left end minus the widest box's width, {begun}"
        where += f", up to its right end, column {self.beyond - 1}" if self.beyond - 1 > first else ", where it also ends"
        if not compared:
            words = f"{where}. There is no box{' after it' if is_own else ''} to compare it with."
        else:
            overlap = f"{_boxes(met, 'overlap')} it" if met else "none overlaps it"
            words = f"{where}. It is compared with {_named(compared)}; {overlap}."
        roles: dict[int, Role] = {**dict.fromkeys(compared, "dropped"), **dict.fromkeys(met, "new"), self.box: "looked_at"}
        area = self.cells(first, self.beyond, row, row + 1)
        question = None
        if 0 < len(compared) < _MAX_ANSWERS:
            numbers_said = tuple(map(str, range(len(compared) + 1)))
            question = Question(f"How many of {_named(compared)} overlap box {self.box}?", numbers_said, len(met))
        self._add("run", 4 if is_own else 6, words, roles, (Mark("polygon", "bound", box_corners(area)),),
                  {"row": float(row), "first column": float(first), "last column": self.beyond - 1.0, "compared": float(len(compared))},
                  question)  # fmt: skip

    def answer(self, pairs: Pairs) -> None:
        n = len(self.boxes)
        listing = f": {listed((f'{i}-{j}' for i, j in pairs), _MAX_ANSWERS)}" if pairs else ""
        verdict = f"{counted(len(pairs), 'pair')} overlap{'s' * (len(pairs) == 1)}{listing}"
        words = f"{verdict}. The search compared {self.cost['boxes tested']} of {n * (n - 1) // 2} pairs of boxes."
        self._add("answer", 8, words, {k: "result" for pair in pairs for k in pair}, values={"pairs": float(len(pairs))}, result=pairs)

    def _add(
        self, kind: str, line: int, words: str, roles: dict[int, Role], marks: tuple[Mark, ...] = (),
        values: dict[str, float] | None = None, question: Question | None = None, result: object = None,
    ) -> None:  # fmt: skip
        corners = tuple(self.boxes[item][:2] for item in self.cell_of)
        drawn = [*self.lines, *marks, *(Mark("polygon", role, box_corners(self.boxes[item])) for item, role in roles.items())]
        if corners:
            drawn.append(Mark("point", "other", corners))
        drawn += [Mark("polygon", "result", box_corners(common(self.boxes[i], self.boxes[j]))) for i, j in self.pairs]
        self.entries.append(
            TraceStep(
                kind, line, words, tuple(Feature("box", "", item) for item in roles), values=values or {}, marks=tuple(drawn),
                cost={"steps": len(self.entries), **self.cost}, question=question, result=result,
            )
        )  # fmt: skip


def _named(items: list[int]) -> str:
    return f"box{'es' if len(items) > 1 else ''} {listed(items)}"


def _boxes(items: list[int], verb: str = "") -> str:
    """Return boxes with a verb: "box 1 overlaps", "boxes 1 and 2 are"."""
    is_one = len(items) == 1
    return f"{_named(items)} {verb + 's' * is_one if verb else 'is' if is_one else 'are'}"


ALGORITHM = GridSteps()
