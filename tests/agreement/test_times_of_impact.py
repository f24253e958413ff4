"""Times of impact agree with Box2D's; differences are judged by shapely's distances along the motion.

Both aim at a core separation of `max(slop, radii - 3 slop)`, within a quarter of the slop. Box2D may miss a contact that begins and ends
within the step, as its documentation says; shapely must then show that the cores are clearly closer than the target before Box2D's time.
No other difference is accepted.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from engine.box2d.oracle.held import round_pose, round_shape
from engine.box2d.oracle.pairs import PairOracle
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, EPS32, LINEAR_SLOP
from engine.compare.cases import random_shapes
from engine.contracts import Status
from engine.geometry import Circle
from engine.query import batch_casts
from engine.query.shape_batch import ShapeBatch

N_SAMPLES = 400

FLOAT32_ROUNDINGS = 16.0 * EPS32
"""Comparison, relative to the scale of the input: Box2D's separation carries what ours does (`SAT_ROUNDING`), in float32."""


def core_distances(shape_a, shape_b, starts, ends, t):
    """Distance of the cores (0 on overlap) at times t, by shapely; poses x, y, angle of A and B."""
    placed = []
    for shape, start, end in zip((shape_a, shape_b), starts, ends, strict=True):
        x, y, angle = ((1.0 - t)[:, None] * start + t[:, None] * end).T
        local = np.array([shape.center]) if isinstance(shape, Circle) else shape.vertices
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        world = np.stack((cos * local[:, 0] - sin * local[:, 1] + x[:, None], sin * local[:, 0] + cos * local[:, 1] + y[:, None]), axis=2)
        placed.append(shapely.points(world[:, 0]) if len(local) == 1 else shapely.polygons(world))
    return shapely.distance(*placed)


@dataclass
class Count:
    n: int = 0
    touching: int = 0
    agreed: int = 0
    missed: int = 0
    missed_overlaps: int = 0
    unexplained: tuple = ()


def judge(n, seed):
    rng = np.random.default_rng(seed)
    oracle = PairOracle([round_shape(shape) for shape in random_shapes(rng, 400)])
    shapes, pairs = oracle.shapes, rng.integers(0, 400, (n, 2))

    def pose(x):
        return np.column_stack((rng.uniform(-2.0, 2.0, n) + x, rng.uniform(-2.0, 2.0, n), rng.uniform(-3.0, 3.0, n)))

    start_a, start_b = round_pose(pose(0.0)), round_pose(pose(3.0))
    end_a = round_pose(start_a + rng.uniform(-3.0, 3.0, (n, 3)))
    end_b = round_pose(start_b + rng.uniform((-5.0, -3.0, -3.0), (1.0, 3.0, 3.0), (n, 3)))
    theirs = oracle.times_of_impact(pairs, start_a, end_a, start_b, end_b)
    ours = batch_casts.time_of_impact(ShapeBatch(shapes), pairs, start_a, end_a, start_b, end_b, target="box2d")

    radius = np.array([shape.radius if isinstance(shape, Circle) else shape.skin_radius for shape in shapes])
    extent = np.array([np.hypot(*(np.array([s.center]) if isinstance(s, Circle) else s.vertices).T).max() for s in shapes])
    target = np.maximum(LINEAR_SLOP, radius[pairs].sum(axis=1) - BOX2D_TOI_BACKOFF)
    scale = extent[pairs].sum(axis=1) * 4.0 + sum(np.abs(p[:, :2]).sum(axis=1) for p in (start_a, end_a, start_b, end_b))
    rounding = FLOAT32_ROUNDINGS * scale
    count = Count(n)
    unexplained = []
    for i in range(n):
        our_status, other = ours.status[i], theirs.status[i]
        if our_status == other and our_status != Status.HIT:
            count.agreed += 1
            continue
        near, far = target[i] - BOX2D_TOI_TOLERANCE - rounding[i], target[i] + BOX2D_TOI_TOLERANCE + rounding[i]
        starts, ends = (start_a[i], start_b[i]), (end_a[i], end_b[i])

        def distance(t, i=i, starts=starts, ends=ends):
            return core_distances(shapes[pairs[i, 0]], shapes[pairs[i, 1]], starts, ends, np.atleast_1d(t))

        if our_status == Status.HIT:
            count.touching += 1
            at, until = ours.fraction[i], theirs.fraction[i] if other == Status.HIT else 1.0
            # from the start they may be nearer than the target, and both say so
            ok = distance(at)[0] <= far and (at == 0.0 or distance(at)[0] >= target[i] - 1e-9)
            between = distance(at + (until - at) * np.linspace(0.0, 1.0, N_SAMPLES)) if until > at else distance(until)
            if not ok:
                unexplained.append(i)
            elif at == until:
                count.agreed += 1
            elif between.min() < near:
                count.missed += 1
                count.missed_overlaps += int(between.min() == 0.0)
            elif between.max() <= far or other != Status.HIT:
                count.agreed += 1
            else:
                # it came as near as the target and no nearer, and went again: a graze within the tolerance
                count.agreed += int(between.min() <= far)
        elif other == Status.HIT and distance(theirs.fraction[i])[0] <= far:
            count.agreed += 1  # within Box2D's tolerance and float32, though never within ours
        elif abs(distance(0.0)[0]) <= rounding[i]:
            count.agreed += 1  # overlapping from the start, or just not
        else:
            unexplained.append(i)
    count.unexplained = tuple(unexplained)
    return count


def test_every_difference_is_a_contact_that_box2d_missed():
    count = judge(4000, seed=3)
    assert not count.unexplained
    assert count.agreed + count.missed == count.n
    assert count.touching > 400
    assert 0 < count.missed_overlaps <= count.missed < 0.3 * count.touching
