"""The same shot under different rules, one lane each: who notices that there was a wall?

Without continuous collision detection (CCD) the bullet exists only where a step ends. What it does in between is drawn here, as
the outline of the way it swept, but the engine never looks there: a step longer than the zone that catches it jumps over the wall.
The ghosts are where the steps ended; the step that jumped is red. The time line below opens up the step that decides.

The target's middle is x = 0, and the shot is `engine.experiments.ShotSpec`: the command ``fire`` fires the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from demos._bullet_kernels import are_loaded
from demos._bullet_lane import LEFT, RIGHT, Lane
from demos._bullet_picture import (
    Ghost,
    draw_flight,
    draw_heading,
    draw_impact,
    draw_moment,
    draw_numbers,
    draw_range,
    draw_target,
    draw_way,
    ghosts_shown,
    shorter,
)
from demos._bullet_timeline import LaneMoment, gap_timeline
from demos._bullet_words import ALSO, CHOICES, LANE_KEYS, NAMES, RULE_MEANINGS, RULE_NAMES, TARGET_KEYS, WITH_ZONE, WORDS
from engine.app.clock import SPEEDS
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.demo import Demo, Parameter, Stage, register
from engine.experiments.spec import DEFAULT_RADIUS, HALF_PHASE, RULES, Rule, ShotSpec
from engine.experiments.tracker import Outcome, ShotTracker, verdict
from engine.experiments.tunneling import predicts_tunnel
from engine.geometry import AABB
from engine.render import palette
from engine.render.gap_timeline import draw_timeline, fraction_under
from engine.render.palette import Color, mix
from engine.sim.stage import StepPiece
from engine.world import World, WorldSettings

Point = tuple[float, float]

if TYPE_CHECKING:
    from engine.experiments.step_curve import StepCurve
    from engine.render.canvas import Canvas
    from engine.render.gap_plot import GapTimeline

__all__ = ["Bullet", "Lane"]

KERNELS = "kernels"
"""Under this name our algorithms arrive (`Demo.arrive`): with the referee, whose kernels they share."""

HIGHEST, LOWEST = 1.15, 0.25  # meters to either side of the line of fire: the strip of a lane
MIN_SHARE = 0.7  # of the scale that a slanting flight leaves
FOOT_SHARE = 0.29  # of the view's height: the time line
LEAD = 22.0  # design pixels: the line over all lanes
HEADING = 24.0  # design pixels over a lane, for each row of words
NARROW = 720.0  # design pixels: a picture narrower than this has its verdicts on a row of their own, where there is room
PHASE_NOTE = "0: a step ends at the target's middle; 0.5: the target lies half-way between two steps."
BURST_NOTE = "One after another, each with luck of its own."
REST = 0.75  # seconds of world time from the verdict to the next shot: three on the watch
BURST_REST = 0.1  # the same between the shots of a burst
FLIGHT, BURST_FLIGHT = 2.5, 0.6  # seconds on the watch that a flight should take, and each of a burst but the first
OUTCOME_COLORS: dict[Outcome, Color] = {
    Outcome.TUNNELED: palette.UNEXPLAINED,
    Outcome.STOPPED: palette.AGREE,
    Outcome.FLIES_ON: palette.WARNING,
}
AFTERMATH_STEPS = 3  # steps after the verdict that stay in slow motion
AFTERMATH_SPEED = 1 / 4
_MIN_AIM = 0.3  # meters from the target: a press that is nearer fires and does not aim
GHOST_GAP = 2.6  # radii between the ghosts drawn, at least


@register(
    id="bullet",
    category="Fast bullets",
    title="Bullet against wall",
    watch="Each lane fires the same shot under a different rule. Ghosts mark where steps ended; nothing was checked in between.",
)
class Bullet(Demo):
    """A small fast bullet at all kinds of targets; each lane has a rule of its own."""

    tries = (
        (
            "Click in a lane to fire; drag to aim. With CCD off the bullet jumps through the plate.",
            "Grab, key return, key f",
        ),
        ("Add Box2D's default (F3): it lets the bullet through the free plate, although continuous collision is on.", "set lanes"),
        ("Pause at the red step (Space) and point at the close-up below: the curve is the gap between bullet and target.", "pause"),
        ("Change the muzzle speed: from which speed on does the first lane fail?", "set speed"),
    )
    keywords = "tunneling tunnelling ccd continuous collision detection toi time of impact sweep"
    no_edits = "The lanes are rebuilt for every shot; choose target, bullet and rule in the panel."

    parameters = (
        Parameter.some("lanes", RULES, ("discrete", "bullet"), "lanes"),
        Parameter.choice("target", WORDS, "target", ALSO, default=WORDS.index("plate")),
        Parameter("speed", 110.0, 0.0, 1000.0, "m/s", "muzzle speed", slider_high=300.0),
        Parameter("angle", 0.0, -75.0, 75.0, "°", "angle from the normal"),
        Parameter("thickness", 0.05, 0.005, 1.0, "m", "thickness of the target", slider_high=0.5),
        Parameter("radius", DEFAULT_RADIUS, 0.005, 0.3, "m", "radius of the bullet"),
        Parameter("hertz", 60.0, 15.0, 480.0, "Hz", "steps a second", whole=True),
        Parameter("restitution", 0.0, 0.0, 1.0, "", "restitution (bounce)"),
        Parameter("target_speed", 20.0, -200.0, 200.0, "m/s", "target speed toward the gun"),
        Parameter("phase", HALF_PHASE, 0.0, 1.0, "", "luck: where the steps fall", note=PHASE_NOTE),
        Parameter("burst", 1.0, 1.0, 20.0, "", "shots per burst", whole=True, note=BURST_NOTE),
        Parameter.choice("shape", ("disc", "box"), "shape of the bullet"),
    )
    keys = (
        ("Enter, F", "fire now"),
        ("A", "fire by itself or not"),
        ("F2 ... F6", "show or hide a lane"),
        ("W M P B O E T", "target: wall, moving, plate, blade, bullet, sensor, each"),
    )
    needs_referee = True
    automatic: ClassVar[bool] = True

    def build(self) -> None:
        self.fires_by_itself = type(self).automatic
        self._last_words: tuple[str, ...] = ()
        self.lanes: list[Lane] = []
        self.shots = self.bursts = 0
        self._left_in_burst = 0
        self._luck = self.rng("burst")
        self._decided_at: int | None = None
        self._aim: tuple[int, float, float] | None = None
        """The lane in which a shot is aimed, and where in its frame the pointer is."""
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
        """Return the pieces of a step of a lane; the lanes are other objects after going back in time."""
        return self.lanes[lane].step()

    def fire(self) -> None:
        """Fire in all lanes, in slow motion; the first of a burst, or the next one."""
        is_first = self._left_in_burst <= 0
        if is_first:
            self._left_in_burst = round(self.parameter("burst"))
            self.bursts += 1
        self._left_in_burst -= 1
        spec = self.spec()
        if self.parameter("burst") > 1.0:
            spec = replace(spec, phase=float(self._luck.random()))
        for lane in self.lanes:
            if is_first:
                lane.tally = []
            if not self._waits(lane):
                lane.fire(replace(spec, rule=lane.rule))
        self.shots += 1
        self._decided_at = None
        self.viewer.wanted_speed = _slow_motion(spec, FLIGHT if is_first else BURST_FLIGHT)

    def spec(self) -> ShotSpec:
        """Return the shot that the parameters ask for, at the target whose turn it is."""
        choices = CHOICES[round(self.parameter("target"))]
        return ShotSpec(
            speed=self.parameter("speed"),
            thickness=self.parameter("thickness"),
            hertz=self.parameter("hertz"),
            radius=self.parameter("radius"),
            phase=self.parameter("phase"),
            target=choices[max(self.bursts - 1, 0) % len(choices)],
            angle=math.radians(self.parameter("angle")),
            restitution=self.parameter("restitution"),
            target_speed=self.parameter("target_speed"),
            shape="box" if self.parameter("shape") else "disc",
        )

    def before_step(self) -> None:
        rest = max(round((BURST_REST if self._left_in_burst else REST) * self.parameter("hertz")), 8 if self._left_in_burst else 30)
        moves = self.parameter("speed") > 0.0
        goes_on = self.fires_by_itself or self._left_in_burst > 0
        if goes_on and moves and self._decided_at is not None and self.steps - self._decided_at >= rest:
            self.fire()
        if all(lane.watch is None for lane in self.lanes) and not all(self._waits(lane) for lane in self.lanes):
            self.fire()
        for lane in self.lanes:
            if self._waits(lane):
                lane.clear()
            lane.begin_step()

    def after_step(self) -> None:
        for lane in self.lanes:
            lane.look()
        watches = [(lane, lane.watch) for lane in self.lanes if lane.watch is not None]
        if self._decided_at is None and watches and all(watch.is_decided for _, watch in watches):
            self._decided_at = self.steps
            for lane, watch in watches:
                lane.tally.append(watch.outcome)
        if self._decided_at is not None:
            self._last_words = self._words()
        if self._decided_at is not None and self.steps == self._decided_at + AFTERMATH_STEPS and not self._left_in_burst:
            self.viewer.wanted_speed = AFTERMATH_SPEED

    def on_key(self, key: str) -> bool:
        if key in ("return", "enter", "f"):
            self._left_in_burst = 0
            self.fire()
        elif key == "a":
            self.fires_by_itself = not self.fires_by_itself
        elif key in TARGET_KEYS:
            self.set_parameter("target", TARGET_KEYS.index(key))
        elif key in LANE_KEYS:
            lanes = next(parameter for parameter in self.parameters if parameter.name == "lanes")
            self.set_parameter("lanes", lanes.chosen(self.parameter("lanes"), LANE_KEYS.index(key)))
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
        angle, self._aim, self._left_in_burst = self._aimed_angle(*self._aim[1:]), None, 0
        if angle != self.parameter("angle"):
            self.set_parameter("angle", angle)  # which fires
        else:
            self.fire()

    def _aimed_angle(self, x: float, y: float) -> float:
        """Return the angle of a shot from a point of a lane at the target, whole degrees; from too near, the present one."""
        if math.hypot(x, y) < _MIN_AIM:
            return self.parameter("angle")
        angle = next(parameter for parameter in self.parameters if parameter.name == "angle")
        return float(round(min(max(math.degrees(math.atan2(-y, abs(x))), angle.low), angle.high)))

    def on_parameter(self, name: str) -> None:
        by_itself = self.fires_by_itself
        self.restart()
        self.fires_by_itself = by_itself

    def summary(self) -> Sequence[str]:
        return self._last_words or self._words()

    def _words(self) -> tuple[str, ...]:
        lines = []
        for lane in self.lanes:
            if lane.watch is not None:
                lines.append(f"{lane.rule:<8}  {NAMES[lane.watch.spec.target]}: {verdict(lane.watch)}")
        return tuple(lines)

    # What must not keep the window waiting

    @property
    def _is_loaded(self) -> bool:
        """Whether our algorithms are there: in the window the referee's coming says so; elsewhere they are loaded when they are asked."""
        return self.has(KERNELS)

    @property
    def _has_curves(self) -> bool:
        """Whether the time line's algorithms are there too: they are loaded while the demo runs."""
        return self._is_loaded and are_loaded(self.viewer.interactive)

    def arrivals(self) -> Sequence[str]:
        return (KERNELS,) if self.has_algorithms else ()

    def _waits(self, lane: Lane) -> bool:
        """Tell whether a lane cannot shoot yet, because our algorithms stop its bullet, or tell where Box2D met it inside a step."""
        return lane.rule in ("default", "bullet", "swept") and not self._is_loaded

    # Layout

    def arrange(self, width: float, height: float) -> bool:
        """Stack the lanes: each a heading and a strip as high as there is room for."""
        self._room = (width, height)
        n = max(len(self.lanes), 1)
        each = (0.9 * height - LEAD) / n
        self._rows = 2 if width < NARROW and each > 2.0 * HEADING + 48.0 else 1
        heading = self._rows * HEADING - 4.0 * (self._rows - 1)
        strip = max(each - heading - 8.0, 24.0)
        scale = min(0.9 * width / (RIGHT - LEFT), 0.5 * strip / LOWEST)  # design pixels a meter
        scale = max(min(scale, 0.5 * strip / self._rise()), MIN_SHARE * scale)
        wider = 0.9 * width / scale / (RIGHT - LEFT)
        self._left, self._right = LEFT * wider, RIGHT * wider
        self._half = min(HIGHEST, 0.5 * strip / scale)
        self._head, self._lead = heading / scale, LEAD / scale
        self._pitch = 2.0 * self._half + self._head + 8.0 / scale
        for row, lane in enumerate(self.lanes):
            lane.stage.offset = (0.0, -row * self._pitch)
            lane.stage.window = AABB((self._left, -self._half), (self._right, self._half))
        return True

    def _rise(self) -> float:
        """Return how far from the middle of a lane the step that decides may begin or end, meters."""
        spec = self.spec()
        return max(min(0.6 * spec.travel * abs(math.sin(spec.angle)) + 2.0 * spec.radius, HIGHEST), LOWEST)

    def foot_height(self, height: float, ui_scale: float) -> float:
        return FOOT_SHARE * height

    def home(self) -> AABB:
        return AABB((self._left, -(len(self.lanes) - 1) * self._pitch - self._half), (self._right, self._half + self._head + self._lead))

    def _present_spec(self) -> ShotSpec:
        watch = self.lanes[0].watch
        return watch.spec if watch is not None else self.spec()

    def _lead_words(self) -> list[str]:
        """Return what stands over all lanes, the longest first."""
        spec = self._present_spec()
        words = [
            f"Target: {NAMES[spec.target]}, {_target_size(spec)}.  {spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m a step."
        ]
        if not self.fires_by_itself:
            words.insert(0, f"{words[0]}  Fires only on F; A: by itself.")
        if any(lane.rule == "discrete" for lane in self.lanes) and spec.target in WITH_ZONE:
            words.insert(0, f"{words[0]}  A step that ends in the green zone, {_length(spec.reach)}, is caught.")
        return words

    def _cap_words(self) -> list[str]:
        """Return the warning that Box2D's cap makes the bullet slower than asked for, the longest form first; none where it does not."""
        spec = self._present_spec()
        if not spec.is_capped or not self.sim.is_on_box2d:
            return []
        flown = f"flies {spec.flown_speed:g} m/s"
        return [
            f"Box2D moves no body more than {MAX_TRANSLATION_PER_STEP:g} m a step: asked {spec.speed:g} m/s, {flown}",
            f"2 m cap: {flown}",
        ]

    # The picture

    def draw_background(self, canvas: Canvas) -> None:
        for lane in self.lanes:
            if lane.watch is not None and lane.stage.window is not None:
                inner = canvas.at(lane.stage.offset)
                left, right, half = self._left, self._right, self._half
                strip = ((left, -half), (right, -half), (right, half), (left, half))
                inner.polygon(strip, mix(palette.BACKGROUND, palette.PANEL, 0.7), palette.PANEL_EDGE)
                with inner.clipped(lane.stage.window):
                    draw_range(inner, lane.watch.spec, self._half, lane.rule == "discrete" and lane.watch.spec.target in WITH_ZONE)

    def draw(self, canvas: Canvas) -> None:
        shown = self._timeline(canvas)
        found = self.lanes[0].recorder.shown() if shown is not None else None
        under = None
        if shown is not None and self.viewer.pointed is not None:
            under = fraction_under(canvas, self._foot(canvas), shown[1], canvas.camera.to_screen(self.viewer.pointed))
        for lane in self.lanes:
            if lane.watch is None:
                self._draw_wait(canvas.at(lane.stage.offset), lane)
            elif lane.stage.window is not None:
                inner = canvas.at(lane.stage.offset)
                with inner.clipped(lane.stage.window):
                    if found is not None:
                        draw_target(inner, self.lanes[0].recorder, *found)
                    self._draw_lane(inner, lane, lane.watch)
                    if under is not None and shown is not None:
                        draw_moment(inner, self.lanes[0].recorder, shown[0], under)
                    if self._aim is not None:
                        angle = math.radians(self._aimed_angle(*self._aim[1:]))
                        start = LEFT * math.cos(angle), LEFT * math.sin(angle)
                        inner.dashed(start, (0.0, 0.0), palette.WARNING)
                self._draw_words(inner, lane, lane.watch)
        at = canvas.camera.to_screen((self._left, self._half + self._head + self._lead))
        right = canvas.camera.to_screen((self._right, 0.0))[0]
        for words in self._cap_words():
            wide = canvas.fonts.width(words, 13.0, True)
            if at[0] + wide + canvas.fonts.width(self._lead_words()[-1], 13.0) <= right or words == self._cap_words()[-1]:
                canvas.text_px((right, at[1]), words, palette.WARNING, 13.0, "topright", bold=True)
                right -= wide + 12.0 * canvas.ui_scale
                break
        leads = self._lead_words()
        lead = next((words for words in leads if at[0] + canvas.fonts.width(words, 13.0) <= right), "")
        canvas.text_px(at, lead, palette.CAPTION, 13.0)
        self._draw_timeline(canvas, shown[1] if shown is not None else None)

    def _draw_lane(self, canvas: Canvas, lane: Lane, watch: ShotTracker) -> None:
        arrived = self._has_arrived(lane)
        decided = lane.is_decided and (arrived or watch.steps > watch.decided_after)
        jump = watch.jump if decided else None
        stop = watch.stop if watch.jump is None and decided else None
        count = len(lane.poses) if arrived else len(lane.poses) - 1
        if watch.stop is not None and watch.jump is None:
            count = min(count, watch.stop.step + 1)
        if not arrived and not decided:  # on its way to the next ghost
            draw_way(canvas, lane.shape, lane.poses[-2], lane.stage.drawn_pose(watch.bullet), palette.CAPTION, False)
        radius = watch.spec.radius
        places = [pose[:2] for pose in lane.poses[:count]]
        gap = max(GHOST_GAP * radius, 16.0 * canvas.ui_scale / canvas.camera.scale)
        decisive = (jump, jump + 1) if jump is not None else ()
        kept = ghosts_shown(places, gap, decisive)
        ghosts = [
            Ghost(k, lane.poses[k]) for k in kept if self._left <= places[k][0] <= self._right and abs(places[k][1]) <= self._half + radius
        ]
        draw_flight(canvas, lane.shape, ghosts, jump)
        if stop is not None and stop.fraction > 0.0:
            start = lane.poses[min(stop.step, len(lane.poses) - 1)]
            draw_way(canvas, lane.shape, start, (*stop.center, start[2]), palette.AGREE, True)
            if lane.rule == "substeps" and stop.step < len(lane.pieces):
                n = round(stop.fraction * len(lane.pieces[stop.step]))
                canvas.points(np.array([pose[:2] for pose in lane.pieces[stop.step][:n]]), palette.TEXT, 1.2, 0.7)
        self._draw_impacts(canvas, lane, watch)
        first_numbers = [*decisive] or ([ghosts[-1].step] if stop is not None and stop.fraction == 0.0 and ghosts else [])
        colors = (palette.UNEXPLAINED if decisive else palette.AGREE, palette.CAPTION)
        draw_numbers(canvas, ghosts, radius, first_numbers, colors, self._half)

    def _draw_impacts(self, canvas: Canvas, lane: Lane, watch: ShotTracker) -> None:
        """Draw where continuous physics put the bullet inside its steps, the first one with contact point and normal."""
        now = watch.steps if self._has_arrived(lane) else watch.steps - 1 + self.viewer.drawn_fraction
        seen = [toi for toi in lane.tois if toi.step + toi.fraction <= now]
        for toi in reversed(seen):
            draw_impact(canvas, lane.shape, toi.pose, toi.point, toi.normal, is_first=toi is seen[0])
        hit = watch.hit
        if not lane.tois and hit is not None and hit.step + hit.fraction <= now:
            draw_impact(canvas, lane.shape, (*hit.center, lane.poses[0][2]), hit.point, hit.normal)

    def _draw_wait(self, canvas: Canvas, lane: Lane) -> None:
        left, top = canvas.camera.to_screen((self._left, self._half + self._head))
        right, _ = canvas.camera.to_screen((self._right, 0.0))
        words = ["shoots with the others next time", "next time"]
        if self._waits(lane):
            words = ["waits for our algorithms, which are compiled the first time", "waits for our algorithms", "waits"]
        draw_heading(canvas, (left, top, right), *self._rule_words(lane.rule), words, palette.CAPTION, self._rows)

    def _draw_words(self, canvas: Canvas, lane: Lane, watch: ShotTracker) -> None:
        decided = lane.is_decided and (self._has_arrived(lane) or watch.steps > watch.decided_after)
        color = _outcome_color(watch) if decided else palette.CAPTION
        words = shorter(verdict(watch)) if decided else shorter(_forecast(watch.spec, lane.stage.world.capabilities.sweeps_all))
        if self.parameter("burst") > 1.0:
            n, through = len(lane.tally), sum(outcome is Outcome.TUNNELED for outcome in lane.tally)
            words = [f"{through} of {n} went through;  {words[0]}", f"{through} of {n} went through"]
        left, top = canvas.camera.to_screen((self._left, self._half + self._head))
        right, _ = canvas.camera.to_screen((self._right, 0.0))
        draw_heading(canvas, (left, top, right), *self._rule_words(lane.rule), words, color, self._rows)

    def _rule_words(self, rule: Rule) -> tuple[str, str]:
        """Return what a rule is called, and what it means of what drives the worlds."""
        if rule in ("default", "bullet") and self.stages[0].world.capabilities.sweeps_all:
            name = f"{self.sim.solver_title}'s default" if rule == "default" else RULE_NAMES[rule]
            return name, "checks between steps everything fast, flag or not"
        return RULE_NAMES[rule], RULE_MEANINGS[rule]

    def _has_arrived(self, lane: Lane) -> bool:
        """Tell whether the picture, drawn between two steps, has come to the end of the last one watched."""
        watch = lane.watch
        if watch is None or watch.is_over or not lane.stage.world.is_body(watch.bullet):
            return True
        return watch.steps == 0 or self.viewer.drawn_fraction >= 0.98

    # The time line

    def _foot(self, canvas: Canvas) -> tuple[int, int, int, int]:
        left, top, width, height = canvas.camera.view
        inset = round(10 * canvas.ui_scale)
        begins = top + round((1.0 - FOOT_SHARE) * height)
        return left + inset, begins, max(width - 2 * inset, 1), max(top + height - begins - inset, 1)

    def _timeline(self, canvas: Canvas) -> tuple[int, GapTimeline] | None:
        """Return the step that is opened up and its time line; None before the first one, or while the algorithms are not loaded."""
        reference = self.lanes[0]
        if reference.watch is None or not self._has_curves:
            return None
        found = reference.recorder.shown()
        if found is None:
            return None
        step, curve = found
        spec = reference.watch.spec
        is_now = step == len(reference.recorder) - 1 and not reference.watch.is_over
        return step, gap_timeline(
            step,
            curve,
            NAMES[spec.target],
            1.0 / spec.hertz,
            self.viewer.drawn_fraction if is_now else None,
            any(lane.rule == "discrete" for lane in self.lanes),
            next((len(lane.pieces[step]) for lane in self.lanes if lane.rule == "substeps" and step < len(lane.pieces)), 0),
            self._moments(step, curve),
        )

    def _moments(self, step: int, curve: StepCurve) -> list[LaneMoment]:
        found = []
        for lane in self.lanes:
            for toi in lane.tois[:1]:
                if toi.step == step:
                    gap = 1000.0 * curve.gap_at(toi.fraction)
                    who = "our swept test" if toi.is_ours else self.sim.solver_title
                    words = f"{RULE_NAMES[lane.rule]}: {who} put the bullet here, {toi.fraction:.4f} of the step, gap {gap:.1f} mm"
                    found.append(LaneMoment(toi.fraction, words, toi.is_ours))
        return found

    def _draw_timeline(self, canvas: Canvas, line: GapTimeline | None) -> None:
        place = self._foot(canvas)
        if line is not None:
            pointer = canvas.camera.to_screen(self.viewer.pointed) if self.viewer.pointed is not None else None
            draw_timeline(canvas, place, line, pointer)
        elif not self._has_curves:
            words = "The time line of the step that decides: waits for our algorithms, which are compiled the first time"
            lines = canvas.fonts.wrapped(words, 13.0, place[2])
            for k, line in enumerate(lines):
                y = place[1] + 0.5 * place[3] + 18.0 * canvas.ui_scale * (k - 0.5 * (len(lines) - 1))
                canvas.text_px((place[0] + 0.5 * place[2], y), line, palette.CAPTION, 13.0, "center")


