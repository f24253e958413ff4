"""Compares times of impact by all three methods with independent sampling with a bound."""

import math
from functools import partial

import numpy as np
import pytest

from engine.common.events import recording
from engine.common.jit import is_compiling
from engine.common.tolerances import SAT_ROUNDING, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.compare.cases import random_shapes
from engine.continuous._motion_kernel import ImpactGap
from engine.continuous.time_of_impact import METHODS
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.query import batch, batch_casts
from engine.query.casts import time_of_impact
from engine.query.shape_batch import ShapeBatch

WAYS = tuple(partial(time_of_impact, method=method) for method in METHODS)
STILL = Sweep(Transform(), Transform())


# --- the witness: gaps by brute force, at many times at once


def core(shape):
    if isinstance(shape, Circle):
        return np.array([shape.center]), shape.radius
    if isinstance(shape, Polygon):
        return shape.vertices, shape.skin_radius
    radius = shape.radius if isinstance(shape, Capsule) else shape.skin_radius
    return np.array([shape.p1, shape.p2] if shape.p1 != shape.p2 else [shape.p1]), radius


def rho(shape, sweep):
    return float(np.hypot(*(core(shape)[0] - sweep.local_center).T).max())


def rotated(points, angles):
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    return np.stack((cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]), axis=2)


def moved(shape, sweep, t, origin):
    """Core at times t (k,), relative to `origin`: (k, n, 2)."""
    ends = [
        np.subtract(xf.position, origin) + rotated(np.array([sweep.local_center]), np.array([xf.angle]))[0, 0]
        for xf in (sweep.start, sweep.end)
    ]
    angles = (1.0 - t) * sweep.start.angle + t * sweep.end.angle
    center = (1.0 - t)[:, None] * ends[0] + t[:, None] * ends[1]
    return rotated(core(shape)[0] - sweep.local_center, angles) + center[:, None, :]


