"""What a step of the uniform grid claims, from the boxes alone."""

from __future__ import annotations

import re

from tests.unit.trace.claims._trees import meets, near


def check(case, steps):
    boxes = case.boxes
    n = len(boxes)
    assert list(steps[-1].result) == [(i, j) for i in range(n) for j in range(i + 1, n) if meets(boxes[i], boxes[j])]
    start = max((k for k, step in enumerate(steps) if step.kind == "grid"), default=None)
    if start is None:
        assert n < 2
        return
    lattice, tiny = steps[start].values, 4.0 * near(case) + 1e-9 * max(steps[start].values["width"], steps[start].values["height"])
    cell_of, seen, asked = {}, set(), []
    for step in steps[start + 1 :]:
        if step.kind == "put":
            item = int(re.match(r"Box (\d+)", step.sentence)[1])
            cell_of[item] = column, row = int(step.values["column"]), int(step.values["row"])
            assert 0 <= column < lattice["columns"] and 0 <= row < lattice["rows"]
            for at, k, low, size, count in ((0, column, "x", "width", "columns"), (1, row, "y", "height", "rows")):
                if lattice[count] > 1:
                    assert (
                        -tiny <= boxes[item][at] - (lattice[low] + k * lattice[size]) <= lattice[size] + tiny
                    )  # the cell holds the corner
        elif step.kind == "run":
            assert sorted(cell_of) == list(range(n))
            item = int(re.match(r"Box (\d+)", step.sentence)[1])
            row, first, last = (int(step.values[key]) for key in ("row", "first column", "last column"))
            compared = [feature.index for feature in step.looked_at if feature.index != item]
            assert all(cell_of[other][1] == row and first <= cell_of[other][0] <= last for other in compared)
            assert len(compared) == step.values["compared"]
            for other in range(n):  # whoever of these cells overlaps it is found there, and no one twice
                if other != item and cell_of[other][1] == row and meets(boxes[item], boxes[other]):
                    pair = frozenset((item, other))
                    assert other in compared or pair in seen or row == cell_of[item][1]
                    if other in compared:
                        assert pair not in seen
                        seen.add(pair)
            found = {other for other in compared if meets(boxes[item], boxes[other])}
            named = re.search(r"; box(?:es)? ([\d, and]+) overlaps? it\.$", step.sentence)
            assert (set(map(int, re.findall(r"\d+", named[1]))) if named else set()) == found
            asked.append(item)
    assert seen == {frozenset(pair) for pair in steps[-1].result} and set(asked) == set(range(n))
