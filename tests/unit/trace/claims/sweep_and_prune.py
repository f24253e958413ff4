"""What a step of sweep and prune claims, from the boxes alone. The order is read off the picture of the axis."""

from __future__ import annotations

import re

import numpy as np

from tests.unit.trace.claims._trees import meets, near


def shown_order(step):
    rows = [mark for mark in step.marks if mark.view == "axis" and mark.text]
    assert [mark.points[0][1] for mark in rows] == list(range(len(rows)))
    return [int(mark.text) for mark in rows], [(mark.points[0][0], mark.points[1][0]) for mark in rows]


def check(case, steps):
    boxes = np.array(case.boxes).reshape(-1, 4)
    n = len(boxes)
    wanted = [(i, j) for i in range(n) for j in range(i + 1, n) if meets(boxes[i], boxes[j])]
    assert list(steps[-1].result) == wanted
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
