"""The scenes on which `python main.py solvers` judges solvers, with their criteria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from demos._gallery import Scene
from engine.demo import Parameter, StatusLine, register
from engine.experiments.solvers.scenes import SCENES, BenchScene, camera_of
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

__all__ = ["SolverScenes"]

_SCENES = tuple(SCENES.values())
_CHECKS_PER_SECOND = 10
"""Frequency of the bench's checks."""


@register(
    id="solver_scenes",
    category="Stacks and towers",
    title="Stress tests for solvers",
    watch="Is this scene still standing? The readout states the criterion and when the scene first failed it.",
)
class SolverScenes(Scene):
    """A scene of the solver bench."""

    tries = (
        ("Choose another scene.", "set scene"),
        ("Switch to another solver (Shift F11). Then restart (R).", "solver"),
        ("Compare with a second solver (F11).", "beside"),
    )
    keywords = "arch stack mass ratio chain solver iterations stability compare engines differ"
    parameters = (
        replace(
            Parameter.choice("scene", tuple(SCENES), "scene", default=list(SCENES).index("arch")),
            buttons={name: (name.replace("_", " "), f"{scene.title}.") for name, scene in SCENES.items()},
        ),
    )

    @property
    def scene(self) -> BenchScene:
        """The selected scene."""
        return _SCENES[round(self.parameter("scene"))]

    def settings(self) -> WorldSettings:
        """Use the bench's settings: without sleep, which would freeze a leaning stack."""
        return WorldSettings(gravity=self.scene.gravity, sleeping=False)

    def furnish(self) -> None:
        self.view_state = self.scene.build(self.world)
        self._home = camera_of(self.world)
        self.bodies = tuple(self.world.body_ids)
        self.failed_at: float | None = None
        """Seconds at which the scene first failed its criterion."""

    def after_step(self) -> None:
        is_due = self.steps % max(round(1.0 / (self.step_seconds * _CHECKS_PER_SECOND)), 1) == 0
        if is_due and self.failed_at is None and self.seconds <= self.scene.seconds and self.alive(*self.bodies):
            if not self.view_state.holds(self.world):
                self.failed_at = self.seconds

    def home(self) -> AABB:
        return self._home

    def status(self) -> Sequence[StatusLine]:
        scene = self.scene
        if not self.alive(*self.bodies):
            verdict: StatusLine = ("not judged, because a body was deleted", palette.CAPTION)
        elif self.failed_at is not None:
            verdict = (f"failed after {self.failed_at:.1f} s", palette.WARNING)
        else:
            time = f"{min(self.seconds, scene.seconds):.1f} of {scene.seconds:g} s"
            verdict = (f"{'stands' if scene.can_stand else 'holds'}, {time}", palette.AGREE)
        return (f"{scene.title}: {scene.standing}", verdict)
