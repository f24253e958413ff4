"""The plan of an atlas, its journal, and its maps compared with the law."""

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.atlas import Atlas, AtlasMap, fire_cell, fire_missing
from engine.experiments.atlas_plan import AtlasJournal, AtlasPlan, Axis, Cell, parse_axis
from engine.experiments.spec import ShotSpec

SMALL = AtlasPlan(Axis("speed", 10.0, 200.0, 4, "log"), Axis("thickness", 0.02, 1.0, 3, "log"), ("discrete", "bullet"), n_shots=60, seed=3)


@pytest.fixture(scope="module")
def cells():
    return dict(fire_cell((SMALL, cell)) for cell in SMALL.cells())


def test_an_axis_is_parsed_correctly():
    axis = parse_axis("--x", "speed=10:1000:3")
    assert (axis.name, axis.scale, axis.values) == ("speed", "log", (10.0, 100.0, 1000.0))
    assert parse_axis("--x", "speed=0:100:3:linear").values == (0.0, 50.0, 100.0)
    assert axis.edges[[0, -1]].tolist() == pytest.approx([10.0 / 10**0.5, 1000.0 * 10**0.5])
    assert parse_axis("--y", "angle=0:80:5").spread(3) == [0.0, 40.0, 80.0]


@pytest.mark.parametrize(
    "text",
    ["speed", "speed=1:2", "speed=1:x:3", "sped=1:2:3", "speed=2:1:3", "speed=0:10:3", "speed=1:2:1", "speed=1:nan:3", "speed=1:2:3:cube"],
)
def test_a_mistake_in_an_axis_names_the_option(text):
    with pytest.raises(InvalidInputError, match=r"^--x[ :]"):
        parse_axis("--x", text)


def test_a_plan_rejects_invalid_maps():
    speed, thickness = Axis("speed", 1.0, 2.0, 2, "log"), Axis("thickness", 0.1, 1.0, 2, "log")
    for arguments, words in (
        ((speed, speed, ("discrete",)), "--y"),
        ((speed, thickness, ("discreet",)), "--rule"),
        ((speed, thickness, ()), "--rule"),
        ((speed, Axis("angle", 0.0, 89.0, 2, "linear"), ("discrete",)), "angle"),
        ((speed, Axis("target_speed", 0.0, 9.0, 2, "linear"), ("discrete",)), "--y"),
        ((speed, thickness, ("discrete",), ShotSpec(target="blade")), "--target"),
        ((speed, thickness, ("discrete",), ShotSpec(target="head_on")), "--y"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            AtlasPlan(*arguments)


def test_angles_are_degrees_outside_and_radians_inside():
    plan = AtlasPlan(Axis("speed", 1.0, 2.0, 2, "log"), Axis("angle", 0.0, 60.0, 3, "linear"), ("discrete",))
    assert plan.spec(Cell("discrete", 0, 2)).angle == pytest.approx(1.0471975512)
    assert plan.as_json()["y"]["values"] == [0.0, 30.0, 60.0]


def test_every_shot_of_a_small_atlas_follows_the_law(cells):
    atlas = Atlas.of(SMALL, cells)
    for atlas_map in atlas.maps:
        assert atlas_map.surprises.sum() == 0
        assert all(outlier.reason == "sampling" for outlier in atlas_map.outliers)
    discrete, bullet = atlas.maps
    assert discrete.tunneled.max() > 0.9
    assert bullet.tunneled.max() == 0.0 and bullet.hit.min() == 1.0
    assert (discrete.tunneled[:, -1] > 0.0).any() and discrete.tunneled[-1, 0] == 0.0


def test_a_wrong_cell_is_detected_and_named(cells):
    wrong = {**cells, Cell("bullet", 1, 2): (60, 5, 5, 5), Cell("bullet", 2, 2): (60, 5, 5, 0)}
    atlas_map = AtlasMap(SMALL, "bullet", wrong)
    assert [(outlier.column, outlier.reason) for outlier in atlas_map.outliers] == [(1, "unexplained"), (2, "turned")]
    assert atlas_map.within_share == pytest.approx(10 / 12)
    assert not atlas_map.agrees


def test_a_box_that_hits_the_wall_with_a_corner_is_recognized_by_its_rotation():
    plan = AtlasPlan(
        Axis("speed", 60.0, 120.0, 2, "log"),
        Axis("angle", 15.0, 25.0, 2, "linear"),
        ("discrete",),
        ShotSpec(shape="box", radius=0.3, thickness=0.05),
        n_shots=300,
    )
    counts = dict(fire_cell((plan, cell)) for cell in plan.cells())
    assert sum(count[2] for count in counts.values()) > 0
    assert all(count[3] == 0 for count in counts.values())


def test_a_journal_with_a_truncated_line_keeps_every_complete_line(tmp_path):
    journal = AtlasJournal(tmp_path, SMALL, "2.3.0")
    first, second = list(SMALL.cells())[:2]
    journal.add(first, (1, 2, 0, 0))
    journal.add(second, (3, 4, 0, 0))
    content = journal.path.read_bytes()
    for cut in range(len(content) + 1):
        journal.path.write_bytes(content[:cut])
        again = AtlasJournal(tmp_path, SMALL, "2.3.0")
        n_lines = content[:cut].count(b"\n")
        assert len(again.cells) == max(0, n_lines - 1)
    journal.path.write_bytes(content[:-3])
    again = AtlasJournal(tmp_path, SMALL, "2.3.0")
    again.add(second, (3, 4, 0, 0))
    assert journal.path.read_bytes() == content


def test_a_journal_belongs_to_one_plan_and_one_engine(tmp_path):
    journal = AtlasJournal(tmp_path, SMALL, "2.3.0")
    journal.add(next(SMALL.cells()), (1, 1, 0, 0))
    other = AtlasPlan(SMALL.x, SMALL.y, SMALL.rules, SMALL.base, SMALL.n_shots, seed=4)
    assert AtlasJournal(tmp_path, other, "2.3.0").cells == {}
    assert AtlasJournal(tmp_path, SMALL, "2.4.0").cells == {}
    assert len(AtlasJournal(tmp_path, SMALL, "2.3.0").cells) == 1
    for line in (b'["discrete", 0, 0, 1, 61, 0, 0]\n', b'["discrete", 9, 0, 1, 1, 0, 0]\n', b'["other", 0, 0, 1, 1, 0, 0]\n', b"[]\n"):
        spoilt = AtlasJournal(tmp_path, SMALL, "2.3.0")
        spoilt.path.write_bytes(spoilt.path.read_bytes().split(b"\n")[0] + b"\n" + line)
        assert AtlasJournal(tmp_path, SMALL, "2.3.0").cells == {}


def test_firing_resumes_where_it_stopped(tmp_path, cells):
    journal = AtlasJournal(tmp_path, SMALL, "2.3.0")
    firing = fire_missing(SMALL, journal, 1)
    for n_done in firing:
        if n_done == 5:
            break
    firing.close()
    again = AtlasJournal(tmp_path, SMALL, "2.3.0")
    assert len(again.cells) == 5
    assert list(fire_missing(SMALL, again, 1)) == list(range(5, SMALL.n_cells + 1))
    assert again.cells == AtlasJournal(tmp_path, SMALL, "2.3.0").cells == cells
