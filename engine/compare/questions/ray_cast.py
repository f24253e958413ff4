"""Queries: where does a ray hit a shape (`ray_cast`), and does the shape contain its origin (`contains`)?

The verdict on rays and points: agree, explained with a proof, or unexplained.

Box2D's TestPoint and RayCast ignore a polygon's skin, so our queries do too. Let b be the distance by which float32 moves the surface
(`allowances.surface_allowance`; a circle's ray adds the error of its discriminant). The *margin* of a point is its distance outside the
shape: the greatest of its distances from the edges' lines, or that from the circle; negative inside.

For an edge, which has no interior, it is the distance.

Points: `float32_tie` if the margin is within b.

Rays agree if both miss and start nowhere inside by more than b, or if both hit within 2 b along the normal, with one normal. Otherwise

    they hit an edge in one place      `local_normal` if Box2D's normal, turned by the pose, is the right one, and not turned is not:
                                       b2EdgeShape of 2.3.0 answers in the edge's own frame
    only ours hits, at its start       `starts_inside` if the start lies in the shape: Box2D has no hit for such a ray;
                                       `float32_tie` if its margin is within b
    only ours hits, a circle           `short_ray` if the ray is shorter than 0.35 mm, its square below FLT_EPSILON: b2CircleShape then
                                       looks no further; our place has a margin within b
    only one hits                      `float32_tie` if the ray meets the shape grown by b, and not the shape shrunk by b
                                       (of an edge: and would miss it, if one of the four ends moved by b); our normal as below
    both hit, elsewhere or otherwise   `float32_tie` if both places, and the middle between them, have margins within b
                                       and each normal is that of an edge within b of its place, or of the circle there, or one of those
                                       that an edge's end has
    otherwise                          unexplained

The inputs are float32 numbers; the margins are computed from them exactly (`geometry.exact.rays`), up to a last division by a length.
"""

from __future__ import annotations

import math

import numpy as np

from engine.box2d.oracle.held import held_rotation
from engine.common.arrays import IntArray
from engine.common.tolerances import BOX2D_EPSILON
from engine.compare import allowances
from engine.compare.pair.file import Pair, Point
from engine.compare.proofs.placed import Explained, placed_core
from engine.compare.queries import Flags, PosedRays, Rays, our_points, our_rays
from engine.compare.questions.answer import Answer, finite_point, point_of, pose_of
from engine.compare.questions.question import Chunk, RayCases, RayQuestion, Verdicts, differences_of
from engine.contracts.agreement import Verdict
from engine.contracts.status import Status
from engine.geometry.exact.rays import ExactRay

__all__ = ["ContainsQuestion", "RayCastQuestion", "judge_points", "judge_rays"]


def judge_points(posed: PosedRays, box2d: Flags, ours: Flags) -> Verdicts:
    """Judge Box2D's TestPoint of the origins against ours."""

    def explain(row: int) -> Verdict:
        margin, bound = _exact_ray(posed, row).margin(0.0), float(posed.point_bound[row])
        if abs(margin) <= bound:
            right = "Box2D" if bool(box2d[row]) == (margin <= 0.0) else "our library"
            evidence = f"at the boundary: the exact margin is {margin:.3g} m, and {bound:.3g} m is allowed; {right} is correct"
            return Verdict("float32_tie", abs(margin), evidence)
        evidence = f"Box2D returns {bool(box2d[row])}, our library returns {bool(ours[row])}, and the point is {margin:.3g} m outside"
        return Verdict("unexplained", abs(margin), evidence)

    return Verdicts(box2d, differences_of(ours == box2d, explain))


