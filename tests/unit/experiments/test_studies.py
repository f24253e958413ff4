"""The studies: orders of integrators, and the counts of the others; costs are not checked."""

import math

import numpy as np
import pytest

from engine.dynamics.integrators import INTEGRATORS, ORDERS
from engine.experiments.studies import STUDIES
from engine.experiments.studies._overlap_tests_kernel import CIRCLE_HITS, HITS, LOOKS
from engine.experiments.studies.contact_graphs import SCENES as GRAPHS
from engine.experiments.studies.contact_graphs import by_advancing, by_normal
from engine.experiments.studies.extremes import SEARCHES, Turning
from engine.experiments.studies.integrators import MOTIONS, errors_of, first_bounce, order_of, worst_energy
from engine.experiments.studies.overlap_tests import PUBLISHED, SIZES, TESTS, Boxes
from engine.experiments.studies.pushing_apart import Sweeps, least_sweeps, stand
from engine.experiments.studies.study import growth
from engine.geometry import Polygon
from engine.query import batch


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("motion", [name for name, motion in MOTIONS.items() if motion.is_smooth])
def test_orders_of_smooth_motions(motion, name):
    assert order_of(MOTIONS[motion], errors_of(MOTIONS[motion], name)[0]) == pytest.approx(ORDERS[name], abs=0.1)


@pytest.mark.parametrize(("motion", "most"), [("spring_floor", 2.3), ("damped_floor", 1.3)])
def test_a_kink_and_a_jump_reduce_the_order_of_rk4(motion, most):
    numbers = (64, 256, 1024, 4096)  # the place of the kink in its step is as good as random: within a power of two or three
    assert order_of(MOTIONS[motion], errors_of(MOTIONS[motion], "rk4", numbers)[0], numbers) < most


@pytest.mark.parametrize("motion", MOTIONS)
def test_closed_forms_satisfy_their_equations(motion):
    law, e = MOTIONS[motion], 1e-5
    for t in (0.1, 0.5, 0.63):
        (before, slow), (x, v), (after, fast) = (law.exact(t + d) for d in (-e, 0.0, e))
        assert (after - before) / (2.0 * e) == pytest.approx(v, abs=1e-6)
        assert (fast - slow) / (2.0 * e) == pytest.approx(law.rate(t, x, v), abs=1e-5)


def test_symplectic_integrators_conserve_energy_and_others_do_not():
    worst = {name: np.array([worst_energy(name, seconds, 1.0 / 60.0)[0] for seconds in (5.0, 20.0)]) for name in INTEGRATORS}
    assert all(worst[name][1] < 1.01 * worst[name][0] for name in ("semi_implicit_euler", "velocity_verlet"))
    assert all(worst[name][1] > 3.5 * worst[name][0] for name in ("explicit_euler", "midpoint", "rk4"))


@pytest.mark.slow  # compiles a kernel that no other test needs
@pytest.mark.parametrize("size", [1.0, 0.2])
def test_overlap_tests_agree_with_the_library(size):
    """Issue 33: also if one polygon contains the other."""
    boxes = Boxes(12, 150, is_crowded=True)
    boxes.pair = boxes.pair._replace(b=size * boxes.pair.b)
    answers = {name: boxes.run(test, 1)[0][:, HITS] for name, test in TESTS.items() if name != "no test"}
    poses = boxes.run(TESTS["no test"], 1)[1]
    shapes = batch.ShapeBatch([Polygon(boxes.pair.a), Polygon(boxes.pair.b)])
    poses_a, poses_b = np.ascontiguousarray(poses[:, 0]), np.ascontiguousarray(poses[:, 1])
    true = batch.overlap(shapes, np.tile([0, 1], (len(poses), 1)), poses_a, poses_b)
    assert 10 < true.sum() < 140
    for name, hits in answers.items():
        assert (hits == true).all(), name


