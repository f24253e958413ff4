"""Demos without a window: runs, pictures, films."""

from __future__ import annotations

import contextlib
import os
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from time import perf_counter
from typing import TYPE_CHECKING, Any

from engine.app.files.writing import png_bytes
from engine.app.film import MAX_SIDE, MIN_SIDE, Film, FrameTimes
from engine.app.stage_views import views_of
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.contracts import PairAgreement, StepAgreement
from engine.contracts.contact import PointState
from engine.sim.comparison import Comparison, Skipped
from engine.sim.demo import Demo, Simulation
from engine.sim.distances import TOLERANCE, Apart, Why
from engine.sim.figures import Energy, Figures
from engine.sim.history import History
from engine.sim.stage import RefereeFactory, Stage
from engine.world.solver import NamedValues

if TYPE_CHECKING:
    from engine.app.window import Window
    from engine.sim.recordings import Recorder

__all__ = [
    "DESIGN_SIZE",
    "BesideReport",
    "Filming",
    "RunReport",
    "film_size",
    "no_screen",
    "picture_of",
    "run_headless",
    "scale_for",
    "small_picture_of",
    "window_on",
]

DESIGN_SIZE = (1280, 720)
_VERDICTS = ("agree", "explained", "unexplained")


@dataclass(frozen=True, slots=True)
class BesideReport:
    """Report of a comparison demo that ran alongside the first; energies are those of both."""

    solver: str
    solver_settings: Mapping[str, float | str]
    tolerance: float
    parted: Apart | None
    why: Why | None
    worst: Apart | None
    names: dict[tuple[int, int], str]
    energy: tuple[Energy, Energy]
    only_in_one: int
    skipped: tuple[Skipped, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the ``against`` part of ``run --json``."""
        parted, why = self._as_json(self.parted), self.why
        reason = {} if why is None else {"reason": why.cause, "evidence": why.evidence, "shown_at": why.step}
        return {
            "solver": self.solver,
            "solver_settings": dict(self.solver_settings),
            "tolerance": self.tolerance,
            "first_divergence": {**parted, **reason} if parted is not None else None,
            "worst": self._as_json(self.worst),
            "energy": {
                name: {"start": entry.start, "end": entry.end} for name, entry in zip(("solver", "against"), self.energy, strict=True)
            },
            "only_in_one": self.only_in_one,
            "skipped": [{"step": entry.step, "action": entry.action, "why": entry.why} for entry in self.skipped],
        }

    def name(self, apart: Apart) -> str:
        """Return the name of a body."""
        return self.names[apart.stage, apart.body]

    def _as_json(self, apart: Apart | None) -> dict[str, Any] | None:
        if apart is None:
            return None
        return {"step": apart.step, "stage": apart.stage, "body": apart.body, "name": self.name(apart), "metres": apart.meters}


@dataclass(slots=True)
class ContactCounts:
    """Counts contacts and their points over the steps of all stages; an observer of a simulation."""

    begun: int = 0
    ended: int = 0
    added: int = 0
    persisted: int = 0
    removed: int = 0

    def __call__(self, stage: Stage) -> None:
        """Add the counts of a stage's last step."""
        for piece in stage.pieces:
            contacts = piece.contacts
            self.begun += len(contacts.began)
            self.ended += len(contacts.ended)
            self.added += int((contacts.state == PointState.ADD).sum())
            self.persisted += int((contacts.state == PointState.PERSIST).sum())
            self.removed += len(contacts.removed)


@dataclass(frozen=True, slots=True)
class RunReport:
    """Report of a run; `as_json` uses the names of the documented format."""

    demo: str
    steps: int
    seed: int
    bodies: int
    counts: ContactCounts
    contacts: StepAgreement
    pairs: PairAgreement
    state_hash: str
    ms_median: float
    ms_max: float
    solver: str
    solver_settings: Mapping[str, float | str]
    against: BesideReport | None = None
    methods: tuple[Figures, ...] = ()

    @property
    def is_clean(self) -> bool:
        """True if no contact and no touching pair is unexplained."""
        return not self.contacts.unexplained and not self.pairs.unexplained

    def as_json(self) -> dict[str, Any]:
        """Return the report as ``run --json`` prints it."""
        counts = self.counts
        return {
            "demo": self.demo,
            "steps": self.steps,
            "seed": self.seed,
            "bodies": self.bodies,
            "contacts_begun": counts.begun,
            "contacts_ended": counts.ended,
            "points": {"add": counts.added, "persist": counts.persisted, "remove": counts.removed},
            "agreement": {
                **{name: getattr(self.contacts, name) for name in ("compared", *_VERDICTS)},
                "not_comparable": dict(self.contacts.not_comparable),
            },
            "pairs": {name: getattr(self.pairs, name) for name in ("ours", "box2d", *_VERDICTS)},
            "state_hash": self.state_hash,
            "ms_per_step": {"median": round(self.ms_median, 4), "max": round(self.ms_max, 4)},
            "solver": self.solver,
            "solver_settings": dict(self.solver_settings),
            **({} if self.against is None else {"against": self.against.as_json(), "methods": self._methods_as_json(self.against)}),
        }

    def _methods_as_json(self, beside: BesideReport) -> list[dict[str, Any]]:
        apart = [(None, None), (beside.parted and beside.parted.step, beside.worst and beside.worst.meters)]
        return [
            {**figures.as_json(), "first_divergence": step, "worst": meters}
            for figures, (step, meters) in zip(self.methods, apart, strict=True)
        ]


def run_headless(
    demo: type[Demo],
    steps: int,
    seed: int = 0,
    values: Mapping[str, object] | None = None,
    referee: RefereeFactory | None = None,
    on_step: Callable[[Demo], None] | None = None,
    prepare: Callable[[Simulation | History[Demo]], None] | None = None,
    record: Callable[[History[Demo]], Recorder] | None = None,
    is_enough: Callable[[], bool] | None = None,
    solver: str | None = None,
    against: str | None = None,
    on_beside: Callable[[Comparison], object] | None = None,
    solver_settings: NamedValues | None = None,
) -> tuple[RunReport, Demo]:
    """Run a demo for `steps` steps as fast as possible.

    Parameters
    ----------
    demo : Demo class
    steps : int
        >= 0.
    seed, values
        For the demo.
    referee : callable, optional
        Compares every contact; `engine.compare.live.referee.live_referee`. Without one nothing is compared.
    on_step : callable, optional
        Called with the demo after each step: progress, recording.
    prepare : callable, optional
        Called before the first step with an object with `demo` and `act`, for example to drop files.
    record : callable, optional
        Creates a recorder of the run's history.
    is_enough : callable, optional
        Called after each step; the run ends if it returns True.
    solver : str, optional
        Solver of the demo's worlds; by default the demo's own choice.
    against : str, optional
        Solver of a comparison demo that runs alongside (`engine.sim.comparison`).
    on_beside : callable, optional
        Called with the comparison before the first step, if there is one.
    solver_settings : pairs of str and float or str, optional
        The solver's own settings, which replace those of the demo's worlds.

    Returns
    -------
    report : RunReport
        Counts summed over the demo's worlds; `state_hash` is the world's own, or a digest of all worlds' if there are several.
        Times are those of a step with the reading of its contacts and its check.
    demo : Demo
        The demo after the last step.
    """
    steps = integer("steps", steps, 0)
    driven: dict[str, Any] = {
        name: value for name, value in (("solver", solver), ("solver_settings", solver_settings)) if value is not None
    }
    running, counts = demo(seed, values, referee, **driven), ContactCounts()
    running.sim.observers.append(counts)
    history = History(running) if record is not None or against is not None else None
    acting = running.sim if history is None else history
    recorder = record(history) if record is not None and history is not None else None
    beside = None if against is None or history is None else Comparison(history, against)
    if beside is not None and on_beside is not None:
        on_beside(beside)
    views_of(running)  # for a picture of the last step
    costs: list[float] = []
    try:
        if prepare is not None:
            prepare(acting)
        for _ in range(steps):
            start = perf_counter()
            acting.step()
            times = running.sim.times
            costs.append(1000.0 * (perf_counter() - start) if beside is None else times.step + times.check)
            if recorder is not None:
                recorder.update()
            if on_step is not None:
                on_step(running)
            if is_enough is not None and is_enough():
                break
    finally:
        if recorder is not None:
            recorder.close()
    return _report(running, counts, costs, beside), running


def picture_of(
    demo: Demo, size: tuple[int, int] = DESIGN_SIZE, ui_scale: float | None = None, paused: bool = False, beside: Comparison | None = None
) -> bytes:
    """Return the window's complete picture of a demo in its present state, a PNG. No window is opened.

    Parameters
    ----------
    demo : Demo
    size : (width, height)
        Pixels.
    ui_scale : float, optional
        Size of text and widgets; by default proportional to the height, 1 at 720 lines.
    paused : bool
        True if the panel shows that the demo is paused.
    beside : Comparison, optional
        Drawn over the demo.
    """
    with no_screen():
        import pygame

        scale = ui_scale if ui_scale is not None else scale_for(size)
        window = window_on(demo, size, scale)
        window.session.clock.paused = paused
        if beside is not None:
            window.session.show_beside(beside)
            window.screen.is_outdated = True
        window.session.clock.show(1.0)
        surface = pygame.Surface(size)
        for _ in range(3):  # the first creates fonts and discs, the second is measured, the third shows the measured cost
            window.session.costs.observe(replace(demo.sim.times, beside=0.0 if beside is None else beside.demo.sim.times.step))
            window.show(surface)
        return png_bytes(surface)


def small_picture_of(demo: Demo, size: tuple[int, int] = (200, 130)) -> bytes:
    """Return the view of a demo in its present state without text and marks, a PNG. For use within `no_screen`."""
    import pygame

    from engine.app.frame import painter_for
    from engine.app.session import Session
    from engine.render.views import Layers

    session, painter, surface = (
        Session(demo, (0, 0, *size), Layers(points=False, joints=False)),
        painter_for(demo, 1.0),
        pygame.Surface(size),
    )
    painter.prepare(session, has_readout=False)
    painter.paint(surface, session)
    return png_bytes(surface)


def film_size(words: str | None) -> tuple[int, int]:
    """Parse a film size such as ``640x360``, rounded down to even numbers; the default is 1280 x 720.

    Examples
    --------
    >>> film_size("641x360"), film_size(None)
    ((640, 360), (1280, 720))
    """
    if words is None:
        return DESIGN_SIZE
    sides = words.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and len(side) < 6 for side in sides):
        raise InvalidInputError("--size", f"WIDTHxHEIGHT, {MIN_SIDE} to {MAX_SIDE} pixels per side, such as 640x360", words)
    width, height = (int(side) // 2 * 2 for side in sides)
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
        raise InvalidInputError("--size", f"from {MIN_SIDE} to {MAX_SIDE} pixels per side", words)
    return width, height


class Filming:
    """Draws the view of a demo into a film, step by step.

    A frame between two steps is drawn at the corresponding fraction, as in the window, so that slow motion is smooth. For use within
    `no_screen`; the film starts at the demo's present state.
    """

    def __init__(self, demo: Demo, film: Film, size: tuple[int, int], times: FrameTimes) -> None:
        import pygame

        from engine.app.frame import painter_for
        from engine.app.session import Session

        self._demo, self._film, self._times = demo, film, times
        self._surface = pygame.Surface(size)
        self._session, self._painter = Session(demo, (0, 0, *size)), painter_for(demo, scale_for(size))
        for _ in range(2):  # the first measures the readout, for which the second reserves space
            self._draw()
        self._take(times.first())

    def stepped(self) -> None:
        """Draw the due frames; called after each step."""
        self._session.costs.observe(self._demo.sim.times)
        self._take(self._times.after_step(self._demo.step_seconds))

    def _take(self, fractions: list[float]) -> None:
        import pygame

        for fraction in fractions:
            self._session.clock.show(fraction)
            self._draw()
            self._film.add(pygame.image.tobytes(self._surface, "RGB"))

    def _draw(self) -> None:
        self._painter.prepare(self._session)
        self._painter.paint(self._surface, self._session)


def scale_for(size: tuple[int, int]) -> float:
    """Return the UI scale of a picture: 1 at 1280 x 720."""
    return max(min(size[0] / DESIGN_SIZE[0], size[1] / DESIGN_SIZE[1], 4.0), 0.75)


def window_on(demo: Demo, size: tuple[int, int], ui_scale: float) -> Window:
    """Return an off-screen window, which waits for whatever its picture needs; for use within `no_screen`."""
    from engine.app.status_strip import CheckNote
    from engine.app.window import Window

    window = Window(size, (type(demo),), demo, demo.seed, ui_scale, is_watched=False)
    if all(stage.referee is not None for stage in demo.stages):
        window.has_referee()
    else:
        window.check = CheckNote.failed("not requested")
    return window


def _beside_report(beside: Comparison) -> BesideReport:
    beside.follow()
    distances = beside.distances
    parted, worst = distances.run(beside.now).parted, distances.worst(beside.now)
    return BesideReport(
        solver=" ".join(beside.demo.sim.solvers),
        solver_settings=beside.demo.sim.own_settings,
        tolerance=TOLERANCE,
        parted=parted,
        why=beside.why(),
        worst=worst,
        names={(place.stage, place.body): beside.name(place.stage, place.body) for place in (parted, worst) if place is not None},
        energy=(beside.first_figures().energy, beside.figures().energy),
        only_in_one=distances.n_single(beside.now),
        skipped=beside.skipped,
    )


def _report(demo: Demo, counts: ContactCounts, costs: list[float], beside: Comparison | None = None) -> RunReport:
    against = None if beside is None else _beside_report(beside)
    return RunReport(
        demo=demo.id,
        steps=demo.steps,
        seed=demo.seed,
        bodies=sum(len(stage.world.body_ids) for stage in demo.stages),
        counts=counts,
        contacts=demo.agreement(),
        pairs=sum((stage.pair_total for stage in demo.stages), PairAgreement()),
        state_hash=_joint_hash([stage.world.state_hash() for stage in demo.stages]),
        ms_median=statistics.median(costs) if costs else 0.0,
        ms_max=max(costs, default=0.0),
        solver=" ".join(demo.sim.solvers),
        solver_settings=demo.sim.own_settings,
        against=against,
        methods=() if beside is None else (beside.first_figures(), beside.figures()),
    )


def _joint_hash(hashes: list[str]) -> str:
    return hashes[0] if len(hashes) == 1 else blake2b("\n".join(hashes).encode(), digest_size=16).hexdigest()


@contextlib.contextmanager
def no_screen() -> Iterator[None]:
    """Let pygame create surfaces and widgets without a window; an open window stays untouched."""
    import pygame

    if pygame.display.get_surface() is not None:
        yield
        return
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        pygame.display.init()
        pygame.display.set_mode((1, 1))
        yield
    finally:
        pygame.display.quit()
        if before is None:
            os.environ.pop("SDL_VIDEODRIVER", None)
        else:
            os.environ["SDL_VIDEODRIVER"] = before
