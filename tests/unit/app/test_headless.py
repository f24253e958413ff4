import gc
import io
import itertools
import random
import tracemalloc

import pygame
import pytest
from PIL import Image

from engine.app import tour
from engine.app.files.writing import png_bytes
from engine.app.headless import picture_of, run_headless
from engine.app.tour import run_tour
from engine.common.errors import InvalidInputError


def test_the_report_has_the_documented_names(drop, referee):
    report, _ = run_headless(drop, 60, 1, {"discs": 3}, referee)
    json = report.as_json()
    assert set(json) == {
        "demo",
        "steps",
        "seed",
        "bodies",
        "contacts_begun",
        "contacts_ended",
        "points",
        "agreement",
        "pairs",
        "solver",
        "solver_settings",
        "state_hash",
        "ms_per_step",
    }
    assert set(json["points"]) == {"add", "persist", "remove"}
    assert set(json["agreement"]) == {"compared", "agree", "explained", "unexplained", "not_comparable"}
    assert set(json["pairs"]) == {"ours", "box2d", "agree", "explained", "unexplained"}
    assert set(json["ms_per_step"]) == {"median", "max"}
    assert (json["demo"], json["steps"], json["seed"], json["bodies"]) == ("drop", 60, 1, 4)
    assert json["contacts_begun"] == 3 and json["agreement"]["compared"] == json["agreement"]["agree"] > 0


def test_the_hash_repeats_and_covers_every_world(drop, twins):
    runs = [run_headless(demo, 30)[0].state_hash for demo in (drop, drop, twins, twins)]
    assert runs[0] == runs[1] and runs[2] == runs[3] and runs[0] != runs[2]


def test_a_run_may_have_no_steps(drop):
    report, _ = run_headless(drop, 0)
    assert report.steps == 0 and report.ms_median == 0.0


@pytest.mark.parametrize("steps", [-3, 1.5, None])
def test_bad_step_counts_are_rejected(drop, steps):
    with pytest.raises(InvalidInputError, match="steps"):
        run_headless(drop, steps)


def test_the_picture_is_a_png_of_the_size_asked_for(drop):
    _, demo = run_headless(drop, 30)
    before = demo.stages[0].world.step_index
    content = picture_of(demo, (640, 360))
    assert pygame.image.load(io.BytesIO(content)).get_size() == (640, 360)
    assert demo.stages[0].world.step_index == before, "drawing takes no step"


def test_pictures_work_without_a_display_and_leave_none_behind(drop):
    pygame.display.quit()
    picture_of(drop(), (320, 200))
    assert not pygame.display.get_init()


def test_the_tour_writes_a_picture_of_each_and_tells_it_at_once(drop, twins, tmp_path):
    needy = type("Needy", (drop,), {"needs_kernels": True, "id": "needy"})
    tour = run_tour((needy, drop, twins), tmp_path / "out", 0.1)
    seen = [(stop.report.demo, stop.report.steps, stop.picture.is_file(), (tmp_path / "out" / "needy.png").exists()) for stop in tour]
    assert seen == [("drop", 6, True, False), ("twins", 6, True, False), ("needy", 6, True, True)], "those that need the least come first"


def test_a_slow_demo_is_shown_at_the_step_it_reached(drop, tmp_path, monkeypatch):
    monkeypatch.setattr(tour, "LONGEST", 3.0)
    ticks = itertools.count()
    monkeypatch.setattr(tour, "perf_counter", lambda: float(next(ticks)))
    (stop,) = run_tour((drop,), tmp_path / "out", 5.0)
    assert stop.report.steps == 5 and stop.seconds == 5.0 / 60.0 and stop.picture.is_file(), "the first step may compile, for any time"


def test_the_tour_rejects_a_file_in_place_of_a_directory(drop, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InvalidInputError):
        next(run_tour((drop,), tmp_path / "out", 0.1))


def noise():
    """Return a picture that PNG cannot compress."""
    return pygame.image.frombytes(random.Random(0).randbytes(3 * 64 * 64), (64, 64), "RGB")


def test_pictures_leak_no_memory():
    tracemalloc.start()
    try:
        size = len(png_bytes(noise()))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10):
            assert len(png_bytes(noise())) == size
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # a leak keeps ten pictures; threads that earlier tests left behind may allocate some kilobytes meanwhile
    assert grown < 5 * size, f"{grown} bytes stayed of ten pictures of {size} each"


def test_a_picture_matches_the_surface():
    clear = pygame.Surface((3, 2), pygame.SRCALPHA)
    clear.set_at((1, 0), (10, 200, 30, 128))
    for surface, mode in ((noise(), "RGB"), (clear, "RGBA")):
        picture = Image.open(io.BytesIO(png_bytes(surface)))
        assert (picture.mode, picture.size) == (mode, surface.get_size())
        assert picture.tobytes() == pygame.image.tobytes(surface, mode)


def test_a_picture_needs_no_disk_space(monkeypatch):
    """SDL silently wrote half a picture into a full temporary folder."""
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert png_bytes(noise()).endswith(b"IEND\xaeB`\x82")
