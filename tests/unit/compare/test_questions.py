"""Every query: without a fault, no difference is unexplained; faults planted on either side are unexplained."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from engine.compare.cases import SOLID_KINDS
from engine.compare.questions.registry import QUESTIONS
from engine.contracts import Status
from engine.geometry import Circle
from tests.unit.compare.asked import Asked, reasons, unexplained

EDGE_KINDS = ("edge/polygon", "edge/circle")
ASKED = {
    "manifold": Asked("manifold", 3000, kinds=SOLID_KINDS),
    "edges": Asked("manifold", 3000, 8, EDGE_KINDS),
    "overlap": Asked("overlap", 3000, kinds=SOLID_KINDS),
    "distance": Asked("distance", 1500, kinds=SOLID_KINDS),
    "toi": Asked("toi", 1500, kinds=SOLID_KINDS),
    "ray_cast": Asked("ray_cast", 5000, kinds=SOLID_KINDS),
    "contains": Asked("contains", 5000, kinds=SOLID_KINDS),
}


class Sound(NamedTuple):
    """Expected verdicts of a query without a fault: allowed reasons, required ones, and the smallest share of agreement."""

    allowed: set[str]
    needed: set[str]
    agree: float


SOUND = {
    "manifold": Sound({"float32_tie", "local_maximum", "face_preference", "skin"}, {"local_maximum", "face_preference"}, 0.9),
    "edges": Sound({"float32_tie"}, {"float32_tie"}, 0.98),
    "overlap": Sound({"float32_tie"}, set(), 0.98),
    "distance": Sound({"float32_tie"}, {"float32_tie"}, 0.98),
    "toi": Sound({"toi_missed", "graze", "float32_tie", "gave_up"}, {"toi_missed", "graze"}, 0.8),
    "ray_cast": Sound({"float32_tie", "starts_inside", "short_ray"}, {"float32_tie", "starts_inside"}, 0.6),
    "contains": Sound({"float32_tie"}, {"float32_tie"}, 0.95),
}


@pytest.mark.parametrize("name", ASKED)
def test_without_a_fault_nothing_is_unexplained(name):
    query, sound = ASKED[name], SOUND[name]
    verdicts = query.verdicts
    assert sound.needed <= set(reasons(verdicts)) <= sound.allowed
    assert verdicts.n_agree + len(verdicts.differences) == query.n == verdicts.n_pairs
    assert verdicts.n_agree >= sound.agree * query.n


def test_every_query_is_covered():
    assert {name for name in ASKED if name != "edges"} == set(QUESTIONS) and set(SOUND) == set(ASKED)
    assert {fault.name for fault in FAULTS} == set(ASKED) - {"overlap"}  # it has a test of its own


class Fault(NamedTuple):
    """A fault: query, name, side, rows, change, minimum unexplained share, and other allowed reasons."""

    name: str
    what: str
    whose: str
    rows: object
    change: object
    least: float = 1.0
    others: tuple[str, ...] = ()


def both(*args, **options):
    return [Fault(*args[:2], whose, *args[2:], **options) for whose in ("ours", "box2d")]


def status(value, fraction, normal=None):
    """Return a change that replaces times or ray hits by this answer."""

    def change(answers, _):
        n = len(answers.status)
        more = {} if normal is None else {"normal": np.tile(normal, (n, 1))}
        return replace(answers, status=np.full(n, int(value)), fraction=np.full(n, fraction), **more)

    return change


def shifted(by):
    return lambda answers, _: replace(answers, fraction=answers.fraction + by)


def both_hit(query):
    return (query.ours.status == Status.HIT) & (query.box2d.status == Status.HIT) & query.plain & (query.ours.fraction > 0.0)


def inner(query):
    """Contacts that a time shift of 0.05 moves by at least a tenth of a meter."""
    ours, box2d = query.ours.fraction, query.box2d.fraction
    return both_hit(query) & (query.columns.speed > 2.0) & (ours > 0.1) & (ours < 0.9) & (np.abs(ours - box2d) < 1e-3)


def misses(query):
    return query.agrees & query.plain & (query.ours.status == Status.MISS)


def hits(query):
    return query.agrees & both_hit(query) & (query.box2d.fraction > 0.1)


def is_circle(query):
    return np.array([isinstance(query.cases.oracle.shapes[shape], Circle) for shape in query.cases.rows.indices])


def deep(query, at_least=0.01, n_points=1):
    box2d = query.box2d
    return (box2d.count >= n_points) & (box2d.points[:, :, 2].min(axis=1) < -at_least) & query.plain


def two_points(query):
    return deep(query, n_points=2)


def agreeing(rows):
    return lambda query: rows(query) & query.agrees


def moved(column, by):
    """Return a change of a number of the first point of each manifold."""

    def change(answers, _):
        points = answers.points.copy()
        points[:, 0, column] += by
        return replace(answers, points=points)

    return change


def with_count(count):
    def change(answers, _):
        points = answers.points.copy()
        points[:, count:] = 0.0
        changes = {"normal": np.zeros_like(answers.normal)} if count == 0 and hasattr(answers, "normal") else {}
        return replace(answers, points=points, count=np.full_like(answers.count, count), **changes)

    return change


def on_axis(change):
    """Return a change of our axes, or of Box2D's normals."""

    def changed(answers, _):
        if hasattr(answers, "normal"):
            return replace(answers, normal=change(answers.normal))
        axis = answers.axis.copy()
        axis[:, :2] = change(axis[:, :2])
        return replace(answers, axis=axis)

    return changed


