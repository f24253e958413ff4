"""State of a solver within a step: velocities, shifts and impulses so far, and the marks that draw them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.trace import Mark, Point, Role
from engine.dynamics.methods.protocol import Problem
from engine.geometry import Circle, Polygon, Transform
from engine.trace.cases import shape_mark
from engine.trace.marks import arrow, dot, path
from engine.trace.protocol import Decoder
from engine.trace.scene_case import SceneCase
from engine.trace.words import STILL, amount
from engine.world import WorldSnapshot

__all__ = ["SolverState", "Vector"]

_SHOWN = 6
"""Maximum number of contacts in the chart: the current one, and others of its bodies."""

Vector = tuple[float, float, float]


class SolverState(Decoder[SceneCase]):
    """The bodies and contacts of a step, and the velocities, shifts and impulses reached so far.

    `unit` is that of the accumulated impulses.
    """

    costs = ("rows solved",)

    def __init__(self, *context: Any, snapshot: WorldSnapshot, problem: Problem | None) -> None:
        super().__init__(*context)
        self.unit = self.algorithm.views[1].y
        self._ids = [body for body, _, _ in snapshot.bodies]
        self._shapes = {body: [spec.shape for _, of, spec in snapshot.fixtures if of == body] for body in self._ids}
        self._names = [self._name_of(body, spec.type) for body, spec, _ in snapshot.bodies] + ["the world"]
        self._poses = snapshot.motion.values[:, :3].tolist()
        n = len(self._ids) + 1
        self.velocity: list[Vector] = [*map(tuple, snapshot.motion.values[:, 3:].tolist()), (0.0, 0.0, 0.0)]
        self.shift: list[Vector] = [(0.0, 0.0, 0.0)] * n
        self._center: FloatArray = np.zeros((n, 2)) if problem is None else problem.center
        inverse: FloatArray = np.zeros((n, 2)) if problem is None else problem.inverse
        self._gives_way: list[bool] = np.any(inverse > 0.0, axis=1).tolist()
        self._largest = 0.0
        moving = [self._shapes[body] for body, gives in zip(self._ids, self._gives_way, strict=False) if gives]
        sizes = [float(np.abs(shape.core).max()) + shape.radius for shapes in moving for shape in shapes]
        self._size = float(np.median(sizes)) if sizes else 1.0
        self._read_contacts(problem)

    def _name_of(self, body: int, kind: str) -> str:
        shapes = self._shapes[body]
        if kind == "static":
            return f"ground {body}"
        if len(shapes) == 1 and isinstance(shapes[0], Circle):
            return f"disc {body}"
        is_box = len(shapes) == 1 and isinstance(shapes[0], Polygon) and len(shapes[0].core) == 4
        return f"box {body}" if is_box else f"body {body}"

    def _read_contacts(self, problem: Problem | None) -> None:
        self._ends: list[list[int]] = []
        self._impulse: dict[tuple[int, int], list[float]] = {}
        self._chart: list[list[Point]] = []
        self._of_body: dict[int, list[int]] = {}
        if problem is None:
            return
        contacts = problem.contacts
        self._ends, self._counts = contacts.bodies.tolist(), contacts.n_points.tolist()
        self._normals, self._arms = contacts.normal.tolist(), contacts.arm.tolist()
        self._mass, self._friction = contacts.mass.tolist(), contacts.friction.tolist()
        for contact, (ends, count) in enumerate(zip(self._ends, self._counts, strict=True)):
            self._impulse |= {(contact, k): [0.0, 0.0] for k in range(count)}
            self._chart.append([(0.0, 0.0)])
            for body in ends:
                self._of_body.setdefault(body, []).append(contact)
        self._titles = [self._title(contact, problem.gravity) for contact in range(len(self._ends))]

    def _title(self, contact: int, gravity: Point) -> str:
        (a, b), (nx, ny) = self._ends[contact], self._normals[contact]
        along = nx * gravity[0] + ny * gravity[1]
        first, second = (b, a) if along < 0.0 else (a, b)
        word = "beside" if abs(along) <= 0.5 * math.hypot(*gravity) else "on"
        return f"contact {contact} ({self._names[first]} {word} {self._names[second]})"

    def place(self, contact: int, k: int) -> Point:
        """Return where a point was as the step began, world frame."""
        (x, y), arm = self._center[self._ends[contact][0]].tolist(), self._arms[contact][k]
        return x + arm[0], y + arm[1]

    def _point_name(self, contact: int, k: int) -> str:
        if self._counts[contact] < 2:
            return ""
        (x, y), (u, v) = self.place(contact, k), self.place(contact, 1 - k)
        if abs(x - u) >= abs(y - v):
            return ", left point" if x < u else ", right point"
        return ", lower point" if y < v else ", upper point"

    def direction(self, contact: int, is_tangent: bool) -> Point:
        """Return the normal, or the tangent, which is the normal turned to the right."""
        nx, ny = self._normals[contact]
        return (ny, -nx) if is_tangent else (nx, ny)

    def rate(self, contact: int, k: int, along: Point, velocity: list[Vector], arm: Sequence[float] | None = None) -> float:
        """Return how fast B's point moves away from A's along a direction."""
        a, b = (velocity[body] for body in self._ends[contact])
        arm = self._arms[contact][k] if arm is None else arm
        x = b[0] - b[2] * arm[3] - a[0] + a[2] * arm[1]
        y = b[1] + b[2] * arm[2] - a[1] - a[2] * arm[0]
        return x * along[0] + y * along[1]

    def _values(self, bodies: Iterable[int]) -> dict[str, float]:
        """Return velocities and shifts of bodies by their names."""
        numbers: dict[str, float] = {}
        for body in bodies:
            if body < len(self._ids):
                of = self._ids[body]
                numbers |= zip((f"v{of}x", f"v{of}y", f"w{of}"), self.velocity[body], strict=True)
                numbers |= zip((f"x{of}", f"y{of}", f"a{of}"), self.shift[body], strict=True)
        return numbers

    def _set(self, contact: int, k: int, normal: float, tangent: float) -> None:
        self._impulse[contact, k] = [normal, tangent]
        total = sum(self._impulse[contact, k][0] for k in range(2) if (contact, k) in self._impulse)
        chart = self._chart[contact]
        at = float(len(self.steps))
        if chart[-1][0] > at:  # of several impulses in a step the last stands
            chart[-1] = at + 1.0, total
        elif chart[-1][1] != total:
            chart += [(at, chart[-1][1]), (at + 1.0, total)]

    def _charted(self, contact: int) -> list[Mark]:
        """Return the impulses so far, of the current contact and some others."""
        bodies = self._ends[contact] if contact >= 0 else ()
        near = [neighbor for body in bodies if self._gives_way[body] for neighbor in self._of_body[body]]
        chosen = list(dict.fromkeys([*([contact] if contact >= 0 else []), *near, *range(min(len(self._chart), _SHOWN))]))[:_SHOWN]
        marks = []
        for shown in chosen:
            end = float(len(self.steps) + 1), self._chart[shown][-1][1]
            text = f"contact {shown}" if shown == contact or end[1] > 0.0 else ""
            role: Role = "looked_at" if shown == contact else "other"
            marks += [path(role, *self._chart[shown], end, view="impulses"), Mark("label", role, (end,), "impulses", text)]
        return marks

    def _impulses(self, contact: int, k: int) -> list[Mark]:
        """Return the contact's point, and the impulse on B there."""
        (x, y), (nx, ny), (tx, ty) = self.place(contact, k), self.direction(contact, False), self.direction(contact, True)
        pn, pt = self._impulse[contact, k]
        self._largest = max(self._largest, math.hypot(pn, pt))
        scale = self._scale(self._largest)
        to = (x + scale * (pn * nx + pt * tx), y + scale * (pn * ny + pt * ty))
        marks = [dot("looked_at", (x, y))]
        if math.dist(to, (x, y)) > 0.0:
            marks.append(Mark("arrow", "kept", ((x, y), to), text=amount(math.hypot(pn, pt), self.unit)))
        return marks

    def _arrows(self, bodies: list[int], before: list[Vector]) -> list[Mark]:
        """Return velocities of bodies before and after, from their centers of mass."""
        speeds = [math.hypot(*v[:2]) for body in bodies for v in (before[body], self.velocity[body]) if self._gives_way[body]]
        scale, marks = self._scale(max(speeds, default=0.0)), []
        for body in bodies:
            x, y = self._center[body].tolist()
            drawn: tuple[tuple[Role, Vector], ...] = (("ghost", before[body]), ("new", self.velocity[body]))
            for role, v in drawn if self._gives_way[body] else ():
                mark = arrow(role, (x, y), v[:2], scale, text="v" if role == "new" else "")
                if math.dist(*mark.points) > 0.0:
                    marks.append(mark)
        return marks

    def _outlines(self, bodies: list[int]) -> list[Mark]:
        """Return the outlines of bodies now and at the start of the step."""
        marks = []
        for body in bodies:
            if body < len(self._ids) and self._gives_way[body]:
                marks += [shape_mark(shape, self._pose(body), "looked_at") for shape in self._shapes[self._ids[body]]]
        return marks

    def _way(self, body: int, before: Vector) -> list[Mark]:
        """Return the displacement of a body as an arrow half a body long."""
        x, y = self._center[body].tolist()
        way = self.shift[body][0] - before[0], self.shift[body][1] - before[1]
        scale = self._scale(math.hypot(*way), 0.0)
        return [arrow("new", (x, y), way, scale)] if scale > 0.0 else []

    def _pose(self, body: int) -> Transform:
        """Return a body's pose after its shift, which is of its center of mass."""
        x, y, angle = self._poses[body]
        dx, dy, turn = self.shift[body]
        cx, cy = self._center[body].tolist()
        cos, sin = math.cos(turn), math.sin(turn)
        return Transform((cx + dx + cos * (x - cx) - sin * (y - cy), cy + dy + sin * (x - cx) + cos * (y - cy)), angle + turn)

    def _scale(self, longest: float, least: float = STILL) -> float:
        """Return meters for each unit, so that the longest arrow is as long as half a body."""
        return self._size / longest if longest > least else 0.0
