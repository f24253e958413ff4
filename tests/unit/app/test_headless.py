import gc
import io
import itertools
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pygame
import pytest
from PIL import Image

from engine import query
from engine.app import tour, warmup
from engine.app.files import png_bytes
from engine.app.headless import picture_of, run_headless, window_on
from engine.app.plain_check import PlainCheck
from engine.app.tour import run_tour
from engine.app.window_timing import time_frames
from engine.cli import start
from engine.common.errors import InvalidInputError
from engine.contracts import StepAgreement
from engine.demo import Demo, registry


def test_the_report_has_the_documented_names(drop: type[Demo], referee: Any) -> None:
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


def test_the_hash_repeats_and_covers_every_world(drop: type[Demo], twins: type[Demo]) -> None:
    runs = [run_headless(demo, 30)[0].state_hash for demo in (drop, drop, twins, twins)]
    assert runs[0] == runs[1] and runs[2] == runs[3] and runs[0] != runs[2]


def test_no_steps_is_a_run_too(drop: type[Demo]) -> None:
    report, _ = run_headless(drop, 0)
    assert report.steps == 0 and report.ms_median == 0.0


@pytest.mark.parametrize("steps", [-3, 1.5, None])
def test_bad_steps_are_refused(drop: type[Demo], steps: Any) -> None:
    with pytest.raises(InvalidInputError, match="steps"):
        run_headless(drop, steps)


def test_the_picture_is_a_png_of_the_size_asked_for(drop: type[Demo]) -> None:
    _, demo = run_headless(drop, 30)
    before = demo.stages[0].world.step_index
    content = picture_of(demo, (640, 360))
    assert pygame.image.load(io.BytesIO(content)).get_size() == (640, 360)
    assert demo.stages[0].world.step_index == before, "drawing takes no step"


def test_pictures_work_without_a_display_and_leave_none_behind(drop: type[Demo]) -> None:
    pygame.display.quit()
    picture_of(drop(), (320, 200))
    assert not pygame.display.get_init()


def test_timing_names_its_parts(drop: type[Demo], referee: Any) -> None:
    timing = time_frames(drop(referee=referee), frames=5, warm_up=3, size=(320, 200))
    assert timing.frames == 5 and timing.bodies == 2
    assert 0.0 < timing.step < timing.frame and 0.0 < timing.draw < timing.frame