def everything(query):
    return np.ones(query.n, dtype=np.bool_)


TIE = ("float32_tie",)
FAULTS = [
    # a cut on a steep incident edge is known to less than a millimeter, and says so
    *(
        Fault("manifold", f"point {column}", "box2d", deep, moved(column, by), 0.97, TIE)
        for column, by in ((0, 1e-3), (1, -1e-3), (2, 1e-3))
    ),
    *(Fault("edges", f"point {column}", "box2d", deep, moved(column, by), 0.97, TIE) for column, by in ((0, 1e-3), (1, -1e-3), (2, 1e-3))),
    Fault("manifold", "point", "ours", agreeing(deep), moved(0, 1e-3), 0.97, TIE),
    Fault("edges", "point", "ours", deep, moved(1, 1e-3), 0.97, TIE),
    *both("manifold", "normal", deep, on_axis(lambda normal: -normal), 0.97),
    *both("edges", "normal", deep, on_axis(lambda normal: -normal), 0.97, others=TIE),
    Fault("manifold", "axis", "ours", deep, on_axis(lambda normal: normal[:, ::-1]), 0.9),
    Fault("edges", "axis", "ours", deep, on_axis(lambda normal: normal[:, ::-1]), 0.9, TIE),
    *both("manifold", "count", agreeing(two_points), with_count(1), 0.97, others=TIE),
    *both("edges", "count", two_points, with_count(1), 0.97, others=TIE),
    *both("manifold", "nothing", agreeing(deep), with_count(0), 0.97, others=TIE),
    *both("edges", "nothing", deep, with_count(0), 0.97, others=TIE),
    *both("distance", "longer", lambda query: query.plain & (query.ours > 0.01), lambda distance, _: distance + 1e-4),
    *both("distance", "zero", lambda query: query.plain & (query.ours > 0.01), lambda distance, _: np.zeros_like(distance)),
    *both("distance", "apart", lambda query: query.plain & (query.ours == 0.0), lambda distance, _: distance + 1e-4, 0.97, others=TIE),
    Fault("toi", "a touch of nothing", "ours", misses, status(Status.HIT, 0.5), 0.95, ("graze",)),
    Fault("toi", "a touch passed over", "ours", both_hit, status(Status.MISS, 1.0)),
    Fault("toi", "an overlap at the start", "ours", misses, status(Status.OVERLAPPING, 0.0)),
    *both("toi", "too early", inner, shifted(-0.05), 0.85, others=("toi_missed", "graze")),
    Fault("toi", "too late", "ours", inner, shifted(0.05), 0.85, ("toi_missed", "graze")),
    Fault("toi", "too late", "box2d", inner, shifted(0.05), 0.0, ("toi_missed", "graze")),  # that is what missing a touch is
    # a ray that ends on the surface may well miss it; others run along an edge, or are very short
    *both(
        "ray_cast", "a hit left out", lambda query: hits(query) & (query.box2d.fraction < 0.999), status(Status.MISS, 1.0), 0.97, others=TIE
    ),
    *both("ray_cast", "a hit of nothing", misses, status(Status.HIT, 0.5, (1.0, 0.0))),
    *both("ray_cast", "too far", hits, shifted(0.02), 0.97, others=TIE),
    *both("ray_cast", "too near", hits, shifted(-0.02), 0.97, others=TIE),
    *both("ray_cast", "normal", lambda query: hits(query) & ~is_circle(query), on_axis(lambda normal: -normal), 0.97, others=TIE),
    Fault("ray_cast", "a start inside", "ours", misses, status(Status.OVERLAPPING, 0.0), 0.97, TIE),
    *both("contains", "inside out", lambda query: query.agrees, lambda inside, _: ~inside, 0.7, others=TIE),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.name}-{fault.what}-{fault.whose}")
def test_a_planted_fault_is_unexplained(fault):
    query = ASKED[fault.name]
    rows = query.rows(fault.rows(query))
    verdicts = query.planted(rows, fault.whose, fault.change)
    counts = reasons(verdicts)
    assert len(rows) > 40
    assert counts["unexplained"] >= fault.least * len(rows), counts
    assert set(counts) <= {"unexplained", *fault.others}


def test_missed_depths_are_measured():
    toi = ASKED["toi"].verdicts
    assert toi.n_touching > 0.4 * toi.n_pairs and toi.maxima["worst_missed_depth"] > 0.1


# --- Two answers that are wrong together


