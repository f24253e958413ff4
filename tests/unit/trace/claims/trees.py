"""Checks the claims of steps of box trees from the boxes alone."""

from __future__ import annotations

import re

import numpy as np

ROUNDING = 1e-12  # of the largest coordinate: sums of a few numbers


def half_perimeter(box):
    return (box[2] - box[0]) + (box[3] - box[1])


def around(boxes):
    boxes = list(boxes)
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def meets(box, region):
    return box[0] <= region[2] and region[0] <= box[2] and box[1] <= region[3] and region[1] <= box[3]


def near(case):
    return ROUNDING * max(1.0, float(np.abs([*case.boxes, case.region]).max()))


class Drawn:
    """The tree of a step's picture: node names, ordered children of each, and leaf boxes from the case enlarged by a margin."""

    def __init__(self, case, kept, margin):
        nodes = [mark for mark in kept if mark.view == "tree" and mark.form == "point"]
        self.name_at = {mark.points[0]: mark.text for mark in nodes}
        assert len(self.name_at) == len(nodes) == len(set(self.name_at.values()))  # no two in one place, no two of one name
        self.children, self.above = {}, {}
        for mark in kept:
            if mark.view == "tree" and mark.form == "path":
                upper, lower = (self.name_at[place] for place in mark.points)
                assert mark.points[0][1] > mark.points[1][1] and lower not in self.above
                self.above[lower] = upper
                self.children.setdefault(upper, []).append((mark.points[1][0], lower))
        self.children = {name: [child for _, child in sorted(below)] for name, below in self.children.items()}
        assert all(len(below) == 2 for below in self.children.values())
        self.roots = [name for _, name in sorted((place[0], name) for place, name in self.name_at.items() if name not in self.above)]
        self.leaf_boxes = {
            str(k): (x0 - margin, y0 - margin, x1 + margin, y1 + margin) for k, (x0, y0, x1, y1) in enumerate(case.boxes)
        }  # fmt: skip
        self.inner_boxes = sorted(mark.points[0] + mark.points[2] for mark in kept if mark.view == "plane" and mark.form == "polygon")

        self.leaves_of, self.box_of = {}, {}

    def named(self, step, role):
        """Return the nodes that have a role in this step."""
        places = [mark.points[0] for mark in step.marks if mark.view == "tree" and mark.form == "point" and mark.role == role]
        return [self.name_at[place] for place in places]

    def leaves(self, name):
        if name not in self.leaves_of:
            below = self.children.get(name)
            self.leaves_of[name] = [name] if below is None else [leaf for child in below for leaf in self.leaves(child)]
        return self.leaves_of[name]

    def box(self, name):
        if name not in self.box_of:
            self.box_of[name] = around(self.leaf_boxes[leaf] for leaf in self.leaves(name))
        return self.box_of[name]

    def below(self, name):
        return [node for child in self.children.get(name, ()) for node in (child, *self.below(child))]

    def height(self, name):
        return 1 + max(map(self.height, self.children[name])) if name in self.children else 0

    def ancestors(self, name):
        return [] if name not in self.above else [self.above[name], *self.ancestors(self.above[name])]

    def cost_beside(self, name, box):
        """Return the cost of a new leaf at a node: half the perimeter around both, and the growth of all ancestors."""
        grown = sum(half_perimeter(around((self.box(up), box))) - half_perimeter(self.box(up)) for up in self.ancestors(name))
        return half_perimeter(around((self.box(name), box))) + grown

    def check_boxes(self, leaves):
        """Every box is in the tree once, and the nodes' boxes are the smallest that bound their subtrees."""
        assert sorted(leaf for root in self.roots for leaf in self.leaves(root)) == sorted(map(str, leaves))
        assert sorted(self.box(name) for name in self.children) == self.inner_boxes


class Drawings:
    """The trees of a case's pictures, each read once."""

    def __init__(self, case, margin=0.0):
        self.case, self.margin, self.known = case, margin, {}

    def of(self, step):
        kept = [mark for mark in step.marks if mark.role == "kept"]
        shown = tuple(map(id, kept))  # the steps hold them
        if shown not in self.known:
            self.known[shown] = Drawn(self.case, kept, self.margin)
        return self.known[shown]


