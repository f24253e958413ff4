"""What a step of the triangulation claims, from the outline alone."""

from __future__ import annotations

from tests.unit.trace.claims.partition import NEAR, check_pieces, outline_of, rings_of

SIDES = ("no side is", "one side is", "an ear", "the whole outline")
"""What is said of a triangle with so many edges of the outline."""


def check(case, steps):
    region, extent = outline_of(case)
    rings = rings_of(case)
    edges = {(ring[k], ring[(k + 1) % len(ring)]) for ring in rings for k in range(len(ring))}
    triangles = [step for step in steps if step.kind == "triangle"]
    assert steps[0].values["triangles"] == len(triangles)
    total, ears = 0.0, 0
    for step in triangles:
        (ax, ay), (bx, by), (cx, cy) = step.points
        area = 0.5 * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
        total += area
        assert abs(area - step.values["area"]) <= NEAR * extent * extent and area > -NEAR * extent * extent
        assert abs(total - step.values["sum"]) <= NEAR * extent * extent
        sides = sum((step.points[k], step.points[(k + 1) % 3]) in edges for k in range(3))
        said = [k for k, words in enumerate(SIDES) if words in step.sentence]
        assert said in ([], [sides])  # none of one on a line, which is left out
        ears += said == [2]
    check_pieces(case, steps[-1].result)
    if len(triangles) > 1 and len(rings) == 1 and len(triangles) == len(rings[0]) - 2:
        assert ears >= 2  # Meisters' theorem
    assert abs(total - region.area) <= 8.0 * NEAR * extent * extent