def test_a_worse_axis_that_box2d_has_too():
    # a search of ours that ended where Box2D's climb ends, and preferred what it prefers: the two would agree
    from engine.compare.queries import our_manifolds

    query = ASKED["manifold"]
    worse = [row for row, verdict in query.verdicts.differences.items() if verdict.reason in ("local_maximum", "face_preference")]
    worse = np.array([row for row in worse if query.box2d.count[row] > 0])
    verdicts = query.judged(worse, our_manifolds(query.columns.take(worse), exact=False))
    assert len(worse) > 20 and verdicts.n_unexplained == len(worse)
    assert "an edge of one of the polygons" in verdicts.differences[0].evidence


def test_a_contact_that_neither_side_detects():
    query = ASKED["toi"]
    missed = [row for row, verdict in query.verdicts.differences.items() if verdict.reason == "toi_missed" and verdict.size > 0.2]
    rows = np.array([row for row in missed if query.box2d.status[row] == Status.MISS])
    verdicts = query.planted(
        rows, "ours", lambda answers, _: replace(answers, status=np.full(len(rows), int(Status.MISS)), fraction=np.ones(len(rows)))
    )
    # a few moments are looked at: what lasts a tenth of the step or longer is seen
    assert unexplained(verdicts) >= 0.5 * len(rows) > 10
    assert "both engines miss" in verdicts.differences[0].evidence


def test_a_start_inside_that_neither_side_reports():
    query = ASKED["ray_cast"]
    differences = query.verdicts.differences.items()
    inside = [row for row, verdict in differences if verdict.reason == "starts_inside" and query.plain[row] and verdict.size > 1e-3]
    assert unexplained(query.planted(inside, "ours", status(Status.MISS, 0.0))) == len(inside) > 100


# --- What an explanation must not excuse


def test_giving_up_does_not_excuse_a_wrong_answer_of_ours():
    query = ASKED["toi"]
    rows = query.rows(query.plain & (query.ours.status == Status.HIT) & (query.ours.fraction > 0.1) & (query.ours.fraction < 0.9), 100)
    ours = query.planted(rows, "box2d", status(Status.OUT_OF_ITERATIONS, 0.0))
    assert set(reasons(ours)) <= {"gave_up", "toi_missed"}
    gave_up = replace(query.box2d, status=np.full(query.n, int(Status.OUT_OF_ITERATIONS)), fraction=np.zeros(query.n))
    silent = Asked("toi", query.n, kinds=SOLID_KINDS)
    silent.cases, silent.columns, silent.ours, silent.box2d = query.cases, query.columns, query.ours, gave_up
    assert unexplained(silent.planted(rows, "ours", status(Status.MISS, 1.0))) >= 0.9 * len(rows)  # a few only graze
    late = reasons(silent.planted(rows, "ours", shifted(0.1)))
    assert late["unexplained"] + late["toi_missed"] >= 0.9 * len(rows)


def test_an_answer_does_not_widen_its_own_allowance():
    query = ASKED["manifold"]
    rows = query.rows(two_points(query) & query.agrees, 200)

    def boastful(answers, columns):
        axis = answers.axis.copy()
        axis[:, 3] = 1e6
        return replace(moved(0, 1e-3)(answers, columns), axis=axis)

    verdicts = query.planted(rows, "ours", boastful)
    assert verdicts.n_agree == 0 and verdicts.n_unexplained >= 0.95 * len(rows) > 95


@pytest.mark.parametrize("column", range(3))
def test_a_circle_in_the_wrong_place_under_the_right_normal(column):
    query = ASKED["manifold"]
    is_disc = np.array([isinstance(shape, Circle) for shape in query.work.cases.shapes])
    rows = query.rows(deep(query) & is_disc[query.work.cases.pairs].all(axis=1), 100)
    assert unexplained(query.planted(rows, "ours", moved(column, 1e-2))) == len(rows) > 5


def test_a_false_contact():
    query = ASKED["manifold"]
    rows = query.rows((query.box2d.count == 0) & query.plain, 200)
    verdicts = query.planted(
        rows,
        "box2d",
        lambda answers, _: replace(answers, count=np.ones(len(rows), dtype=np.int64), normal=np.tile((1.0, 0.0), (len(rows), 1))),
    )
    assert unexplained(verdicts) == len(rows) == 200


def test_a_wrong_overlap():
    query = ASKED["overlap"]
    rows = query.rows(query.plain & query.agrees, 100)
    for whose in ("ours", "box2d"):
        assert unexplained(query.planted(rows, whose, lambda overlaps, _: ~overlaps)) == 100


def test_a_grazing_hit_needs_the_normal_at_its_point():
    query = ASKED["ray_cast"]
    is_grazing = ~query.agrees & (query.ours.status == Status.HIT) & (query.box2d.status == Status.MISS)
    rows = [row for row, verdict in query.verdicts.differences.items() if is_grazing[row] and verdict.reason == "float32_tie"]
    assert len(rows) > 5 and unexplained(query.judged(rows)) == 0
    assert unexplained(query.planted(rows, "ours", on_axis(lambda normal: 3.0 * normal))) == len(rows)