def vertex_gaps(p, q):
    """Smallest distance of the points q (k, m, 2) from the edges of p (k, n, 2)."""
    a, e = p[:, None], (np.roll(p, -1, axis=1) - p)[:, None]
    to = q[:, :, None] - a
    length_sq = (e * e).sum(axis=3)
    share = np.clip((to * e).sum(axis=3) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    return np.linalg.norm(to - share[..., None] * e, axis=3).min(axis=(1, 2))


def depths(p, q):
    """Greatest gap along the normals of p's edges; -inf if p has none."""
    if p.shape[1] < 2:
        return np.full(len(p), -np.inf)
    e = np.roll(p, -1, axis=1) - p
    normal = np.stack((e[..., 1], -e[..., 0]), axis=2) / np.linalg.norm(e, axis=2)[..., None]
    return ((q[:, None] - p[:, :, None]) * normal[:, :, None]).sum(axis=3).min(axis=2).max(axis=1)


def gaps(a, sweep_a, b, sweep_b, t):
    """Signed gap of the surfaces at times t; some negative number if the cores overlap."""
    t = np.atleast_1d(np.asarray(t, dtype=np.float64))
    origin = sweep_a.start.position
    p, q = moved(a, sweep_a, t, origin), moved(b, sweep_b, t, origin)
    apart = np.minimum(vertex_gaps(p, q), vertex_gaps(q, p))
    if max(p.shape[1], q.shape[1]) > 2:
        deep = np.maximum(depths(p, q), depths(q, p))
        apart = np.where(deep <= 0.0, np.minimum(deep, -0.0), apart)
    elif p.shape[1] == q.shape[1] == 2:
        deep = np.maximum(depths(p, q), depths(q, p))
        apart = np.where(deep < -1e-12 * (rho(a, sweep_a) + rho(b, sweep_b)), deep, apart)
    return apart - core(a)[1] - core(b)[1]


def first_touch(a, sweep_a, b, sweep_b, resolution):
    """Return bounds on the time of first contact; (1, inf) if there is none, (lower, inf) for an undecided graze.

    No gap closes faster than `fastest`, so an interval is clear if the gap at its middle exceeds that times half its width.
    """
    v = np.subtract(sweep_b.end.position, sweep_b.start.position) - np.subtract(sweep_a.end.position, sweep_a.start.position)
    turns = [
        (sweep.end.angle - sweep.start.angle, rho(shape, sweep), math.hypot(*sweep.local_center))
        for shape, sweep in ((a, sweep_a), (b, sweep_b))
    ]
    fastest = math.hypot(*v) + sum(abs(turn) * (reach + off) for turn, reach, off in turns) + 1e-300
    edges = np.linspace(0.0, 1.0, 65)
    lower, width, upper = edges[:-1], edges[1], math.inf
    while len(lower) and width * fastest > resolution and len(lower) < 20_000:
        gap = gaps(a, sweep_a, b, sweep_b, lower + 0.5 * width)
        hits = lower[gap <= 0.0] + 0.5 * width
        upper = min(upper, float(hits.min(initial=math.inf)))
        lower = lower[(gap <= 0.5 * width * fastest) & (lower < upper)]
        width *= 0.5
        lower = np.sort(np.concatenate((lower, lower + width)))
    return (float(lower[0]), upper) if len(lower) else (1.0, upper)


def tolerance(a, sweep_a, b, sweep_b):
    extents = sum(float(np.hypot(*core(shape)[0].T).max()) + core(shape)[1] for shape in (a, b))
    scale = extents + sum(np.abs(s.local_center).sum() for s in (sweep_a, sweep_b))
    for shape, sweep in ((a, sweep_a), (b, sweep_b)):
        scale += max(np.abs(sweep.start.position).sum(), np.abs(sweep.end.position).sum())
        scale += rho(shape, sweep) * max(abs(sweep.start.angle), abs(sweep.end.angle))
    return TOI_CONVERGENCE * extents + TOI_ROUNDINGS * SAT_ROUNDING * scale, SAT_ROUNDING * scale


# --- the cases


def random_shape(rng, size=1.0, thin=1.0):
    kind = rng.integers(0, 6)
    p1, p2 = (tuple(size * rng.uniform(-0.6, 0.6, 2) * (1.0, thin)) for _ in range(2))
    if kind == 0:
        return Circle(size * float(rng.uniform(0.05, 0.6)), p1)
    if kind == 1:
        return Capsule(p1, p2, size * float(rng.uniform(0.02, 0.3)))
    if kind == 2:
        return Segment(p1, p2, float(rng.choice([0.0, 0.01 * size])))
    skin = float(rng.choice([0.0, 0.0, 0.02 * size]))
    if kind == 3:
        return Polygon.box(size * float(rng.uniform(0.2, 1.0)), thin * size * float(rng.uniform(0.1, 0.6)), skin_radius=skin)
    return Polygon.regular(int(rng.integers(3, 9)), size * float(rng.uniform(0.2, 0.8)), float(rng.uniform(0, 3)), skin_radius=skin)


def random_sweep(rng, where, size, travel, spin, origin, off_center):
    start = rng.uniform(-1.0, 1.0, 2) * size + where
    angle = float(rng.uniform(-3, 3))
    end = start + travel * rng.uniform(-1.0, 1.0, 2)
    center = tuple(off_center * size * rng.uniform(-1, 1, 2))
    return Sweep(Transform(tuple(origin + start), angle), Transform(tuple(origin + end), angle + spin * float(rng.uniform(-1, 1))), center)


FAMILIES = {
    # size, thin, travel, spin, origin, off_center
    "ordinary": (1.0, 1.0, 5.0, 3.0, 0.0, 0.0),
    "about other centers": (1.0, 1.0, 4.0, 3.0, 0.0, 0.5),
    "fast spins": (1.0, 1.0, 2.0, 40.0, 0.0, 0.0),
    "needles": (1.0, 0.001, 3.0, 4.0, 0.0, 0.0),
    "no turning": (1.0, 1.0, 5.0, 0.0, 0.0, 0.0),
    "only turning": (1.0, 1.0, 0.0, 6.0, 0.0, 0.3),
    "no motion": (1.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    "tiny motion": (1.0, 1.0, 1e-9, 1e-9, 0.0, 0.0),
    "millimetres": (1e-3, 1.0, 5e-3, 3.0, 0.0, 0.0),
    "kilometres": (1e3, 1.0, 5e3, 3.0, 0.0, 0.0),
    "far away": (1.0, 1.0, 5.0, 3.0, 1e5, 0.0),
}


def cases(family, n):
    size, thin, travel, spin, origin, off_center = FAMILIES[family]
    rng = np.random.default_rng([11, list(FAMILIES).index(family)])
    for _ in range(n):
        a, b = random_shape(rng, size, thin), random_shape(rng, size, thin)
        apart = np.array([0.9 * size, 0.0])
        yield (
            a,
            random_sweep(rng, -apart, size, travel, spin, origin, off_center),
            b,
            random_sweep(rng, apart, size, travel, spin, origin, off_center),
        )


@pytest.mark.parametrize("family", FAMILIES)
def test_against_sampling_with_a_bound(family):
    n_hits = 0
    for case in cases(family, 100):
        allowed, rounding = tolerance(*case)
        lower, upper = first_touch(*case, resolution=1e-4 * FAMILIES[family][0])
        for way in WAYS:
            impact = way(*case)
            assert impact.status in (Status.HIT, Status.MISS, Status.OVERLAPPING), (way, case)
            if impact.status is Status.MISS:
                assert impact.fraction == 1.0
                assert upper == math.inf, (way, case)
                continue
            at_hit = gaps(*case, impact.fraction)[0]
            assert at_hit <= allowed + rounding, (way, case)  # not too early
            assert impact.fraction <= upper, (way, case)  # never late
            if impact.status is Status.OVERLAPPING:
                assert impact.fraction == 0.0 and at_hit <= 2.0 * rounding
                continue
            n_hits += 1
            assert impact.fraction >= lower - 1e-12 or at_hit > 0.0
            before = gaps(*case, impact.fraction * np.linspace(0.0, 1.0, 400))
            assert before.min() >= -rounding, (way, case)
    assert n_hits >= 6 or family in ("no motion", "tiny motion")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_three_methods_agree(family):
    for case in cases(family, 100):
        first, *others = (way(*case) for way in WAYS)
        allowed, rounding = tolerance(*case)
        for other in others:
            if first.status is not other.status or abs(first.fraction - other.fraction) > 1e-6:
                # a pass nearer than the tolerance may be a hit for one and none for the other
                early = min(first.fraction, other.fraction)
                assert gaps(*case, early)[0] <= allowed + rounding, case
                late = early + (max(first.fraction, other.fraction) - early) * np.linspace(0.0, 1.0, 400)
                assert gaps(*case, late).min() >= -rounding, case


@pytest.mark.parametrize("way", WAYS)
class TestWorkedExamples:
    def test_a_rotating_bar_hits_a_disc(self, way):
        # the disc's center is 2 cos(angle) from the bar's axis, and they touch at 0.5 + 0.1
        impact = way(
            Polygon.box(2.0, 0.1), Sweep(Transform(), Transform((0.0, 0.0), 3.0)), Circle(0.5),
            Sweep(Transform((0.0, 2.0)), Transform((0.0, 2.0))),
        )  # fmt: skip
        assert impact.status is Status.HIT
        assert impact.fraction == pytest.approx(math.acos(0.3) / 3.0, abs=1e-8)

    def test_a_blade_that_touches_in_mid_step_is_detected(self, way):
        # touches nothing at either end, and sweeps through the disc in between: what b2TimeOfImpact may pass over
        blade = Sweep(Transform((0.0, 0.0), -1.0), Transform((0.0, 0.0), 1.0))
        disc = Sweep(Transform((1.5, 0.0)), Transform((1.5, 0.0)))
        impact = way(Polygon.box(2.0, 0.01), blade, Circle(0.1), disc)
        assert impact.status is Status.HIT
        assert impact.fraction == pytest.approx(0.5 - 0.5 * math.asin(0.11 / 1.5), abs=1e-8)

    def test_segments_on_one_line(self, way):
        bar = Segment((-1.0, 0.0), (1.0, 0.0))
        impact = way(bar, STILL, bar, Sweep(Transform((5.0, 0.0)), Transform((1.0, 0.0))))
        assert impact.status is Status.HIT
        assert impact.fraction == pytest.approx(0.75, abs=1e-8)

    def test_points(self, way):
        dot = Segment((0.0, 0.0), (0.0, 0.0))
        assert way(dot, STILL, dot, Sweep(Transform((1.0, 0.0)), Transform((-1.0, 0.0)))).fraction == pytest.approx(0.5, abs=1e-8)
        assert way(dot, STILL, dot, Sweep(Transform((1.0, 0.1)), Transform((-1.0, 0.1)))).status is Status.MISS
        assert way(dot, STILL, dot, STILL).status is Status.OVERLAPPING

    def test_touching_at_the_very_end_counts(self, way):
        box = Polygon.box(0.5, 0.5)
        impact = way(box, STILL, box, Sweep(Transform((2.0, 0.0)), Transform((1.0, 0.0))))
        assert impact.status is Status.HIT and impact.fraction == pytest.approx(1.0, abs=1e-8)
        assert way(box, STILL, box, Sweep(Transform((2.0, 0.0)), Transform((1.0, 0.0))), t_max=0.9).fraction == 0.9

    def test_contact_at_the_start_while_separating(self, way):
        box = Polygon.box(0.5, 0.5)
        assert way(box, STILL, box, Sweep(Transform((1.1, 0.0)), Transform((9.0, 0.0)))).status is Status.MISS

    def test_inside(self, way):
        impact = way(Polygon.box(3.0, 3.0), STILL, Circle(0.1), Sweep(Transform((1.0, 0.0)), Transform((9.0, 0.0))))
        assert (impact.status, impact.fraction) == (Status.OVERLAPPING, 0.0)

    def test_box2ds_target(self, way):
        # two skins of 0.01: the cores stop 0.005 apart, within a quarter of that, and the skins overlap
        box = Polygon.box(0.5, 0.5, skin_radius=0.01)
        impact = way(box, STILL, box, Sweep(Transform((2.0, 0.0)), Transform((1.0, 0.0))), target="box2d")
        assert 1.005 <= 2.0 - impact.fraction <= 1.00625
        at_rest = Sweep(Transform((1.001, 0.0)), Transform((1.001, 0.0)))
        assert way(box, STILL, box, at_rest, target="box2d").status is Status.HIT
        assert way(box, STILL, box, at_rest).status is Status.OVERLAPPING

    def test_the_events(self, way):
        box = Polygon.box(0.5, 0.5)
        moves = Sweep(Transform((4.0, 0.3)), Transform((0.0, 0.0), 2.0))
        with recording() as events:
            impact = way(box, STILL, box, moves)
        times = [event.t for event in events if isinstance(event, ImpactGap)]
        assert 1 <= len(times) <= impact.iterations
        assert impact == way(box, STILL, box, moves)
        if way.keywords["method"] != "bisection":
            assert (np.diff(times) > 0.0).all()
            assert times[-1] == impact.fraction

    def test_running_out_of_iterations_is_reported(self, way):
        needle = Polygon.box(1.0, 0.01)
        spin = Sweep(Transform(), Transform((0.0, 0.0), 1e7))
        impact = way(needle, spin, Circle(0.01), Sweep(Transform((1.0201, 0.0)), Transform((1.0201, 0.0))))
        assert impact.status is Status.OUT_OF_ITERATIONS or impact.status is Status.MISS


def test_a_batch_matches_the_scalar_form_to_the_bit():
    for family in ("ordinary", "about other centers"):
        rows = list(cases(family, 60))
        shapes = ShapeBatch([shape for a, _, b, _ in rows for shape in (a, b)])
        pairs = np.arange(2 * len(rows)).reshape(-1, 2)

        def poses(k, end, rows=rows):
            return [(*getattr(row[k], end).position, getattr(row[k], end).angle) for row in rows]

        for target in ("touch", "box2d"):
            columns = batch_casts.time_of_impact(
                shapes, pairs, poses(1, "start"), poses(1, "end"), poses(3, "start"), poses(3, "end"), target=target,
                center_a=[row[1].local_center for row in rows], center_b=[row[3].local_center for row in rows],
            )  # fmt: skip
            alone = [time_of_impact(*row, target=target) for row in rows]
            assert columns.fraction.tolist() == [result.fraction for result in alone]
            assert columns.status.tolist() == [int(result.status) for result in alone]
            assert columns.iterations.tolist() == [result.iterations for result in alone]


def sweeps(rng, n_shapes, n, spin=3.0, off_center=0.0):
    """Pairs and their motions: from within 3 m of the origin, by up to 4 m and `spin` radians."""
    starts = np.column_stack((rng.uniform(-3.0, 3.0, (2 * n, 2)), rng.uniform(-3.0, 3.0, 2 * n)))
    ends = starts + np.column_stack((rng.uniform(-4.0, 4.0, (2 * n, 2)), rng.uniform(-spin, spin, 2 * n)))
    centers = off_center * rng.uniform(-1.0, 1.0, (2 * n, 2))
    return rng.integers(0, n_shapes, (n, 2)), starts[:n], ends[:n], centers[:n], starts[n:], ends[n:], centers[n:]


@pytest.mark.parametrize("off_center", [0.0, 0.5])
def test_never_late_and_nothing_missed(off_center):
    """Overlap at 100 times of each sweep, by the separating axis test; the first overlap is refined by bisection."""
    rng = np.random.default_rng(12)
    n, moments = (8000, 100) if is_compiling() else (20, 30)
    shapes = batch.ShapeBatch(random_shapes(rng, 200))
    pairs, start_a, end_a, center_a, start_b, end_b, center_b = sweeps(rng, 200, n, 3.0, off_center)
    columns = batch.time_of_impact(shapes, pairs, start_a, end_a, start_b, end_b, center_a=center_a, center_b=center_b)

    def pose(start, end, center, t):
        """The poses at fractions t: the center moves along a line, and the angle changes uniformly."""
        t = t[:, None]

        def turned(angle):
            cos, sin = np.cos(angle), np.sin(angle)
            return np.column_stack((cos * center[:, 0] - sin * center[:, 1], sin * center[:, 0] + cos * center[:, 1]))

        angle = ((1.0 - t) * start[:, 2:] + t * end[:, 2:])[:, 0]
        middle = (1.0 - t) * (start[:, :2] + turned(start[:, 2])) + t * (end[:, :2] + turned(end[:, 2]))
        return np.column_stack((middle - turned(angle), angle))

    def overlaps(t):
        return batch.overlap(shapes, pairs, pose(start_a, end_a, center_a, t), pose(start_b, end_b, center_b, t))

    apart, touching = np.zeros(n), np.full(n, np.inf)
    for moment in np.linspace(0.0, 1.0, moments):
        now = overlaps(np.full(n, moment)) & np.isinf(touching)
        touching[now] = moment
        apart[np.isinf(touching)] = moment
    for _ in range(40):
        middle = 0.5 * (apart + np.where(np.isinf(touching), 1.0, touching))
        now = overlaps(middle)
        touching, apart = np.where(now & np.isfinite(touching), middle, touching), np.where(now, apart, middle)
    seen = np.isfinite(touching)
    assert seen.sum() > n // 20
    assert not (seen & (columns.status == Status.MISS)).any()
    assert set(columns.status.tolist()) <= {Status.HIT, Status.MISS, Status.OVERLAPPING}
    assert (columns.fraction[seen] <= touching[seen]).all()
