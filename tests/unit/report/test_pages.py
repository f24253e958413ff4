"""One table in the terminal, in Markdown and in a page; several charts in one page without conflicts."""

import io
import re
from types import SimpleNamespace

import pytest
from rich.console import Console

from engine.cli.solvers import _ladder_charts
from engine.experiments.solvers.bench import Rung
from engine.experiments.solvers.scenes import SCENES
from engine.report import Chart, Curve, Link, Table
from engine.report.charts import COLORS, as_png, as_svg, draw_charts
from engine.report.page import render_page

TABLE = Table("title", ("name", "count", "share"), (("a", 12345, 0.12345), (Link("<b>", "wrong", "#b"), None, 2.0)))
CURVE = Curve("one", (1.0, 2.0), (3.0, 4.0))


def test_a_table_is_the_same_in_the_terminal_and_as_markdown():
    console = Console(file=io.StringIO(), width=60)
    console.print(TABLE.as_rich())
    assert console.file.getvalue().split() == ["name", "count", "share", "a", "12,345", "0.123", "<b>", "-", "2"]
    assert TABLE.as_markdown() == "| name | count | share |\n|---|---|---|\n| a | 12,345 | 0.123 |\n| <b> | - | 2 |\n"


def test_a_page_escapes_inserted_text():
    scenes = [(SimpleNamespace(name="p", title="<p>", standing=""), TABLE)]
    page = render_page(
        "solvers.html", title="<i>", about="x & y", matrix=TABLE, svg="<svg></svg>", needs=TABLE, scenes=scenes, first_run="a.html"
    )
    assert "<i>" not in page and "&lt;i&gt;" in page and "x &amp; y" in page and "<p>&lt;p&gt;" not in page and "&lt;p&gt;" in page
    assert '<td class="wrong"><a href="#b">&lt;b&gt;</a></td>' in page
    assert not re.search(r"https?:|<script>.*<script|<link", page, re.DOTALL)


@pytest.mark.parametrize("chart", [Chart("t", "x", "y", (CURVE,), (True, True), 2.0)])
def test_drawings_share_no_id_and_follow_the_theme(chart):
    drawings = [as_svg(draw_charts((chart,)), title) for title in ("first", "second & third")]
    ids = [re.findall(r' id="([^"]*)"', drawing) for drawing in drawings]
    assert not set(ids[0]) & set(ids[1])
    for drawing, own in zip(drawings, ids, strict=True):
        assert {reference[1:] for reference in re.findall(r'href="([^"]*)"', drawing)} <= set(own)
        assert "var(--ink)" in drawing and not any(color in drawing for color in COLORS.values()) and "http" not in drawing
    assert "<title>second &amp; third</title>" in drawings[1]
    assert as_png(draw_charts((chart,))) == as_png(draw_charts((chart,)))


def test_a_scene_in_which_no_method_stands_has_no_chart():
    scenes = [SCENES["single_box"], SCENES["arch"]]
    stands = {"single_box": True, "arch": False}
    ladder = [Rung("soft_step", scene.name, "sub_steps", 4, stands[scene.name], 1e-3, 0.1, 1.0) for scene in scenes]
    (chart,) = _ladder_charts(scenes, ladder, 0.01)
    assert chart.title == scenes[0].title and draw_charts((chart,)).axes
