"""The report of `compare` is complete, self-contained and independent of the number of processes; users' text stays text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from engine.compare.bulk.comparison import QUERIES, compare_chunks
from engine.compare.pair.answers import ask
from engine.compare.pair.file import Pair, load_pair, pair_from_json, save_pair
from engine.compare.report.document import html_report
from engine.compare.report.exhibits import Run, exhibits
from engine.compare.report.picture import pair_svgs
from engine.geometry import Circle, Segment
from engine.report import meters
from engine.report.charts import standalone_svg
from tests.page_reader import read_page

RUN = Run(2_000, 5)
BESIDE = re.compile(r"[a-z0-9_-]+\.html")
"""Page of an exhibit, in the same folder."""


def read(page):
    reader = read_page(page)
    assert all(reference[1:] in reader.ids if reference.startswith("#") else BESIDE.fullmatch(reference) for reference in reader.references)
    return reader


def path_numbers(drawing, style):
    """Return the coordinates of the drawing's paths whose style contains these words."""
    paths = re.findall(r'<path d="([^"]*)"(?: style="([^"]*)")?', drawing)
    return [[float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)] for path, words in paths if style in words]


def last(jobs, n_pairs=RUN.pairs):
    return without_rates(list(compare_chunks(n_pairs, RUN.seed, RUN.queries, jobs))[-1])


def without_rates(total):
    for tally in total.queries.values():
        tally.seconds = dict.fromkeys(tally.seconds, 0.0)
    return total


@pytest.fixture(scope="module")
def total():
    return last(1)


@pytest.fixture(scope="module")
def all_exhibits(total):
    return list(exhibits(total, RUN))


def test_the_page_is_complete_and_needs_no_network(total, all_exhibits):
    page = html_report(total, RUN, all_exhibits, "out/it")
    reader = read(page)
    text = " ".join(reader.text)
    assert set(QUERIES) <= set(reader.ids)
    assert RUN.command() in text and "python main.py run --pair out/it/manifold-local_maximum-1.json" in text
    assert "python main.py step manifold --pair out/it/manifold-local_maximum-1.json" in text
    assert reader.tags.count("svg") > len(all_exhibits)  # drawings and histograms
    for exhibit in all_exhibits:
        assert exhibit.name in reader.ids
        assert exhibit.example.verdict.evidence in text
    assert "/tmp" not in page and "nan" not in re.findall(r'"[^"]*"', page)
    for numbers in path_numbers(page, ""):
        assert all(abs(number) < 1e4 for number in numbers)


@pytest.mark.slow
def test_the_report_does_not_depend_on_the_number_of_processes():
    run = Run(11_000, RUN.seed)  # two chunks
    single, two = (last(jobs, run.pairs) for jobs in (1, 2))
    assert two.as_json() == single.as_json()
    assert html_report(two, run, list(exhibits(two, run)), "out") == html_report(single, run, list(exhibits(single, run)), "out")


def test_each_reason_has_its_first_and_its_worst(total, all_exhibits):
    for query, tally in total.queries.items():
        assert set(tally.examples) == set(tally.explained)
        for reason, chosen in tally.examples.items():
            mine = [exhibit for exhibit in all_exhibits if exhibit.query == query and exhibit.example.verdict.reason == reason]
            assert {exhibit.example.place for exhibit in mine} == {exhibit.place for exhibit in chosen}
            largest = max(kind.reasons[reason].largest for kind in tally.kinds.values() if reason in kind.reasons)
            assert chosen.worst.verdict.size == largest
            assert all(exhibit.example.place >= chosen.first.place for exhibit in mine)
            assert tally.histograms[reason].total() == tally.explained[reason]


def test_an_example_has_the_same_verdict_alone_as_in_bulk(all_exhibits, tmp_path):
    with_pair = [exhibit for exhibit in all_exhibits if exhibit.pair is not None]
    assert {exhibit.query for exhibit in with_pair} == {"manifold", "overlap", "distance", "toi", "ray_cast", "contains"}
    for exhibit in with_pair:
        assert exhibit.answers is not None and exhibit.pair is not None and exhibit.drawings
        assert (exhibit.answers.reason, exhibit.answers.evidence) == (exhibit.example.verdict.reason, exhibit.example.verdict.evidence)
        path = f"{tmp_path}/{exhibit.name}.json"
        save_pair(path, exhibit.pair)
        assert ask(load_pair(path)).evidence == exhibit.example.verdict.evidence
        assert exhibit.command in exhibit.pair.note


def test_the_page_contains_the_pair(total, all_exhibits):
    text = read(html_report(total, RUN, all_exhibits, "out")).text
    pasted = [pair_from_json(json.loads(line)) for line in text if line.startswith('{"format"')]
    assert pasted == [exhibit.pair for exhibit in all_exhibits if exhibit.pair is not None]


