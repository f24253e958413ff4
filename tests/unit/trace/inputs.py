"""Random and adversarial cases for every algorithm with a stepper, by the kind of its example."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.common.errors import LabError
from engine.compare.cases.shapes import random_polygon
from engine.compare.pair.file import Pair
from engine.decompose import Part
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform
from engine.trace.cases import BoxesCase, Case, OutlineCase, PairCase, PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.scene_case import SceneCase
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World

__all__ = ["cases_of"]

FAR = 1.0e5  # m


def cases_of(algorithm: Algorithm, n: int, seed: int = 0) -> Iterator[Case]:
    """Yield n cases that the algorithm accepts: its example first, then adversarial and random ones alternately."""
    rng = np.random.default_rng(seed)
    made, tried = 0, 0
    yield algorithm.example
    while made < n - 1:
        tried += 1
        assert tried < 50 * n, "no case is taken"
        try:
            case = _changed(algorithm.example, rng, tried)
        except LabError:
            continue
        if algorithm.takes(case):
            made += 1
            yield case


def _changed(example: Case, rng: np.random.Generator, k: int) -> Case:
    if isinstance(example, PairCase):
        are_discs = isinstance(example.pair.shape_a, Circle) and isinstance(example.pair.shape_b, Circle)
        pair = _pair(example.pair.query, rng, k, are_discs)
        return PairCase(pair, None if example.before is None or k % 3 == 0 else _a_frame_before(pair, rng, k))
    if isinstance(example, PointsCase):
        return PointsCase(tuple(map(tuple, _points(rng, k).tolist())))
    if isinstance(example, OutlineCase):
        return _outline(rng, k)
    if isinstance(example, BoxesCase):
        return _boxes(rng, k)
    if isinstance(example, SceneCase):
        return _scene(example, rng, k)
    raise AssertionError(f"no inputs for {type(example).__name__}")


def _shape(rng: np.random.Generator, k: int, is_disc: bool = False) -> AnyShape:
    """Polygons of 3 to 64 corners, needles, boxes, circles, capsules, segments; some with skins, some single points."""
    kind = 0 if is_disc else int(rng.integers(9))
    size = float(10.0 ** rng.uniform(-1.5, 0.7)) if k % 7 else float(10.0 ** rng.uniform(-5.0, 4.0))
    skin = 0.01 * size if rng.random() < 0.3 else 0.0
    if kind == 0:
        return Circle(size if rng.random() < 0.9 else 1e-9 * size)
    if kind == 1:
        return Capsule((-size, 0.0), (size * rng.uniform(-1.0, 1.0), 0.3 * size), 0.3 * size)
    if kind == 2:
        ghosts = ((-2.0 * size, -0.5 * size), (2.0 * size, 0.7 * size)) if k % 2 else (None, None)
        return Segment((-size, 0.1 * size), (size, 0.0), skin, *ghosts)
    if kind == 3:
        return Polygon.box(size, size * 10.0 ** float(rng.uniform(-4.0, 0.0)))
    if kind == 4:
        return Polygon.regular(64 if rng.random() < 0.3 else int(rng.integers(3, 12)), size, 0.0, skin)
    grown = random_polygon(rng, int(rng.integers(3, 9))).vertices * size
    return Polygon(grown, skin)


def _pair(query: str, rng: np.random.Generator, k: int, are_discs: bool = False) -> Pair:
    """Shapes near each other, touching, nested, concentric, far apart, and 100 km from the origin."""
    a, b = _shape(rng, k, are_discs), _shape(rng, k, are_discs)
    reach = float(np.abs(a.core).max() + np.abs(b.core).max() + a.radius + b.radius) or 1.0
    family = k % 8
    base = np.array([FAR, -FAR]) if family == 5 else rng.uniform(-2.0, 2.0, 2)
    angle = 0.0 if family in (1, 2) else float(rng.uniform(-math.pi, math.pi))
    away = {0: 0.5, 1: 0.0, 2: 1.0, 3: 30.0}.get(family, float(rng.uniform(0.0, 1.5))) * reach
    to = angle if family == 2 else float(rng.uniform(-math.pi, math.pi))
    pose_a = Transform(tuple(base.tolist()), 0.0 if family == 2 else float(rng.uniform(-math.pi, math.pi)))
    there = base + away * np.array([math.cos(to), math.sin(to)])
    pose_b = Transform(tuple(there.tolist()), angle)
    if query == "toi":
        turn = 0.0 if family == 1 or rng.random() < 0.3 else float(rng.uniform(-3.0, 3.0))
        end = 2.0 * base - there + rng.uniform(-0.5, 0.5, 2) * reach
        end_b = Transform(tuple(end.tolist()), angle + turn)
        if k % 3 == 0:
            return Pair(query, b, pose_b, a, pose_a, end_b, pose_a)
        center = (0.3 * reach, -0.1 * reach) if k % 5 == 0 else (0.0, 0.0)
        end_a = pose_a if k % 3 == 1 else Transform((base[0] + 0.3 * reach, base[1] - 0.2 * reach), pose_a.angle + 0.5 * turn)
        return Pair(query, a, pose_a, b, pose_b, end_a, end_b, center_b=center)
    if query == "ray_cast":
        origin = base + 2.0 * reach * rng.uniform(-1.0, 1.0, 2)
        end = origin if family == 1 else base + reach * rng.uniform(-1.0, 1.0, 2)
        return Pair(query, a, pose_a, ray=(tuple(origin.tolist()), tuple(end.tolist())))
    return Pair(query, a, pose_a, b, pose_b)


def _a_frame_before(pair: Pair, rng: np.random.Generator, k: int) -> Pair:
    """B slightly moved and rotated; in every seventh case, placed elsewhere."""
    (x, y), far = pair.pose_b.position, 10.0 if k % 7 == 0 else 0.01
    dx, dy, turn = (far * rng.uniform(-1.0, 1.0, 3)).tolist()
    return replace(pair, pose_b=Transform((x + dx, y + dy), pair.pose_b.angle + turn))


def _points(rng: np.random.Generator, k: int) -> np.ndarray:
    """A cloud, a lattice, a circle, repeated points, nearly collinear points, points far from the origin; occasionally a line, one point,
    64 on a circle.
    """
    n = int(rng.integers(3, 40)) if k % 50 else 64
    family = k % 6 if k % 50 else 2
    cloud = rng.normal(size=(n, 2))
    if family == 1:
        cloud = np.round(cloud)
    elif family == 2:
        angle = rng.uniform(0.0, 2.0 * math.pi, n)
        cloud = np.column_stack((np.cos(angle), np.sin(angle)))
    elif family == 3:
        cloud = np.repeat(cloud[: n // 2 + 2], 2, axis=0)
    elif family == 4:
        cloud[:, 1] = cloud[:, 0] + 1e-12 * cloud[:, 1]
    elif family == 5:
        cloud = cloud + FAR
    if k % 23 == 0:
        cloud = cloud[:1] + np.arange(3 if k % 2 else 1)[:, None]
    return cloud


def _star(rng: np.random.Generator, k: int) -> tuple[tuple[float, float], ...]:
    """A star-shaped ring, hence simple: spiky, round, or on a lattice of right angles."""
    n = int(rng.integers(3, 24)) if k % 100 else 64
    angle = np.sort(rng.uniform(0.0, 2.0 * math.pi, n)) if k % 3 else np.arange(n) * 2.0 * math.pi / n
    radius = rng.uniform(0.2, 1.0, n) if k % 2 else np.where(np.arange(n) % 2, 0.3, 1.0)
    points = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
    return tuple(map(tuple, (points + (FAR if k % 11 == 0 else 0.0)).tolist()))


def _outline(rng: np.random.Generator, k: int) -> OutlineCase:
    """A star, every fourth one with a hole in its middle; `Part` rejects many that do not fit."""
    ring = _star(rng, k)
    if k % 4:
        return OutlineCase((ring,))
    middle, hole = (FAR if k % 11 == 0 else 0.0), np.array([(0.0, 0.1), (0.1, 0.0), (0.0, -0.1), (-0.1, 0.0)][: 3 + k // 4 % 2])
    part = Part(ring, [hole + middle])
    return OutlineCase(tuple(tuple(map(tuple, ring.tolist())) for ring in part.rings()))


def _boxes(rng: np.random.Generator, k: int) -> BoxesCase:
    """Return boxes: scattered, in a row, nested, identical, degenerate, far from the origin."""
    n = int(rng.integers(1, 24))
    low = rng.uniform(-5.0, 5.0, (n, 2)) + (FAR if k % 6 == 5 else 0.0)
    size = rng.uniform(0.1, 2.0, (n, 2))
    family = k % 6
    if family == 1:
        low = np.column_stack((np.arange(n), np.zeros(n)))
    elif family == 2:
        size = np.arange(1, n + 1)[:, None] * np.ones((1, 2))
        low = -0.5 * size
    elif family == 3:
        low, size = np.zeros((n, 2)), np.ones((n, 2))
    elif family == 4:
        size = np.zeros((n, 2))
    boxes = np.column_stack((low, low + size))
    x, y = low[0] - 1.0
    return BoxesCase(tuple(map(tuple, boxes.tolist())), (float(x), float(y), float(x) + 3.0, float(y) + 3.0))


def _scene(example: SceneCase, rng: np.random.Generator, k: int) -> SceneCase:
    """Stacks, heavy on light, overlapping, separate, jointed, thrown at the ground, without gravity, 100 km from the origin."""
    family, n = k % 8, int(rng.integers(1, 5))
    world = World(example.start.settings, example.start.solver)
    base = np.array([FAR, -FAR]) if family == 5 else np.zeros(2)
    if family == 6:
        world.set_settings(gravity=(0.0, 0.0))
    world.set_settings(warm_starting=bool(rng.random() < 0.8))
    rough = float(rng.uniform(0.0, 1.5)) if k % 5 else 0.0

    def fixture(shape: AnyShape) -> FixtureSpec:
        heavy = float(10.0 ** rng.uniform(-1.5, 1.5))
        return FixtureSpec(shape, heavy, rough, restitution=float(rng.choice((0.0, 0.0, 0.5, 1.0))))

    ground = BodySpec((fixture(Polygon.box(5.0, 0.5)),), "static", tuple(base.tolist()), 0.2 * rng.normal() if k % 3 == 0 else 0.0)
    made, height = [world.create_body(ground)], 0.5
    for _ in range(n):
        size = float(rng.uniform(0.2, 0.6))
        kind = int(rng.integers(4))
        bar = Capsule((-size, 0.0), (size, 0.0), 0.3 * size)
        shape = (Polygon.box(size, 0.7 * size), Circle(size), bar, Polygon.regular(5, size))[kind]
        half = (0.7 * size, size, 0.3 * size, size)[kind]
        up = {3: 0.0, 2: 0.4 * half, 7: 3.0}.get(family, half)
        at = base + (rng.uniform(-0.3, 0.3) * size, height + up + rng.choice((0.0, -0.003, 0.01)))
        height = height + {3: 0.0, 2: 0.4 * half}.get(family, 2.0 * half)
        fall = (float(rng.normal()), -20.0 if family == 7 else 0.3 * float(rng.normal())) if k % 2 else (0.0, 0.0)
        turn = 0.0 if k % 4 else float(rng.normal())
        made.append(world.create_body(BodySpec((fixture(shape),), position=tuple(at.tolist()), angle=turn, linear_velocity=fall)))
    if family == 4 and n > 1:
        world.create_joint(RevoluteJointSpec(made[-2], made[-1], world.state(made[-1]).position))
    return SceneCase(world.snapshot(), int(rng.integers(0, 4)))
