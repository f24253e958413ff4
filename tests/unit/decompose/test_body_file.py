"""Bodies in files: written bodies are restored, mistakes are reported by field, and picture paths are relative to the file."""

import copy
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.app.dropped_picture import picture_of
from engine.common.errors import InvalidInputError, InvalidShapeError, LabError
from engine.decompose import BodyFile, Outline, Part, Picture, body_as_json, body_from_json, body_of_file, load_body, save_body
from engine.decompose.image import read_opacity
from engine.geometry import Circle, Polygon
from sprites.figure_outline import PICTURE, PIXELS_PER_METRE

OUTLINE = Outline([Part([(0, 0), (2, 0), (2, 1 / 3), (0, 1)], [[(0.1, 0.1), (0.2, 0.1), (0.1, 0.2)]]), Part([(5, 5), (6, 5), (5, 6)])])
BODY = BodyFile(
    "corner",
    (Polygon([(0, 0), (2, 0), (2, 1 / 3), (0, 1)]), Circle(0.1, (5.1, 1 / 7))),
    OUTLINE,
    "exact",
    0.005,
    240.0,
    7,
    Picture("corner.png", (-0.1, -0.2), (2.5, 2.0), (0, 10, 100, 90)),
    ("A note.",),
)


def plain():
    return json.loads(json.dumps(body_as_json(BODY)))


def test_a_written_body_loads_bit_for_bit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "body.json"
    save_body(path, BodyFile("x", BODY.pieces, OUTLINE, "hull", 1 / 3, 1e-5))
    assert load_body(path).tolerance == 1 / 3 and load_body(path).picture is None and load_body(path).max_pieces is None
    save_body(path, BODY)
    body_file = load_body(path)
    assert body_file.outline == OUTLINE and body_file.pieces == BODY.pieces
    assert (body_file.name, body_file.method, body_file.pixels_per_metre, body_file.max_pieces, body_file.notes) == (
        "corner",
        "exact",
        240.0,
        7,
        ("A note.",),
    )
    first = path.read_bytes()
    save_body(path, body_file)
    assert path.read_bytes() == first


def test_the_picture_path_is_relative_to_the_file(tmp_path, monkeypatch):
    (tmp_path / "bodies" / "pictures").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "bodies" / "pictures")
    save_body(tmp_path / "bodies" / "corner.json", BODY)
    assert json.loads((tmp_path / "bodies" / "corner.json").read_text())["picture"]["file"] == "pictures/corner.png"
    monkeypatch.chdir(tmp_path)
    picture = load_body("bodies/corner.json").picture
    assert Path(picture.file).resolve() == (tmp_path / "bodies" / "pictures" / "corner.png").resolve()
    assert (picture.lower, picture.upper, picture.crop) == ((-0.1, -0.2), (2.5, 2.0), (0, 10, 100, 90))


@pytest.mark.parametrize(
    "name", ["../outside.png", "/etc/hostname", "link.png", "link/inner.png", "C:\\x.png", "a/../../outside.png", "\\\\host\\x"]
)
def test_a_picture_outside_the_folder_is_omitted(tmp_path, name):
    """Issue 29: a body file could name any file on the disk, which was opened and drawn."""
    folder = tmp_path / "bodies"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(b"")
    if name.startswith("link"):
        (folder / "link.png").symlink_to(tmp_path / "outside.png")
        (folder / "link").symlink_to(tmp_path)
    body = plain()
    body["picture"]["file"] = name
    body_file = body_from_json(body, "body", folder)
    assert body_file.picture is None
    assert body_file.notes == ("A note.", f"Left out: the picture {name}, which is not in the folder of the body's file, or below.")


