"""What a step of a hierarchy built from the root down claims, from the boxes alone."""

from __future__ import annotations

from tests.unit.trace.claims._trees import around, center, check_descent, check_parts, half_perimeter, near

N_BINS = 16


def check(case, steps):
    check_descent(case, steps)
    if not case.boxes:
        return
    whole, drawings = check_parts(case, steps)
    tiny = near(case) * (1 + len(case.boxes))
    n_cut = 0
    for step in steps:
        if step.kind not in ("cut", "halved"):
            continue
        n_cut += 1
        now = drawings.of(step)
        (name,), (left, right) = now.named(step, "looked_at"), now.named(step, "new")
        assert now.children[name] == [left, right] == whole.children[name]
        items, sides = whole.leaves(name), (whole.leaves(left), whole.leaves(right))
        centers = {leaf: center(whole.leaf_boxes[leaf]) for leaf in items}
        spans = [max(c[axis] for c in centers.values()) - min(c[axis] for c in centers.values()) for axis in range(2)]
        if step.kind == "halved":
            assert max(spans) <= tiny and abs(len(sides[0]) - len(sides[1])) <= 1  # no centers to part
            continue
        axis = step.question.right
        assert spans[axis] >= spans[1 - axis] - tiny and abs(step.values["span"] - spans[axis]) <= tiny
        low = min(c[axis] for c in centers.values())
        at, cost = step.values["at"], step.values["cost"]
        assert all(centers[leaf][axis] <= at + tiny for leaf in sides[0]) and all(centers[leaf][axis] >= at - tiny for leaf in sides[1])
        assert (
            abs(cost - sum(len(side) * half_perimeter(whole.box(child)) for side, child in zip(sides, (left, right), strict=True))) <= tiny
        )
        tried = [low + border * spans[axis] / N_BINS for border in range(1, N_BINS)]
        assert any(abs(at - one) <= tiny for one in tried)
        for one in tried:  # no cut between bins costs less
            below = [whole.leaf_boxes[leaf] for leaf in items if centers[leaf][axis] < one]
            above = [whole.leaf_boxes[leaf] for leaf in items if centers[leaf][axis] >= one]
            is_clear = all(abs(c[axis] - one) > tiny for c in centers.values())
            if is_clear and below and above:
                assert len(below) * half_perimeter(around(below)) + len(above) * half_perimeter(around(above)) >= cost - tiny
    assert n_cut == len(case.boxes) - 1
