"""The uniform grid, step by step: `engine.broadphase._grid_kernel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any

from engine.broadphase import UniformGrid
from engine.broadphase._grid_kernel import BoxAsks, BoxPut, GridLaid, OtherTested, RowSearched
from engine.common.words import counted
from engine.contracts.trace import Mark, Role
from engine.trace._boxes import Box, PairsAlgorithm, PairsDecoder, boxes_that, how_many, named_boxes, overlap_question
from engine.trace.cases import box_corners
from engine.trace.marks import dot, path
from engine.trace.protocol import code
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]


class _Decoder(PairsDecoder):
    costs = ("cells visited", "boxes tested")

    def set_up(self) -> None:
        super().set_up()
        self.cell_of: dict[int, tuple[int, int]] = {}

    def shown(self, kind: str, roles: Mapping[int, Role]) -> Iterable[Mark]:
        """Return the lower-left corners of the boxes in cells."""
        return (dot("other", *(self.boxes[item][:2] for item in self.cell_of)),) if self.cell_of else ()

    def grid_laid(self, e: GridLaid) -> None:
        self.grid, columns, rows = e, e.columns, e.rows
        self.high = max((box[2] for box in self.boxes), default=0.0), max((box[3] for box in self.boxes), default=0.0)
        self.cell_of = {}
        x0, y0, x1, y1 = self.cells(0, columns, 0, rows)
        verticals = [self.cells(column, column, 0, 0)[0] for column in range(columns)] + [x1]
        levels = [self.cells(0, 0, row, row)[1] for row in range(rows)] + [y1]
        self.lines = (
            *(path("ghost", (x, y0), (x, y1)) for x in verticals), *(path("ghost", (x0, y), (x1, y)) for y in levels),
        )  # fmt: skip
        width, height = (x1 - x0) / columns, (y1 - y0) / rows
        size = f"{meters(width)} by {meters(height)}"
        words = f"{counted(columns, 'column')} and {counted(rows, 'row')} cover all the boxes' lower-left corners; each cell is {size}."
        values = {"x": x0, "y": y0, "width": width, "height": height, "columns": float(columns), "rows": float(rows)}
        self.show("grid", 0, words, {}, values=values)

    def cells(self, column: int, behind_column: int, row: int, behind_row: int) -> Box:
        """Return the box of some cells; the only column or row spans all boxes."""
        low, high, grid = list[float](), list[float](), self.grid
        for axis, (first, behind) in enumerate(((column, behind_column), (row, behind_row))):
            only = (grid.columns, grid.rows)[axis] == 1
            low.append(grid.low[axis] if only else grid.low[axis] + first / grid.per[axis])
            high.append(self.high[axis] if only else grid.low[axis] + behind / grid.per[axis])
        return low[0], low[1], high[0], high[1]

    def box_put(self, e: BoxPut) -> None:
        item, column, row = e
        self.cell_of[item] = column, row
        there = [other for other, cell in self.cell_of.items() if cell == (column, row) and other != item]
        already = f", where {boxes_that(there)} already." if there else "."
        cell = self.cells(column, column + 1, row, row + 1)
        self.show(
            "put", 2, f"Box {item} has its lower-left corner in column {column}, row {row}{already}", {item: "new"},
            Mark("polygon", "looked_at", box_corners(cell)), dot("new", self.boxes[item][:2]),
            values={"column": float(column), "row": float(row)},
            question=how_many(f"Which row does box {item} go into? The lowest row is 0.", self.grid.rows - 1, row),
        )  # fmt: skip

    def box_asks(self, e: BoxAsks) -> None:
        self.asked = e

    def other_tested(self, e: OtherTested) -> None:
        """Comparisons are shown with their row."""

    def row_searched(self, e: RowSearched) -> None:
        row, first, item, beyond = e.row, e.column, self.asked.item, self.asked.beyond
        tests = [*takewhile(lambda event: isinstance(event, OtherTested), self.ahead)]
        compared, met = [test.other for test in tests], [test.other for test in tests if test.is_met]
        self.counts["cells visited"] += beyond - first
        self.counts["boxes tested"] += len(compared)
        for other in met:
            self.met(item, other)
        is_own = row == self.asked.row
        if is_own:
            where = f"Box {item} searches its own row, {row}, starting at its own cell, column {first}"
        else:
            start = f"the box's left end minus the widest box's width, column {first}"
            where = f"Box {item} reaches into row {row} and searches it, starting at {start}"
        where += f", up to its right end, column {beyond - 1}" if beyond - 1 > first else ", where it also ends"
        if not compared:
            words = f"{where}. There is no box{' after it' if is_own else ''} to compare it with."
        else:
            overlap = f"{boxes_that(met, 'overlap')} it" if met else "none overlaps it"
            words = f"{where}. It is compared with {named_boxes(compared)}; {overlap}."
        roles: dict[int, Role] = {**dict.fromkeys(compared, "dropped"), **dict.fromkeys(met, "new"), item: "looked_at"}
        self.show(
            "run", 4 if is_own else 6, words, roles, Mark("polygon", "bound", box_corners(self.cells(first, beyond, row, row + 1))),
            values={"row": float(row), "first column": float(first), "last column": beyond - 1.0, "compared": float(len(compared))},
            question=overlap_question(item, compared, met),
        )  # fmt: skip


class GridSteps(PairsAlgorithm):
    """Boxes in rows and columns."""

    name = "grid"
    title = "Uniform grid: which boxes overlap?"
    page = "broad_phase.md#derivation"
    pseudo_code = code("""
        rows are 1.5 times as high, columns a quarter as wide as the mean box,
          with at most two cells per box
        each box goes into the cell of its lower-left corner
        for each box, cell by cell:
          in its own row: the cells after it, up to the column where it ends
          in each row above, up to the row in which it ends:
            from (its left end - the row's widest box) to its right end
          each box in these cells is compared
        sort the pairs
    """)
    beside = ("sweep_and_prune",)
    decoder = _Decoder

    def all_pairs(self, boxes: tuple[Box, ...]) -> Any:
        return UniformGrid().pairs(boxes)


ALGORITHMS = (GridSteps(),)
