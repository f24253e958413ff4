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


def quarter_of(box, x, y):
    """Return the quarter (right?, upper?) that holds a box of a cell divided at (x, y), or None if the box crosses a dividing line."""
    right = False if box[2] < x else True if box[0] >= x else None
    upper = False if box[3] < y else True if box[1] >= y else None
    return None if right is None or upper is None else (right, upper)


def check_quadtree(case, steps):
    boxes, n = case.boxes, len(case.boxes)
    assert list(steps[-1].result) == [(i, j) for i in range(n) for j in range(i + 1, n) if meets(boxes[i], boxes[j])]
    waiting, contents, own_cell = [list(range(n))], {}, {}
    seen, every_item = [], []
    for step in steps[:-1]:
        about = [feature.index for feature in step.looked_at]
        if step.kind in ("split", "leaf"):
            node, items = len(contents), waiting[-1]
            assert step.sentence.startswith(f"Cell {node} ") and sorted(about) == sorted(items)
        if step.kind == "split":
            quarters = [quarter_of(boxes[item], step.values["x"], step.values["y"]) for item in items]
            assert step.values["stay"] == quarters.count(None)
            if len(set(quarters)) > 1:  # divided: the quarters are next, the lower left one first
                waiting.pop()
                contents[node] = items
                own_cell |= {item: node for item, quarter in zip(items, quarters, strict=True) if quarter is None}
                parts = [
                    [item for item, at in zip(items, quarters, strict=True) if at == (right, upper)] for upper in (0, 1) for right in (0, 1)
                ]
                waiting += [part for part in reversed(parts) if part]
        elif step.kind == "leaf":
            contents[node] = waiting.pop()
            own_cell |= dict.fromkeys(items, node)
        else:
            assert not waiting and own_cell.keys() == set(range(n))
            item, node = int(re.match(r"Box (\d+)", step.sentence)[1]), int(step.values["cell"])
            inside = [boxes[k] for k in contents[node]]
            around = (*np.min(inside, axis=0)[:2], *np.max(inside, axis=0)[2:])
            compared = [index for index in about if index != item]
            assert len(compared) == step.values["compared"] and {own_cell[k] for k in compared} <= {node}
            assert ("misses" in step.sentence) == (not meets(boxes[item], around))
            if node != own_cell[item] and "misses" not in step.sentence:  # none of an inner cell is left out
                assert sorted(compared) == sorted(k for k in contents[node] if own_cell[k] == node)
            seen += [tuple(sorted((item, other))) for other in compared if meets(boxes[item], boxes[other])]
            named = re.search(r"; box(?:es)? ([\d, and]+) overlaps? it\.$", step.sentence)
            assert {other for other in compared if meets(boxes[item], boxes[other])} == set(
                map(int, re.findall(r"\d+", named[1] if named else ""))
            )
            every_item.append(item)
    assert sorted(seen) == list(steps[-1].result) and set(every_item) == set(range(n))  # each pair once