def check_insertions(case, steps, margin):
    """Costs, bounds and gains match the boxes; the cheapest visited place is chosen."""
    tiny = 40.0 * near(case)
    n_in, before, looked, drawings = 0, None, {}, Drawings(case, margin)
    for step in steps:
        if step.kind in ("visit", "layout", "answer"):
            break
        now = drawings.of(step)
        new = now.leaf_boxes[str(n_in)] if n_in < len(case.boxes) else None
        if step.kind == "root":
            assert now.roots == ["0"]
            n_in = 1
        elif step.kind == "look":
            now.check_boxes(range(n_in))
            if not looked:
                looked[now.roots[0]] = now.cost_beside(now.roots[0], new)
            for key, value in step.values.items():
                word, _, name = key.partition(" ")
                if word == "beside":
                    looked[name] = now.cost_beside(name, new)
                    assert abs(value - looked[name]) <= tiny
                elif word == "below":
                    assert all(value <= now.cost_beside(node, new) + tiny for node in now.below(name))  # a lower bound is one
            tall = re.search(r"; ([A-Z, and]+) (?:is|are) over 8 levels", step.sentence)
            assert all(now.height(name) > 8 for name in (re.findall("[A-Z]+", tall[1]) if tall else ()))
            allowed = [cost for name, cost in looked.items() if now.height(name) <= 8]
            assert ("best" in step.values) == bool(allowed)
            assert not allowed or abs(step.values["best"] - min(allowed)) <= tiny
        elif step.kind == "beside":
            (sibling,), (parent, leaf) = now.named(step, "best"), now.named(step, "new")
            assert leaf == str(n_in) and set(now.children[parent]) == {sibling, leaf}
            if before is not None and before.roots:
                assert abs(step.values["cost"] - before.cost_beside(sibling, new)) <= tiny
                assert all(cost >= step.values["cost"] - tiny for name, cost in looked.items() if before.height(name) <= 8)
                assert set(before.children) | {parent} == set(now.children)
            n_in, looked = n_in + 1, {}
        elif step.kind == "rotation":
            child = now.named(step, "new")[0]
            gain = half_perimeter(before.box(child)) - half_perimeter(now.box(child))
            if "gain" in step.values:
                assert step.values["gain"] > 0.0 and abs(step.values["gain"] - gain) <= tiny
            assert sorted(before.leaves(before.roots[0])) == sorted(now.leaves(now.roots[0]))
        before = now


def check_descent(case, steps, margin=0.0):
    """The traversal visits the required nodes in order, reports overlaps correctly, and finds the same boxes as brute force."""
    answer = steps[-1]
    met = tuple(k for k, box in enumerate(case.boxes) if meets(box, case.region))
    assert answer.result == met and answer.kind == "answer" and answer.values["found"] == len(met)
    visits = [step for step in steps if step.kind == "visit"]
    if not case.boxes:
        assert not visits
        return
    tree = Drawings(case, margin).of(answer)
    tree.check_boxes(range(len(case.boxes)))
    assert len(tree.roots) == 1 and answer.values["height"] == tree.height(tree.roots[0])
    total = sum(map(half_perimeter, tree.inner_boxes))
    assert abs(answer.values["inner perimeters"] - total) <= 2.0 * len(case.boxes) * near(case)
    expected, waiting = [], [tree.roots[0]]
    while waiting:
        name = waiting.pop()
        is_met = meets(tree.box(name), case.region)
        expected.append((name, is_met))
        if is_met:
            waiting.extend(reversed(tree.children.get(name, ())))
    shown = [(tree.named(step, "looked_at")[0], re.search(r" (meets|misses) ", step.sentence)[1] == "meets") for step in visits]
    assert shown == expected
    for step, (name, is_met) in zip(visits, shown, strict=True):
        if step.question is not None:
            hit = is_met if name in tree.children else int(name) in met
            assert step.question.answers[step.question.right] == ("yes" if hit else "no")
    assert answer.cost["nodes visited"] == len(expected)
    assert answer.cost["boxes tested"] == sum(is_met and name not in tree.children for name, is_met in expected)


