"""Scenes of boxes that all move, frame by frame, and who finds their pairs: ours, shapely's tree, pymunk's two.

A turn is some frames one after the other, as in a game. Boxes move 5 cm a frame along each axis: those
of ours and of shapely forth and back over `FRAMES` frames, those of pymunk, which would foresee the wrong way if they turned, straight on.
They are few frames, so that a scene stays what it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.bodies import spread_boxes
from benchmarks.measuring import MissingPeerError, require_peer, seconds_in_turn
from engine.broadphase import BroadPhase
from engine.common.arrays import FloatArray
from engine.common.rng import stream
from engine.narrowphase.batched import box_rows, poses_with_rotation
from engine.query.batch import ShapeBatch

__all__ = ["DT", "FRAMES", "SCENES", "SPEED", "Scene", "frames_of", "peers_of", "seconds_a_frame"]

DT = 1.0 / 60.0
"""Seconds a frame."""

SPEED = 3.0
"""Meters a second along each axis, 5 cm a frame."""

FRAMES = 8

SPREAD = 3.0
"""Meters between neighbors, on average, where sizes are log-normal."""

SIGMA = 1.0
"""Standard deviation of the logarithm of a half size, whose median is e^-1 m: 98 of 100 lie within 1:100."""

N_CROWDS = 20
WORLD = 1e5
"""Meters: the width of the world in which the crowds are."""

COLUMN = 8.0
"""Meters: the width of the column."""

AREA = 0.525
"""Square meters for each box in the column, as many as in the scene of `benchmarks.bodies`."""


@dataclass(frozen=True)
class Scene:
    """Boxes (n, 4), and in which direction each moves, (n, 2) of -1 and 1."""

    boxes: FloatArray
    directions: FloatArray

    def frames(self) -> list[FloatArray]:
        """Return the boxes of `FRAMES` frames, of which the last leads to the first again."""
        far = [*range(FRAMES // 2), *range(FRAMES // 2, 0, -1)]
        way = SPEED * DT * np.tile(self.directions, 2)
        return [self.boxes + k * way for k in far]


def _uniform(n: int) -> FloatArray:
    shapes, which, poses = spread_boxes(n)
    return box_rows(ShapeBatch(shapes).packed, which, poses_with_rotation(poses))


def _log_normal(n: int) -> FloatArray:
    rng = stream(0, "benchmarks", "log-normal", n)
    half = rng.lognormal(-1.0, SIGMA, (n, 1))
    return _around(rng.uniform(0.0, SPREAD * math.sqrt(n), (n, 2)), half)


def _clustered(n: int) -> FloatArray:
    rng = stream(0, "benchmarks", "crowds", n)
    crowds = rng.uniform(0.0, WORLD, (N_CROWDS, 2))[rng.integers(0, N_CROWDS, n)]
    return _around(crowds + rng.normal(0.0, math.sqrt(n / N_CROWDS), (n, 2)), rng.uniform(0.3, 0.6, (n, 1)))


def _column(n: int) -> FloatArray:
    rng = stream(0, "benchmarks", "column", n)
    return _around(rng.uniform((0.0, 0.0), (COLUMN, AREA * n / COLUMN), (n, 2)), rng.uniform(0.3, 0.6, (n, 2)))


def _around(centers: FloatArray, half: FloatArray) -> FloatArray:
    return np.column_stack((centers - half, centers + half))


_BOXES: dict[str, Callable[[int], FloatArray]] = {
    "uniform": _uniform,
    "log-normal": _log_normal,
    "clustered": _clustered,
    "column": _column,
}


def _scene(name: str) -> Callable[[int], Scene]:
    def made(n: int) -> Scene:
        return Scene(_BOXES[name](n), stream(0, "benchmarks", "directions", n).choice((-1.0, 1.0), (n, 2)))

    return made


SCENES: dict[str, Callable[[int], Scene]] = {name: _scene(name) for name in _BOXES}
"""Spread evenly; sizes over a factor of 100; crowds in 100 km; a tall column."""


def seconds_a_frame(calls: Mapping[str, Callable[[], None]], rounds: int, n_frames: int) -> dict[str, list[float]]:
    """Return `seconds_in_turn` of calls of so many frames, divided by these."""
    return {name: [seconds / n_frames for seconds in times] for name, times in seconds_in_turn(calls, rounds).items()}


def frames_of(structure: BroadPhase, scene: Scene, n_frames: int) -> Callable[[], None]:
    """Return a call that takes one of ours through so many frames."""
    return _turn(structure.pairs, scene.frames(), n_frames)


def peers_of(scene: Scene, n_frames: int) -> tuple[dict[str, Callable[[], None]], list[str]]:
    """Return the same of each peer that is installed, and what to say of those that are not."""
    calls: dict[str, Callable[[], None]] = {}
    missing = []
    for name, make in (("shapely STRtree", _tree), ("pymunk BB tree", _bb_tree), ("pymunk spatial hash", _spatial_hash)):
        try:
            calls[name] = make(scene, n_frames)
        except MissingPeerError as error:
            missing.append(str(error))
    return calls, missing


def _tree(scene: Scene, n_frames: int) -> Callable[[], None]:
    """Shapely's tree cannot change: it is built in each frame, of geometries that are there already, and asked for the pairs of its own."""
    require_peer("shapely")
    import shapely

    geometries = [shapely.box(*boxes.T) for boxes in scene.frames()]
    return _turn(lambda of: shapely.STRtree(of).query(of), geometries, n_frames)


def _bb_tree(scene: Scene, n_frames: int) -> Callable[[], None]:
    return _steps(scene, n_frames, with_hash=False)


def _spatial_hash(scene: Scene, n_frames: int) -> Callable[[], None]:
    return _steps(scene, n_frames, with_hash=True)


def _steps(scene: Scene, n_frames: int, with_hash: bool) -> Callable[[], None]:
    """Pymunk moves the bodies, updates its index and finds the pairs; all are filtered out, so that it computes no contact."""
    require_peer("pymunk")
    import pymunk

    space = pymunk.Space()
    extents = scene.boxes[:, 2:] - scene.boxes[:, :2]
    if with_hash:  # as its documentation advises: cells of the mean size, ten times as many as shapes
        space.use_spatial_hash(float(extents.mean()), 10 * len(scene.boxes))
    apart = pymunk.ShapeFilter(group=1)
    centers = 0.5 * (scene.boxes[:, 2:] + scene.boxes[:, :2])
    for center, extent, way in zip(centers.tolist(), extents.tolist(), scene.directions.tolist(), strict=True):
        body = pymunk.Body(1.0, 1.0)
        body.position = tuple(center)
        body.velocity = (SPEED * way[0], SPEED * way[1])
        shape = pymunk.Poly.create_box(body, tuple(extent))
        shape.filter = apart
        space.add(body, shape)
    return _turn(space.step, [DT], n_frames)


def _turn(call: Callable[[object], object], inputs: list[object], n_frames: int) -> Callable[[], None]:
    endless: Iterator[object] = itertools.cycle(inputs)

    def turn() -> None:
        for frame in itertools.islice(endless, n_frames):
            call(frame)

    return turn
