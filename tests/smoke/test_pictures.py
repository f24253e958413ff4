"""Every picture of docs/algorithms and docs/dynamics is drawn by its script from the current library, and is a valid picture."""

import numpy as np
import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

from docs import pictures  # noqa: E402  matplotlib may be missing

MIN_SHADES = 50
"""Different colors of a drawn picture; a blank page has one, a frame with text alone some twenty."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (k % 3 > 0)) for k, name in enumerate(pictures.PICTURES)])
def test_every_picture_is_drawn(name):
    figure = pictures.figure_of(name)
    figure.set_dpi(100)
    figure.canvas.draw()
    image = np.asarray(figure.canvas.buffer_rgba())
    pyplot.close(figure)
    assert image.shape[:2] == (600, 900)
    assert len(np.unique(image[::4, ::4, :3].reshape(-1, 3), axis=0)) > MIN_SHADES
    assert not pyplot.get_fignums(), "a figure was left open"


def test_a_picture_becomes_a_file(tmp_path):
    path = pictures.draw("gjk", tmp_path)
    assert list(tmp_path.iterdir()) == [path] and path.name == "gjk.png"
    assert pyplot.imread(path).shape[:2] == (600, 900)
    assert not pyplot.get_fignums()


def test_every_picture_is_stored_and_belongs_to_a_page():
    for name in pictures.PICTURES:
        folder = pictures.folder_of(name)
        assert (folder / f"{name}.png").exists() and (folder.parents[1] / folder.name / f"{name}.md").exists()


def test_an_unknown_picture_is_rejected(capsys):
    assert pictures.main(["mona_lisa"]) == 2
    assert "no picture 'mona_lisa': one of a" in capsys.readouterr().err
