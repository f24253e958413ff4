"""Shows a world, a demo, a recording or the steps of an algorithm in a notebook, or saves it as a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from engine.common.checks import within
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically
from engine.common.notebook import Shown
from engine.player.capture import Capture
from engine.player.page import player_page
from engine.player.steps import packed_steps
from engine.sim.demo import Demo
from engine.sim.recordings import Recording
from engine.sim.replaying import replay
from engine.trace.protocol import TraceSteps
from engine.world import World

__all__ = ["Page", "show"]

_MAX_SECONDS = 1e5


@dataclass(frozen=True)
class Page:
    """A page of the player; a notebook shows it in a frame, under a summary if there is one."""

    html: str = field(repr=False)
    summary: str = field(default="", repr=False)

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 520px; border: 0"
        return f'{self.summary}<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" style="{style}" title="Player"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        write_atomically(path, self.html.encode())


def show(subject: World | Demo | Shown, seconds: float = 5.0) -> Page:
    """Return a page that plays a subject.

    Parameters
    ----------
    subject
        A world, of which a copy is run; a demo, which is run from its present state on; a recording, which is played whole; the steps
        that a function of `engine.trace` returned; a pair, shown with both answers; or the tally of a comparison, of which the worst
        pair of each reason and all unexplained pairs are shown.
    seconds : float
        Simulated time that a world or a demo is run, 0 to 100,000 s; 0 shows its present state.

    Raises
    ------
    InvalidInputError
        The subject is none of these, or `seconds` is out of range.

    Examples
    --------
    >>> from engine import player, trace
    >>> from engine.geometry import Circle, Polygon, Transform
    >>> page = player.show(trace.steps("gjk", Polygon.box(0.5, 0.5), Transform(), Circle(0.5), Transform((2.0, 0.0))))
    """
    if isinstance(subject, TraceSteps):
        return _stepped([subject])
    if isinstance(subject, Recording):
        history = replay(subject)
        return _captured(history.demo, history.step, subject.steps)
    if isinstance(subject, Shown):
        from engine.trace.pair_steps import shown_steps, summary_html  # loads Box2D

        return _stepped(shown_steps(subject), summary_html(subject))
    if not isinstance(subject, World | Demo):
        raise InvalidInputError("subject", "a World, a Demo, a Recording, a Pair, a comparison, or steps of engine.trace", subject)
    within("seconds", seconds, 0.0, _MAX_SECONDS, "s")
    demo = _demo_of(subject) if isinstance(subject, World) else subject
    return _captured(demo, demo.sim.step, round(seconds / demo.step_seconds))


def _stepped(all_steps: Sequence[TraceSteps], summary: str = "") -> Page:
    title = all_steps[0].algorithm.title if all_steps else "No difference"
    return Page(player_page(title, [packed_steps(steps.algorithm, steps.case, steps) for steps in all_steps]), summary)


def _captured(demo: Demo, step: Callable[[], None], n_steps: int) -> Page:
    capture = Capture(demo, n_steps=n_steps)
    for _ in range(n_steps):
        step()
        capture.update()
    return Page(player_page(demo.title, [capture.packed()]))


def _demo_of(world: World) -> Demo:
    """Return a demo of a copy of a world."""
    snapshot = world.snapshot()

    class OneWorld(Demo):
        id, title = "world", "A world"

        def build(self) -> None:
            self.add_stage(World.from_snapshot(snapshot))

    return OneWorld()
