"""A polygon with a corner that float32 cannot distinguish from the line of its neighbors (issue 29) is loaded without that corner, which a
note names, from scene files, R.U.B.E. exports and body files alike, under any rotation, scaling, reflection or translation.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.decompose.body_file import body_from_json
from engine.geometry import Polygon
from engine.scenes.rube import load_rube, scene_of_rube
from engine.scenes.scene import build
from engine.scenes.scene_file import load_scene, save_scene, scene_from_json
from engine.world import BodySpec, FixtureSpec, World

CASE = Path(__file__).parent / "13-polygon-with-a-corner-on-a-line"
CORNERS = json.loads((CASE / "scene.json").read_text())["bodies"][0]["fixtures"][0]["shape"]["vertices"]
AREA = 2.6813


def rube(corners):
    plain = json.loads((CASE / "rube.json").read_text())
    x, y = np.array(corners).T.tolist()
    plain["body"][0]["fixture"][0]["polygon"]["vertices"] = {"x": x, "y": y}
    return scene_of_rube(plain)


def scene(corners):
    plain = json.loads((CASE / "scene.json").read_text())
    plain["bodies"][0]["fixtures"][0]["shape"]["vertices"] = corners
    return scene_from_json(plain)


IMPORTS = [rube, scene]


def as_float32(corners):
    """Return the corners with the fewest digits that restore their float32 values, as an exporter writes them."""
    return [[float(str(number)) for number in corner] for corner in corners.astype(np.float32)]


def polygon_of(loaded):
    (body,) = loaded.bodies
    (fixture,) = body.fixtures
    assert body.type == "dynamic" and isinstance(fixture.shape, Polygon)
    world = build(loaded)
    (number,) = world.body_ids
    assert len(world.fixtures_of(number)) == 1
    return fixture.shape


@pytest.mark.parametrize(("file", "load"), [("scene.json", load_scene), ("rube.json", load_rube)])
def test_the_body_loads_and_a_note_names_the_corner(file, load, capsys):
    scene = load(CASE / file)
    assert polygon_of(scene).mass().area == pytest.approx(AREA, abs=1e-4)
    (note,) = scene.notes
    assert "vertices[4], (-0.994554818, 0.165337861), 1.1e-09 m off the line of its neighbors" in note
    assert main(["scene", str(CASE / file)]) == 0
    assert "vertices[4], (-0.994554818, 0.165337861)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("taken_by", IMPORTS)
@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_it_loads_at_every_size_and_angle(taken_by, scale, is_mirrored):
    n_named = 0
    for angle in np.linspace(0.0, 2.0 * math.pi, 24):
        turn = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
        corners = scale * np.array(CORNERS) * ((-1.0, 1.0) if is_mirrored else (1.0, 1.0)) @ turn.T
        points = as_float32(corners)
        loaded = taken_by(points)
        shape = polygon_of(loaded)
        assert shape.mass().area == pytest.approx(AREA * scale**2, rel=1e-5)
        assert len(shape.vertices) + len(loaded.notes) in (4, 5) and len(loaded.notes) <= 1  # on a line to the bit it is no corner at all
        n_named += sum(f"({points[4][0]:.9g}, " in note for note in loaded.notes)
    assert n_named > 0


@pytest.mark.parametrize("taken_by", IMPORTS)
@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("place", [(0.0, 0.0), (30.0, -7.0), (-150.0, 90.0)])
def test_it_loads_at_every_position_and_starting_corner(taken_by, start, place):
    points = as_float32(np.roll(np.array(CORNERS), start, axis=0) + place)
    loaded = taken_by(points)
    assert polygon_of(loaded).mass().area == pytest.approx(AREA, rel=1e-4)
    assert all(f"vertices[{(4 + start) % 5}]" in note for note in loaded.notes)


@pytest.mark.parametrize("taken_by", IMPORTS)
@pytest.mark.parametrize("off", [-3e-7, -1e-7, -3e-9, 0.0, 3e-9, 1e-7, 3e-7])
def test_all_such_corners_on_either_side_of_the_line_are_named(taken_by, off):
    """A square of 2 m with two additional corners on each of two sides, and one repeated corner."""
    points = [[-1, -1], [-0.3, -1 + off], [0.4, -1 - off], [1, -1], [1, -1], [1, 1], [0.3, 1 + off], [-0.5, 1 - off], [-1, 1]]
    loaded = taken_by(points)
    shape = polygon_of(loaded)
    assert shape.mass().area == pytest.approx(4.0, abs=2e-6)
    missing = {
        k for k, corner in enumerate(points) if tuple(map(float, np.float32(corner))) not in set(map(tuple, shape.vertices.tolist()))
    }
    on_line = {k for k in missing if abs(np.float32(points[k][1])) == 1.0}
    assert {k for k in range(9) if any(f"vertices[{k}]" in note for note in loaded.notes)} == missing - on_line


@pytest.mark.parametrize("taken_by", IMPORTS)
def test_the_limit_of_sixteen_corners_excludes_dropped_corners(taken_by):
    corners = Polygon.regular(16, 1.0).vertices.tolist()
    middle = [[0.5 * (corners[k][i] + corners[k + 1][i]) * (1.0 + 1e-8 * k) for i in (0, 1)] for k in range(4)]
    points = [point for k in range(4) for point in (corners[k], middle[k])] + corners[4:]
    assert len(points) == 20
    assert len(polygon_of(taken_by(points)).vertices) == 16


def test_a_saved_scene_loads_unchanged(tmp_path):
    loaded = load_scene(CASE / "scene.json")
    save_scene(tmp_path / "saved.json", loaded)
    assert load_scene(tmp_path / "saved.json") == loaded


def test_a_body_file_names_the_corner_too():
    plain = {"format": "collision body", "version": 1, "name": "stone", "method": "by hand", "tolerance": 0.01}
    plain |= {"pixels_per_metre": 100.0, "outline": [{"outer": CORNERS}], "fixtures": [{"kind": "polygon", "vertices": CORNERS}]}
    for k, off in ((0, 0.0), (1, 2e-8), (2, -2e-8)):
        plain["fixtures"][0]["vertices"] = [*CORNERS[:4], [CORNERS[4][0] - off, CORNERS[4][1]]]
        body = body_from_json(plain)
        assert len(body.pieces[0].core) == 4 and "fixtures[0].vertices[4], (-0.9945" in body.notes[0], k
        world = World()
        world.create_body(BodySpec(tuple(FixtureSpec(piece) for piece in body.pieces)))


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_a_world_accepts_it_directly(solver):
    world = World(solver=solver)
    body = world.create_body(BodySpec((FixtureSpec(Polygon(CORNERS)),)))
    shape = world.fixture(world.fixtures_of(body)[0]).shape
    assert isinstance(shape, Polygon) and len(shape.vertices) == (4 if solver == "box2d" else 5)
    assert shape.mass().area == pytest.approx(AREA, abs=1e-4)


def test_a_real_dent_is_reported_with_its_depth_and_box2d_s_loader_uses_its_hull():
    points = [[-1.0, -1.0], [0.0, -0.75], [1.0, -1.0], [1.0, 3e-8], [1.0, 1.0], [-1.0, 1.0]]
    with pytest.raises(ValueError, match=r"shape.vertices must be convex, got a dent of 0.25 m at vertices\[1\], \(0, -0.75\)"):
        scene(points)
    loaded = rube(points)
    assert polygon_of(loaded).mass().area == pytest.approx(4.0, abs=1e-6)
    assert "a dent of 0.25 m at vertices[1], (0, -0.75)" in loaded.notes[0] and "its convex hull is used" in loaded.notes[0]
    assert "vertices[1], (0, -0.75), 0.25 m off the line" in loaded.notes[1]


def test_a_pair_file_keeps_every_digit_and_names_the_corner_that_box2d_rejects(tmp_path, capsys):
    """Exact algorithms use pairs too, so no corner of a pair is dropped."""
    shape = {"kind": "polygon", "vertices": CORNERS}
    side = {"shape": shape, "pose": [0, 0, 0]}
    plain = {"format": "collision pair", "version": 1, "query": "overlap", "a": side, "b": side}
    (tmp_path / "pair.json").write_text(json.dumps(plain))
    assert main(["run", "--pair", str(tmp_path / "pair.json"), "--headless"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "Box2D rejects the shapes: vertices[4] must be a corner that float32 can distinguish from the line of its neighbors" in output
    assert "(-0.994554818, 0.165337861), 1.1e-09 m off it" in output
    shape["vertices"] = [*CORNERS[:4], [CORNERS[4][0] + 2e-8, CORNERS[4][1]]]
    (tmp_path / "pair.json").write_text(json.dumps(plain))
    assert main(["run", "--pair", str(tmp_path / "pair.json"), "--headless"]) == 2
    assert "a.shape.vertices must be convex, got a dent of 1.5e-08 m at vertices[4], (-0.99455" in capsys.readouterr().err


def test_a_body_without_remaining_shapes_is_omitted():
    loaded = rube([[0.0, 0.0], [1e-5, 0.0], [0.0, 1e-5]])
    assert loaded.bodies == () and loaded.notes[-1] == "Left out: body[0], because none of its shapes could be imported."
    assert "large enough for float32" in loaded.notes[0]
