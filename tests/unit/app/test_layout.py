import pytest

from engine.app.layout import lay_out, ui_scale_for


@pytest.mark.parametrize("size", [(1, 1), (200, 100), (800, 500), (1280, 720), (3840, 2160)])
@pytest.mark.parametrize("scale", [0.75, 1.0, 2.0, 4.0])
def test_panels_tile_the_window(size, scale):
    layout = lay_out(size, scale)
    assert layout.panel[2] + layout.view[2] == layout.size[0] >= size[0] and layout.view[3] >= 1
    assert layout.strip[1] + layout.strip[3] == layout.size[1] >= size[1]
    assert layout.view[2] >= 0.5 * size[0]


def test_dense_displays_get_larger_text():
    assert ui_scale_for((1280, 720)) == 1.0
    assert ui_scale_for((3840, 2160)) == 2.0
    assert ui_scale_for((10**6, 10**6)) == 4.0