def judge_rays(posed: PosedRays, box2d: Rays, ours: Rays) -> Verdicts:
    """Judge Box2D's hits against ours."""
    length = np.hypot(*posed.translations.T)
    is_edge = posed.shapes.n_vertices[posed.indices] == 2
    reported, box2d = box2d, _with_turned_normals(posed, box2d, is_edge)
    both_hit = (ours.status == Status.HIT) & (box2d.status == Status.HIT)
    along = np.where(both_hit, np.abs(np.where(both_hit, ours.fraction, 0.0) - box2d.fraction), 0.0)[:, None] * posed.translations
    point_error = np.hypot(*along.T)
    across = np.abs((along * ours.normal).sum(axis=1))
    normal_error, told_error = (np.where(both_hit, np.abs(ours.normal - rays.normal).max(axis=1), 0.0) for rays in (box2d, reported))
    is_circle = posed.shapes.n_vertices[posed.indices] == 1
    turn = np.where(is_circle, 2.0 * (posed.ray_bound + point_error) / np.where(is_circle, posed.shapes.radius[posed.indices], 1.0), 0.0)
    # steeper than this against the surface, and with a normal known to this, float32 determines a hit; of others agreement means little
    steep = np.abs((posed.translations * ours.normal).sum(axis=1)) * allowances.MAX_AGREEING_AMPLIFICATION >= length
    same_place = (
        steep
        & (turn <= allowances.MAX_AGREEING_TURN)
        & (across <= 2.0 * posed.ray_bound)
        & (normal_error <= allowances.direction_allowance() + turn)
    )
    both_miss = (ours.status == Status.MISS) & (box2d.status == Status.MISS)
    both_miss = both_miss & ~_is_well_inside(posed, np.flatnonzero(both_miss))  # Box2D has no hit there; a ray cast must
    agrees = both_miss | (both_hit & same_place)
    is_local = agrees & both_hit & is_edge & (told_error > allowances.direction_allowance())
    agrees = agrees & ~is_local

    def explain(row: int) -> Verdict:
        if is_local[row]:
            angle = posed.poses[row, 2]
            evidence = f"rotated by the edge's angle, {angle:.6g} rad, Box2D's normal is within {normal_error[row]:.3g} of ours"
            return Verdict("local_normal", float(point_error[row]), evidence)
        explained = _verdict(_exact_ray(posed, row), row, ours, box2d)
        if explained is None:
            sides = [f"{Status(int(rays.status[row])).name} at {float(rays.fraction[row]):.9g}" for rays in (box2d, ours)]
            explained = Verdict(
                "unexplained", float(point_error[row]), f"Box2D returns {sides[0]}, our library returns {sides[1]}, and no proof was found"
            )
        return explained

    agreed = agrees & both_hit
    worst_point, worst_normal = (float(error[agreed].max(initial=0.0)) for error in (point_error, normal_error))
    return Verdicts(
        box2d.status == Status.HIT, differences_of(agrees, explain), worst_point, worst_normal, errors={"point_error": point_error[agreed]}
    )


def _exact_ray(posed: PosedRays, row: int) -> ExactRay:
    shapes, shape = posed.shapes, int(posed.indices[row])
    x, y, angle = posed.poses[row].tolist()
    core, radius, bound = placed_core(shapes, shape, (x, y), held_rotation(angle)), float(shapes.radius[shape]), float(posed.ray_bound[row])
    return ExactRay(core, radius, posed.origins[row].tolist(), posed.translations[row].tolist(), bound, allowances.direction_allowance())


def _is_well_inside(posed: PosedRays, rows: IntArray) -> Flags:
    """Return whether each given ray starts in its shape, beyond the rounding of its surface; False for all others."""
    shapes, which = posed.shapes, posed.indices[rows]
    pose, first, n_vertices = posed.turned[rows], shapes.first[which], shapes.n_vertices[which]
    u, v = (posed.origins[rows] - pose[:, :2]).T
    x, y = pose[:, 2] * u + pose[:, 3] * v, pose[:, 2] * v - pose[:, 3] * u
    corner = shapes.vertices[first]
    margin = np.where(n_vertices == 1, np.hypot(x - corner[:, 0], y - corner[:, 1]) - shapes.radius[which], -np.inf)
    for k in range(int(n_vertices.max(initial=0))):
        at = first + np.minimum(k, n_vertices - 1)
        (vx, vy), (nx, ny) = shapes.vertices[at].T, shapes.normals[at].T
        margin = np.where(n_vertices > 1, np.maximum(margin, nx * (x - vx) + ny * (y - vy)), margin)
    is_inside = np.zeros(len(posed), dtype=np.bool_)
    is_inside[rows] = margin < -posed.ray_bound[rows]
    return is_inside


def _with_turned_normals(posed: PosedRays, box2d: Rays, is_edge: Flags) -> Rays:
    """Rotate the normals of edges to the world frame by the poses."""
    (x, y), cos, sin = box2d.normal.T, posed.turned[:, 2], posed.turned[:, 3]
    turned = np.column_stack((cos * x - sin * y, sin * x + cos * y))
    return Rays(box2d.status, box2d.fraction, np.where(is_edge[:, None], turned, box2d.normal))


def _verdict(ray: ExactRay, row: int, ours: Rays, box2d: Rays) -> Explained:
    """Return the reason, the size and the evidence."""
    mine, other = int(ours.status[row]), int(box2d.status[row])
    theirs = float(box2d.fraction[row])
    if mine == Status.OVERLAPPING:
        margin = ray.margin(0.0)
        if other == Status.HIT:
            return _same_surface(ray, 0.0, theirs)
        if margin <= 0.0 and ray.has_inside:
            return Verdict("starts_inside", -margin, f"the ray starts inside by an exact margin of {margin:.3g} m")
        return _tie(ray, margin, "the start lies on the boundary") if margin <= ray.bound else None
    if mine == other == Status.HIT:
        hits = ((float(ours.fraction[row]), ours.normal[row].tolist()), (theirs, box2d.normal[row].tolist()))
        return _same_surface(ray, hits[0][0], theirs) if all(ray.is_own_normal(*hit) for hit in hits) else None
    if Status.MISS not in (mine, other) or mine == other:
        return None
    if mine == Status.HIT and not ray.is_own_normal(float(ours.fraction[row]), ours.normal[row].tolist()):
        return None
    if mine == Status.HIT and ray.is_short_for_circle() and abs(ray.margin(float(ours.fraction[row]))) <= ray.bound:
        length = ray.length
        evidence = f"the ray is {length:.3g} m long; Box2D's circles ignore rays shorter than {math.sqrt(BOX2D_EPSILON):.3g} m"
        return Verdict("short_ray", length, evidence)
    if other == Status.HIT and abs(ray.margin(theirs)) > ray.bound:
        return None
    if mine == Status.HIT and abs(ray.margin(float(ours.fraction[row]))) > ray.bound:
        return None
    if ray.meets(ray.bound) and not ray.meets(-ray.bound):
        return _tie(ray, ray.grazing_margin(), "the ray only touches the surface, or ends on it")
    at_start = ray.margin(0.0)
    if other == Status.MISS and abs(at_start) <= ray.bound:
        return _tie(ray, at_start, "the start lies on the boundary")
    return None