@pytest.mark.slow  # compiles a kernel that no other test needs
def test_overlap_tests_lead_to_the_same_motion_and_the_circle_has_false_hits():
    boxes = Boxes(16, 10, is_crowded=True)
    runs = {name: boxes.run(test, 400) for name, test in TESTS.items() if name != "no test"}
    counts, poses, velocities = runs["all pairs of edges"]
    for name, (others, same, _) in runs.items():
        assert (same == poses).all() and (others[:, HITS] == counts[:, HITS]).all(), name
    assert runs["circle, then pairs"][0][:, CIRCLE_HITS].sum() > 1.5 * counts[:, HITS].sum() > 0
    (mass_a, inertia_a), (mass_b, inertia_b) = 1.0 / boxes.pair.inverse
    weights = np.array([(mass_a, mass_a, inertia_a), (mass_b, mass_b, inertia_b)])
    before, after = ((weights * v * v).sum(axis=(1, 2)) for v in (boxes.velocity, velocities))
    assert after == pytest.approx(before, rel=1e-10)


@pytest.mark.slow  # compiles a kernel that no other test needs
def test_comparisons_of_the_overlap_tests_grow_as_the_published_times():
    """Ostroški, Table 7.1: exponents 1.67 and 1.26; his spheres overlap in 24 to 32 % of the steps."""
    looks, shares = {name: [] for name in PUBLISHED}, []
    for n in SIZES[::3]:
        boxes = Boxes(n, 4)
        counts = {name: boxes.run(TESTS[name], 5_000)[0].sum(axis=0) for name in PUBLISHED}
        for name in PUBLISHED:
            looks[name].append(counts[name][LOOKS])
        shares.append(counts["circle, then pairs"][CIRCLE_HITS] / 20_000)
    powers = [growth(SIZES[::3], looks[name]) for name in PUBLISHED]
    assert powers == pytest.approx([1.70, 1.40, 1.0], abs=0.1)
    assert 0.15 < min(shares) < max(shares) < 0.35


@pytest.mark.slow  # compiles a kernel that no other test needs
@pytest.mark.parametrize("n_corners", [3, 4, 5, 33])
@pytest.mark.parametrize("is_slow", [False, True])
def test_all_searches_find_the_farthest_corner(is_slow, n_corners):
    turning = Turning(n_corners, 2_000, is_slow=is_slow)
    farthest = (turning.directions @ turning.corners.T).max(axis=1)
    for way in SEARCHES.values():
        corners, looks = turning.find(way)
        assert (turning.directions * turning.corners[corners]).sum(axis=1) == pytest.approx(farthest, abs=1e-14)
        assert looks <= 2_000 * (math.log2(n_corners) + 2.0) or way != SEARCHES["binary search"]


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_every_study_runs(name):
    finding = STUDIES[name].measure(True)
    assert finding.sentences and finding.tables and 0 < len(finding.charts) <= 4
    assert len(finding.figures) >= 1 and STUDIES[name].here.endswith(".")
    for table in (*finding.beside, *finding.tables):
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert all(math.isfinite(cell) for row in table.rows for cell in row if isinstance(cell, float))


def test_a_tower_that_stands_by_luck_with_few_sweeps_does_not_count():
    assert least_sweeps((0.5, 0.01, 1.2, 0.02, 0.01)) == 4
    assert least_sweeps((0.01, 0.02)) == 1 and least_sweeps((0.01, 0.2)) is None


@pytest.mark.slow  # compiles the solver
def test_a_tower_needs_two_sweeps_at_the_published_step():
    moved = {(sweeps, pushes): stand(Sweeps(sweeps, pushes), 5, 500) for sweeps in (1, 2, 5) for pushes in (0, 1)}
    assert all((distance < 0.1) is (sweeps > 1) for (sweeps, _), distance in moved.items()), moved


def test_every_collision_found_by_moving_a_body_is_an_edge():
    """Pawłowski, p. 44. Ours asks for normals within 84 degrees of gravity, so it leaves out neighbors at the sides."""
    for name, build in GRAPHS.items():
        world = build()
        ours, theirs = by_normal(world), by_advancing(world)
        assert (ours == theirs) is not name.endswith(("side by side", "5 degrees", "1 degree")), name
    side_by_side = by_advancing(GRAPHS["wall, boxes side by side"]())
    assert {(1, 2), (2, 1), (5, 1), (5, 6), (6, 5)} <= side_by_side
    assert by_advancing(GRAPHS["pyramid of ten"]()) >= {(10, 8), (10, 9)} and len(by_normal(GRAPHS["tower of six"]())) == 6


@pytest.mark.parametrize("name", INTEGRATORS)
def test_an_elastic_ball_on_springs_returns_to_its_height(name):
    assert first_bounce(name, 60.0) == pytest.approx(1.0, abs=0.005)
