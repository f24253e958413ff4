"""The same shot twice: continuous collision detection (CCD) off above, on below.

Without CCD the bullet exists only where a step ends. What it does in between is drawn here, as the outline of the way it
swept, but the engine never looks there: a step longer than the zone that catches it jumps over the wall. The ghosts are
where the steps ended; the step that jumped is red.

The target stands still at x = 0, and the shot is `engine.experiments.ShotSpec`: the command ``fire`` fires the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from engine.app.clock import SPEEDS
from engine.app.demo import Demo, StatusLine
from engine.app.parameters import Parameter
from engine.app.registry import register
from engine.app.stage import Stage
from engine.box2d import World, WorldSettings
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.experiments import ShotSpec, ShotWatch, Target, build_range, fire_bullet, predicts_tunnel, verdict
from engine.experiments.range import FLOOR, FLOOR_HALF_HEIGHT, build_floor
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
NAMES: dict[Target, str] = {
    "static": "static wall",
    "dynamic": "free thin plate",
    "hinged": "thin plate on a hinge",
    "stack": "stack of planks",
}
PERIOD = 2.0  # seconds of world time from one shot to the next
FLIGHT = 2.5  # seconds on the watch that a flight should take
AFTERMATH_STEPS = 3  # steps after the verdict that stay in slow motion
AFTERMATH_SPEED = 1 / 4
WATCHED_AFTER_HIT = 15  # steps
LOST = 60.0  # metres from the target, where whatever flew or fell away is taken out of the world


Plan = tuple[bool, Target | None]
"""One lane: with CCD or without, and what is shot at; None: each of `IN_TURN` in turn."""


class Lane:
    """One world with a target, a bullet, and the record of its shot."""

    def __init__(self, stage: Stage, plan: Plan) -> None:
        self.stage = stage
        self.ccd, self.target = plan
        self.watch: ShotWatch | None = None
        self._since_hit = 0

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
        self.watch = ShotWatch(world, spec, bullet, built.panels)
        self._since_hit = 0

    def look(self) -> None:
        """Take in the step; what was hit falls from then on."""
        watch, world = self.watch, self.stage.world
        if watch is None:
            return
        if self.is_over:
            for body in world.body_ids:
                x, y = world.state(body).position
                if max(abs(x), abs(y)) > LOST:
                    world.destroy_body(body)
            return
        was_hit = watch.hit is not None
        watch.observe(world.contacts)
        if watch.hit is not None:
            self._since_hit += 1
            if not was_hit:
                world.set_body(watch.bullet, gravity_scale=1.0)

    @property
    def is_decided(self) -> bool:
        """Whether there is a verdict."""
        return self.watch is not None and (self.watch.jump is not None or self.watch.stop is not None)

    @property
    def is_over(self) -> bool:
        """Whether the shot needs no watching any more."""
        if self.watch is None or self.watch.jump is not None:
            return self.watch is None or self.watch.positions[-1][0] > RIGHT or self._since_hit > WATCHED_AFTER_HIT
        return self._since_hit > WATCHED_AFTER_HIT


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
        Parameter("radius", 0.08, 0.005, 0.3, "m", "radius of the bullet"),
        Parameter("phase", 0.5, 0.0, 1.0, "", "luck: phase of the steps"),
        Parameter("target", 0.0, 0.0, 4.0, "", "target: keys W P H S T", whole=True),
    )
    keys = (
        ("Enter, F", "fire again"),
        ("A", "fire by itself, or not"),
        ("W  P  H  S", "wall, free plate, hinge, stack"),
        ("T", "each in turn"),
    )
    plans: ClassVar[tuple[Plan, ...]] = ((False, None), (True, None))
    """The lanes, from the top."""
    automatic: bool = True

    def build(self) -> None:
        self.lanes: list[Lane] = []
        self.shots = 0
        self._fired_at = 0
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
        self._fired_at, self._decided_at = self.steps, None
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
        period = max(round(PERIOD * self.parameter("hertz")), 60)
        if self.automatic and self.steps - self._fired_at >= period and all(lane.is_decided for lane in self.lanes):
            self.fire()

    def after_step(self) -> None:
        for lane in self.lanes:
            lane.look()
        if self._decided_at is None and all(lane.is_decided for lane in self.lanes):
            self._decided_at = self.steps
        if self._decided_at is not None and self.steps == self._decided_at + AFTERMATH_STEPS:
            self.wanted_speed = AFTERMATH_SPEED

    def on_key(self, key: str) -> bool:
        if key in ("return", "enter", "f"):
            self.automatic = False
            self.fire()
        elif key == "a":
            self.automatic = not self.automatic
        elif key in TARGET_KEYS:
            self.set_parameter("target", TARGET_KEYS.index(key))
        else:
            return False
        return True

    def home(self) -> AABB:
        room = 0.7  # for the readout
        return AABB((LEFT, -(len(self.plans) - 1) * PITCH + FLOOR - 0.7), (RIGHT, TOP + room))

    def status(self) -> Sequence[StatusLine]:
        spec = self.lanes[0].watch.spec if self.lanes[0].watch is not None else self.spec()
        zone = f"Without CCD a step must end in the green zone, {_length(spec.reach)}, to be caught."
        lines: list[StatusLine] = [f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m a step. {zone}"]
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
    floor_px = 2.0 * FLOOR_HALF_HEIGHT * canvas.camera.scale / canvas.ui_scale
    name_size = min(max(round(0.75 * floor_px), 9.0), 12.0)
    canvas.text((0.0, FLOOR - FLOOR_HALF_HEIGHT), NAMES[watch.spec.target], palette.TEXT, name_size)
    arrived = _has_arrived(lane, watch)
    decided = lane.is_decided and (arrived or watch.steps > _deciding_step(watch))
    if not arrived and not decided:  # on its way to the next ghost
        _draw_way(canvas, watch.positions[-2][0], lane.stage.drawn_pose(watch.bullet)[0], watch.spec.radius, palette.CAPTION, False)
    _draw_flight(canvas, watch, len(watch.positions) if arrived else len(watch.positions) - 1, decided)
    color = palette.CAPTION if not decided else palette.UNEXPLAINED if watch.jump is not None else palette.AGREE
    _draw_line(canvas, (middle, FLOOR - 0.42), verdict(watch) if decided else _forecast(watch.spec), color, 16.0)


def _draw_line(canvas: Canvas, middle: tuple[float, float], words: str, color: Color, size: float) -> None:
    """Write a line about `middle`, smaller where the view is too narrow for it."""
    while size > 9.0 and canvas.fonts.width(words, size, bold=True) > 0.96 * canvas.camera.view[2]:
        size -= 1.0
    canvas.text(middle, words, color, size, bold=True)


def _has_arrived(lane: Lane, watch: ShotWatch) -> bool:
    """Tell whether the picture, drawn between two steps, has come to the end of the last one watched."""
    if lane.is_over or not lane.stage.world.is_body(watch.bullet):
        return True
    x, _, _ = lane.stage.drawn_pose(watch.bullet)
    return watch.steps == 0 or abs(x - watch.positions[-1][0]) <= 0.02 * watch.spec.travel


def _deciding_step(watch: ShotWatch) -> int:
    """Return the step at whose end the verdict was known."""
    if watch.jump is not None:
        return watch.jump + 1
    return watch.stop.step + 1 if watch.stop is not None else watch.steps


def _forecast(spec: ShotSpec) -> str:
    if spec.travel == 0.0:
        return "at rest"
    return "in flight; by our reckoning it " + ("will tunnel" if predicts_tunnel(spec) else "will be stopped")


def _draw_flight(canvas: Canvas, watch: ShotWatch, count: int, decided: bool) -> None:
    """Draw the ghosts of the first `count` positions, the ways between them, and the numbers of the steps."""
    stop = watch.stop if watch.jump is None and decided else None
    jump = watch.jump if decided else None
    if watch.stop is not None and watch.jump is None:
        count = min(count, watch.stop.step + 1)
    xs = [x for x, _ in watch.positions[:count] if x < RIGHT + 2.0]
    r = watch.spec.radius
    for k in range(len(xs) - 1):
        _draw_way(canvas, xs[k], xs[k + 1], r, palette.UNEXPLAINED if k == jump else palette.ACCENT, k == jump)
    if stop is not None and stop.in_toi:
        _draw_way(canvas, xs[-1], stop.center[0], r, palette.AGREE, True)
    for k, x in enumerate(xs):
        color = palette.UNEXPLAINED if jump is not None and k in (jump, jump + 1) else palette.ACCENT
        canvas.circle((x, 0.0), r, mix(palette.BACKGROUND, color, 0.45), color, 0.9)
    if stop is not None:
        canvas.circle((stop.center[0], 0.0), r, mix(palette.BACKGROUND, palette.AGREE, 0.6), palette.AGREE)
    _draw_numbers(canvas, xs, r, jump, stop is not None and not stop.in_toi)


def _draw_way(canvas: Canvas, start: float, end: float, r: float, color: Color, strong: bool) -> None:
    """Draw the volume swept from one ghost to the next: a capsule."""
    canvas.polygon(_capsule(start, end, r), color, color, 0.42 if strong else 0.2)


def _capsule(start: float, end: float, r: float) -> tuple[tuple[float, float], ...]:
    """Return the outline: half a disc about either end."""
    rim = Polygon.regular(32, r, angle=0.5 * 3.141592653589793).vertices.tolist()
    low, high = min(start, end), max(start, end)
    return tuple((x + (low if k <= 16 else high), y) for k, (x, y) in enumerate(rim))


def _draw_numbers(canvas: Canvas, xs: Sequence[float], r: float, jump: int | None, ends_caught: bool) -> None:
    """Write the step under each ghost, leaving out those for which there is no room; the decisive ones come first."""
    first = [jump, jump + 1] if jump is not None else [len(xs) - 1] if ends_caught else []
    size, pad = 13.0, 3.0 * canvas.ui_scale
    wide = canvas.fonts.width(f"step {len(xs)}", size, bold=True) + 2.0 * pad
    in_words = jump is None or abs(xs[jump + 1] - xs[jump]) * canvas.camera.scale > wide
    taken: list[tuple[float, float]] = []
    for k in first + [k for k in range(len(xs)) if k not in first]:
        px, py = canvas.camera.to_screen((xs[k], -r))
        words = f"step {k}" if k in first and in_words else f"{k}"
        color = palette.CAPTION if k not in first else palette.UNEXPLAINED if jump is not None else palette.AGREE
        half = 0.5 * canvas.fonts.width(words, size, k in first) + pad
        if all(px + half <= low or px - half >= high for low, high in taken):
            canvas.text_px((px, py + pad), words, color, size, "midtop", bold=k in first)
            taken.append((px - half, px + half))
