"""``step``: show an algorithm step by step, in a window or as text, JSON, pictures or video."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cli import options
from engine.cli.capture import write_page
from engine.cli.options import argument, named, option
from engine.cli.output import people, print_part, progress
from engine.cli.run import demo_or_file
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically
from engine.common.words import counted
from engine.report import Link, Part, Report, Table, Value

if TYPE_CHECKING:
    from engine.contracts.trace import TraceStep
    from engine.trace.cases import Case

__all__ = ["step_command"]

_DEFAULT_STEPS, _MAX_STEPS = 60, 100_000
"""Default and maximum number of steps that a scene is run before a case is taken from it."""


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """Options of ``step``."""

    name: str | None = argument("[ALGORITHM]", "Algorithm to show; by default, all are listed.", None)
    pair: str | None = option("FILE", "Use the input from a pair file or stepper case.", reads=True, excludes=("scene",), needs=("name",))
    scene: str | None = option("ID|FILE", "Take the input from a demo or a scene file.", reads=True, needs=("name",))
    since: int | None = option(
        "N", "Number of scene steps to run first.", name="--from", low=0, high=_MAX_STEPS, shown=str(_DEFAULT_STEPS), needs=("scene",)
    )
    seed: options.Seed = 0
    beside: str | None = option("ALGORITHM", "Second algorithm to show on the same input, or all (up to three).", needs=("name",))
    at: int | None = option("K", "Initial step, or step of the screenshot, counted from 1.", low=1, needs=("name",))
    quiz: int | None = option(
        "N", "Ask N quiz questions; --json writes the answers.", needs=("name",),
        excludes=("beside", "at", "screenshot", "film"),
    )  # fmt: skip
    json: options.JsonFile = None
    html: str | None = option(
        "F.html", "Write a page that shows the steps, or asks the quiz, in any browser.", writes=(".html",), needs=("name",),
        without_window=True,
    )  # fmt: skip
    screenshot: str | None = option(
        "F.png", "Write an image of one step, by default the last.", writes=(".png",), needs=("name",), without_window=True
    )
    film: options.FilmFile = None
    fps: options.FilmRate = None
    size: str | None = option(
        "WxH", "Size of images and video in pixels, 16 to 4096 per side.", shown="1280x720", needs=("screenshot", "film")
    )
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.command
def step_command(args: StepOptions) -> Report | None:
    """Show every step of an algorithm's production kernel, with a sentence on what happened and why.

    In the window, you can drag both shapes at any step. --json, --screenshot and --record need no window; without a display, the steps
    are printed as text, unless --html shows them in a page. The input comes from a file (--pair) or a scene (--scene), or is the
    algorithm's example.
    """
    if args.name is None:
        return _list()
    from engine import trace
    from engine.player.steps import packed_steps
    from engine.trace.scene_case import SceneCase

    with named("ALGORITHM"):
        trace.algorithm(args.name)
    case = _case(args.name, args)
    others = () if args.beside is None else _checked_beside(args.beside, args.name, case)
    if args.quiz is not None:
        return _ask(args, case, args.quiz)
    if options.has_window(args):
        from engine.app.display import display_problem

        problem = display_problem()
        if problem is None:
            from engine.app.case_demos import stepper_of

            title = os.path.basename(args.pair) if args.pair is not None else f"From {os.path.basename(args.scene)}" if args.scene else ""
            kind = stepper_of(args.name, case, title, args.beside)
            options.open_window("", kind, values={"step": args.at or 1}, ui_scale=args.ui_scale, theme=args.theme)
            return None
        print_part(people(), f"No display ({problem}): printing the steps as text.")
    steps = {algorithm: trace.algorithm(algorithm).steps(case) for algorithm in (args.name, *others)}
    if args.at is not None:
        integer("--at", args.at, 1, max(map(len, steps.values())))
    files = _draw(args, case, steps)
    if args.html is not None:
        pages = [packed_steps(trace.algorithm(algorithm), case, trace_steps) for algorithm, trace_steps in steps.items()]
        files |= write_page(args.html, trace.algorithm(args.name).title, pages)
    plain = {}
    if args.json is not None:
        plain = _as_json(args.name, case, steps[args.name])
        plain |= {} if args.beside is None else {"beside": [_as_json(algorithm, case, steps[algorithm]) for algorithm in others]}

    def parts() -> Iterator[Part]:
        for algorithm, trace_steps in steps.items():
            yield Link(f"{trace.algorithm(algorithm).title}, {counted(len(trace_steps), 'step')}", "title")
            if args.html is None:
                yield _table(trace_steps)
        if isinstance(case, SceneCase) and case.note:
            yield case.note
        yield files

    return Report(plain, parts(), 0)


def _ask(args: StepOptions, case: Case, n: int) -> Report:
    """Ask `n` quiz questions on the algorithm in a window until it is closed, or write a page that asks them; an unfinished quiz is
    reported too."""
    from engine import trace
    from engine.app.case_demos import stepper_of
    from engine.trace.quiz import Quiz, score_of

    assert args.name is not None
    with named("--quiz"):
        quiz = Quiz(trace.algorithm(args.name), n, args.seed, case)
    if args.html is not None:
        from engine.player.steps import packed_quiz

        if args.json is not None:
            raise InvalidInputError("--json", "omitted with --html: nobody has answered the quiz yet", args.json)
        title = f"A quiz: {quiz.algorithm.title}"
        return Report({}, [title, write_page(args.html, title, [packed_quiz(quiz)])])
    kind = stepper_of(args.name, case, f"A quiz: {quiz.algorithm.title}", quiz=quiz)
    options.open_window("a quiz needs a window", kind, ui_scale=args.ui_scale, theme=args.theme)
    return Report(quiz.as_json(), [f"{counted(len(quiz.made), 'answer')}: {score_of(quiz.made)}"])


def _list() -> Report:
    from engine import trace

    algorithms = [trace.algorithm(name) for name in trace.algorithms()]
    rows = tuple(
        (algorithm.name, algorithm.title, ", ".join(other for other in algorithm.beside if other in trace.algorithms()))
        for algorithm in algorithms
    )
    plain = [
        {name: getattr(algorithm, name) for name in ("name", "title", "page")} | {"beside": list(algorithm.beside)}
        for algorithm in algorithms
    ]
    return Report({"algorithms": plain}, (Table("", ("algorithm", "title", "alongside"), rows, (0, 1, 2)),))


def _case(name: str, args: StepOptions) -> Case:
    """Return the input of the algorithm: from --pair, from --scene, or its example."""
    from engine import trace

    if args.pair is not None:
        from engine.trace.case_file import load_case

        case = trace.algorithm(name).fitted(load_case(args.pair).case)
        if case is None:
            raise InvalidInputError("--pair", f"a file that {name} can process ({_example(name)})", args.pair)
        return case
    if args.scene is None:
        example: Case = trace.algorithm(name).example
        return example
    from engine.trace.from_world import case_of_world

    demo = demo_or_file("--scene", args.scene)(args.seed)
    if not demo.stages:
        raise InvalidInputError("--scene", "a demo with a world", args.scene)
    for _ in range(_DEFAULT_STEPS if args.since is None else args.since):
        demo.sim.step()
    with named("--scene"):
        return case_of_world(demo.stages[0].world, trace.algorithm(name))


def _example(name: str) -> str:
    """Describe a valid input of an algorithm, for an error message."""
    from engine import trace
    from engine.trace.cases import PairCase

    chosen = trace.algorithm(name)
    example = chosen.example
    if isinstance(example, PairCase):
        return f"such as a pair of the query {example.pair.query}" + (f", {chosen.only}" if chosen.only else "")
    return f"a stepper case of {name}: run step {name} and press S to save one"


def _checked_beside(beside: str, name: str, case: Case) -> tuple[str, ...]:
    """Validate and return the algorithms to show next to `name`."""
    from engine import trace

    if beside == trace.ALL_BESIDE:
        return trace.beside(name, case)
    with named("--beside"):
        other = trace.algorithm(beside)
    if beside == name:
        raise InvalidInputError("--beside", "another algorithm", beside)
    if not other.takes(case):
        can = [candidate for candidate in trace.algorithms() if candidate != name and trace.algorithm(candidate).takes(case)]
        requirement = "one that accepts the same input" + (f": {', '.join(can)}" if can else ", and there is none")
        raise InvalidInputError("--beside", requirement, beside)
    return (beside,)


def _draw(args: StepOptions, case: Case, steps: Mapping[str, Sequence[TraceStep]]) -> dict[str, Value]:
    """Write the requested picture and video of several algorithms side by side; return summary rows to print.

    Raises
    ------
    OSError, FilmError
        A file cannot be written.
    """
    if args.screenshot is args.film is None:
        return {}
    from engine.app.files.writing import png_bytes
    from engine.app.film import Film, check_film
    from engine.app.headless import film_size, no_screen, scale_for
    from engine.app.step_picture import draw_beside, frame_bytes
    from engine.render.fonts import FontBook
    from engine.render.step_view import StepPicture
    from engine.trace import algorithm

    size = film_size(args.size)
    rows: dict[str, Value] = {}
    rate = 0.0 if args.film is None else check_film("--record", args.film, args.fps)
    with no_screen(), contextlib.ExitStack() as undo:
        drawn = [StepPicture(algorithm(name), algorithm(name).scenery(case), of_name) for name, of_name in steps.items()]
        n_steps, fonts = max(len(picture.steps) for picture in drawn), FontBook(scale_for(size))
        if args.screenshot is not None:
            k = n_steps - 1 if args.at is None else args.at - 1
            write_atomically(args.screenshot, png_bytes(draw_beside(drawn, k, size, fonts)))
            rows["picture"] = f"{args.screenshot}, step {k + 1} of {n_steps}"
        if args.film is None:
            return rows
        film = Film(args.film, size, rate)
        undo.callback(film.discard)
        with progress("drawing steps", n_steps) as advance:
            for k in range(n_steps):
                frame = frame_bytes(draw_beside(drawn, k, size, fonts))
                for _ in range(round((k + 1) * rate) - round(k * rate)):  # one second per step
                    film.add(frame)
                advance()
        film.close()
        undo.pop_all()
        rows["film"] = f"{args.film}, {film.words} of {size[0]} x {size[1]}"
    return rows


def _table(steps: Sequence[TraceStep]) -> Table:
    """Return the table of steps; each row has the number, kind, sentence and cumulative cost of a step."""
    rows = []
    for k, step in enumerate(steps, 1):
        cost = ", ".join(f"{name} {number:,}" for name, number in step.cost.items() if name != "steps")
        rows.append((k, step.kind, step.sentence, cost))
    return Table("", ("step", "kind", "what happened and why", "cost so far"), tuple(rows), (1, 2, 3))


def _as_json(name: str, case: Case, steps: Sequence[TraceStep]) -> dict[str, Any]:
    """Return an algorithm, its case and its steps as JSON data; non-finite numbers become null."""
    from engine.trace import algorithm
    from engine.trace.case_file import SavedCase, case_as_json

    chosen = algorithm(name)
    return {
        "algorithm": name,
        "title": chosen.title,
        "page": chosen.page,
        "pseudo_code": list(chosen.pseudo_code),
        "views": plain_of(chosen.views),
        "case": case_as_json(SavedCase(name, case)),
        "scenery": plain_of(chosen.scenery(case)),
        "steps": plain_of(steps),
    }


def plain_of(value: object) -> Any:
    """Convert dataclasses, arrays, enums and containers to JSON data, recursively.

    Examples
    --------
    >>> from engine.contracts.trace import Feature
    >>> plain_of({"seen": (Feature("a", "edge", 3),), "bound": float("inf")})
    {'seen': [{'whose': 'a', 'part': 'edge', 'index': 3}], 'bound': None}
    """
    if is_dataclass(value):
        return {field.name: plain_of(getattr(value, field.name)) for field in fields(value) if not field.name.startswith("_")}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, np.ndarray | np.generic):
        return plain_of(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain_of(item) for key, item in value.items()}
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str | bytes):
        return [plain_of(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | str | None) else str(value)
