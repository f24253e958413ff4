"""Query: mass, centroid and inertia of a shape.

The verdict on masses: agree, explained by cancellation, or unexplained.

Four quantities per shape: mass, centroid, inertia about the centroid, and the centroid that Box2D stores with the shape for collision.
They agree if they differ by at most float32 rounding without cancellation (`mass_bounds`). Otherwise, mass, centroid and inertia are
recomputed in fractions:

    `cancellation`   ours lies within float64's bound of the exact value, and Box2D's, farther off, within float32's; where float32 has
                     none, for rounding may eat half of the area, Box2D's sums repeated in float32 give its number (`mass_replay`)
    unexplained      one of the two does not

Box2D gives no mass to a polygon whose area, in float32, is not above 1.2e-7 m^2, even if it made the polygon: `too_small` where
the exact area is not either, `cancellation` where it is above by less than float32 loses, unexplained otherwise.

For circles, `math.pi` is used: its relative error, 2^-54, is far below the tolerances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engine.box2d.oracle.properties import OracleMasses, ShapeOracle
from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_EPSILON, EPS32, EPS64
from engine.compare.cases.properties import MASS_FAMILIES, mass_chunk
from engine.compare.proofs.mass_rounding import MassBounds, mass_bounds, replayed_kept_centroid, replayed_mass
from engine.compare.queries import Flags
from engine.compare.questions.answer import Sketch, outline, point_of
from engine.compare.questions.question import Chunk, Question, Verdicts
from engine.contracts.agreement import Verdict
from engine.exact.masses import ExactMass, exact_mass
from engine.geometry import Circle, Polygon, Segment, Transform

__all__ = ["MassCases", "MassQuestion", "Masses", "box2d_masses", "judge_masses", "our_masses"]

_U32, _U64 = 0.5 * EPS32, 0.5 * EPS64

_QUANTITIES = (("mass", "kg"), ("centroid", "m"), ("inertia", "kg m^2"), ("kept centroid", "m"))

_CIRCLE_OPERATIONS = 9.0
"""Roundings of a circle's inertia: pi, three factors of the mass, r^2 / 2 with two, center^2 with two, their sum, the last product."""


@dataclass(frozen=True, slots=True)
class Masses:
    """One side's answers in columns: mass, centroid (n, 2), inertia about the centroid, and the centroid stored for collision.

    `is_refused` (n,) is True where there is no mass, centroid and inertia.
    """

    mass: FloatArray
    centroid: FloatArray
    inertia: FloatArray
    kept: FloatArray
    is_refused: Flags

    @property
    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The numbers, as `_QUANTITIES` names them."""
        return self.mass, self.centroid, self.inertia, self.kept


@dataclass(frozen=True)
class MassCases:
    """Box2D's masses of n shapes; the shapes as Box2D represents them, their densities (n,), kg/m^2, and families (n,)."""

    oracle: ShapeOracle
    shapes: Sequence[Circle | Polygon]
    density: FloatArray
    family: IntArray


def our_masses(cases: MassCases) -> Masses:
    """Return the masses of our shapes."""
    masses = [shape.mass(rho) for shape, rho in zip(cases.shapes, cases.density.tolist(), strict=True)]
    centroid = np.array([data.centroid for data in masses]).reshape(-1, 2)
    mass, inertia = np.array([data.mass for data in masses]), np.array([data.inertia for data in masses])
    return Masses(mass, centroid, inertia, centroid, np.zeros(len(masses), dtype=np.bool_))


def box2d_masses(oracle: OracleMasses, kept: FloatArray) -> Masses:
    """Return Box2D's masses with the inertia about the center of mass, as in a body."""
    inertia = oracle.inertia - oracle.mass * (oracle.center * oracle.center).sum(axis=1)
    return Masses(oracle.mass, oracle.center, inertia, kept, oracle.is_refused)