def test_the_tour_writes_a_picture_of_each(drop: type[Demo], twins: type[Demo], tmp_path: Path) -> None:
    seen: list[Demo] = []
    stops = run_tour((drop, twins), tmp_path / "out", 0.1, on_step=seen.append)
    assert [stop.report.demo for stop in stops] == ["drop", "twins"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["drop.png", "twins.png"]
    assert len(seen) == 12


class Coming:
    """The live check comes after so many looks at it, and all that a demo can ask a little later."""

    def __init__(self, referee: Any, looks: int) -> None:
        self._referee, self._looks, self.n = referee, looks, 0

    @property
    def factory(self) -> Any:
        """Nothing at first."""
        self.n += 1
        return self._referee if self.n > self._looks else None

    @property
    def is_complete(self) -> bool:
        """Whether everything is there."""
        self.n += 1
        return self.n > self._looks + 3


def test_a_tour_waits_for_no_compiler_and_says_what_it_checked(
    drop: type[Demo], twins: type[Demo], referee: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asking(drop):  # type: ignore[valid-type,misc]
        id, needs_referee = "asking", True

        def build(self) -> None:
            super().build()
            self.was_ready: list[tuple[bool, bool]] = []

        def arrivals(self) -> tuple[str, ...]:
            return () if self.run.referee is None else ("kernels",)

        def after_step(self) -> None:
            self.was_ready.append((self.viewer.interactive, self.has("kernels")))

        def draw(self, canvas: Any) -> None:
            assert self.viewer.interactive

    looked: list[int] = []
    monkeypatch.setattr(PlainCheck, "look", lambda self, stages, has_stepped: looked.append(len(stages)))
    ran: list[Demo] = []
    stops = run_tour((drop, twins, Asking, drop), tmp_path / "out", 0.5, on_step=ran.append, coming=Coming(referee, 40))
    assert [stop.checked for stop in stops] == ["none", "in part", "in part", "all"]
    assert stops[0].report.contacts.compared == 0 < stops[1].report.contacts.compared
    assert looked[:30] == [1] * 30 and looked[31] == 2 and looked[-1] == 0
    asking = next(demo for demo in ran if isinstance(demo, Asking))
    assert asking.was_ready[0] == (True, False) and asking.was_ready[-1] == (True, True), "nothing is compiled in the middle of a step"
    assert all(stop.picture.is_file() for stop in stops)


def test_without_compiled_algorithms_the_command_shows_what_is_there(
    drop: type[Demo], twins: type[Demo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed: list[bool] = []

    class Never(Coming):
        failure = ""

        def __init__(self) -> None:
            super().__init__(None, 10**9)

        def start(self) -> None:
            """It never comes."""

        def close(self) -> None:
            """Remember."""
            closed.append(True)

    def compile_all() -> None:
        pytest.fail("everybody waits for the compiler")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "RefereeWarmup", Never)
    monkeypatch.setattr(warmup, "referee_factory", compile_all)
    monkeypatch.setattr(registry, "all_demos", lambda: (drop, twins))
    monkeypatch.setattr(start, "TOUR_SECONDS", 0.1)
    monkeypatch.setattr(PlainCheck, "look", lambda self, stages, has_stepped: stages[0].sample(StepAgreement(1, 1)))
    assert start._tour() == 0 and closed == [True]
    told = capsys.readouterr().out
    assert "a few pairs a step" in told and told.count("in part") == 2 and "doctor --compile" in told
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"drop.png", "twins.png"}


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_picture_of_a_demo_without_worlds_compiles_nothing_if_nothing_is_waited_for(
    is_waited_for: bool, drop: type[Demo], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Bare(drop):  # type: ignore[valid-type,misc]
        def build(self) -> None:
            """No world."""

    loaded: list[bool] = []
    monkeypatch.setattr("engine.app.window.load_raster", lambda: loaded.append(True))
    demo = Bare()
    demo.viewer.interactive = not is_waited_for
    window_on(demo, (640, 360), 1.0)
    assert bool(loaded) == is_waited_for and demo.viewer.interactive != is_waited_for


def test_a_demo_that_takes_very_long_is_shown_as_far_as_it_came(drop: type[Demo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "LONGEST", 0.0)
    (stop,) = run_tour((drop,), tmp_path / "out", 5.0)
    assert stop.report.steps == 1 and stop.seconds == 1.0 / 60.0 and stop.picture.is_file()
    ticks = itertools.count()
    monkeypatch.setattr(tour, "LONGEST", 60.0)
    monkeypatch.setattr(tour, "perf_counter", lambda: float(next(ticks)))
    stops = run_tour((drop, drop, drop), tmp_path / "out", 5.0)
    assert [stop.report.steps for stop in stops] == [21, 20, 18]  # a second a step; the last look is over time


def test_the_tour_refuses_a_file_for_a_directory(drop: type[Demo], tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InvalidInputError):
        run_tour((drop,), tmp_path / "out", 0.1)


def noise() -> pygame.Surface:
    """A picture of which PNG makes no less than it is."""
    return pygame.image.frombytes(random.Random(0).randbytes(3 * 64 * 64), (64, 64), "RGB")


def test_pictures_leave_nothing_in_memory() -> None:
    tracemalloc.start()
    try:
        size = len(png_bytes(noise()))
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10):
            assert len(png_bytes(noise())) == size
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < size, f"{grown} bytes stayed of ten pictures of {size} each"


def test_a_picture_holds_what_the_surface_shows() -> None:
    clear = pygame.Surface((3, 2), pygame.SRCALPHA)
    clear.set_at((1, 0), (10, 200, 30, 128))
    for surface, mode in ((noise(), "RGB"), (clear, "RGBA")):
        picture = Image.open(io.BytesIO(png_bytes(surface)))
        assert (picture.mode, picture.size) == (mode, surface.get_size())
        assert picture.tobytes() == pygame.image.tobytes(surface, mode)


def test_a_picture_needs_no_room_on_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """SDL wrote half a picture into a temporary folder that was full, and said nothing."""
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert png_bytes(noise()).endswith(b"IEND\xaeB`\x82")
