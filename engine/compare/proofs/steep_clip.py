"""Proof that Box2D's points are right where the incident edge stands so steep that float32 does not determine where it is cut."""

from __future__ import annotations

from fractions import Fraction

from engine.compare import allowances
from engine.compare.asked.pairs import Answers, PosedPairs
from engine.compare.proofs.placed import Explained, bounds_of, placed_polygon
from engine.narrowphase.batched import ManifoldRows

__all__ = ["explain_steep_clip"]


def explain_steep_clip(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, widening: float | None = None) -> Explained:
    """Prove Box2D's points right though they may lie far from ours: the incident edge stands so steep that the cut is undetermined.

    Each point, taken back to the clipped end, must lie on the incident polygon's surface, and between the side planes, within the
    bound of one separation: then rounding moved it along the edge, and nothing else happened. `widening` is by how much the side
    planes are moved apart, both skins unless told.
    """
    side, edge = ours.reference[at].tolist()
    base, other = (placed_polygon(posed, at, which, Fraction) for which in (side, 1 - side))
    bound = Fraction(2.0 * bounds_of(posed, at).separation)
    (nx, ny), sign = base.normals[edge], 1 if side == 0 else -1
    total = base.skin + other.skin if widening is None else Fraction(widening)
    first, last = base.vertices[edge], base.vertices[(edge + 1) % len(base.vertices)]
    farthest = Fraction(0)
    for x, y, separation in box2d.points[at, : box2d.count[at]].tolist():
        gap = Fraction(separation)
        lift = (base.skin - other.skin - gap) / 2
        end = (Fraction(x) - lift * nx, Fraction(y) - lift * ny)
        surface = min(
            _segment_distance_sq(end, other.vertices[k], other.vertices[(k + 1) % len(other.vertices)]) for k in range(len(other.vertices))
        )
        beyond = max(ny * (end[0] - first[0]) - nx * (end[1] - first[1]), nx * (end[1] - last[1]) - ny * (end[0] - last[0])) - total
        above = abs(nx * (end[0] - first[0]) + ny * (end[1] - first[1]) - gap)
        if surface > bound * bound or beyond > bound or above > bound:
            return None
        farthest = max(farthest, abs(beyond) if beyond > 0 else Fraction(0), above)
    turned = max(abs(sign * float(n) - float(m)) for n, m in zip((nx, ny), box2d.normal[at].tolist(), strict=True))
    if turned > float(allowances.normal_allowance(posed.scale[at : at + 1], ours.axis[at : at + 1, 3], posed.is_polygons[at : at + 1])[0]):
        return None
    told = f"the incident edge stands 1 in {float(ours.axis[at, 3]):.3g} off the normal, so rounding moves the cut along it"
    return "float32_tie", float(farthest), told


def _segment_distance_sq(point: tuple[Fraction, Fraction], start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
    ex, ey = end[0] - start[0], end[1] - start[1]
    px, py = point[0] - start[0], point[1] - start[1]
    length_sq = ex * ex + ey * ey
    if length_sq:
        share = min(Fraction(1), max(Fraction(0), (px * ex + py * ey) / length_sq))
        px, py = px - share * ex, py - share * ey
    return px * px + py * py
