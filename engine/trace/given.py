"""Cases made of the arguments that queries take; an error names the argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from engine.common.arrays import finite_rows, shaped_rows
from engine.common.checks import point
from engine.common.errors import Described, InvalidInputError
from engine.compare.pair.file import Pair
from engine.contracts.trace import Point
from engine.geometry import AnyShape, Sweep, Transform, check_shape
from engine.trace.cases import BoxesCase, Case, OutlineCase, PairCase, PointsCase, shifted
from engine.trace.marks import as_points
from engine.trace.scene_case import SceneCase
from engine.world import World

if TYPE_CHECKING:
    from engine.decompose import Outline

__all__ = ["instance", "maker", "of_pair", "of_sweeps", "of_velocities"]

_Kind = TypeVar("_Kind")


def instance(field: str, value: Any, kind: type[_Kind]) -> _Kind:
    """Return `value` if it is one of a kind."""
    if not isinstance(value, kind):
        name = kind.__name__
        raise InvalidInputError(field, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}", value)
    return value


def maker(example: Case) -> Callable[..., Any]:
    """Return the function that makes a case like an example of the arguments of its query."""
    if isinstance(example, PairCase):
        queries: dict[str, Callable[..., Case]] = {"toi": of_sweeps, "ray_cast": of_ray}
        return queries.get(example.pair.query, partial(of_pair, example.pair.query))
    kinds: dict[type[Case], Callable[..., Case]] = {
        PointsCase: of_points,
        OutlineCase: of_outline,
        BoxesCase: of_boxes,
        SceneCase: of_world,
    }
    return kinds[type(example)]


def of_pair(query: str, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> PairCase:
    """Return two shapes at rest as a case of a query."""
    check_shape("a", a)
    check_shape("b", b)
    return PairCase(Pair(query, a, instance("xf_a", xf_a, Transform), b, instance("xf_b", xf_b, Transform)))


def of_sweeps(a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep) -> PairCase:
    """Return two moving shapes as a case."""
    check_shape("a", a)
    check_shape("b", b)
    start_a, end_a = instance("sweep_a", sweep_a, Sweep).start, sweep_a.end
    start_b, end_b = instance("sweep_b", sweep_b, Sweep).start, sweep_b.end
    return PairCase(Pair("toi", a, start_a, b, start_b, end_a, end_b, sweep_a.local_center, sweep_b.local_center))


def of_velocities(a: AnyShape, xf_a: Transform, velocity_a: Point, b: AnyShape, xf_b: Transform, velocity_b: Point) -> PairCase:
    """Return two shapes that translate for a second as a case."""
    check_shape("a", a)
    check_shape("b", b)
    ways = point("velocity_a", velocity_a, "m/s"), point("velocity_b", velocity_b, "m/s")
    end_a = shifted(instance("xf_a", xf_a, Transform), *ways[0])
    end_b = shifted(instance("xf_b", xf_b, Transform), *ways[1])
    return PairCase(Pair("toi", a, xf_a, b, xf_b, end_a, end_b), ways=ways)


def of_ray(shape: AnyShape, xf: Transform, origin: Point, translation: Point) -> PairCase:
    """Return a shape and a ray as a case."""
    check_shape("shape", shape)
    (x, y), (dx, dy) = point("origin", origin), point("translation", translation)
    pair = Pair("ray_cast", shape, instance("xf", xf, Transform), ray=((x, y), (x + dx, y + dy)))
    return PairCase(pair, ways=((dx, dy), (0.0, 0.0)))


def of_points(points: ArrayLike) -> PointsCase:
    """Return points (n, 2) as a case."""
    return PointsCase(as_points(finite_rows("points", points, 2)))


def of_outline(outline: Outline) -> OutlineCase:
    """Return an outline of one part as a case."""
    from engine.decompose import Outline

    if len(instance("outline", outline, Outline).parts) != 1:
        raise InvalidInputError("outline", "of one part", Described(f"{len(outline.parts)} parts"))
    return OutlineCase(tuple(as_points(ring) for ring in outline.parts[0].rings()))


def of_boxes(aabbs: ArrayLike, region: ArrayLike = (0.0, 0.0, 0.0, 0.0)) -> BoxesCase:
    """Return boxes (n, 4) and a region (4,) as a case."""
    boxes, (of_region,) = shaped_rows("aabbs", aabbs, 4).tolist(), finite_rows("region", [region], 4).tolist()  # type: ignore[arg-type]
    return BoxesCase(tuple(map(tuple, boxes)), tuple(of_region))


def of_world(world: World) -> SceneCase:
    """Return the next step of a world, which is not changed. The step runs without the world's hooks."""
    return SceneCase(instance("world", world, World).snapshot())
