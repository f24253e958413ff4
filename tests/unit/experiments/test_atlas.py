"""The plan of an atlas, and its maps compared with the law."""

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.atlas import Atlas, AtlasMap, fire_cell, fire_cells
from engine.experiments.atlas_plan import AtlasPlan, Axis, Cell, parse_axis
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


def test_every_cell_is_fired_once(cells):
    assert dict(fire_cells(SMALL, 1)) == cells