def judge_masses(cases: MassCases, box2d: Masses, ours: Masses) -> Verdicts:
    """Judge Box2D's masses against ours.

    Errors are the largest over agreeing shapes: centroids in meters, mass and inertia relative to ours. The worst errors are the largest
    that cancellation explains: Box2D's inertia relative to ours, and its stored centroid, meters.
    """
    shapes, density = cases.shapes, cases.density
    bounds = _Bounds(shapes, density)
    errors = [np.abs(mine - other).reshape(len(shapes), -1).max(axis=1) for mine, other in zip(ours.columns, box2d.columns, strict=True)]
    agrees = np.all([error <= allowed for error, allowed in zip(errors, bounds.agreement, strict=True)], axis=0) & ~box2d.is_refused
    differences: dict[int, Verdict] = {}
    lost = kept = 0.0
    for row in np.flatnonzero(~agrees).tolist():
        if box2d.is_refused[row]:
            differences[row] = _explain_refusal(shapes[row], float(density[row]), float(bounds.box2d[0][row]))
            continue
        differences[row] = _explain(shapes[row], float(density[row]), row, ours, box2d, bounds)
        if differences[row].reason == "cancellation":
            lost = max(lost, float(errors[2][row]) / float(ours.inertia[row]))
            kept = max(kept, float(errors[3][row]))
    relative = [errors[0] / np.abs(ours.mass), errors[2] / np.abs(ours.inertia)]
    points = np.maximum(errors[1], errors[3])
    worst = max((float(column[agrees].max(initial=0.0)) for column in relative), default=0.0)
    maxima = {"max_relative_error": worst, "worst_inertia_error": lost, "worst_kept_centroid_error": kept}
    return Verdicts(np.zeros(len(shapes), dtype=np.bool_), differences, float(points[agrees].max(initial=0.0)), maxima=maxima)


class _Bounds:
    """Allowances (mass, centroid, inertia, kept centroid) of each row: for agreement, of Box2D's rounding, of ours."""

    def __init__(self, shapes: Sequence[Circle | Polygon], density: FloatArray) -> None:
        n = len(shapes)
        self.agreement, self.box2d, self.ours = ([np.zeros(n) for _ in range(4)] for _ in range(3))
        polygons = [at for at, shape in enumerate(shapes) if isinstance(shape, Polygon)]
        if polygons:
            self._fill_polygons(np.array(polygons), [shapes[at].vertices for at in polygons], density[polygons])  # type: ignore[union-attr]
        for at, shape in enumerate(shapes):
            if isinstance(shape, Circle):
                self._fill_circle(at, shape, float(density[at]))

    def _fill_polygons(self, rows: IntArray, outlines: list[FloatArray], density: FloatArray) -> None:
        most = max(map(len, outlines))
        vertices = np.array([np.concatenate((outline, np.repeat(outline[:1], most - len(outline), axis=0))) for outline in outlines])
        count = np.array([len(outline) for outline in outlines])
        is_vertex = (np.arange(most)[None, :] < count[:, None]).astype(np.float64)
        middle = box2d_reference(vertices, count)
        origin = np.zeros_like(middle)

        def fill(into: list[FloatArray], about: MassBounds, kept: MassBounds) -> None:
            into[0][rows], into[2][rows] = about.mass, about.inertia
            into[1][rows], into[3][rows] = about.centroid.max(axis=1), kept.centroid.max(axis=1)

        agreement = mass_bounds(vertices, is_vertex, middle, density, _U32, is_shifted=True, cancels=False)
        fill(self.agreement, agreement, agreement)
        box2d = (mass_bounds(vertices, is_vertex, at, density, _U32, is_shifted=True) for at in (middle, origin))
        fill(self.box2d, *box2d)
        ours = mass_bounds(vertices, is_vertex, middle, density, _U64, is_shifted=False)
        fill(self.ours, ours, ours)

    def _fill_circle(self, at: int, shape: Circle, density: float) -> None:
        mass = density * math.pi * shape.radius**2
        own, far = 0.5 * mass * shape.radius**2, mass * (shape.center[0] ** 2 + shape.center[1] ** 2)
        for into, u, shifted in ((self.agreement, _U32, 0.0), (self.box2d, _U32, 2.0 * far), (self.ours, _U64, 0.0)):
            into[0][at], into[2][at] = _CIRCLE_OPERATIONS * u * mass, _CIRCLE_OPERATIONS * u * (own + shifted)


def box2d_reference(vertices: FloatArray, count: IntArray) -> FloatArray:
    """Return the point s of ComputeMass, summed in float32 in its order, for (n, m, 2) vertices, of which the first `count` are used."""
    running = np.cumsum(vertices.astype(np.float32), axis=1, dtype=np.float32)
    last = running[np.arange(len(count)), count - 1]
    return (last * (np.float32(1.0) / count.astype(np.float32))[:, None]).astype(np.float64)