def _same_surface(ray: ExactRay, ours: float, theirs: float) -> Explained:
    margins = [ray.margin(fraction) for fraction in (ours, theirs, 0.5 * (ours + theirs))]
    worst = max(map(abs, margins))
    return _tie(ray, worst, "both hits and the ray between them lie on the surface") if worst <= ray.bound else None


def _tie(ray: ExactRay, margin: float, what: str) -> Explained:
    return Verdict("float32_tie", abs(margin), f"{what}: the exact margin is {margin:.3g} m, and {ray.bound:.3g} m is allowed")


class RayCastQuestion(RayQuestion[Rays, Rays]):
    """Query: where a ray hits a shape."""

    with_edges = True

    def box2d(self, cases: RayCases) -> tuple[Rays, float]:
        rays = cases.rows
        answers = cases.oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
        return Rays.of(answers), answers.seconds

    ours = staticmethod(our_rays)
    judge = staticmethod(judge_rays)

    def shown(self, work: Chunk, cases: RayCases, row: int) -> Pair:
        rays = cases.rows
        ends = point_of(rays.origins[row]), point_of(rays.ends[row])
        return Pair("ray_cast", work.cases.shapes[int(rays.indices[row])], pose_of(rays.poses[row]), ray=ends)

    def answers(self, pair: Pair, cases: RayCases, ours: Rays, box2d: Rays) -> tuple[Answer, Answer]:
        mine, theirs = (
            _in_words(pair, Status(int(rays.status[0])), float(rays.fraction[0]), finite_point(rays.normal[0])) for rays in (ours, box2d)
        )
        return mine, theirs

    def ours_alone(self, pair: Pair) -> Answer:
        from engine import query

        assert pair.ray is not None
        (x0, y0), (x1, y1) = pair.ray
        hit = query.ray_cast(pair.shape_a, pair.pose_a, (x0, y0), (x1 - x0, y1 - y0))
        status = Status.OVERLAPPING if hit.status == Status.HIT and hit.normal is None else hit.status
        return _in_words(pair, status, hit.fraction, hit.normal or (0.0, 0.0))


class ContainsQuestion(RayQuestion[Flags, Flags]):
    """Query: whether a shape contains a point. The points are the origins of rays; an edge contains none."""

    with_edges = False

    def box2d(self, cases: RayCases) -> tuple[Flags, float]:
        return cases.oracle.contains(cases.rows.indices, cases.rows.poses, cases.rows.origins)

    ours = staticmethod(our_points)
    judge = staticmethod(judge_points)

    def shown(self, work: Chunk, cases: RayCases, row: int) -> Pair:
        rays = cases.rows
        shape = work.cases.shapes[int(rays.indices[row])]
        return Pair("contains", shape, pose_of(rays.poses[row]), point=point_of(rays.origins[row]))

    def answers(self, pair: Pair, cases: RayCases, ours: Flags, box2d: Flags) -> tuple[Answer, Answer]:
        return _point_answer(bool(ours[0])), _point_answer(bool(box2d[0]))

    def ours_alone(self, pair: Pair) -> Answer:
        from engine import query

        assert pair.point is not None
        return _point_answer(query.contains(pair.shape_a, pair.pose_a, pair.point))


def _in_words(pair: Pair, status: Status, fraction: float, normal: Point) -> Answer:
    assert pair.ray is not None
    if status == Status.MISS:
        return Answer("no hit")
    (x0, y0), (x1, y1) = pair.ray
    if status == Status.OVERLAPPING:
        return Answer("hit at the start, inside", points=(pair.ray[0],), fraction=0.0, is_yes=True)
    u, v = normal
    at = (x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0))
    return Answer(f"hit at {fraction:.6f}, normal ({u:+.3f}, {v:+.3f})", normal, (at,), fraction=fraction, is_yes=True)


def _point_answer(is_inside: bool) -> Answer:
    return Answer("inside" if is_inside else "outside", is_yes=is_inside)
