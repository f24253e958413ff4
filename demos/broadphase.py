"""Thousands of moving boxes: all broad phases find their overlapping pairs, are timed and compared, and one is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from demos._broadphase_crowd import HALF, SCENES, Crowd
from demos._broadphase_picture import BAND, REGION, alone_color, chart_height, draw_chart, draw_queries, draw_structure, sketch_words
from engine.broadphase import STRUCTURES
from engine.common.arrays import FloatArray
from engine.contracts import StepAgreement
from engine.demo import Demo, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.palette import Color, mix
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

if TYPE_CHECKING:
    from demos._broadphase_race import Race
    from engine.broadphase.sketch import Sketch
    from engine.render.canvas import Canvas

__all__ = ["STRUCTURE_WORDS", "BroadPhaseScene"]

STRUCTURE_WORDS = tuple(structure.short_name or structure.name for structure in STRUCTURES)
"""Short names of the structures, in their order."""

_DRAWN = STRUCTURE_WORDS.index("top-down")
_DISCS = 10
"""Number of bodies among the boxes, which users can throw."""
_RADIUS = 0.6
_WALL = 0.25
_MAX_FOOT = 0.5
"""Largest height of the chart as a fraction of the view's."""


@dataclass(slots=True)
class _ViewState:
    """The race, and the drawn structure."""

    race: Race | None = None
    sketch: Sketch | None = None


