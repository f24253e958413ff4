"""Boxes slide over three level floors that look alike, and some trip over the seams.

Each box starts at a random phase, a fraction of a step's travel. From the phase alone, `limitations.seams` predicts whether it will trip:
a box on tiles trips if a step ends with its face 15 to 20 mm in front of a tile, which has a probability of 5 mm / (v h) at each; a disc
trips at each corner near which a step ends, including the ends of edges without ghost vertices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demos._gallery import Scene, label
from engine.demo import Claim, Parameter, Stage, register
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
"""Change of speed from which a slider has tripped, m/s. There is no friction, and float32 rounding errors are a thousand times smaller."""
_MAX_SECONDS = 5.0
"""Time limit of a slider."""


@register(
    id="ghost_collisions",
    category="Impacts",
    title="Ghost collisions",
    watch='Boxes slide over level floors; those marked "!" are predicted to trip over a seam.',
)
class GhostCollisions(Scene):
    """A world per floor; the sliders do not collide with each other, and are removed at the end."""

    tries = (
        ("Pause occasionally (Space): do exactly the marked boxes trip?", "pause"),
        ("Slide discs instead of boxes.", "set slider"),
        ("Change the speed.", "set speed"),
    )
    keywords = "ghost vertices seams edges chain floor trip"
    parameters = (
        Parameter.choice("slider", SLIDERS, "sliding body"),
        Parameter("speed", 7.0, 3.0, 15.0, "m/s", "slider speed"),
        Parameter("rate", 2.0, 0.5, 6.0, "1/s", "sliders per second"),
    )
    claims = (
        Claim(
            "sliders that trip or pass as predicted",
            "",
            4.0,
            lambda demo: sum(tripped == predicted for done in demo.done for predicted, tripped in done),
            lambda demo: sum(map(len, demo.done)) if demo.sim.is_on_box2d else None,
            0.0,
            0,
        ),
    )

    def build(self) -> None:
        """Create the floors."""
        for lane, floor in enumerate(FLOORS):
            stage = self.add_stage(World(), (0.0, -LANE * lane))
            stage.world.create_body(BodySpec(floor_of(floor), type="static", name=FLOORS[floor]))
        self.stage: Stage = self.stages[0]
        self._rng = self.rng("phases")
        self._owed = 1.0
        self.under_way: list[dict[int, tuple[bool, bool, int]]] = [{} for _ in FLOORS]
        """For each slider, whether it is predicted to trip, whether it has tripped, and the step in which it started."""
        self.done: list[list[tuple[bool, bool]]] = [[] for _ in FLOORS]
        """For each slider that has finished, whether it was predicted to trip, and whether it did."""

    def before_step(self) -> None:
        """Start the next slider, at the same phase on every floor."""
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
            # the specification's values are rounded to float32, as in Box2D
            predicted = first_bump(floor, slider, spec.linear_velocity[0], spec.position[0], stage.world.settings.hertz) is not None
            under_way[body] = (predicted, False, self.steps)

    def after_step(self) -> None:
        """Note which sliders have tripped, and remove those that have finished."""
        for stage, under_way, done in zip(self.stages, self.under_way, self.done, strict=True):
            for body, (predicted, tripped, since) in list(under_way.items()):
                if not stage.world.is_body(body):
                    del under_way[body]
                    continue
                state = stage.world.state(body)
                (x, y), vx = state.position, state.linear_velocity[0]
                is_over = x >= FINISH or y < -1.0 or (self.steps - since) * self.step_seconds > _MAX_SECONDS
                tripped = tripped or abs(vx - self.parameter("speed")) > FELT
                under_way[body] = (predicted, tripped, since)
                if is_over:
                    done.append((predicted, tripped))
                    del under_way[body]
                    stage.world.destroy_body(body)

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        under_way = self.under_way[self.stages.index(stage)]
        return {body: palette.WARNING if predicted else palette.ACCENT for body, (predicted, _, _) in under_way.items()}

    def counts(self, lane: int) -> tuple[int, int, int]:
        """Return the number of finished sliders, of those that tripped, and of those predicted to trip."""
        done = self.done[lane]
        return len(done), sum(tripped for _, tripped in done), sum(predicted for predicted, _ in done)

    def home(self) -> AABB:
        return AABB((-0.3, -LANE * (len(FLOORS) - 1) - 1.1), (N_TILES + 0.3, 2.0))

    def draw_background(self, canvas: Canvas) -> None:
        """Mark the seams."""
        for stage in self.stages:
            for k in range(N_TILES + 1):
                canvas.at(stage.offset).point((k, 0.0), palette.STATIC, 2.5)

    def draw(self, canvas: Canvas) -> None:
        """Write each floor's name and counts, and mark the sliders that are predicted to trip."""
        for lane, (stage, name) in enumerate(zip(self.stages, FLOORS.values(), strict=True)):
            n, tripped, predicted = self.counts(lane)
            there = canvas.at(stage.offset)
            for body, (will_trip, _, _) in self.under_way[lane].items():
                if will_trip and stage.world.is_body(body):
                    label(there, stage.drawn_pose(body)[:2], "!", palette.TEXT, HALF, 15.0)
            if not label(there, (0.0, -0.52), name, palette.TEXT, 4.0, 15.0, "left", 0.7):  # then there are no counts beside it either
                label(there, (0.0, -0.52), name, palette.TEXT, 8.0, 15.0, "left", 0.7)
            words = f"{tripped} of {n} tripped ({'' if self.sim.is_on_box2d else 'Box2D: '}predicted {predicted})"
            label(there, (N_TILES, -0.52), words, palette.TEXT, 5.0, 15.0, "right", 0.7)
