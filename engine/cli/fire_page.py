"""Repeats the first shot of each combination, side by side, for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.experiments.range import fire
from engine.experiments.rules import Piece, RuleStepper
from engine.experiments.spec import ShotSpec
from engine.experiments.tracker import ShotTracker, verdict
from engine.player.capture import Capture
from engine.render import palette
from engine.render.palette import Color
from engine.sim.demo import Demo
from engine.sim.stage import Stage

__all__ = ["packed_shots"]

_STEPS_AFTER = 6
"""Number of steps shown after the last shot is decided."""


def packed_shots(specs: Sequence[ShotSpec]) -> str:
    """Return a recording of one shot per specification, stacked vertically, in the format of `engine.player.encoding`."""
    demo = _shots(specs)()
    capture, left = Capture(demo), _STEPS_AFTER
    while left > 0:
        demo.sim.step()
        capture.update()
        left -= all(tracker.is_over for tracker in demo.trackers)
    for stage, tracker in zip(demo.stages, demo.trackers, strict=True):
        if tracker.jump is not None:
            capture.notes.append({"step": tracker.jump + 1, "text": f"tunneled: {stage.label}"})
    return capture.packed()


class _Shots(Demo):
    """Shots in separate worlds, stacked vertically."""

    id, title, watch = "fire", "Shots at a target", "The same shot under each rule. Slow motion shows where each step ends."
    specs: Sequence[ShotSpec] = ()
    trackers: list[ShotTracker]

    def build(self) -> None:
        self.trackers = []
        for spec in self.specs:
            shot = fire(spec)
            stage = self.add_stage(shot.world, label=f"{spec.solver}, rule {spec.rule}, target {spec.target}")
            tracker = ShotTracker(shot)
            stage.stepper = _tracked(RuleStepper(shot), tracker)
            self.trackers.append(tracker)
            stage.measure()
        heights = [stage.bounds.upper[1] - stage.bounds.lower[1] for stage in self.stages if stage.bounds is not None]
        for k, stage in enumerate(self.stages):
            stage.offset = 0.0, -1.4 * max(heights) * k

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return {self.trackers[self.stages.index(stage)].bullet: palette.NORMAL}

    def status(self) -> list[str]:
        return [f"{stage.label}: {verdict(tracker)}" for stage, tracker in zip(self.stages, self.trackers, strict=True)]


def _shots(shots: Sequence[ShotSpec]) -> type[_Shots]:
    class Shots(_Shots):
        specs = shots

    return Shots


def _tracked(stepper: RuleStepper, tracker: ShotTracker) -> Callable[[], Iterator[Piece]]:
    """Return a stepper for a stage that passes each piece to the shot's tracker."""

    def step() -> Iterator[Piece]:
        for piece in stepper.step():
            tracker.observe(piece)
            yield piece

    return step