def test_a_body_saved_outside_the_folder_of_its_picture_has_none(tmp_path, monkeypatch):
    (tmp_path / "bodies").mkdir()
    monkeypatch.chdir(tmp_path)
    save_body("bodies/corner.json", BODY)
    body_file = load_body("bodies/corner.json")
    assert body_file.picture is None
    assert "../corner.png" in body_file.notes[-1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda body: body.pop("name"), "body: name must be given, got nothing"),
        (lambda body: body.update(format="collision pair"), "body: format must be collision body, got 'collision pair'"),
        (lambda body: body.update(version=2), "body: version must be 1, got 2"),
        (lambda body: body.update(color="red"), "body: color must be a known field"),
        (lambda body: body.update(tolerance=0), r"body: tolerance must be a number > 0 m, at most 1e\+06"),
        (lambda body: body.update(tolerance="1"), "body: tolerance must be a number"),
        (lambda body: body.update(max_pieces=0), "body: max_pieces must be a whole number from 1 to 10000, got 0"),
        (lambda body: body.update(pixels_per_metre=-1), "body: pixels_per_metre must be a number > 0, got -1"),
        (lambda body: body.update(outline=[]), "body: outline must be a list of at least 1, got 0"),
        (lambda body: body.update(fixtures={}), "body: fixtures must be a list"),
        (lambda body: body["fixtures"][0].update(kind="star"), r"body: fixtures\[0\].kind must be one of circle, polygon, got 'star'"),
        (
            lambda body: body["fixtures"][0]["vertices"].__delitem__(slice(1, None)),
            r"body: fixtures\[0\].vertices must be a list of at least 3",
        ),
        (lambda body: body["fixtures"][0].update(vertices=[[0, 0], [2, 0], [1, 0.5], [0, 2]]), r"fixtures\[0\].vertices must be convex"),
        (lambda body: body["fixtures"][0].update(vertices=[[k, k * k] for k in range(17)]), "at most 16, got 17"),
        (lambda body: body["fixtures"][1].update(radius=-1), r"body: fixtures\[1\].radius must be a number > 0 m"),
        (
            lambda body: body["fixtures"][1].update(center=[0, 1e7]),
            r"body: fixtures\[1\].center\[1\] must be a number from -1e\+06 to 1e\+06",
        ),
        (lambda body: body["outline"][0].update(outer=[[0, 0], [1, 1], [1, 0], [0, 1]]), r"body: outline\[0\].(part|outer) must be"),
        (lambda body: body["outline"][1].update(outer=[[0, 0], [1, 0], [0, 1]]), "body: outline must be rings that cross neither"),
        (lambda body: body["picture"].update(upper=[-1, 9]), "body: picture.upper must be above and right of picture.lower"),
        (lambda body: body["picture"].update(crop=[0, 0, 0, 5]), r"body: picture.crop\[2\] must be a whole number >= 1, got 0"),
        (lambda body: body["picture"].update(file="a\0b"), "body: picture.file must be the name of a file"),
        (lambda body: body.update(notes=["x" * 20_000]), r"body: notes\[0\] must be text of at most 10000 characters"),
    ],
)
def test_a_mistake_is_reported_by_its_field(change, words):
    held = copy.deepcopy(plain())
    change(held)
    with pytest.raises(InvalidInputError, match=words) as caught:
        body_from_json(held)
    assert "\n" not in str(caught.value)


def test_broken_files_are_reported_by_their_line(tmp_path):
    path = tmp_path / "body.json"
    path.write_text('{"format": "collision body",\n "version": }', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"body.json, line 2, column 13 must be JSON"):
        load_body(path)
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"must be (a body file, got lists nested too deeply|JSON)"):
        load_body(path)
    path.write_text('{"version": NaN}', encoding="utf-8")
    with pytest.raises(InvalidInputError, match="finite numbers only"):
        load_body(path)
    with pytest.raises(InvalidInputError, match="body file must be a file that can be read"):
        load_body(tmp_path)


