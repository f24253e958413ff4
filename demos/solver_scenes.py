"""The scenes in which `python main.py solvers` judges solvers, one at a time, with the criterion by which each is judged."""

from __future__ import annotations

from collections.abc import Sequence

from demos._gallery import Scene
from engine.demo import Parameter, StatusLine, register
from engine.experiments.solvers.scenes import SCENES, BenchScene, camera_of
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

__all__ = ["SolverScenes"]

_SCENES = tuple(SCENES.values())
_CHECKS_PER_SECOND = 10
"""As often as the bench checks that a scene stands."""


@register(
    id="solver_scenes",
    category="Stacks and towers",
    title="Hard for solvers",
    watch="Scenes that are hard for solvers: does this one stand? The readout states the criterion and when it was first missed.",
)
class SolverScenes(Scene):
    """One scene of the solver bench."""

    tries = (
        ("Choose another scene.", "set scene"),
        ("Let another solver take over: Shift F11. Then restart: R.", "solver"),
        ("Run a second solver beside it: F11.", "beside"),
    )
    keywords = "arch stack mass ratio chain solver iterations stability"
    parameters = (Parameter.choice("scene", tuple(SCENES), "scene", default=list(SCENES).index("arch")),)

    @property
    def scene(self) -> BenchScene:
        """The scene that is chosen."""
        return _SCENES[round(self.parameter("scene"))]

    def settings(self) -> WorldSettings:
        """The bench's: nothing sleeps, or a leaning stack would be frozen."""
        return WorldSettings(gravity=self.scene.gravity, sleeping=False)

    def furnish(self) -> None:
        self.view_state = self.scene.build(self.world)
        self._home = camera_of(self.world)
        self.bodies = tuple(self.world.body_ids)
        self.missed_at: float | None = None
        """Seconds at which the criterion was first missed."""

    def on_parameter(self, name: str) -> None:
        self.restart()

    def after_step(self) -> None:
        is_due = self.steps % max(round(1.0 / (self.step_seconds * _CHECKS_PER_SECOND)), 1) == 0
        if is_due and self.missed_at is None and self.seconds <= self.scene.seconds and self.alive(*self.bodies):
            if not self.view_state.holds(self.world):
                self.missed_at = self.seconds

    def home(self) -> AABB:
        return self._home

    def status(self) -> Sequence[StatusLine]:
        scene = self.scene
        if not self.alive(*self.bodies):
            verdict: StatusLine = ("a body was deleted: nothing is judged", palette.CAPTION)
        elif self.missed_at is not None:
            verdict = (f"missed after {self.missed_at:.1f} s", palette.WARNING)
        else:
            time = f"{min(self.seconds, scene.seconds):.1f} of {scene.seconds:g} s"
            verdict = (f"{'stands' if scene.can_stand else 'holds'}, {time}", palette.AGREE)
        return (f"{scene.title}: {scene.standing}", verdict)
