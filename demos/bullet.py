"""The same shot under different rules, one lane each.

Without continuous collision detection (CCD) the bullet exists only where a step ends. The area that it sweeps in between is drawn, but the
engine never checks it: a step longer than the zone that catches the bullet jumps over the wall. Ghosts mark the ends of the steps; the step
that jumped is red. The close-up below shows the step that decides.

The target's center is x = 0, and the shot is an `engine.experiments.ShotSpec`, as in the command ``fire``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from demos._bullet_lane import LEFT, RIGHT, Lane
from demos._bullet_picture import (
    draw_flight,
    draw_impact,
    draw_numbers,
    draw_range,
    draw_shape,
    draw_swept,
    ghosts_shown,
    shorter,
    step_plot,
)
from engine.app.clock import SPEEDS
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.contracts import Status
from engine.demo import Demo, Parameter, Stage, register
from engine.experiments.spec import DEFAULT_RADIUS, HALF_PHASE, RULES, Rule, ShotSpec, Target
from engine.experiments.tracker import Outcome, ShotTracker, verdict
from engine.experiments.tunneling import predict
from engine.geometry import AABB
from engine.render import palette
from engine.render.gap_plot import draw_gap_plot, fraction_under
from engine.render.palette import Color, mix
from engine.sim.stage import StepPiece
from engine.world import World, WorldSettings

if TYPE_CHECKING:
    from engine.experiments.step_curve import StepCurve
    from engine.render.canvas import Canvas

__all__ = ["Bullet", "Lane"]

Point = tuple[float, float]

TARGETS: dict[str, tuple[tuple[Target, ...], str]] = {
    "each": (("static", "dynamic", "blade"), ""),
    "wall": (("static",), "static"),
    "moving": (("kinematic",), "kinematic"),
    "plate": (("dynamic",), "dynamic"),
    "blade": (("blade",), ""),
    "bullet": (("head_on",), "head_on"),
    "sensor": (("sensor",), ""),
}
"""For each choice of the parameter `target`: the targets in turn, and an alias."""
NAMES: dict[Target, str] = {
    "static": "static wall",
    "kinematic": "moving wall",
    "dynamic": "free thin plate",
    "blade": "spinning blade",
    "head_on": "another bullet",
    "sensor": "sensor",
}
RULE_NAMES: dict[Rule, tuple[str, str]] = {
    "discrete": ("CCD off", "checks only the end of each step"),
    "default": ("Box2D's default", "checks between steps, but only against static bodies"),
    "bullet": ("CCD on (bullet flag)", "checks between steps, against all solid bodies"),
    "substeps": ("Our sub-steps", "takes steps too short to pass through anything"),
    "swept": ("Our swept test", "finds the first contact and stops the step there"),
}
"""Name and meaning of each rule."""
WITH_ZONE = ("static", "dynamic")
"""Targets at rest: a discrete step catches the bullet if it ends in the zone in front of the center."""

HIGHEST, LOWEST = 1.15, 0.25
"""Largest and smallest half height of a lane, meters."""
MIN_SHARE = 0.7
"""Smallest reduction of the scale for a slanted flight."""
FOOT_SHARE = 0.29
"""Height of the close-up as a fraction of the view's height."""
LEAD, HEADING = 22.0, 24.0
"""Heights of the line above all lanes and of a lane's heading, design pixels."""
REST = 0.75
"""Simulated seconds from the verdict to the next shot."""
FLIGHT = 2.5
"""Real duration of a flight, seconds."""
AFTERMATH_STEPS, AFTERMATH_SPEED = 3, 1 / 4
"""Steps after the verdict in slow motion, and the speed after them."""
MIN_AIM = 0.3
"""Distance from the target below which a press fires without aiming, meters."""
GHOST_GAP = 2.6
"""Smallest distance of two ghosts, in radii."""
OUTCOME_COLORS: dict[Outcome, Color] = {
    Outcome.TUNNELED: palette.UNEXPLAINED,
    Outcome.STOPPED: palette.AGREE,
    Outcome.FLIES_ON: palette.WARNING,
}