def _explain(shape: Circle | Polygon, density: float, row: int, ours: Masses, box2d: Masses, bounds: _Bounds) -> Verdict:
    exact = exact_mass(shape, density)
    parts: list[str] = []
    size, is_proved = 0.0, True
    for at, (name, unit) in enumerate(_QUANTITIES):
        our_error, error = (_off(masses, row, at, exact) for masses in (ours, box2d))
        our_bound, bound, agreeing = (float(bound_set[at][row]) for bound_set in (bounds.ours, bounds.box2d, bounds.agreement))
        if our_error > our_bound:
            return Verdict(
                "unexplained", our_error, f"our {name} is {our_error:.3g} {unit} off the exact value; {our_bound:.3g} is allowed"
            )
        if our_error + error <= agreeing:
            continue
        if math.isfinite(bound):
            is_lost, why = error <= bound, f"{bound:.3g} is allowed"
        else:
            is_lost = _is_replayed(shape, density, row, at, box2d)
            why = "rounding may lose half of the area, and repeating Box2D's float32 sums gives this value"
        is_proved = is_proved and our_error < error and is_lost
        size = max(size, error) if unit == "m" else size
        parts.append(f"Box2D's {name} is {error:.3g} {unit} off the exact value ({why}); ours is {our_error:.2g} off")
    return Verdict("cancellation" if is_proved and parts else "unexplained", size, "; ".join(parts))


def _is_replayed(shape: Circle | Polygon, density: float, row: int, at: int, box2d: Masses) -> bool:
    """Return True if Box2D's own sums, repeated in float32, give its centroid, inertia or stored centroid to the last bit."""
    if isinstance(shape, Circle):
        return False
    if at == 3:
        return replayed_kept_centroid(shape.vertices) == tuple(box2d.kept[row].tolist())
    center, inertia = replayed_mass(shape.vertices, density)
    if at == 1:
        return center == tuple(box2d.centroid[row].tolist())
    x, y = center
    return at == 2 and inertia - float(box2d.mass[row]) * (x * x + y * y) == float(box2d.inertia[row])


def _explain_refusal(shape: Circle | Polygon, density: float, mass_allowed: float) -> Verdict:
    area, lost = exact_mass(shape, 1.0).mass, Fraction(mass_allowed) / Fraction(density)
    limit = Fraction(BOX2D_EPSILON)
    if isinstance(shape, Circle) or area - limit > lost:
        return Verdict("unexplained", float(area), f"Box2D returns no mass for an area of {float(area):.3g} m^2")
    longest = float(np.ptp(shape.vertices, axis=0).max())
    evidence = (
        f"Box2D returns no mass for an area of {float(area):.9g} m^2 (known to {float(lost):.2g}); its limit is {BOX2D_EPSILON:.9g} m^2"
    )
    return Verdict("too_small" if area <= limit else "cancellation", float(area) / longest, evidence)


def _off(masses: Masses, row: int, at: int, exact: ExactMass) -> float:
    right = ((exact.mass,), exact.centroid, (exact.inertia,), exact.centroid)[at]
    values = np.atleast_1d(masses.columns[at][row]).tolist()
    return max(abs(float(Fraction(value) - exactly)) for value, exactly in zip(values, right, strict=True))


class MassQuestion(Question[MassCases, MassCases, Masses, Masses]):
    """Masses of shapes derived from those of pairs."""

    names = MASS_FAMILIES

    def cases(self, work: Chunk) -> MassCases:
        chunk = mass_chunk(work.cases, work.seed, work.chunk, work.n_pairs)
        oracle = ShapeOracle(chunk.shapes, chunk.otherwise)
        return MassCases(oracle, [shape for shape in oracle.shapes if not isinstance(shape, Segment)], chunk.density, chunk.family)

    def box2d(self, cases: MassCases) -> tuple[Masses, float]:
        masses = cases.oracle.masses(cases.density)
        return box2d_masses(masses, cases.oracle.centroids), masses.seconds

    def columns(self, cases: MassCases) -> MassCases:
        return cases

    ours = staticmethod(our_masses)
    judge = staticmethod(judge_masses)

    def kind(self, work: Chunk, cases: MassCases) -> IntArray:
        return cases.family

    def shown(self, work: Chunk, cases: MassCases, ours: Masses, box2d: Masses, row: int) -> Sketch:
        places = [
            () if masses.is_refused[row] else ((point_of(masses.centroid[row]),), (point_of(masses.kept[row]),)) for masses in (ours, box2d)
        ]
        shape = outline(cases.shapes[row], Transform())
        return Sketch((shape,), (), places[0], places[1], _in_words(ours, row), _in_words(box2d, row))


def _in_words(masses: Masses, row: int) -> str:
    if masses.is_refused[row]:
        return "no mass"
    (x, y), (u, v) = masses.centroid[row].tolist(), masses.kept[row].tolist()
    kept = "" if (u, v) == (x, y) else f", stored centroid ({u:.9g}, {v:.9g})"
    return f"mass {masses.mass[row]:.9g} kg, centroid ({x:.9g}, {y:.9g}){kept}, inertia {masses.inertia[row]:.9g} kg m^2"