def check_parts(case, steps):
    """Each picture of a growing tree shows a part of the final tree, with each node's final box."""
    drawings = Drawings(case)
    final = drawings.of(steps[-1])
    for step in steps:
        part = drawings.of(step)
        inner = [name for name in part.name_at.values() if name in final.children]
        assert sorted(map(final.box, inner)) == part.inner_boxes
        assert all(final.children[name] == below for name, below in part.children.items())
    return final, drawings


def center(box):
    return (0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3]))


def check_order(case, step):
    """The cells contain the centers, and the boxes are in the order of their keys; return the keys by box."""
    n = len(case.boxes)
    number_bits = max(1, (n - 1).bit_length())
    axis_bits = min(24, (64 - number_bits) // 2)
    centers = np.array([center(box) for box in case.boxes])
    low, span = centers.min(axis=0), np.ptp(centers, axis=0)
    keys = []
    for k in range(n):
        cell = [int(step.values[f"{word} {k}"]) for word in ("column", "row")]
        for axis in range(2):
            exact = (centers[k, axis] - low[axis]) / span[axis] * (2**axis_bits - 1) if span[axis] > 0.0 else 0.0
            coarse = ROUNDING * float(np.abs(centers).max()) / span[axis] * 2**axis_bits if span[axis] > 0.0 else 0.0
            assert -1e-6 - coarse <= exact - cell[axis] <= 1.0 + 1e-6 + coarse
        code = sum((cell[0] >> bit & 1) << 2 * bit | (cell[1] >> bit & 1) << 2 * bit + 1 for bit in range(axis_bits))
        keys.append(code << number_bits | k)
    order = sorted(range(n), key=keys.__getitem__)
    shown = next(mark for mark in step.marks if mark.role == "looked_at").points
    assert np.allclose(shown, centers[order], rtol=0.0, atol=near(case))
    assert re.findall(r"\d+", step.sentence.partition("box ")[2]) == list(map(str, order))
    return keys, order


N_BINS = 16


def check_bvh_top_down(case, steps):
    check_descent(case, steps)
    if not case.boxes:
        return
    final, drawings = check_parts(case, steps)
    tiny = near(case) * (1 + len(case.boxes))
    n_cut = 0
    for step in steps:
        if step.kind not in ("cut", "halved"):
            continue
        n_cut += 1
        now = drawings.of(step)
        (name,), (left, right) = now.named(step, "looked_at"), now.named(step, "new")
        assert now.children[name] == [left, right] == final.children[name]
        items, sides = final.leaves(name), (final.leaves(left), final.leaves(right))
        centers = {leaf: center(final.leaf_boxes[leaf]) for leaf in items}
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
            abs(cost - sum(len(side) * half_perimeter(final.box(child)) for side, child in zip(sides, (left, right), strict=True))) <= tiny
        )
        tried = [low + border * spans[axis] / N_BINS for border in range(1, N_BINS)]
        assert any(abs(at - cut) <= tiny for cut in tried)
        for cut in tried:  # no cut between bins costs less
            below = [final.leaf_boxes[leaf] for leaf in items if centers[leaf][axis] < cut]
            above = [final.leaf_boxes[leaf] for leaf in items if centers[leaf][axis] >= cut]
            is_clear = all(abs(c[axis] - cut) > tiny for c in centers.values())
            if is_clear and below and above:
                assert len(below) * half_perimeter(around(below)) + len(above) * half_perimeter(around(above)) >= cost - tiny
    assert n_cut == len(case.boxes) - 1


REACH = 8


def check_bvh_bottom_up(case, steps):
    check_descent(case, steps)
    if not case.boxes:
        return
    _, order = check_order(case, steps[0])
    assert Drawings(case).of(steps[0]).roots == list(map(str, order))
    final, drawings = check_parts(case, steps)
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
                distances = {other: half_perimeter(around((final.box(name), final.box(other)))) for other in others}
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
            assert abs(step.values["round both"] - half_perimeter(final.box(parent))) <= tiny
            joined += 1
    assert joined == len(case.boxes) - 1


def check_bvh_insertion(case, steps):
    check_insertions(case, steps, 0.0)
    check_descent(case, steps)
