"""Smoke test: each registered demo is built, stepped, drawn, given keys, and restarted with the same bits."""

import pygame
import pytest

from engine.app.frame import FramePainter
from engine.app.headless import run_headless
from engine.app.layout import lay_out
from engine.app.session import Session
from engine.app.window import Window
from engine.compare.live.referee import live_referee
from engine.contracts import PairAgreement
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook
from engine.render.palette import MIN_CONTRAST, THEMES, contrast
from engine.sim.history import demo_hash
from engine.sim.registry import all_demos
from tests.unit.app.written import Written, noting_words

_AGAIN = 10
"""Steps after a restart."""

DEMOS = [pytest.param(demo, id=demo.id) for demo in all_demos()]


@pytest.mark.parametrize("demo", DEMOS)
def test_the_title_fits_its_button_in_the_list(demo):
    layout = lay_out((1280, 720), 1.0)
    inner = layout.panel[2] - 2 * (14 + 12)  # the column's margins, and the button's own
    assert FontBook(1.0).width(demo.title, 15.0) <= inner


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_runs_draws_and_restarts(demo):
    window = Window((1280, 720), (demo,), demo(seed=2))
    surface = pygame.Surface((1280, 720))
    running = window.session.demo
    for layer in ("aabbs", "normals", "centers", "separations"):
        setattr(window.session.layers, layer, True)
    for k in range(40):
        running.sim.step()
        if k == _AGAIN - 1:
            early = demo_hash(running)
        if k == 0:
            assert deepest(running) > -0.05, "bodies are built inside each other"
        if k % 20 == 0:
            window.show(surface)
    assert running.stages or running.beside_worlds(), "nothing says whether it came out the same"
    assert pygame.transform.average_color(surface)[:3] != (0, 0, 0)
    window.session.restart()
    assert window.session.timeline.failure == ""
    if demo.id == "workbench":  # what was built stays, and so do the clock and the solver's memory of its contacts
        return
    assert running.steps == 0
    for _ in range(_AGAIN):
        running.sim.step()
    assert demo_hash(running) == early


def deepest(running):
    """Return the least separation of all contacts, meters; 0 if none is negative."""
    contacts = [stage.world.contacts for stage in running.stages]
    return min((0.0, *(float(of_one.separation[of_one.state >= 0].min(initial=0.0)) for of_one in contacts)))


@pytest.fixture(scope="module")
def referee():
    return live_referee


@pytest.mark.parametrize("demo", DEMOS)
def test_agrees_with_box2d(demo, referee):
    """Contacts and touching pairs; `python main.py run ID --headless` takes 600 steps, and status 1 means an unexplained difference."""
    report, running = run_headless(demo, 120, seed=1, referee=referee)
    assert report.contacts.unexplained == 0, [difference for stage in running.stages for difference in stage.agreement.differences]
    pairs = sum((stage.pair_total for stage in running.stages), PairAgreement())
    assert pairs.unexplained == 0, [difference for stage in running.stages for difference in stage.pairs.differences]
    assert pairs.ours + pairs.box2d == 2 * pairs.agree + pairs.explained


@pytest.mark.parametrize("demo", DEMOS)
def test_every_slider_end_works(demo):
    for parameter in demo.parameters:
        running = demo(values={parameter.name: parameter.low})
        running.sim.step()
        # the stepper's last algorithm but one: what the last records takes ten seconds to compile, and has slow tests
        running.set_parameter(parameter.name, parameter.slider_range[1] - ((demo.id, parameter.name) == ("stepper", "algorithm")))
        running.sim.step()


@pytest.mark.parametrize("demo", DEMOS)
def test_survives_its_keys(demo):
    window = Window((800, 500), (demo,), demo())
    surface = pygame.Surface((800, 500))
    for keys in ((pygame.K_LEFT, pygame.K_UP), (pygame.K_RIGHT, pygame.K_DOWN), (pygame.K_RETURN,), (pygame.K_f, pygame.K_t, pygame.K_TAB)):
        for key in keys:
            window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
            for _ in range(4):
                window.update(1.0 / 60.0)
        window.show(surface)
    assert window.session.timeline.failure == ""


@pytest.mark.parametrize("demo", DEMOS)
def test_its_texts_and_drawings_are_legible(demo, monkeypatch):
    """Contrast with the background by WCAG 2.2, in both themes: 4.5 to 1 for text, 3 to 1 for lines, except for the grid and similarly
    faint marks.

    No texts overlap, in windows of 1280 x 720, 760 x 460 and 480 x 360, and in one with all docks open.
    """
    used = set()

    def noting(name, place):
        draw = getattr(Canvas, name)

        def noted(canvas, *arguments, **named):
            used.add((name, named["color"] if "color" in named else arguments[place]))
            return draw(canvas, *arguments, **named)

        return noted

    for name, place in (("text_px", 2), ("label", 2), ("segment", 2), ("segments", 2), ("dashed", 2), ("arrow", 3), ("arrows", 3)):
        monkeypatch.setattr(Canvas, name, noting(name, place))
    running = demo()
    session, surface = Session(running, (0, 0, 1280, 720)), pygame.Surface((1280, 720))
    for _ in range(30):
        running.sim.step()
    try:
        for theme in THEMES:
            palette.use_theme(theme)
            used.clear()
            painter = FramePainter()
            painter.prepare(session)
            painter.paint(surface, session)
            faint = {palette.GRID, palette.GRID_AXIS, palette.PANEL_EDGE}
            for name, color in used:
                least = palette.WORDS_CONTRAST if name in ("text_px", "label") else MIN_CONTRAST
                assert color in faint or contrast(palette.now(color), palette.BACKGROUND) >= least, (theme, name, color)
    finally:
        palette.use_theme("dark")
    with noting_words():
        for view in ((964, 654), (440, 394), (220, 294), (190, 200)):
            session.view.place((0, 0, *view))
            painter, written = FramePainter(shrinks=False), Written(view)
            for _ in range(2):  # the first tells how large the readout is
                written.words.clear()
                painter.prepare(session)
                painter.paint(written, session)
            assert written.overlaps() == [], view
