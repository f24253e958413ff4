"""An unexplained pair is shrunk and stays unexplained; the faults are planted in our own algorithms, because there are no real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.compare.bulk import tally
from engine.compare.bulk.comparison import compare_chunks
from engine.compare.pair import shrink
from engine.compare.pair.answers import ask
from engine.compare.pair.file import Pair
from engine.compare.pair.shrink import corner_count, is_on_edge
from engine.compare.queries import Impacts, our_impacts, our_manifolds, our_points
from engine.compare.questions.contact import ManifoldQuestion
from engine.compare.questions.ray_cast import ContainsQuestion
from engine.compare.questions.time_of_impact import TimeOfImpactQuestion
from engine.compare.report.document import html_report
from engine.compare.report.exhibits import Run, exhibits
from engine.contracts.status import Status
from engine.geometry import Circle, Polygon, Segment, Transform
from tests.waiting import PATIENCE

LONG = 10.0 * PATIENCE
"""Seconds, of which each pair gets a tenth."""
RUN = Run(60, 7, ("manifold",), ("polygon/polygon",))
SHOWN = 8
"""Unexplained differences of a query that are kept; outside of these tests 20. Shrinking one takes a fifth of a second."""


@pytest.fixture(scope="module", autouse=True)
def few_shown():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "KEPT_UNEXPLAINED", SHOWN)
        yield


def reversed_normals(posed, exact=True):
    rows = our_manifolds(posed, exact)
    axis = rows.axis.copy()
    axis[:, :2] *= -1.0
    return replace(rows, axis=axis)


def run(settings):
    return list(compare_chunks(settings.pairs, settings.seed, settings.queries, 1, settings.kinds))[-1]


@pytest.fixture
def fault(monkeypatch):
    plant(monkeypatch)


def plant(patch):
    patch.setattr(ManifoldQuestion, "ours", staticmethod(reversed_normals))


@pytest.fixture(scope="module")
def total():
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        total = run(RUN)
    assert total.unexplained_total > 20
    return total


@pytest.fixture
def planted(fault, total):
    return total


@pytest.fixture(scope="module")
def shown(total):
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        return list(exhibits(total, RUN, LONG))


def test_unexplained_pairs_are_shrunk_and_stay_unexplained(fault, shown):
    unexplained = [exhibit for exhibit in shown if exhibit.example.verdict.reason == "unexplained"]
    assert len(unexplained) == SHOWN and len({exhibit.name for exhibit in unexplained}) == SHOWN
    for exhibit in unexplained:
        assert exhibit.shrunk is not None and exhibit.pair is not None and exhibit.shrunk.is_whole
        before = exhibit.example.shown
        assert isinstance(before, Pair)
        assert corner_count(exhibit.pair) <= corner_count(before)
        answers = ask(exhibit.pair)
        assert answers.verdict == "unexplained" and answers.size >= 0.1 * exhibit.example.verdict.size
        assert exhibit.drawings
    # a fault in every contact shows on two triangles with numbers of two digits
    small = [exhibit.pair for exhibit in unexplained if exhibit.pair is not None and corner_count(exhibit.pair) == 6]
    assert len(small) >= 0.75 * SHOWN
    digits = [np.array([*pair.shape_a.vertices.ravel(), *pair.shape_b.vertices.ravel()]) for pair in small]
    assert sum(bool((np.round(numbers, 2) == numbers).all()) for numbers in digits) >= 0.5 * SHOWN


def test_shrunk_pairs_agree_or_are_explained_without_the_fault(shown):
    pairs = [exhibit.pair for exhibit in shown if exhibit.shrunk is not None]
    assert len(pairs) == SHOWN and {ask(pair).verdict for pair in pairs if pair is not None} <= {"agree", "explained"}


def test_the_report_shows_the_shrunk_pair(total, shown):
    page = html_report(total, RUN, shown, "out")
    assert f"{total.unexplained_total} differences are unexplained" in page
    assert f"the first {SHOWN}:" in page and "Shrunk from" in page
    assert page.count("run --pair out/manifold-unexplained-") == SHOWN


def test_the_pair_is_shown_unchanged_without_time(planted):
    exhibit = next(iter(exhibits(planted, RUN, seconds=0.0)))
    assert exhibit.shrunk is None and "no time" in exhibit.remark
    assert isinstance(exhibit.example.shown, Pair) and exhibit.pair is not None
    assert exhibit.pair.shape_a == exhibit.example.shown.shape_a


def test_ctrl_c_ends_only_the_shrinking(planted, monkeypatch):
    calls = []

    def interrupted(*_):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.compare.report.exhibits.shrink", interrupted)
    exhibits_made = list(exhibits(planted, RUN, LONG))
    unexplained = [exhibit for exhibit in exhibits_made if exhibit.example.verdict.reason == "unexplained"]
    assert len(unexplained) == SHOWN and len(calls) == 1
    assert "interrupted" in unexplained[0].remark and "no time" in unexplained[1].remark
    assert html_report(planted, RUN, exhibits_made, "out").endswith("</html>\n")


def test_a_pair_that_agrees_alone_is_reported(total):
    exhibit = next(iter(exhibits(total, RUN, LONG)))
    assert exhibit.shrunk is None and "alone" in exhibit.remark


def test_motions_and_points_are_shrunk_too(monkeypatch):
    def late(moving):
        impacts = our_impacts(moving)
        return Impacts(impacts.status, np.where(impacts.status == Status.HIT, np.minimum(impacts.fraction + 0.2, 1.0), impacts.fraction))

    monkeypatch.setattr(TimeOfImpactQuestion, "ours", staticmethod(late))
    monkeypatch.setattr(ContainsQuestion, "ours", staticmethod(lambda posed: ~our_points(posed)))
    settings = Run(40, 3, ("toi", "contains"))
    unexplained = [exhibit for exhibit in exhibits(run(settings), settings, LONG) if exhibit.example.verdict.reason == "unexplained"]
    assert {exhibit.query for exhibit in unexplained} == {"toi", "contains"}
    for exhibit in unexplained:
        assert exhibit.shrunk is not None and exhibit.pair is not None
        assert ask(exhibit.pair).verdict == "unexplained"
    motions = [exhibit.pair for exhibit in unexplained if exhibit.query == "toi"]
    assert any(pair is not None and pair.end_a == pair.pose_a for pair in motions)


PENTAGON = Polygon.regular(5, 1.0)
CHAIN = Segment((0.0, 0.0), (1.03, 0.0), 0.0, (-1.0, 0.2), (2.0, 0.3))


def test_a_pair_that_always_differs_is_shrunk_completely():
    pair = Pair("manifold", PENTAGON, Transform((3.123, 4.5), 0.7), CHAIN, Transform((3.0, 4.1), 2.2))
    shrunk = shrink.shrink(pair, lambda some: some[0], PATIENCE)
    small = shrunk.pair
    assert shrunk.is_whole and corner_count(small) == 5
    assert isinstance(small.shape_b, Segment) and small.shape_b.ghost1 is None
    numbers = [*small.pose_a.position, *small.pose_b.position, *small.shape_b.p1, *small.shape_b.p2]
    assert all(round(number, 1) == number for number in numbers)
    # a corner on an edge would be simpler still, and look like the reason
    assert isinstance(small.shape_a, Polygon)
    a, b = (
        small.pose_a.apply_array(small.shape_a.vertices).tolist(),
        [small.pose_b.apply(at) for at in (small.shape_b.p1, small.shape_b.p2)],
    )
    assert not any(is_on_edge(at, other, 0.01) for shape, other in ((a, b), (b, a)) for at in shape)


def test_a_pair_that_never_differs_is_not_shrunk():
    pair = Pair("ray_cast", Circle(0.7, (0.1, 0.2)), Transform((1.0, 2.0), 0.3), ray=((0.0, 0.0), (3.0, 4.0)))
    shrunk = shrink.shrink(pair, lambda _: None, PATIENCE)
    assert shrunk.pair == pair and shrunk.is_whole


def test_shrinking_is_deterministic():
    pair = Pair("manifold", PENTAGON, Transform((3.123, 4.5), 0.7), Polygon.box(0.5, 0.25), Transform((3.9, 4.1), 2.2))

    def touches(pair):
        return ask(pair).ours.is_yes

    first, second = (shrink.shrink(pair, lambda some: next(filter(touches, some), None), PATIENCE) for _ in range(2))
    assert first.is_whole and first == second
    assert touches(first.pair) and corner_count(first.pair) == 6


def test_a_time_limit_ends_the_shrinking():
    pair = Pair("manifold", PENTAGON, Transform((3.123, 4.5), 0.7), PENTAGON, Transform((3.9, 4.1), 2.2))
    shrunk = shrink.shrink(pair, lambda some: some[0], 0.0)
    assert not shrunk.is_whole