@register(
    id="broadphase",
    category="Algorithms",
    title="Thousands of boxes",
    watch="Thousands of boxes move, and ten structures race to find the overlapping pairs.",
)
class BroadPhaseScene(Demo):
    """Boxes, a structure, and a chart of times."""

    tries = (
        ("Choose another structure: its cells, intervals or nodes are drawn.", "set structure"),
        ("Choose the cross: half of the boxes overlap on each axis. Which structures become slow?", "set scene=cross"),
        ("Raise the size spread to 100: grids slow down, but trees do not.", "set spread=100"),
    )
    keywords = "grid hash tree quadtree bvh sweep and prune pairs aabb spatial"
    needs_kernels = True
    parameters = (
        Parameter.choice("structure", STRUCTURE_WORDS, "drawn structure", default=_DRAWN),
        Parameter("level", 0, 0, 24, "", "drawn level", True, note="Level of a tree, counted from the root; 0 draws all levels."),
        Parameter.choice("scene", SCENES, "scene"),
        Parameter("boxes", 1500, 20, 5000, description="number of boxes", whole=True),
        Parameter("spread", 4.0, 1.0, 100.0, description="size spread", note="Ratio of the largest box to the smallest."),
        Parameter("speed", 2.0, 0.0, 20.0, "m/s", "speed"),
        Parameter("moving", 1.0, 0.0, 1.0, description="moving fraction"),
    )
    keys = (("Right click", "set the ray's start"),)
    view_state: _ViewState
    no_edits = "The structures were built for these boxes; change the boxes in the panel."

    def build(self) -> None:
        n = int(self.parameter("boxes"))
        scene = SCENES[round(self.parameter("scene"))]
        arguments = (scene, self.parameter("spread"), self.parameter("moving"), self.parameter("speed"))
        self.crowd = Crowd(self.rng("crowd"), n, *arguments)
        self.stage = self.add_stage(World(WorldSettings(gravity=(0.0, 0.0))))
        self._build_world(self.stage.world)
        self.eye = (-HALF[0] + 1.0, HALF[1] - 1.0)
        self.view_state = _ViewState()

    def _build_world(self, world: World) -> None:
        (x, y), wall = HALF, _WALL
        for place, size in (((x + wall, 0.0), (wall, y + 2.0 * wall)), ((0.0, y + wall), (x + 2.0 * wall, wall))):
            for sign in (1.0, -1.0):
                fixture = FixtureSpec(Polygon.box(*size), friction=0.0, restitution=1.0)
                world.create_body(BodySpec((fixture,), "static", (sign * place[0], sign * place[1])))
        rng = self.rng("discs")
        self.discs = []
        for k in range(_DISCS):
            place = (2.4 * x * (k + 0.5) / _DISCS - 1.2 * x, float(rng.uniform(-0.8, 0.8)) * y)
            turn = float(rng.uniform(-math.pi, math.pi))
            disc = FixtureSpec(Circle(_RADIUS), friction=0.0, restitution=1.0)
            velocity = (4.0 * math.cos(turn), 4.0 * math.sin(turn))
            place = (place[0] / 1.3, place[1])
            self.discs.append(world.create_body(BodySpec((disc,), position=place, linear_velocity=velocity, allow_sleep=False)))

    def foot_height(self, height: float, ui_scale: float) -> float:
        return min(chart_height(len(STRUCTURE_WORDS), ui_scale), _MAX_FOOT * height)

    def home(self) -> AABB:
        room = BAND + 0.6 if STRUCTURE_WORDS[self._drawn] in ("sweep", "two sweeps") else 2.0 * _WALL
        return AABB((-HALF[0] - room, -HALF[1] - room), (HALF[0] + 2.0 * _WALL, HALF[1] + 2.0 * _WALL))

    @property
    def _drawn(self) -> int:
        return round(self.parameter("structure"))

    def on_parameter(self, name: str) -> None:
        if name not in ("structure", "level"):
            self.restart()
        self.view_state.sketch = None

    # -- simulation

    def beside_worlds(self) -> bytes:
        return self.crowd.boxes.tobytes() + repr(self.eye).encode()

    @property
    def boxes(self) -> FloatArray:
        """All boxes, those of the discs last."""
        world = self.stage.world
        at = np.array([world.poses[world.row_of(disc), :2] for disc in self.discs])
        return np.vstack((self.crowd.boxes, np.hstack((at - _RADIUS, at + _RADIUS))))

    def after_step(self) -> None:
        self.crowd.step(self.step_seconds)
        from demos._broadphase_race import Race

        if self.view_state.race is None:
            self.view_state.race = Race()
        self.view_state.race.run(self.boxes, self._drawn)
        self.view_state.sketch = None

    def turn(self, point: tuple[float, float]) -> bool:
        self.eye = point
        return True

    def drag(self, point: tuple[float, float]) -> None:
        if not self.grabbing:
            self.eye = point
        super().drag(point)

    # -- drawing

    def status(self) -> Sequence[StatusLine]:
        n = len(self.crowd) + len(self.discs)
        race = self.view_state.race
        if race is None:
            return [f"{n:,} boxes"]
        lane = race.lanes[self._drawn]
        chosen = f", now {lane.phase.chosen}" if hasattr(lane.phase, "chosen") else ""
        contents = f": {sketch_words(self.view_state.sketch)}" if self.view_state.sketch is not None else ""
        verdict, color = self._verdict(race)
        return [(f"{lane.phase.name}{chosen}{contents}", palette.ACCENT), (f"{n:,} boxes, {len(race.pairs):,} pairs; {verdict}", color)]

    def _verdict(self, race: Race) -> tuple[str, Color]:
        if race.n_wrong:
            names = ", ".join(f"{lane.phase.name} ({lane.wrong})" for lane in race.lanes if lane.wrong)
            return f"pairs differ from those of brute force: {names}", palette.UNEXPLAINED
        return f"all agree in {race.n_compared:,} comparisons", palette.AGREE

    def agreement(self) -> StepAgreement:
        """Return the contacts compared with Box2D; wrong pairs count as unexplained."""
        total = super().agreement()
        if self.view_state.race is None:
            return total
        n_wrong = self.view_state.race.n_wrong
        return StepAgreement(total.compared + n_wrong, total.agree, total.explained, total.unexplained + n_wrong, total.max_point_error)

    def summary(self) -> Sequence[str]:
        race = self.view_state.race
        if race is None:
            return ()
        words, _ = self._verdict(race)
        known = [(lane.phase.name, lane.ms) for lane in race.lanes]
        times = ", ".join(f"{name} {ms:.2f}" for name, ms in known if ms is not None)
        return [f"{len(self.boxes):,} boxes, {len(race.pairs):,} pairs; {words}", f"median ms per frame: {times}"]

    def draw_background(self, canvas: Canvas) -> None:
        if self.view_state.race is not None:
            if self.view_state.sketch is None:
                self.view_state.sketch = self.view_state.race.lanes[self._drawn].phase.sketch()
            draw_structure(canvas, self.view_state.sketch, int(self.parameter("level")) - 1)
        boxes = self.crowd.boxes
        meeting = np.zeros(len(boxes) + len(self.discs), dtype=np.bool_)
        if self.view_state.race is not None and self.view_state.race.pairs.max(initial=-1) < len(meeting):
            meeting[self.view_state.race.pairs] = True
        meets = meeting[: len(boxes)]
        still = ~self.crowd.is_moving
        canvas.boxes(boxes[~meets & still], alone_color(False))
        canvas.boxes(boxes[~meets & ~still], alone_color(True))
        canvas.boxes(boxes[meets], mix(palette.BACKGROUND, palette.WARNING, 0.75))

    def draw(self, canvas: Canvas) -> None:
        race = self.view_state.race
        if race is not None and self.view_state.sketch is not None:
            phase = race.lanes[self._drawn].phase
            x, y = self.viewer.pointed if self.viewer.pointed is not None else (0.3 * HALF[0], -0.2 * HALF[1])
            region = np.array((x - 0.5 * REGION[0], y - 0.5 * REGION[1], x + 0.5 * REGION[0], y + 0.5 * REGION[1]))
            ray = np.array(self.eye), np.array((x - self.eye[0], y - self.eye[1]))
            hits = phase.regions(region[None])[:, 1], phase.rays(ray[0][None], ray[1][None])[:, 1]
            boxes = self.boxes
            if max(int(numbers.max(initial=-1)) for numbers in hits) < len(boxes):
                draw_queries(canvas, boxes, self.view_state.sketch, region, ray, hits)
            draw_chart(canvas, race, self._drawn, self.foot_height(canvas.camera.view[3], canvas.ui_scale))