HOSTILE = "</pre><script>alert('x')</script>\" onload='y' & \u202e"


def test_inserted_text_is_escaped(total, all_exhibits):
    exhibit = next(exhibit for exhibit in all_exhibits if exhibit.pair is not None)
    assert exhibit.pair is not None and exhibit.answers is not None
    worse = replace(
        exhibit,
        role=HOSTILE,
        remark=HOSTILE,
        command=HOSTILE,
        example=replace(exhibit.example, verdict=exhibit.example.verdict._replace(evidence=HOSTILE), kind=HOSTILE),
        answers=replace(exhibit.answers, ours=replace(exhibit.answers.ours, words=HOSTILE)),
        pair=replace(exhibit.pair, note=HOSTILE),
    )
    reader = read(html_report(total, RUN, [worse], f"out/{HOSTILE}"))
    assert sum(HOSTILE in part for part in reader.text) >= 4


def test_how_wrong_box2d_is(total):
    queries = total.as_json()["queries"]
    manifold, impact = queries["manifold"], queries["toi"]
    wrong = sum(manifold["explained"].get(reason, 0) for reason in ("face_preference", "local_maximum", "skin"))
    assert manifold["wrong_axis_share"] == wrong / manifold["touching"] > 0.0
    assert 0.0 < manifold["mean_excess_depth"] < manifold["max_excess_depth"]
    assert impact["missed_share"] == impact["explained"]["toi_missed"] / impact["touching"]
    assert 0.0 < impact["mean_missed_depth"] < impact["worst_missed_depth"]
    assert impact["random"]["worst_missed_depth"] <= impact["worst_missed_depth"]
    assert manifold["kinds"]["circle/circle"]["wrong_axis_share"] == 0.0
    assert "wrong_axis_share" not in queries["overlap"]
    contacts = sum(n for _, _, n in manifold["histograms"]["point_error"])
    assert 0 < contacts <= manifold["touching"]
    lowest = [low for low, _, _ in manifold["histograms"]["point_error"]]
    assert lowest == sorted(lowest) and lowest[-1] <= manifold["max_point_error"]


def test_an_interrupted_run_says_so(total, all_exhibits):
    text = " ".join(read(html_report(total, replace(RUN, pairs=50_000), all_exhibits, "out", is_whole=False)).text)
    assert f"only {RUN.pairs:,} of 50,000 pairs" in text


def test_a_drawing_is_a_file_of_its_own_too(all_exhibits):
    for exhibit in all_exhibits:
        for drawing in exhibit.drawings:
            root = ElementTree.fromstring(standalone_svg(drawing))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert root[0].tag.endswith("style")


def test_the_command_reproduces_the_pair(total):
    first = total.queries["manifold"].examples["local_maximum"].first
    words = RUN.command("manifold", first.place).split()
    assert words[:5] == ["python", "main.py", "compare", "--pairs", str(first.place.row + 1)]
    (again,) = compare_chunks(first.place.row + 1, RUN.seed, ["manifold"])
    assert again.queries["manifold"].examples["local_maximum"].first == first


def test_lengths_are_reported_in_suitable_units():
    assert [meters(length) for length in (0.0, 1e-12, 3.14159e-6, 0.999, 1.0, 999.0, 1146.58)] == [
        "0", "1 pm", "3.14 µm", "999 mm", "1 m", "999 m", "1.15 km",
    ]  # fmt: skip


def test_lines_are_drawn_and_clipped_too():
    edge = Segment((0.0, 0.0), (1e9, 0.5))
    (drawing, *_) = pair_svgs(ask(Pair("ray_cast", edge, ray=((0.5, 2.0), (0.6, -1.0)))), "edge")
    for color in ("stroke: var(--a)", "stroke: var(--ink)"):
        (line,) = path_numbers(drawing, color)
        assert len(line) == 4 and max(map(abs, line)) < 3000.0


def test_the_label_of_a_shape_hides_no_point():
    pair = Pair("ray_cast", Circle(1.0), ray=((0.0, 0.0), (0.5, 0.1)))
    (drawing,) = pair_svgs(ask(pair), "inside")
    ((x, y),) = re.findall(r'text-anchor: middle; [^"]*" x="([^"]*)" y="([^"]*)"', drawing)
    discs = [*path_numbers(drawing, "fill: var(--ink)"), *path_numbers(drawing, "fill: var(--ours)")]
    dots = [(disc[0], 0.5 * (min(disc[1::2]) + max(disc[1::2]))) for disc in discs if len(disc) > 20]
    assert len(dots) == 2 and all(math.dist((float(x), float(y) - 8.0), dot) > 20.0 for dot in dots)