def _slow_motion(spec: ShotSpec, flight: float) -> float:
    """Return the notch of slow motion at which the flight takes about `flight` seconds on the watch."""
    if spec.travel == 0.0:
        return 1.0
    wanted = spec.run_up / spec.flown_speed / flight
    return min(SPEEDS, key=lambda speed: max(speed / wanted, wanted / speed))


def _target_size(spec: ShotSpec) -> str:
    return _length(2.0 * spec.radius if spec.target == "head_on" else spec.thickness)


def _length(meters: float) -> str:
    return f"{100.0 * meters:.3g} cm" if meters < 1.0 else f"{meters:.3g} m"


def _forecast(spec: ShotSpec, sweeps_all: bool) -> str:
    if spec.travel == 0.0:
        return "the bullet does not move"
    predicted = None if sweeps_all and spec.rule in ("default", "bullet") else predicts_tunnel(spec)
    if predicted is None:
        return "in flight"
    return "in flight: by our reckoning it " + ("will tunnel" if predicted else "will touch in time")


def _outcome_color(watch: ShotTracker) -> Color:
    """Return the color of a verdict; a sensor is passed by everything, and there it counts whether it was felt."""
    if watch.spec.target == "sensor" and watch.jump is not None:
        return palette.AGREE if watch.hit is not None else palette.UNEXPLAINED
    return OUTCOME_COLORS.get(watch.outcome, palette.CAPTION)
