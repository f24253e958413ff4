"""The same shot twice: continuous collision detection (CCD) off above, on below.

Without CCD the bullet exists only where a step ends. What it does in between is drawn here, as the outline of the way it
swept, but the engine never looks there: a step longer than the zone that catches it jumps over the wall. The ghosts are
where the steps ended; the step that jumped is red.

The target stands still at x = 0, and the shot is `engine.experiments.ShotSpec`: the command ``fire`` fires the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from engine.app.clock import SPEEDS
from engine.app.demo import Demo, StatusLine
from engine.app.parameters import Parameter
from engine.app.registry import register
from engine.app.stage import Stage
from engine.box2d import World, WorldSettings
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.experiments import (
    DEFAULT_RADIUS,
    HALF_PHASE,
    Outcome,
    ShotSpec,
    ShotWatch,
    Target,
    build_range,
    fire_bullet,
    predicts_tunnel,
    verdict,
)
from engine.experiments.range import FLOOR, build_floor
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Bullet", "Lane"]

LEFT, RIGHT, TOP = -6.2, 3.7, 1.5  # metres: the part of a lane that is shown
PITCH = 3.35  # metres from one lane down to the next
IN_TURN: tuple[Target, ...] = ("static", "hinged", "stack")
CHOICES: tuple[tuple[Target, ...], ...] = (IN_TURN, ("static",), ("dynamic",), ("hinged",), ("stack",))
TARGET_KEYS = ("t", "w", "p", "h", "s")  # for the choices, in their order
WORDS = ("each", "wall", "plate", "hinge", "stack")  # for the choices, and below the names that `ShotSpec` has for them
ALSO = ("", "static", "dynamic", "hinged", "")
NAMES: dict[Target, str] = {
    "static": "static wall",
    "dynamic": "free thin plate",
    "hinged": "thin plate on a hinge",
    "stack": "stack of planks",
}
PHASE_NOTE = "0: a step ends at the target's middle; 0.5: the target lies half-way between two steps."
REST = 0.75  # seconds of world time from the verdict to the next shot: three on the watch
FLIGHT = 2.5  # seconds on the watch that a flight should take
OUTCOME_COLORS: dict[Outcome, Color] = {
    Outcome.TUNNELED: palette.UNEXPLAINED,
    Outcome.STOPPED: palette.AGREE,
    Outcome.FLIES_ON: palette.WARNING,
}
TARGET_COLOR = mix(palette.STATIC, palette.TEXT, 0.75)
AFTERMATH_STEPS = 3  # steps after the verdict that stay in slow motion
AFTERMATH_SPEED = 1 / 4
GHOST_GAP = 2.6  # radii between the ghosts drawn, at least
LOST = 60.0  # metres from the target, where whatever flew or fell away is taken out of the world


Plan = tuple[bool, Target | None]
"""One lane: with CCD or without, and what is shot at; None: each of `IN_TURN` in turn."""


class Lane:
    """One world with a target, a bullet, and the record of its shot."""

    def __init__(self, stage: Stage, plan: Plan) -> None:
        self.stage = stage
        self.ccd, self.target = plan
        self.watch: ShotWatch | None = None

    def fire(self, spec: ShotSpec) -> None:
        """Clear the range, set up the target, fire."""
        world = self.stage.world
        for body in world.body_ids:
            world.destroy_body(body)
        build_floor(world, LEFT, RIGHT)
        built = build_range(world, spec)
        self.stage.colors.clear()
        bullet = fire_bullet(world, spec)
        self.stage.colors[bullet] = palette.NORMAL
        for panel in built.panels:
            self.stage.colors[panel.body] = TARGET_COLOR
        self.watch = ShotWatch(world, spec, bullet, built.panels)

    def look(self) -> None:
        """Take in the step; what was hit falls from then on."""
        watch, world = self.watch, self.stage.world
        if watch is None:
            return
        if watch.is_over:
            for body in world.body_ids:
                x, y = world.state(body).position
                if max(abs(x), abs(y)) > LOST:
                    world.destroy_body(body)
            return
        was_hit = watch.hit is not None
        watch.observe(world.contacts)
        if watch.hit is not None and not was_hit:
            world.set_body(watch.bullet, gravity_scale=1.0)

    @property
    def is_decided(self) -> bool:
        """Whether there is a verdict."""
        return self.watch is not None and self.watch.is_decided


@register(
    id="bullet",
    category="CCD",
    title="Bullet against wall",
    watch=(
        "The same shot twice. Each ghost is where a step ended, the outline between two is the way nobody looked at: without CCD "
        "one step (red) ends before the wall and the next one behind it. Try thickness, speed, and hertz."
    ),
)
class Bullet(Demo):
    """A small fast disc at a wall, a plate on a hinge, and a stack; without CCD and with it."""

    parameters = (
        Parameter("speed", 110.0, 0.0, 1000.0, "m/s", "muzzle speed", slider_high=300.0),
        Parameter("thickness", 0.05, 0.005, 1.0, "m", "thickness of the target", slider_high=0.5),
        Parameter("hertz", 60.0, 15.0, 480.0, "Hz", "steps a second", whole=True),
        Parameter("radius", DEFAULT_RADIUS, 0.005, 0.3, "m", "radius of the bullet"),
        Parameter("phase", HALF_PHASE, 0.0, 1.0, "", "luck: where the steps fall", note=PHASE_NOTE),
        Parameter.choice("target", WORDS, "target", ALSO),
    )
    keys = (
        ("Enter, F", "fire now"),
        ("A", "fire by itself, or only on F"),
        ("W  P  H  S", "wall, free plate, hinge, stack"),
        ("T", "each in turn"),
    )
    plans: ClassVar[tuple[Plan, ...]] = ((False, None), (True, None))
    """The lanes, from the top."""
    automatic: bool = True

    def build(self) -> None:
        self.automatic = type(self).automatic
        self._last_words: tuple[str, ...] = ()
        self.lanes: list[Lane] = []
        self.shots = 0
        self._decided_at: int | None = None
        for row, plan in enumerate(self.plans):
            settings = WorldSettings(hertz=self.parameter("hertz"), continuous=plan[0])
            stage = self.add_stage(World(settings), offset=(0.0, -row * PITCH))
            self.lanes.append(Lane(stage, plan))
        self.fire()

    def fire(self) -> None:
        """Fire in all lanes, in slow motion."""
        spec = self.spec()
        for lane in self.lanes:
            lane.fire(replace(spec, ccd=lane.ccd, target=lane.target or spec.target))
        self.shots += 1
        self._decided_at = None
        self.wanted_speed = _slow_motion(spec)

    def spec(self) -> ShotSpec:
        """Return the shot that the parameters ask for, at the target whose turn it is."""
        choices = CHOICES[round(self.parameter("target"))]
        return ShotSpec(
            speed=self.parameter("speed"),
            thickness=self.parameter("thickness"),
            hertz=self.parameter("hertz"),
            radius=self.parameter("radius"),
            phase=self.parameter("phase"),
            target=choices[self.shots % len(choices)],
        )

    def before_step(self) -> None:
        rest = max(round(REST * self.parameter("hertz")), 30)
        moves = self.parameter("speed") > 0.0
        if self.automatic and moves and self._decided_at is not None and self.steps - self._decided_at >= rest:
            self.fire()

    def after_step(self) -> None:
        for lane in self.lanes:
            lane.look()
        if self._decided_at is None and all(lane.is_decided for lane in self.lanes):
            self._decided_at = self.steps
        if self._decided_at is not None:
            self._last_words = self._words()
        if self._decided_at is not None and self.steps == self._decided_at + AFTERMATH_STEPS:
            self.wanted_speed = AFTERMATH_SPEED

    def on_key(self, key: str) -> bool:
        if key in ("return", "enter", "f"):
            self.fire()
        elif key == "a":
            self.automatic = not self.automatic
        elif key in TARGET_KEYS:
            self.set_parameter("target", TARGET_KEYS.index(key))
        else:
            return False
        return True

    def on_parameter(self, name: str) -> None:
        automatic = self.automatic
        self.restart()
        self.automatic = automatic

    def summary(self) -> Sequence[str]:
        return self._last_words or self._words()

    def _words(self) -> tuple[str, ...]:
        lines = []
        for lane in self.lanes:
            if lane.watch is not None:
                lines.append(f"CCD {'on ' if lane.ccd else 'off'}  {NAMES[lane.watch.spec.target]}: {verdict(lane.watch)}")
        return tuple(lines)

    def home(self) -> AABB:
        return AABB((LEFT, -(len(self.plans) - 1) * PITCH + FLOOR - 0.7), (RIGHT, TOP + 0.2))

    def status(self) -> Sequence[StatusLine]:
        spec = self.lanes[0].watch.spec if self.lanes[0].watch is not None else self.spec()
        zone = f"Without CCD a step must end in the green zone, {_length(spec.reach)}, to be caught."
        lines: list[StatusLine] = [f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m a step. {zone}"]
        lines.append(("Fires by itself; A: only on F." if self.automatic else "Fires only on F; A: by itself.", palette.CAPTION))
        if spec.is_capped:
            asked = f"asked {spec.speed:g} m/s, flies {spec.flown_speed:g} m/s"
            lines.append((f"Box2D moves no body more than {MAX_TRANSLATION_PER_STEP:g} m a step: {asked}", palette.WARNING))
        return lines

    def draw_background(self, canvas: Canvas) -> None:
        for lane in self.lanes:
            if lane.watch is not None:
                _draw_range(canvas.at(lane.stage.offset), lane.watch.spec)

    def draw(self, canvas: Canvas) -> None:
        for lane in self.lanes:
            if lane.watch is not None:
                _draw_lane(canvas.at(lane.stage.offset), lane, lane.watch)


def _slow_motion(spec: ShotSpec) -> float:
    """Return the notch of slow motion at which the flight takes about `FLIGHT` seconds."""
    if spec.travel == 0.0:
        return 1.0
    wanted = abs(spec.muzzle) / spec.flown_speed / FLIGHT
    return min(SPEEDS, key=lambda speed: max(speed / wanted, wanted / speed))


def _length(metres: float) -> str:
    return f"{100.0 * metres:.3g} cm" if metres < 1.0 else f"{metres:.3g} m"


# The picture of one lane, in its own frame


def _draw_range(canvas: Canvas, spec: ShotSpec) -> None:
    """Draw what lies under the bodies: the line of fire, the gun, and (without CCD) the zone that catches."""
    canvas.segment((LEFT, 0.0), (RIGHT, 0.0), palette.GRID_AXIS)
    x, r = spec.muzzle, spec.radius
    barrel = ((x - 0.75, -1.5 * r - 0.03), (x + r, -1.5 * r - 0.03), (x + r, 1.5 * r + 0.03), (x - 0.75, 1.5 * r + 0.03))
    canvas.polygon(barrel, palette.PANEL_RAISED, palette.PANEL_EDGE)
    if not spec.ccd:
        zone = ((-spec.reach, FLOOR), (0.0, FLOOR), (0.0, TOP - 0.35), (-spec.reach, TOP - 0.35))
        canvas.polygon(zone, palette.AGREE, None, 0.28)


def _draw_lane(canvas: Canvas, lane: Lane, watch: ShotWatch) -> None:
    switch = "on" if lane.ccd else "off"
    middle = 0.5 * (LEFT + RIGHT)
    title = f"CCD {switch}:  world's continuous physics {switch},  body's bullet flag {switch}"
    _draw_line(canvas, (middle, TOP - 0.1), title, palette.TEXT, 15.0)
    canvas.text((0.5 * watch.spec.thickness + 0.15, 0.95), NAMES[watch.spec.target], TARGET_COLOR, 13.0, "left", bold=True)
    arrived = _has_arrived(lane, watch)
    decided = lane.is_decided and (arrived or watch.steps > watch.decided_after)
    if not arrived and not decided:  # on its way to the next ghost
        _draw_way(canvas, watch.positions[-2][0], lane.stage.drawn_pose(watch.bullet)[0], watch.spec.radius, palette.CAPTION, False)
    _draw_flight(canvas, watch, len(watch.positions) if arrived else len(watch.positions) - 1, decided)
    color = OUTCOME_COLORS.get(watch.outcome, palette.CAPTION) if decided else palette.CAPTION
    _draw_line(canvas, (middle, FLOOR - 0.42), verdict(watch) if decided else _forecast(watch.spec), color, 16.0)


def _draw_line(canvas: Canvas, middle: tuple[float, float], words: str, color: Color, size: float) -> None:
    """Write a line about `middle`, smaller where the view is too narrow for it."""
    while size > 9.0 and canvas.fonts.width(words, size, bold=True) > 0.96 * canvas.camera.view[2]:
        size -= 1.0
    canvas.text(middle, words, color, size, bold=True)


def _has_arrived(lane: Lane, watch: ShotWatch) -> bool:
    """Tell whether the picture, drawn between two steps, has come to the end of the last one watched."""
    if watch.is_over or not lane.stage.world.is_body(watch.bullet):
        return True
    x, _, _ = lane.stage.drawn_pose(watch.bullet)
    return watch.steps == 0 or abs(x - watch.positions[-1][0]) <= 0.02 * watch.spec.travel


def _forecast(spec: ShotSpec) -> str:
    if spec.travel == 0.0:
        return "the bullet does not move"
    return "in flight; by our reckoning it " + ("will tunnel" if predicts_tunnel(spec) else "will touch in time")


def _draw_flight(canvas: Canvas, watch: ShotWatch, count: int, decided: bool) -> None:
    """Draw ghosts of the first `count` positions, the ways between them, and the numbers of the steps."""
    stop = watch.stop if watch.jump is None and decided else None
    jump = watch.jump if decided else None
    if watch.stop is not None and watch.jump is None:
        count = min(count, watch.stop.step + 1)
    r = watch.spec.radius
    xs = [x for x, _ in watch.positions[:count]]
    shown = [
        k for k in ghosts_shown(xs, max(GHOST_GAP * r, 16.0 * canvas.ui_scale / canvas.camera.scale), jump) if LEFT <= xs[k] <= RIGHT - r
    ]
    for k, after in pairwise(shown):
        _draw_way(canvas, xs[k], xs[after], r, palette.UNEXPLAINED if k == jump else palette.ACCENT, k == jump)
    if stop is not None and stop.in_toi:
        _draw_way(canvas, xs[-1], stop.center[0], r, palette.AGREE, True)
    for k in shown:
        color = palette.UNEXPLAINED if jump is not None and k in (jump, jump + 1) else palette.ACCENT
        canvas.circle((xs[k], 0.0), r, mix(palette.BACKGROUND, color, 0.45), color, 0.9)
    if stop is not None:
        canvas.circle((stop.center[0], 0.0), r, mix(palette.BACKGROUND, palette.AGREE, 0.6), palette.AGREE)
    first = [k for k in (jump, jump + 1) if k in shown] if jump is not None else shown[-1:] if stop is not None and not stop.in_toi else []
    _draw_numbers(canvas, {k: xs[k] for k in shown}, watch.spec, first)


def ghosts_shown(xs: Sequence[float], gap: float, jump: int | None) -> list[int]:
    """Return the positions drawn as ghosts: the last, both ends of the jump, and of the others those at least `gap` metres apart."""
    kept: list[int] = []
    for k in reversed(range(len(xs))):
        decisive = jump is not None and k in (jump, jump + 1)
        if decisive or not kept or abs(xs[kept[-1]] - xs[k]) >= gap:
            kept.append(k)
    return kept[::-1]


def _draw_way(canvas: Canvas, start: float, end: float, r: float, color: Color, strong: bool) -> None:
    """Draw the volume swept from one ghost to the next: a capsule."""
    canvas.polygon(_capsule(start, end, r), color, color, 0.42 if strong else 0.2)


def _capsule(start: float, end: float, r: float) -> tuple[tuple[float, float], ...]:
    """Return the outline: half a disc about either end."""
    rim = Polygon.regular(32, r, angle=0.5 * 3.141592653589793).vertices.tolist()
    low, high = min(start, end), max(start, end)
    return tuple((x + (low if k <= 16 else high), y) for k, (x, y) in enumerate(rim))


def _draw_numbers(canvas: Canvas, xs: dict[int, float], spec: ShotSpec, first: Sequence[int]) -> None:
    """Write the step under each ghost, beside the target and where there is room; the decisive ones come first."""
    size, pad, drop = 13.0, 3.0 * canvas.ui_scale, 9.0 * canvas.ui_scale
    wide = canvas.fonts.width(f"step {max(xs, default=0)}", size, bold=True) + 2.0 * pad
    ends = [canvas.camera.to_screen((xs[k], 0.0))[0] for k in first]
    in_words = len(ends) < 2 or ends[1] - ends[0] > wide
    half_target = 0.5 * spec.thickness
    face, back = (canvas.camera.to_screen((x, 0.0))[0] for x in (-half_target, half_target))
    taken: list[tuple[float, float]] = [(face, back)]
    for k in [*first, *(k for k in xs if k not in first)]:
        px, py = canvas.camera.to_screen((xs[k], -spec.radius))
        words = f"step {k}" if k in first and in_words else f"{k}"
        color = palette.CAPTION if k not in first else palette.UNEXPLAINED if len(first) == 2 else palette.AGREE
        half = 0.5 * canvas.fonts.width(words, size, k in first) + pad
        if k in first and px + half > face and px - half < back:
            px = face - half if xs[k] < 0.0 else back + half
        if all(px + half <= low or px - half >= high for low, high in taken):
            canvas.text_px((px, py + drop), words, color, size, "midtop", bold=k in first)
            taken.append((px - half, px + half))