@register(
    id="bullet",
    category="Fast bullets",
    title="Bullet against a plate",
    watch="Each lane fires the same shot under a different rule. Ghosts mark step ends; the red part of the path was never checked.",
)
class Bullet(Demo):
    """A small fast bullet at various targets, with a lane for each rule."""

    tries = (
        (
            "Click in a lane to fire; drag to aim. With continuous collision detection (CCD) off, the bullet passes through the plate.",
            "Grab, key return, key f",
        ),
        ("Add the lane for Box2D's default rule, which lets the bullet through a dynamic plate even though CCD is on.", "set lanes"),
        ("Pause (Space) and step to the red part (N). The curve below shows the gap between bullet and target in that step.", "step"),
        (
            "Drag the muzzle speed down: below 10.3 m/s the first lane's plate stops the bullet, too, because one step ends in it.",
            "set speed",
        ),
    )
    keywords = "tunneling tunnelling ccd continuous collision detection toi time of impact sweep"
    no_edits = "The lanes are rebuilt for every shot; choose the target, bullet and rule in the panel."
    parameters = (
        Parameter("speed", 110.0, 0.0, 1000.0, "m/s", "muzzle speed", slider_high=300.0, logarithmic=True),
        replace(
            Parameter.some("lanes", RULES, ("discrete", "bullet"), "lanes"),
            buttons={rule: (name, f"{meaning[:1].upper()}{meaning[1:]}.") for rule, (name, meaning) in RULE_NAMES.items()},
        ),
        Parameter.choice("target", tuple(TARGETS), "target", tuple(alias for _, alias in TARGETS.values()), default=3),
        Parameter("angle", 0.0, -75.0, 75.0, "°", "angle from the normal"),
        Parameter("thickness", 0.05, 0.005, 1.0, "m", "target thickness", slider_high=0.5),
        Parameter("radius", DEFAULT_RADIUS, 0.005, 0.3, "m", "bullet radius"),
        Parameter("hertz", 60.0, 15.0, 480.0, "Hz", "step rate", whole=True),
        Parameter("restitution", 0.0, 0.0, 1.0, "", "restitution (bounce)"),
        Parameter("target_speed", 20.0, -200.0, 200.0, "m/s", "target speed toward the gun"),
        Parameter(
            "phase",
            HALF_PHASE,
            0.0,
            1.0,
            "",
            "phase (where the steps end)",
            note="At 0, a step ends at the target's center; at 0.5, the target is halfway between two step ends.",
        ),
        Parameter.choice("shape", ("disc", "box"), "bullet shape"),
    )
    keys = (
        ("Enter, F", "fire now"),
        ("A", "turn automatic fire on or off"),
    )
    needs_kernels = True
    automatic: ClassVar[bool] = True

    def build(self) -> None:
        self.fires_by_itself = type(self).automatic
        self._last_words: tuple[str, ...] = ()
        self.lanes: list[Lane] = []
        self.shots = 0
        self._decided_at: int | None = None
        self._aim: tuple[int, float, float] | None = None
        """The lane in which the user aims, and the pointer in its frame."""
        for k, rule in enumerate(RULES):
            if Parameter.has(self.parameter("lanes"), k):
                settings = WorldSettings(hertz=self.parameter("hertz"), continuous=rule in ("default", "bullet"))
                lane = Lane(self.add_stage(World(settings)), rule)
                lane.stage.stepper = partial(self._step_of, len(self.lanes))
                self.lanes.append(lane)
        self.arrange(*getattr(self, "_room", (980.0, 440.0)))
        self.fire()

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return next(lane.colors for lane in self.lanes if lane.stage is stage)

    def _step_of(self, lane: int) -> Iterator[StepPiece]:
        """Return the pieces of a lane's step; the lane is given by its index, because rewinding replaces the lanes."""
        return self.lanes[lane].step()

    @classmethod
    def load_kernels(cls) -> None:
        super().load_kernels()
        for shape in (0, 1):  # the timeline of the decisive step
            demo = cls(values={"target": "wall", "shape": shape, "lanes": "discrete+swept"})
            for _ in range(40):
                demo.sim.step()
            decisive = demo.lanes[0].decisive_step()
            assert decisive is not None
            step_plot(demo.lanes, *decisive, "", "", ["", ""], 0.0)

    def fire(self) -> None:
        """Fire in all lanes, in slow motion."""
        self.shots += 1
        spec = self.spec()
        for lane in self.lanes:
            lane.fire(replace(spec, rule=lane.rule))
        self._decided_at = None
        self.viewer.wanted_speed = _slow_motion(spec)

    def spec(self) -> ShotSpec:
        """Return the current shot."""
        targets = tuple(TARGETS.values())[round(self.parameter("target"))][0]
        return ShotSpec(
            speed=self.parameter("speed"),
            thickness=self.parameter("thickness"),
            hertz=self.parameter("hertz"),
            radius=self.parameter("radius"),
            phase=self.parameter("phase"),
            target=targets[max(self.shots - 1, 0) % len(targets)],
            angle=math.radians(self.parameter("angle")),
            restitution=self.parameter("restitution"),
            target_speed=self.parameter("target_speed"),
            shape="box" if self.parameter("shape") else "disc",
        )

    def before_step(self) -> None:
        rest = max(round(REST * self.parameter("hertz")), 30)
        is_due = self._decided_at is not None and self.steps - self._decided_at >= rest
        if self.fires_by_itself and self.parameter("speed") > 0.0 and is_due:
            self.fire()
        if all(lane.watch is None for lane in self.lanes):
            self.fire()
        for lane in self.lanes:
            lane.begin_step()

    def after_step(self) -> None:
        for lane in self.lanes:
            lane.end_step()
        watches = [lane.watch for lane in self.lanes if lane.watch is not None]
        if self._decided_at is None and watches and all(watch.is_decided for watch in watches):
            self._decided_at = self.steps
        if self._decided_at is not None:
            self._last_words = self._words()
            if self.steps == self._decided_at + AFTERMATH_STEPS:
                self.viewer.wanted_speed = AFTERMATH_SPEED

    def on_key(self, key: str) -> bool:
        if key in ("return", "enter", "f"):
            self.fire()
        elif key == "a":
            self.fires_by_itself = not self.fires_by_itself
        else:
            return False
        return True

    @property
    def grabbing(self) -> bool:
        return self._aim is not None

    def grab(self, point: Point) -> bool:
        self._aim = None
        for k, lane in enumerate(self.lanes):
            x, y = point[0] - lane.stage.offset[0], point[1] - lane.stage.offset[1]
            if self._left <= x <= self._right and abs(y) <= self._half:
                self._aim = k, x, y
        return self._aim is not None

    def drag(self, point: Point) -> None:
        if self._aim is not None:
            k = self._aim[0]
            x, y = self.lanes[k].stage.offset
            self._aim = k, point[0] - x, point[1] - y

    def release(self) -> None:
        """Fire along the line from the pointer to the target."""
        if self._aim is None:
            return
        angle, self._aim = self._aimed_angle(*self._aim[1:]), None
        if angle != self.parameter("angle"):
            self.set_parameter("angle", angle)  # which fires
        else:
            self.fire()

    def _aimed_angle(self, x: float, y: float) -> float:
        """Return the angle of a shot from a point to the target, whole degrees; the current angle if the point is too near."""
        if math.hypot(x, y) < MIN_AIM:
            return self.parameter("angle")
        return float(round(min(max(math.degrees(math.atan2(y, abs(x))), -75.0), 75.0)))

    def on_parameter(self, name: str) -> None:
        by_itself = self.fires_by_itself
        self.restart()
        self.fires_by_itself = by_itself

    def summary(self) -> Sequence[str]:
        return self._last_words or self._words()

    def _words(self) -> tuple[str, ...]:
        watches = [(lane.rule, lane.watch) for lane in self.lanes if lane.watch is not None]
        return tuple(f"{rule:<8}  {NAMES[watch.spec.target]}: {verdict(watch)}" for rule, watch in watches)

    # -- layout ----------------------------------------------------------------------------------------------------------

    def arrange(self, width: float, height: float) -> bool:
        """Stack the lanes, each with a heading and a strip of the available height."""
        self._room = (width, height)
        strip = max((0.9 * height - LEAD) / max(len(self.lanes), 1) - HEADING - 8.0, 24.0)
        scale = min(0.9 * width / (RIGHT - LEFT), 0.5 * strip / LOWEST)  # design pixels per meter
        spec = self.spec()
        rise = max(min(0.6 * spec.travel * abs(math.sin(spec.angle)) + 2.0 * spec.radius, HIGHEST), LOWEST)  # of the step that decides
        scale = max(min(scale, 0.5 * strip / rise), MIN_SHARE * scale)
        wider = 0.9 * width / scale / (RIGHT - LEFT)
        self._left, self._right = LEFT * wider, RIGHT * wider
        self._half = min(HIGHEST, 0.5 * strip / scale)
        self._head, self._lead = HEADING / scale, LEAD / scale
        self._pitch = 2.0 * self._half + self._head + 8.0 / scale
        for row, lane in enumerate(self.lanes):
            lane.stage.offset = (0.0, -row * self._pitch)
            lane.stage.window = AABB((self._left, -self._half), (self._right, self._half))
        return True

    def foot_height(self, height: float, ui_scale: float) -> float:
        return FOOT_SHARE * height

    def home(self) -> AABB:
        return AABB((self._left, -(len(self.lanes) - 1) * self._pitch - self._half), (self._right, self._half + self._head + self._lead))

    # -- drawing ---------------------------------------------------------------------------------------------------------

    def draw_background(self, canvas: Canvas) -> None:
        left, right, half = self._left, self._right, self._half
        for lane in self.lanes:
            if lane.watch is not None and lane.stage.window is not None:
                inner = canvas.at(lane.stage.offset)
                strip = ((left, -half), (right, -half), (right, half), (left, half))
                inner.polygon(strip, mix(palette.BACKGROUND, palette.PANEL, 0.7), palette.PANEL_EDGE)
                with inner.clipped(lane.stage.window):
                    draw_range(inner, lane.watch.spec, half, lane.rule == "discrete" and lane.watch.spec.target in WITH_ZONE)

    def draw(self, canvas: Canvas) -> None:
        decisive = self.lanes[0].decisive_step() if self.lanes[0].watch is not None else None
        pointed = self._draw_close_up(canvas, decisive)
        for lane in self.lanes:
            inner = canvas.at(lane.stage.offset)
            if lane.watch is not None:
                with inner.clipped(lane.stage.window):
                    if decisive is not None:
                        self._draw_moments(inner, *decisive, pointed)
                    self._draw_lane(inner, lane, lane.watch)
                    if self._aim is not None:
                        angle = math.radians(self._aimed_angle(*self._aim[1:]))
                        inner.dashed((LEFT * math.cos(angle), -LEFT * math.sin(angle)), (0.0, 0.0), palette.WARNING)
            self._draw_heading(inner, lane)
        x, y = canvas.camera.to_screen((self._left, self._half + self._head + self._lead))
        room = canvas.camera.to_screen((self._right, 0.0))[0] - x
        parts, color = self._lead_words()
        while len(parts) > 1 and canvas.fonts.width("  ".join(parts), 13.0) > room:
            parts.pop()
        canvas.text_px((x, y), canvas.fonts.shortened("  ".join(parts), 13.0, max(round(room), 1)), color, 13.0)

    def _lead_words(self) -> tuple[list[str], Color]:
        """Return the sentences above all lanes, the most important first, and their color."""
        watch = self.lanes[0].watch
        spec = watch.spec if watch is not None else self.spec()
        color, parts = palette.CAPTION, []
        if spec.is_capped and self.sim.is_on_box2d:
            color = palette.WARNING
            parts = [
                f"Box2D moves no body more than {MAX_TRANSLATION_PER_STEP:g} m per step: the bullet flies at {spec.flown_speed:g} m/s."
            ]
        size = _length(2.0 * spec.radius if spec.target == "head_on" else spec.thickness)
        parts.append(f"Target: {NAMES[spec.target]}, {size}.")
        parts.append(f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m per step.")
        if any(lane.rule == "discrete" for lane in self.lanes) and spec.target in WITH_ZONE:
            parts.append(f"A step that ends in the green zone ({_length(spec.reach)}) stops the bullet.")
        if not self.fires_by_itself:
            parts.append("F or a click fires; A turns automatic fire on or off.")
        return parts, color

    def _draw_moments(self, canvas: Canvas, step: int, curve: StepCurve, pointed: float | None) -> None:
        """Draw the target at the touch and, if the pointer is on the close-up, the bullet and the target at that fraction of the step."""
        moving = self.lanes[0].moving_shapes(step)
        if moving is None:
            return
        bullet, target = moving
        shapes = [(bullet, pointed, palette.TEXT, 0.9), (target, pointed, palette.CAPTION, 0.9)]
        if curve.touch.status is Status.HIT:
            shapes.append((target, curve.touch.fraction, mix(palette.STATIC, palette.TEXT, 0.75), 0.55))
        for shape, fraction, color, alpha in shapes:
            if fraction is not None:
                xf = shape.sweep.at(fraction)
                draw_shape(canvas, shape.shape, (*xf.position, xf.angle), color, alpha)

    def _draw_lane(self, canvas: Canvas, lane: Lane, watch: ShotTracker) -> None:
        arrived, decided = self._has_arrived(lane), self._is_decided(lane)
        jump = watch.jump if decided else None
        stop = watch.stop if watch.jump is None and decided else None
        count = len(lane.poses) if arrived else len(lane.poses) - 1
        if watch.stop is not None and watch.jump is None:
            count = min(count, watch.stop.step + 1)
        if not arrived and not decided:  # on its way to the next ghost
            draw_swept(canvas, lane.shape, lane.poses[-2], lane.stage.drawn_pose(watch.bullet), palette.CAPTION, False)
        radius = watch.spec.radius
        decisive = (jump, jump + 1) if jump is not None else ()
        gap = max(GHOST_GAP * radius, 16.0 * canvas.ui_scale / canvas.camera.scale)
        ghosts = [
            (k, pose)
            for k in ghosts_shown([pose[:2] for pose in lane.poses[:count]], gap, decisive)
            if self._left <= (pose := lane.poses[k])[0] <= self._right and abs(pose[1]) <= self._half + radius
        ]
        draw_flight(canvas, lane.shape, ghosts, jump)
        if stop is not None and stop.fraction > 0.0:
            start = lane.poses[min(stop.step, len(lane.poses) - 1)]
            draw_swept(canvas, lane.shape, start, (*stop.center, start[2]), palette.AGREE, True)
            if lane.rule == "substeps" and stop.step < len(lane.pieces):
                n = round(stop.fraction * len(lane.pieces[stop.step]))
                canvas.points(np.array([pose[:2] for pose in lane.pieces[stop.step][:n]]), palette.TEXT, 1.2, 0.7)
        now = watch.steps if arrived else watch.steps - 1 + self.viewer.drawn_fraction
        seen = [impact for impact in lane.impacts if impact.step + impact.fraction <= now]
        for impact in reversed(seen):
            draw_impact(canvas, lane.shape, impact.pose, impact.point, impact.normal, is_first=impact is seen[0])
        hit = watch.hit
        if not lane.impacts and hit is not None and hit.step + hit.fraction <= now:
            draw_impact(canvas, lane.shape, (*hit.center, lane.poses[0][2]), hit.point, hit.normal)
        first = decisive or ((ghosts[-1][0],) if stop is not None and stop.fraction == 0.0 and ghosts else ())
        draw_numbers(canvas, ghosts, radius, first, palette.UNEXPLAINED if decisive else palette.AGREE, self._half)

    def _draw_heading(self, canvas: Canvas, lane: Lane) -> None:
        """Write the rule's name, its verdict in the longest form that fits, and, if there is room, its meaning."""
        name, meaning = RULE_NAMES[lane.rule]
        if lane.rule in ("default", "bullet") and lane.stage.world.capabilities.sweeps_all:
            name = f"{self.sim.solver_title}'s default" if lane.rule == "default" else name
            meaning = "checks all fast bodies between steps, with or without the flag"
        watch, color = lane.watch, palette.CAPTION
        if watch is None:
            words = shorter("starts with the next shot")
        elif self._is_decided(lane):
            words, color = shorter(verdict(watch)), _outcome_color(watch)
        else:
            words = shorter(_forecast(watch.spec, lane.stage.world.capabilities.sweeps_all))
        fonts, gap = canvas.fonts, 14.0 * canvas.ui_scale
        left, top = canvas.camera.to_screen((self._left, self._half + self._head))
        right = canvas.camera.to_screen((self._right, 0.0))[0]
        name = fonts.shortened(name, 14.0, max(round(right - left), 1), bold=True)
        left = canvas.text_px((left, top), name, palette.TEXT, 14.0, "topleft", bold=True).right + gap
        rooms = right - left - fonts.width(meaning, 12.0) - gap, right - left  # the meaning says why: a shorter verdict leaves it room
        fitting = next((line for room in rooms for line in words if fonts.width(line, 14.0, True) <= room), "")
        if fitting:
            right = canvas.text_px((right, top), fitting, color, 14.0, "topright", bold=True).left - gap
        if fonts.width(meaning, 12.0) <= right - left:
            canvas.text_px((left, top + 2.0 * canvas.ui_scale), meaning, palette.CAPTION, 12.0, "topleft")

    def _is_decided(self, lane: Lane) -> bool:
        """Return True if the drawn moment is after the verdict."""
        watch = lane.watch
        return watch is not None and lane.is_decided and (self._has_arrived(lane) or watch.steps > watch.decided_after)

    def _has_arrived(self, lane: Lane) -> bool:
        """Return True if the drawn moment is the end of the last step of the shot."""
        watch = lane.watch
        if watch is None or watch.is_over or not lane.stage.world.is_body(watch.bullet):
            return True
        return watch.steps == 0 or self.viewer.drawn_fraction >= 0.98

    def _draw_close_up(self, canvas: Canvas, decisive: tuple[int, StepCurve] | None) -> float | None:
        """Draw the close-up of the step that decides and return the fraction of the step at the pointer, if any."""
        left, top, width, height = canvas.camera.view
        inset, begins = round(10 * canvas.ui_scale), top + round((1.0 - FOOT_SHARE) * height)
        place = left + inset, begins, max(width - 2 * inset, 1), max(top + height - begins - inset, 1)
        watch = self.lanes[0].watch
        if decisive is not None and watch is not None:
            noun, names = NAMES[watch.spec.target], [RULE_NAMES[lane.rule][0] for lane in self.lanes]
            plot = step_plot(self.lanes, *decisive, noun, self.sim.solver_title, names, self.viewer.drawn_fraction)
            pointer = canvas.camera.to_screen(self.viewer.pointed) if self.viewer.pointed is not None else None
            draw_gap_plot(canvas, place, plot, pointer)
            return None if pointer is None else fraction_under(canvas, place, plot, pointer)
        return None


def _slow_motion(spec: ShotSpec) -> float:
    """Return the speed at which the flight takes about `FLIGHT` seconds of real time."""
    if spec.travel == 0.0:
        return 1.0
    target = spec.run_up / spec.flown_speed / FLIGHT
    return min(SPEEDS, key=lambda speed: max(speed / target, target / speed))


def _length(meters: float) -> str:
    return f"{100.0 * meters:.3g} cm" if meters < 1.0 else f"{meters:.3g} m"


def _forecast(spec: ShotSpec, sweeps_all: bool) -> str:
    if spec.travel == 0.0:
        return "the bullet does not move"
    predicted = None if sweeps_all and spec.rule in ("default", "bullet") else predict(spec).tunnels
    return "in flight" if predicted is None else f"in flight: predicted to {'tunnel' if predicted else 'make contact'}"


def _outcome_color(watch: ShotTracker) -> Color:
    """Return the color of a verdict; every bullet passes a sensor, which should notice it."""
    if watch.spec.target == "sensor" and watch.jump is not None:
        return palette.AGREE if watch.hit is not None else palette.UNEXPLAINED
    return OUTCOME_COLORS.get(watch.outcome, palette.CAPTION)
