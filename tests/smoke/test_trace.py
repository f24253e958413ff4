"""``trace`` on the command line: samples, tables, bodies, pictures, and one line for every mistake."""

import dataclasses
import json
import shutil
from pathlib import Path

import numba
import numpy as np
import pytest
import shapely

from engine.cli.main import main
from engine.decompose import body_from_json, load_body
from engine.decompose.decompose import METHODS
from engine.geometry import Polygon
from sprites.draw_samples import draw, gear
from sprites.figure_outline import PICTURE

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sprites" / "samples"
GEAR, PAW = str(SAMPLES / "gear.svg"), str(SAMPLES / "paw.png")
IS_COMPILED = not numba.config.DISABLE_JIT


@pytest.mark.parametrize(("name", "n_parts", "n_holes"), [("gear.svg", 1, 6), ("ampersand.png", 1, 2), ("paw.png", 5, 0)])
def test_a_sample_becomes_a_body(name, n_parts, n_holes, tmp_path, capsys):
    if name == "gear.svg" and not IS_COMPILED:
        pytest.skip("uncompiled, the fewest pieces of an outline with six holes take a minute")
    target, picture = tmp_path / "body.json", tmp_path / "body.png"
    source = tmp_path / name  # a body file names a picture beside it
    shutil.copyfile(SAMPLES / name, source)
    assert main(["trace", str(source), "--json", str(target), "--screenshot", str(picture)]) == 0
    body = load_body(target)
    assert len(body.outline.parts) == n_parts and sum(len(part.holes) for part in body.outline.parts) == n_holes
    union = shapely.union_all([shapely.Polygon(piece.vertices) for piece in body.pieces if isinstance(piece, Polygon)])
    assert union.symmetric_difference(body.outline.as_shapely()).area < 1e-6 * body.outline.area
    assert body.picture is not None and Path(body.picture.file).resolve() == source.resolve()
    said = capsys.readouterr().out
    assert f"{n_parts} part{'s' * (n_parts != 1)}, {n_holes} hole{'s' * (n_holes != 1)}" in said
    assert "valid" in said and "ms: contour" in said
    pyplot = pytest.importorskip("matplotlib.pyplot")
    shades = {tuple(pixel) for pixel in (pyplot.imread(picture)[::3, ::3, :3].reshape(-1, 3) * 255).astype(int).tolist()}
    assert len(shades) > 20
    assert pyplot.imread(picture).shape[1] >= 720


def test_methods_side_by_side(tmp_path, capsys):
    arguments = ["trace", str(PICTURE), "--crop", "0,0,408,432", "--pixels-per-metre", "240", "--method", "all", "--json", "-"]
    assert main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    rows = {row["method"]: row for row in report["methods"]}
    assert tuple(rows) == METHODS
    assert rows["exact"]["area_error"] < 1e-6
    assert rows["hull"]["missed"] < 1e-9 < rows["hull"]["excess"] and rows["circles"]["missed"] > 0.0
    assert report["hausdorff"] <= report["tolerance"] == 0.005
    for row in rows.values():
        assert row["valid"] is True and len(body_from_json(row["body"]).pieces) == row["pieces"]
        assert row["farthest_excess"] >= 0.0 <= row["farthest_missed"]


def test_the_number_of_pieces_is_limited(capsys):
    assert main(["trace", PAW, "--max-pieces", "7", "--json", "-"]) == 0
    body = body_from_json(json.loads(capsys.readouterr().out))
    assert len(body.pieces) <= 7 == body.max_pieces


def test_an_unloadable_body_is_not_written(tmp_path, capsys):
    target = tmp_path / "body.json"
    target.write_text("kept", encoding="utf-8")
    assert main(["trace", GEAR, "--method", "hull", "--tolerance", "1e7", "--json", str(target)]) == 2
    assert "error: --json: tolerance must be a number > 0 m, at most 1e+06, got 10000000.0" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "kept" and list(tmp_path.iterdir()) == [target]


def test_a_failed_check_sets_status_1(monkeypatch, capsys):
    """Pieces that do not match the outline and pieces that Box2D rejects are detected."""
    import engine.decompose.decompose as module

    real = module.decompose

    scale = 0.99

    def shrunk(*arguments):
        result = real(*arguments)
        return dataclasses.replace(result, pieces=tuple(Polygon(piece.vertices * scale) for piece in result.pieces))

    monkeypatch.setattr(module, "decompose", shrunk)
    assert main(["trace", PAW]) == 1
    assert "not the outline" in capsys.readouterr().out
    scale = 1e-9
    assert main(["trace", PAW, "--method", "hull"]) == 1
    assert "Box2D rejects 1" in capsys.readouterr().out


def test_the_samples_match_their_script(tmp_path):
    pygame = pytest.importorskip("pygame")
    draw(tmp_path)
    assert (tmp_path / "gear.svg").read_text(encoding="utf-8") == gear() == Path(GEAR).read_text(encoding="utf-8")
    for name in ("ampersand.png", "paw.png"):
        ours, theirs = (pygame.surfarray.array_alpha(pygame.image.load(folder / name)).astype(int) for folder in (tmp_path, SAMPLES))
        assert np.abs(ours - theirs).mean() < 0.5, "a font or a filter of another version: draw the samples anew"
