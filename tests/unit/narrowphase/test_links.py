"""Links of a chain by the exact rule: normals of the chain on the shape's side (issue 29)."""

import math
from itertools import product

import numpy as np
import pytest
import shapely

from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import manifold

BEND = [(-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65)]
PLANK = Polygon.box(1.5, 0.05)


def links(points, is_reversed=False, skin=0.0):
    """Return the links of an open chain."""
    points = points[::-1] if is_reversed else points
    ends = [None, *points, None]
    return [Segment(ends[k], ends[k + 1], skin, ends[k - 1], ends[k + 2]) for k in range(1, len(points))]


def normals(chain, shape, pose, order=0):
    """Return the normals, from the chain to the shape, of all links that have a contact."""
    contact_normals = []
    for link in chain:
        pair = (link, Transform(), shape, pose)
        contact = manifold(*(pair if order == 0 else pair[2:] + pair[:2]))
        if contact.normal is not None:
            contact_normals.append(contact.normal if order == 0 else (-contact.normal[0], -contact.normal[1]))
    return contact_normals


@pytest.mark.parametrize(("is_reversed", "order"), list(product((False, True), (0, 1))))
def test_no_normal_points_down_for_a_plank_above_a_chain_that_bends_down(is_reversed, order):
    chain = links(BEND, is_reversed)
    for x in np.linspace(-1.6, 0.3, 39):
        contact_normals = normals(chain, PLANK, Transform((float(x), 0.049)), order)
        assert contact_normals and min(y for _, y in contact_normals) > 0.98


@pytest.mark.parametrize("is_reversed", [False, True])
def test_from_below_all_normals_point_down(is_reversed):
    for x in np.linspace(-1.6, 3.0, 24):
        y = float(np.interp(x, *zip(*BEND, strict=True))) - 0.049
        assert max((y for _, y in normals(links(BEND, is_reversed), Polygon.box(0.3, 0.05), Transform((float(x), y)))), default=-1.0) < -0.9


@pytest.mark.parametrize(
    "shape", [PLANK, Polygon.box(0.2, 0.2), Polygon.regular(20, 0.3), Circle(0.3), Capsule((-0.4, 0.0), (0.4, 0.0), 0.1)]
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_on_a_hill_of_many_links_all_normals_belong_to_the_chain(shape, is_reversed):
    """A shape that touches a hill: its ends lie below the lines of distant links, far from their neighbors."""
    rng = np.random.default_rng(29)
    angles = np.linspace(0.9, -0.9, 60)
    chain = links([(2.0 * math.sin(-angle), 2.0 * math.cos(angle) - 2.0) for angle in angles], is_reversed, 0.01)
    grown, low = shape.with_radius(shape.radius + 0.01), float(shape.core[:, 1].min()) - shape.radius
    for at in rng.uniform(-0.5, 0.5, 30):
        up = np.array([math.sin(at), math.cos(at)])
        x, y = (np.array([0.0, -2.0]) + (2.0 - low - 1e-3) * up).tolist()
        contact_normals = normals(chain, grown, Transform((x, y), -float(at)))
        assert contact_normals and all(nx * up[0] + ny * up[1] > 0.8 for nx, ny in contact_normals)


def test_at_the_edge_of_a_table_the_normal_points_up():
    """A box that has slid halfway over the edge: for the link of the vertical side, it is on top, not behind."""
    table = links([(-5.0, 0.0), (0.0, 0.0), (0.0, -5.0)])
    for x, tilt in product((-0.4, -0.2, 0.1, 0.4), (-1e-9, 0.0, 1e-9)):
        contact_normals = normals(table, Polygon.box(0.5, 0.5), Transform((x, 0.495), tilt))
        assert len(contact_normals) == 2 and all(normal == pytest.approx((0.0, 1.0), abs=1e-8) for normal in contact_normals)
    # beside it the normal is the upright side's
    for normal in normals(table, Polygon.box(0.5, 0.5), Transform((0.495, -0.6))):
        assert normal == pytest.approx((1.0, 0.0))


def test_a_plank_on_a_ridge_has_the_normal_of_its_own_face():
    """Along the link's normal, its far end is deep; its own normal is admissible if it lies between the two links' normals, or is steeper
    than both.
    """
    ridge = links([(-3.0, 0.0), (0.0, 0.0), (3.0, -0.6)])
    for angle in (0.0, -0.1, math.atan2(-0.6, 3.0)):
        up = (-math.sin(angle), math.cos(angle))
        pose = Transform((0.049 * up[0] + 0.3 * math.cos(angle), 0.049 * up[1] + 0.3 * math.sin(angle)), angle)
        contact_normals = normals(ridge, PLANK, pose)
        assert contact_normals and all(normal == pytest.approx(up, abs=1e-9) for normal in contact_normals)


def test_a_corner_next_to_the_neighbor_belongs_to_the_neighbor():
    level = links([(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)])
    for shape, y in ((Circle(0.25), 0.24), (Capsule((0.0, 0.0), (0.0, 1.0), 0.25), 0.24), (Polygon.regular(4, 0.3, math.pi / 4.0), 0.2)):
        assert len(normals(level[:1], shape, Transform((0.31, y)))) == 0
        assert normals(level[1:], shape, Transform((0.31, y))) == [pytest.approx((0.0, 1.0))]


def test_in_a_valley_both_links_push_a_corner_below_the_joint():
    valley = links([(-3.0, 0.0), (0.0, 0.0), (3.0, 0.6)], skin=0.01)
    box = Polygon.box(0.3, 0.3, skin_radius=0.01)
    contact_normals = normals(valley, box, Transform((-0.3 - 1e-9, 0.3 - 1e-6)))
    assert len(contact_normals) == 2 and all(y > 0.97 for _, y in contact_normals)


def test_a_body_above_the_last_link_is_never_pushed_through_it():
    """Planks a few millimeters above it were pushed down through it, because the arc of normals went half a turn around its open end."""
    rng = np.random.default_rng(7)
    plank, checked = Polygon.box(0.1, 0.005, skin_radius=0.02), 0
    for x, y, turn in rng.uniform((-0.12, -0.05, -0.3), (0.12, 0.05, 0.3), (400, 3)).tolist():
        pose, neighbor = Transform((x, y), turn), (-0.05, float(rng.uniform(-0.02, 0.02)))
        core = shapely.Polygon([pose.apply(corner) for corner in plank.core.tolist()])
        over = core.intersection(shapely.box(0.0, -9.0, 0.06, 9.0))
        normal = manifold(Segment((0.0, 0.0), (0.06, 0.0), 0.02, ghost1=neighbor), Transform(), plank, pose).normal
        if normal is not None and not over.is_empty and (over.bounds[1] > 1e-6 or over.bounds[3] < -1e-6):
            checked += 1
            assert normal[1] * over.bounds[1] > -1e-9
    assert checked > 200
