"""The scene of bounding volumes: its counts, rotating and moving by hand, and the table at every size."""

import math

import pygame
import pytest
import shapely

from demos._bounding_outlines import OUTLINES, outline_named
from demos._bounding_picture import COLORS, ring_of
from demos.bounding_volumes import REACH, BoundingVolumes
from engine.app.window import Window
from engine.bounding.kinds import KINDS, area_of
from engine.bounding.outlines import outline_area
from engine.sim.registry import find_demo


@pytest.fixture(autouse=True)
def display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.display.set_mode((1280, 720))


def make(**values):
    demo = find_demo("bounding_volumes")(4, values)
    assert isinstance(demo, BoundingVolumes)
    return demo


def placed(demo, pose):
    outer, *holes = (pose.apply_array(ring) for ring in demo.rings)
    return shapely.Polygon(outer, holes)


@pytest.mark.parametrize("outline", OUTLINES)
def test_no_volume_misses_a_true_hit(outline):
    demo = make(outline=outline, volumes="all", neighbors=5, drift=5.0, spin=360.0)
    for _ in range(12):
        demo.sim.step()
        for neighbor in demo.neighbors:
            assert neighbor.meets == placed(demo, demo.pose).intersects(placed(demo, neighbor.pose))
    assert {tally.missed for tally in demo.tallies.values()} == {0} and demo.status() == []
    assert {tally.apart for tally in demo.tallies.values()} == {demo.tallies["hull"].apart} and demo.tallies["hull"].apart > 0


def test_the_table_counts_visible_hits():
    demo = make(volumes="all", neighbors=16)
    for _ in range(30):
        demo.sim.step()
    for row in demo.rows():
        says = [neighbor for neighbor in demo.neighbors if row.kind in neighbor.said_yes]
        assert row.says_yes == len(says) and row.false_now == len([neighbor for neighbor in says if not neighbor.meets])
        assert row.area_ratio == pytest.approx(area_of(demo.volumes[row.kind]) / outline_area(demo.rings))
    by_kind = {row.kind: row for row in demo.rows()}
    assert all(by_kind["hull"].false_rate <= row.false_rate and by_kind["hull"].area_ratio <= row.area_ratio for row in demo.rows())
    assert len(demo.summary()) == 1 + len(KINDS)


def test_neighbors_are_uniformly_distributed():
    """For uniformly distributed chords, the share of time within two thirds of the disc's radius is that of the areas, 4 / 9."""
    demo = make(outline="triangle", volumes="smallest_circle", neighbors=16, drift=5.0, spin=0.0)
    inside = seen = 0
    for _ in range(1500):
        demo.before_step()
        inside += sum(math.hypot(*neighbor.position) <= 2.0 * REACH / 3.0 for neighbor in demo.neighbors)
        seen += len(demo.neighbors)
    assert inside / seen == pytest.approx(4.0 / 9.0, abs=0.04)


def test_the_figure_turns_automatically_and_by_hand():
    demo = make(spin=60.0, neighbors=1, drift=0.0)
    demo.neighbors[0].position = (2.5, 0.0)
    demo.sim.step()
    assert demo.angle == pytest.approx(math.radians(1.0))
    assert demo.on_key("a") and not demo.on_key("z")
    demo.sim.step()
    assert demo.angle == pytest.approx(math.radians(1.0))
    assert demo.grab((0.5, 0.0)) and demo.grabbing
    demo.drag((0.0, 0.5))
    assert demo.angle == pytest.approx(math.radians(91.0))
    demo.release()
    assert demo.on_wheel((0.1, 0.1), 1.0) and demo.angle == pytest.approx(math.radians(96.0))
    assert not demo.grab((0.0, 2.9)) and not demo.on_wheel((0.0, 2.9), 1.0)


def test_a_neighbor_is_moved_and_turned():
    demo = make(outline="box", neighbors=1, drift=0.0, spin=0.0)
    neighbor = demo.neighbors[0]
    neighbor.position, neighbor.angle = (2.5, 0.0), 0.0
    demo.drag((9.0, 9.0))
    assert demo.grab((2.6, 0.1))
    demo.drag((0.6, 0.1))
    demo.sim.step()  # while it is held it does not drift
    assert neighbor.position == pytest.approx((0.5, 0.0)) and neighbor.angle == 0.0 and neighbor.meets
    demo.release()
    demo.grab((0.6, 0.0))
    demo.release()
    assert demo.turn((0.7, 0.0))
    demo.drag((0.5, 0.2))
    assert neighbor.angle == pytest.approx(math.pi / 2)


def test_volumes_are_switched_without_a_restart():
    demo = make()
    for _ in range(5):
        demo.sim.step()
    before = demo.neighbors[0].position
    demo.set_parameter("volumes", "box+capsule")
    demo.set_parameter("k", "32")
    assert demo.kinds == ("box", "capsule") and demo.steps == 5 and demo.neighbors[0].position == before
    demo.sim.step()
    assert demo.tallies["box"].apart <= len(demo.neighbors)
    demo.on_key("c")
    assert demo.tallies["box"].apart == 0
    demo.set_parameter("outline", "comb")
    assert demo.steps == 0


def test_every_volume_has_a_color_and_a_border():
    demo = make(volumes="all", k="24")
    assert set(COLORS) == set(KINDS) and len(set(COLORS.values())) == len(KINDS)
    for kind in KINDS:
        ring = ring_of(demo.volumes[kind])
        drawn = shapely.Polygon(ring)
        assert drawn.is_valid and drawn.area == pytest.approx(area_of(demo.volumes[kind]), rel=4e-3)
        assert drawn.buffer(1e-2).contains(placed(demo, demo.pose))


@pytest.mark.parametrize("size", [(1280, 720), (700, 1000), (480, 320)])
def test_the_table_fits_the_view(size):
    kind = find_demo("bounding_volumes")
    window = Window(size, (kind,), kind(3, {"volumes": "all", "outline": "ring"}))
    surface = pygame.Surface(size)
    window.show(surface)
    window.show(surface)
    assert window.session.timeline.failure == ""
    camera, demo = window.session.view.camera, window.session.demo
    left, top, width, height = camera.view
    home = demo.home()
    for corner in (home.lower, home.upper):
        x, y = camera.to_screen(corner)
        assert left - 1 <= x <= left + width + 1 and top - 1 <= y <= top + height + 1


def test_outlines_are_centered():
    for name in OUTLINES:
        rings = outline_named(name)
        assert max(math.hypot(x, y) for x, y in rings[0]) == pytest.approx(1.0)
        assert shapely.Polygon(rings[0], rings[1:]).is_valid


def test_the_table_is_beside_the_figures_below_them_or_in_the_readout():
    demo = make()
    places = []
    for size in ((960.0, 620.0), (600.0, 900.0), (230.0, 260.0)):
        demo.arrange(*size)
        places.append((demo.view_state, len(demo.status()), demo.home().upper[0] > REACH + 1.0))
    assert places == [("beside", 0, True), ("below", 0, False), ("left out", len(demo.kinds), False)]
