"""Compares overlap with shapely (GEOS), which is independent of our code."""

from shapely import Point
from shapely import Polygon as GeosPolygon

from engine.compare.cases import case_chunk
from engine.geometry import Circle, Transform
from engine.query import batch

# meters; GEOS answers in float64, but near a touch either side may round either way
NEAR = 1e-9


def outline(shape, pose):
    return GeosPolygon(Transform((pose[0], pose[1]), pose[2]).apply_array(shape.vertices))


def test_overlap_agrees_with_shapely():
    cases = case_chunk(11, 0, 3000)
    ours = batch.overlap(batch.ShapeBatch(cases.shapes), cases.pairs, cases.poses_a, cases.poses_b)
    overlapping = settled = 0
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        shape_a, shape_b = cases.shapes[a], cases.shapes[b]
        pose_a, pose_b = cases.poses_a[row].tolist(), cases.poses_b[row].tolist()
        if isinstance(shape_a, Circle):
            shape_a, shape_b, pose_a, pose_b = shape_b, shape_a, pose_b, pose_a
        if isinstance(shape_a, Circle):
            continue
        if isinstance(shape_b, Circle):
            center = Transform((pose_b[0], pose_b[1]), pose_b[2]).apply(shape_b.center)
            gap = outline(shape_a, pose_a).distance(Point(center)) - shape_b.radius
        else:
            both = outline(shape_a, pose_a), outline(shape_b, pose_b)
            gap = both[0].distance(both[1])
            if gap == 0.0:  # GEOS has no depth: an area in common is deeper than itself over the longer outline
                gap = -(both[0].intersection(both[1]).area / max(both[0].length, both[1].length))
        if abs(gap) > NEAR:
            assert ours[row] == (gap < 0.0), (row, gap)
            settled += 1
        overlapping += bool(ours[row])
    assert 1000 < overlapping < 2500 and settled > 2400  # the rest are two circles, and touches
