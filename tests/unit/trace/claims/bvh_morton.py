"""What a step of a hierarchy by Morton order claims, from the boxes alone."""

from __future__ import annotations

from tests.unit.trace.claims._trees import check_descent, check_order, check_parts


def check(case, steps):
    check_descent(case, steps)
    if not case.boxes:
        return
    keys, order = check_order(case, steps[0])
    whole, drawings = check_parts(case, steps)
    n = len(order)
    splits = [(keys[order[k - 1]] ^ keys[order[k]]).bit_length() - 1 if k > 0 else 64 for k in range(n)]
    place_of = {str(item): k for k, item in enumerate(order)}
    pushed = n
    for step in steps:
        now = drawings.of(step)
        if step.kind == "push":
            pushed -= 1
            assert now.roots[0] == str(order[pushed]) and step.values["bit"] == splits[pushed]
        elif step.kind == "join":
            left, right = now.named(step, "best")
            (parent,) = now.named(step, "new")
            assert now.roots[0] == parent and now.children[parent] == [left, right]
            leaves = [place_of[leaf] for leaf in whole.leaves(parent)]
            assert leaves == list(range(leaves[0], leaves[-1] + 1))  # a run along the curve
            between = place_of[whole.leaves(right)[0]]
            assert (
                step.values["bit"] == splits[between] == max(splits[leaves[0] + 1 : leaves[-1] + 1])
            )  # split where the highest bit differs
            assert splits[between] < splits[leaves[0]]
    assert pushed == 0
