"""What a step of a hierarchy built from its leaves up claims, from the boxes alone."""

from __future__ import annotations

from tests.unit.trace.claims._trees import Drawings, around, check_descent, check_order, check_parts, half_perimeter, near

REACH = 8


def check(case, steps):
    check_descent(case, steps)
    if not case.boxes:
        return
    _, order = check_order(case, steps[0])
    assert Drawings(case).of(steps[0]).roots == list(map(str, order))
    whole, drawings = check_parts(case, steps)
    tiny = 8.0 * near(case)
    chosen, joined, is_slow = {}, 0, False
    for step in steps:
        now = drawings.of(step)
        if step.kind == "choice":
            is_slow = "too few" in step.sentence
            chosen = dict(key.split() for key in step.values)
            clusters = now.roots
            assert set(chosen) == set(clusters)
            for k, name in enumerate(clusters):
                others = [other for other in clusters[max(0, k - REACH) : k + REACH + 1] if other != name]
                distances = {other: half_perimeter(around((whole.box(name), whole.box(other)))) for other in others}
                said = step.values[f"{name} {chosen[name]}"]
                assert abs(said - distances[chosen[name]]) <= tiny and said <= min(distances.values()) + tiny
            if step.question is not None:
                assert step.question.answers[step.question.right].removeprefix("box ") == chosen[clusters[0]]
            mutual = sum(chosen[chosen[name]] == name for name in clusters) // 2
            assert f" {mutual} pair" in step.sentence and mutual > 0
        elif step.kind == "join":
            left, right = now.named(step, "best")
            (parent,) = now.named(step, "new")
            assert now.children[parent] == [left, right]
            assert is_slow or (chosen[left] == right and chosen[right] == left)
            assert abs(step.values["round both"] - half_perimeter(whole.box(parent))) <= tiny
            joined += 1
    assert joined == len(case.boxes) - 1
