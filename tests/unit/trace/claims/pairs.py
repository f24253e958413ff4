"""Checks the claims of pair-finding steps of broad phases from the boxes alone."""

from __future__ import annotations

import re

import numpy as np

from tests.unit.trace.claims.trees import meets, near


def check_grid(case, steps):
    boxes = case.boxes
    n = len(boxes)
    assert list(steps[-1].result) == [(i, j) for i in range(n) for j in range(i + 1, n) if meets(boxes[i], boxes[j])]
    start = max((k for k, step in enumerate(steps) if step.kind == "grid"), default=None)
    if start is None:
        assert n < 2
        return
    lattice, tiny = steps[start].values, 4.0 * near(case) + 1e-9 * max(steps[start].values["width"], steps[start].values["height"])
    cell_of, seen, items = {}, set(), []
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
            met = {other for other in compared if meets(boxes[item], boxes[other])}
            named = re.search(r"; box(?:es)? ([\d, and]+) overlaps? it\.$", step.sentence)
            assert (set(map(int, re.findall(r"\d+", named[1]))) if named else set()) == met
            items.append(item)
    assert seen == {frozenset(pair) for pair in steps[-1].result} and set(items) == set(range(n))


def shown_order(step):
    rows = [mark for mark in step.marks if mark.view == "axis" and mark.text]
    assert [mark.points[0][1] for mark in rows] == list(range(len(rows)))
    return [int(mark.text) for mark in rows], [(mark.points[0][0], mark.points[1][0]) for mark in rows]


def check_sweep_and_prune(case, steps):
    boxes = np.array(case.boxes).reshape(-1, 4)
    n = len(boxes)
    expected = [(i, j) for i in range(n) for j in range(i + 1, n) if meets(boxes[i], boxes[j])]
    assert list(steps[-1].result) == expected
    axis, before, tested, runs = 0, [], [], []
    for step in steps:
        order, spans = shown_order(step)
        if step.kind == "axis":
            axis = 1 - axis
            come = boxes[: len(before) + 1]  # the new one counts
            variance = np.var(come[:, :2] + come[:, 2:], axis=0) / 4.0
            tiny = near(case) * float(np.abs(boxes).max() + np.ptp(boxes))
            assert abs(step.values["variance"] - variance[axis]) <= tiny and abs(step.values["other variance"] - variance[1 - axis]) <= tiny
            assert variance[axis] > 2.0 * variance[1 - axis] - tiny
            continue
        assert spans == [(boxes[k, axis], boxes[k, axis + 2]) for k in order]
        lows = [boxes[k, axis] for k in order]
        assert lows == sorted(lows)  # in order after each insertion
        if step.kind in ("insertion", "sorted anew"):
            assert sorted(order) == list(range(len(before) + 1))
            if step.kind == "insertion":
                new = len(before)
                passed = [k for k in before if boxes[k, axis] > boxes[new, axis]]
                assert step.values["swaps"] == len(passed) and order.index(new) == len(before) - len(passed)
        elif step.kind == "run":
            item, *_ = [k for k in order if f"Box {k} " in step.sentence]
            after = order[order.index(item) + 1 :]
            active = [k for k in after if boxes[k, axis] <= boxes[item, axis + 2]]
            shown = [feature.index for feature in step.looked_at if feature.index != item]
            assert shown == active
            runs.append(item)
            tested += [(item, other) for other in active]
        elif step.kind == "test":
            item, other = map(int, re.match(r"On [xy], boxes (\d+) and (\d+) ", step.sentence).groups())
            assert tested.pop(0) == (item, other)  # each active box is asked, in order
            assert step.sentence.endswith("a pair.") == meets(boxes[item], boxes[other])
        before = order
    assert not tested and runs == before and len(runs) == n