def test_an_unloadable_body_is_not_written(tmp_path):
    path = tmp_path / "body.json"
    with pytest.raises(InvalidInputError, match="text of at most 1000 characters"):
        save_body(path, BodyFile("n" * 2000, BODY.pieces, OUTLINE, "exact", 0.005, 100.0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x", (), OUTLINE, "exact", 0.1, 1.0), "pieces must be at least one"),
        (("x", ("y",), OUTLINE, "exact", 0.1, 1.0), r"pieces\[0\] must be a Polygon or a Circle"),
        (("x", (Polygon.regular(17, 1.0),), OUTLINE, "exact", 0.1, 1.0), r"pieces\[0\].vertices must be at most 16, got 17"),
        (("x", (Polygon.regular(3, 1.0, 0.0, 0.01),), OUTLINE, "exact", 0.1, 1.0), r"pieces\[0\].skin_radius must be 0 m"),
        (("x", (Circle(2e6),), OUTLINE, "exact", 0.1, 1.0), r"pieces\[0\] must be within 1e\+06 m"),
        (("x", BODY.pieces, BODY.pieces, "exact", 0.1, 1.0), "outline must be an Outline"),
        ((3, BODY.pieces, OUTLINE, "exact", 0.1, 1.0), "name must be a text"),
        (("x", BODY.pieces, OUTLINE, "exact", 0.1, 1.0, 1, "a.png"), "picture must be a Picture, got 'a.png'"),
        (("x", BODY.pieces, OUTLINE, "exact", 0.1, 1.0, 1, None, "One text."), "notes must be a list of texts, got 'One text.'"),
        (("x", BODY.pieces, OUTLINE, "exact", 0.1, 1.0, 1, None, (3,)), "notes must be a list of texts"),
        (("x", BODY.pieces, OUTLINE, "exact", 0.0, 1.0), "tolerance must be > 0 m"),
        (("x", BODY.pieces, OUTLINE, "exact", 0.1, 1.0, 0), "max_pieces must be a whole number >= 1"),
    ],
)
def test_an_invalid_body_is_rejected(arguments, words):
    with pytest.raises(InvalidInputError, match=words):
        BodyFile(*arguments)


def test_a_body_of_the_figure_in_one_call_and_again_from_its_file(tmp_path):
    body = body_of_file(PICTURE, pixels_per_metre=PIXELS_PER_METRE, crop=(0, 0, 408, 432))
    assert body.name == "figure" and body.method == "exact" and body.max_pieces is None
    covered = sum(piece.mass().area for piece in body.pieces)
    assert covered == pytest.approx(body.outline.area, rel=1e-6)
    assert np.allclose(np.subtract(body.picture.upper, body.picture.lower), (408 / 240, 432 / 240))
    save_body(tmp_path / "figure.json", body)
    again = body_of_file(tmp_path / "figure.json")
    assert again.pieces == body.pieces and again.outline == body.outline


def test_a_body_of_a_drawing_and_of_other_files(tmp_path):
    path = tmp_path / "drop.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h90v30h-60v60h-30z"/></svg>', encoding="utf-8")
    body = body_of_file(path, "hull")
    assert len(body.pieces) == 1 and body.outline.area == pytest.approx(0.45)
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for bad, words in (
        (tmp_path / "notes.txt", "a file that ends in .png"),
        (tmp_path / "none.svg", "No such file"),
        (tmp_path, "no extension"),
    ):
        with pytest.raises(LabError, match=words):
            body_of_file(bad)
    with pytest.raises(InvalidInputError, match="method must be one of exact"):
        body_of_file(path, "magic")
    with pytest.raises(InvalidInputError, match="max_pieces"):
        body_of_file(path, max_pieces=0)
    with pytest.raises(InvalidShapeError, match=r"at least 0.01 m thick"):
        body_of_file(path, pixels_per_metre=1e5)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="nothing here says which files are open")
def test_a_folder_in_place_of_a_picture_is_rejected_and_closed(tmp_path):
    before = os.listdir("/proc/self/fd")
    with pytest.raises(InvalidInputError, match="not a regular file"):
        read_opacity(tmp_path)
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_a_picture_that_is_a_pipe_is_not_waited_for(tmp_path):
    """Issue 29: opening a pipe without a writer blocks forever."""
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(InvalidInputError, match="not a regular file"):
        read_opacity(tmp_path / "pipe.png")
    body = plain()
    body["picture"]["file"] = "pipe.png"
    assert picture_of(body_from_json(body, "body", tmp_path)) is None
