"""Ghost collisions, counted: a stream of boxes slides over three level floors that look alike, and some trip over nothing.

Each comes at a phase of its own, the fraction of a step's way that it is ahead. The rule in `limitations.seams` tells from
the phase alone, before it has moved, whether the seams will trip it: a box at tiles where a step ends with its face 15 to 20 mm before
one, with a chance of 5 mm / (v h) at each; a disc at every corner near which a step ends, the ends of edges without ghosts included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, label
from engine.demo import Parameter, Stage, StatusLine, register
from engine.experiments.limitations.seams import FINISH, HALF, N_TILES, SLIDERS, Ground, first_bump, floor_of, resting_height
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.palette import Color
from engine.world import BodySpec, FixtureSpec, World

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["FLOORS", "GhostCollisions"]

FLOORS: dict[Ground, str] = {"tiles": "tiles", "edges": "edges without ghosts", "chain": "edges with ghosts"}
LANE = 2.2
_START = 0.5
_OWN_GROUP = -1
FELT = 1.0e-3
"""m/s by which a speed must have changed, without any friction, for the slider to have been tripped: a thousand float32 roundings."""
_LONGEST = 5.0
"""Seconds that a slider is given."""


@register(
    id="ghost_collisions",
    category="Impacts",
    title="Ghost collisions",
    watch='Boxes slide over level floors; those marked "!" are predicted to trip over a seam.',
)
class GhostCollisions(Scene):
    """Three worlds; the sliders do not meet each other, and go when they are at the end."""

    tries = (
        ("Pause now and then (Space): do exactly the marked boxes trip?", "pause"),
        ("Slide discs instead of boxes.", "set slider"),
        ("Change the speed.", "set speed"),
    )
    keywords = "ghost vertices seams edges chain floor trip"
    parameters = (
        Parameter.choice("slider", SLIDERS, "sliding body"),
        Parameter("speed", 7.0, 3.0, 15.0, "m/s", "speed of the sliders"),
        Parameter("rate", 2.0, 0.5, 6.0, "1/s", "sliders a second"),
    )

    def build(self) -> None:
        """Lay the floors."""
        for lane, floor in enumerate(FLOORS):
            stage = self.add_stage(World(), (0.0, -LANE * lane))
            stage.world.create_body(BodySpec(floor_of(floor), type="static", name=FLOORS[floor]))
        self.stage: Stage = self.stages[0]
        self._rng = self.rng("phases")
        self._owed = 1.0
        self.under_way: list[dict[int, tuple[bool, bool, int]]] = [{} for _ in FLOORS]
        """Of each slider: whether it is predicted to trip, whether it has, and since which step it is there."""
        self.done: list[list[tuple[bool, bool]]] = [[] for _ in FLOORS]
        """Of each that is through: whether it was predicted to trip, and whether it did."""

    def before_step(self) -> None:
        """Send the next one, at the same phase over every floor."""
        self._owed += self.parameter("rate") * self.step_seconds
        if self._owed < 1.0:
            return
        self._owed -= 1.0
        speed, slider = self.parameter("speed"), SLIDERS[round(self.parameter("slider"))]
        x = _START + float(self._rng.random()) * speed * self.step_seconds
        shape = Polygon.box(HALF, HALF) if slider == "box" else Circle(HALF)
        fixture = FixtureSpec(shape, friction=0.0, group=_OWN_GROUP)
        for stage, floor, under_way in zip(self.stages, FLOORS, self.under_way, strict=True):
            place = x, resting_height(slider, self.sim.skin_radius)
            spec = BodySpec((fixture,), position=place, linear_velocity=(speed, 0.0), name=slider)
            body = stage.world.create_body(spec)
            # as Box2D has it: to float32
            predicted = first_bump(floor, slider, spec.linear_velocity[0], spec.position[0], stage.world.settings.hertz) is not None
            under_way[body] = (predicted, False, self.steps)

    def after_step(self) -> None:
        """See who has tripped, and take away who is through."""
        for stage, under_way, done in zip(self.stages, self.under_way, self.done, strict=True):
            for body, (predicted, tripped, since) in list(under_way.items()):
                if not stage.world.is_body(body):
                    del under_way[body]
                    continue
                state = stage.world.state(body)
                (x, y), vx = state.position, state.linear_velocity[0]
                is_over = x >= FINISH or y < -1.0 or (self.steps - since) * self.step_seconds > _LONGEST
                tripped = tripped or abs(vx - self.parameter("speed")) > FELT
                under_way[body] = (predicted, tripped, since)
                if is_over:
                    done.append((predicted, tripped))
                    del under_way[body]
                    stage.world.destroy_body(body)

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        under_way = self.under_way[self.stages.index(stage)]
        return {body: palette.WARNING if predicted else palette.ACCENT for body, (predicted, _, _) in under_way.items()}

    def counts(self, lane: int) -> tuple[int, int, int, int]:
        """Return how many are through, how many tripped, of how many it was predicted, and of how many wrongly."""
        done = self.done[lane]
        return len(done), sum(t for _, t in done), sum(p for p, _ in done), sum(p != t for p, t in done)

    def home(self) -> AABB:
        return AABB((-0.3, -LANE * (len(FLOORS) - 1) - 1.1), (N_TILES + 0.3, 2.0))

    def draw_background(self, canvas: Canvas) -> None:
        """Mark the seams."""
        for stage in self.stages:
            for k in range(N_TILES + 1):
                canvas.at(stage.offset).point((k, 0.0), palette.STATIC, 2.5)

    def draw(self, canvas: Canvas) -> None:
        """Name the floors and count under each; mark who is to trip."""
        for lane, (stage, name) in enumerate(zip(self.stages, FLOORS.values(), strict=True)):
            n, tripped, predicted, _ = self.counts(lane)
            there = canvas.at(stage.offset)
            for body, (will_trip, _, _) in self.under_way[lane].items():
                if will_trip and stage.world.is_body(body):
                    label(there, stage.drawn_pose(body)[:2], "!", palette.TEXT, HALF, 15.0)
            label(there, (0.0, -0.52), name, palette.TEXT, 4.0, 15.0, "left", 0.7)
            words = f"{tripped} of {n} tripped ({self._of}predicted {predicted})"
            label(there, (N_TILES, -0.52), words, palette.TEXT, 5.0, 15.0, "right", 0.7)

    def status(self) -> Sequence[StatusLine]:
        lines: list[StatusLine] = []
        for lane, name in enumerate(FLOORS.values()):
            n, tripped, predicted, wrong = self.counts(lane)
            color = palette.AGREE if wrong == 0 else palette.WARNING if self.sim.is_on_box2d else palette.TEXT
            wrongly = f", {wrong} wrongly" if self.sim.is_on_box2d else ""
            lines.append((f"{name}: {tripped} of {n} tripped ({self._of}predicted {predicted}{wrongly})", color))
        return lines

    @property
    def _of(self) -> str:
        """Of what the predictions are, where that is not what drives the worlds."""
        return "" if self.sim.is_on_box2d else "of Box2D "
