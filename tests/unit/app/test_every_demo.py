"""Smoke: each registered demo is built, stepped, drawn, given keys, and restarted to the same bits."""

from pathlib import Path

import pygame
import pytest

from engine.app.demo import Demo
from engine.app.headless import run_headless
from engine.app.layout import lay_out
from engine.app.registry import all_demos
from engine.app.warmup import referee_factory
from engine.app.window import Window
from engine.render.fonts import FontBook

DEMOS = [pytest.param(demo, id=demo.id) for demo in all_demos()]


@pytest.mark.parametrize("demo", DEMOS)
def test_the_title_fits_its_button_in_the_list(demo: type[Demo]) -> None:
    layout = lay_out((1280, 720), 1.0)
    inner = layout.panel[2] - 2 * (14 + 12)  # the column's margins, and the button's own
    assert FontBook(1.0).width(demo.title, 15.0) <= inner


@pytest.mark.parametrize("demo", DEMOS)
def test_runs_draws_and_restarts(demo: type[Demo]) -> None:
    window = Window((1280, 720), (demo,), demo(seed=2))
    surface = pygame.Surface((1280, 720))
    running = window.session.demo
    for layer in ("aabbs", "normals", "centers", "separations"):
        setattr(window.layers, layer, True)
    for k in range(90):
        running.step()
        if k % 15 == 0:
            window.draw(surface)
    first = [stage.world.state_hash() for stage in running.stages]
    assert pygame.transform.average_color(surface)[:3] != (0, 0, 0)
    window.session.restart()
    assert window.session.failure == "" and running.steps == 0
    for _ in range(90):
        running.step()
    assert [stage.world.state_hash() for stage in running.stages] == first


@pytest.mark.parametrize("demo", DEMOS)
def test_agrees_with_box2d(demo: type[Demo]) -> None:
    """Contacts and touching pairs; `python main.py run ID --headless` takes 600 steps, and status 1 says that something is unexplained."""
    report, running = run_headless(demo, 120, seed=1, referee=referee_factory())
    assert report.unexplained == 0, [one for stage in running.stages for one in stage.agreement.differences]
    pairs = running.pair_agreement()
    assert pairs.unexplained == 0, [one for stage in running.stages for one in stage.pairs.differences]
    assert pairs.ours + pairs.box2d == 2 * pairs.agree + pairs.explained


@pytest.mark.parametrize("demo", DEMOS)
def test_every_slider_end_works(demo: type[Demo]) -> None:
    for parameter in demo.parameters:
        for value in (parameter.low, parameter.slider_range[1]):
            running = demo(values={parameter.name: value})
            running.step()
            running.set_parameter(parameter.name, parameter.default)
            running.step()


@pytest.mark.parametrize("demo", DEMOS)
def test_survives_its_keys(demo: type[Demo]) -> None:
    window = Window((800, 500), (demo,), demo())
    surface = pygame.Surface((800, 500))
    for key in (pygame.K_LEFT, pygame.K_UP, pygame.K_RIGHT, pygame.K_DOWN, pygame.K_RETURN, pygame.K_f, pygame.K_t, pygame.K_TAB):
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        for _ in range(5):
            window.update(1.0 / 60.0)
        window.draw(surface)
    assert window.session.failure == ""


@pytest.mark.parametrize("demo", DEMOS)
def test_starts_without_overlap(demo: type[Demo]) -> None:
    running = demo()
    running.step()
    for stage in running.stages:
        contacts = stage.world.contacts
        deepest = min(contacts.separation[contacts.state >= 0].tolist(), default=0.0)
        assert deepest > -0.05, "bodies are built inside each other"


@pytest.mark.parametrize("demo", DEMOS)
def test_the_docs_list_every_parameter(demo: type[Demo]) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "demos.md").read_text(encoding="utf-8")
    listed = [row for row in page.splitlines() if row.startswith(f"| `{demo.id}` |")]
    assert len(listed) == len(demo.parameters)
    for row, parameter in zip(listed, demo.parameters, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        values = ", ".join(parameter.choices) or f"{parameter.low:g} to {parameter.high:g} {parameter.unit}".rstrip()
        assert cells[1] == f"`{parameter.name}`" and cells[2].startswith(values) and cells[3] == parameter.shown(parameter.default)
        assert cells[4] == parameter.description
