"""``step``: an algorithm, step by step: in the window, or as sentences, JSON, pictures and films."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from engine.app.files import check_directory
from engine.cli import options
from engine.cli.output import check_files, people, print_rows, text_table, warming, write_json
from engine.cli.run import demo_or_file
from engine.cli.step_own import ask_own, own_beside, own_function
from engine.cli.step_quiz import run_quiz
from engine.cli.step_result import Pictures, draw_steps, steps_as_json, steps_table
from engine.common.checks import integer, within
from engine.common.errors import InvalidInputError
from engine.common.words import counted

if TYPE_CHECKING:
    from engine.trace.cases import Case

__all__ = ["step_command"]

_DEFAULT_STEPS, _MAX_STEPS = 60, 100_000
"""Steps of a scene before a case is taken from it: by default, and at most."""
_MIN_SECONDS, _MAX_SECONDS = 0.02, 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOptions:
    """Options of ``step``."""

    name: Annotated[str | None, typer.Argument(metavar="[ALGORITHM]", help="Without one, all are listed.", show_default=False)] = None
    pair_file: Annotated[str | None, typer.Option("--pair", metavar="FILE", help="What it is asked: a pair file or stepper case.")] = None
    scene: Annotated[
        str | None, typer.Option("--scene", metavar="ID|FILE", help="Take what it is asked out of a demo or a scene file.")
    ] = None
    since: Annotated[
        int | None,
        typer.Option(
            "--from", metavar="N", min=0, max=_MAX_STEPS, help="With --scene: after N steps of it.", show_default=str(_DEFAULT_STEPS)
        ),
    ] = None
    seed: options.Seed = 0
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside", metavar="ALGORITHM", help="A second one, asked the same, or all: those that go with it, three at the most."
        ),
    ] = None
    at: Annotated[int | None, typer.Option("--at", metavar="K", min=1, help="The step to begin at, or of the picture, from 1.")] = None
    quiz: Annotated[int | None, typer.Option("--quiz", metavar="N", help="Ask N questions; --json has the answers.")] = None
    own: Annotated[
        str | None, typer.Option("--own", metavar="FILE.py:FUNCTION", help="Your own function, and the step that denies its answer.")
    ] = None
    json_file: options.JsonFile = None
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of a step, the last.")] = None
    pictures: Annotated[str | None, typer.Option("--pictures", metavar="DIR", help="Write every step as a picture.")] = None
    film: options.FilmFile = None
    rate: options.FilmRate = None
    size: Annotated[
        str | None, typer.Option("--size", metavar="WxH", help="Pixels of pictures and film, 16 to 4096 a side.", show_default="1280x720")
    ] = None
    seconds: Annotated[
        float | None, typer.Option("--seconds-per-step", metavar="S", help="How long the film shows each step.", show_default="1")
    ] = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None


@options.takes_options
def step_command(args: StepOptions) -> int:
    """Watch an algorithm: every step that its production kernel takes, with the sentence that says what happened and why.

    It opens the window, where both shapes are dragged while it stands at a step; --json, --screenshot, --pictures and --record work without
    one, and where there is no display the steps are printed as sentences, and --quiz asks in lines. What it is asked comes from a file
    (--pair), out of a scene (--scene), or is its own example. With --own it ends with status 1 where your function is wrong.
    """
    function = None if args.own is None else own_function(args.own, args.name)
    reads = {"--pair": args.pair_file, "--scene": args.scene if args.scene is not None and os.path.exists(args.scene) else None}
    check_files({**reads, "--own": None if function is None else str(function[0])}, {"--json": args.json_file})
    drawn = {"--screenshot": args.screenshot, "--pictures": args.pictures, "--record": args.film}
    if args.name is None:
        inputs = {"--pair": args.pair_file, "--scene": args.scene, "--beside": args.beside, "--quiz": args.quiz, "--own": args.own}
        options.left_out("given with an algorithm", {**inputs, **drawn, "--at": args.at, "--from": args.since})
        return _list(args.json_file)
    from engine import trace

    with options.named("ALGORITHM"):
        trace.algorithm(args.name)
    drawing = _pictures(args)
    case = _case(args.name, args)
    others: tuple[str, ...] = ()
    if args.beside is not None:
        others = _checked_beside(args.beside, args.name, case)
    if args.quiz is not None:
        options.left_out("left out with --quiz", {"--beside": args.beside, "--own": args.own, "--at": args.at, **drawn})
        return run_quiz(args.name, case, args.quiz, args.seed, args.json_file, args.ui_scale, args.theme)
    out = people(args.json_file)
    if args.json_file is None and not drawing.any:
        from engine.app.display import display_problem

        problem = display_problem()
        if problem is None:
            from engine.app.case_demos import stepper_of

            with contextlib.nullcontext() if function is None else own_beside(*function, case) as asking:
                kind = stepper_of(args.name, case, _title(args.pair_file, args.scene), args.beside, own=asking)
                options.open_window("", args.ui_scale, kind, values={"step": args.at or 1}, theme=args.theme)
            return 0
        out.print(f"No display ({problem}): the steps in words.")
    options.left_out("left out of a run without a window", {"--ui-scale": args.ui_scale})
    with warming():
        steps = {algorithm: trace.algorithm(algorithm).steps(case) for algorithm in (args.name, *others)}
    if args.at is not None:
        integer("--at", args.at, 1, max(map(len, steps.values())))
    theirs = None if function is None else ask_own(*function, case, steps[args.name])
    files = draw_steps(drawing, case, steps, theirs)
    if args.json_file is not None:
        first = steps_as_json(args.name, case, steps[args.name])
        more = {} if args.beside is None else {"beside": [steps_as_json(algorithm, case, steps[algorithm]) for algorithm in others]}
        write_json(args.json_file, {**first, **more, **({} if theirs is None else {"own": theirs.as_json()})})
    for algorithm, trace_steps in steps.items():
        out.print(f"[bold]{trace.algorithm(algorithm).title}[/bold], {counted(len(trace_steps), 'step')}")
        out.print(steps_table(trace_steps))
    if theirs is not None:
        out.print(theirs.sentence, markup=False)
    print_rows(out, files)
    return 0 if theirs is None or not theirs.faults else 1


def _title(pair_file: str | None, scene: str | None) -> str:
    return os.path.basename(pair_file) if pair_file is not None else f"Out of {os.path.basename(scene)}" if scene is not None else ""


def _list(json_file: str | None) -> int:
    from engine import trace

    table = text_table("algorithm", "title", "beside it")
    algorithms = [trace.algorithm(name) for name in trace.algorithms()]
    for algorithm in algorithms:
        table.add_row(algorithm.name, algorithm.title, ", ".join(other for other in algorithm.beside if other in trace.algorithms()))
    plain = [
        {"name": algorithm.name, "title": algorithm.title, "page": algorithm.page, "beside": list(algorithm.beside)}
        for algorithm in algorithms
    ]
    write_json(json_file, {"algorithms": plain})
    people(json_file).print(table)
    return 0


def _pictures(args: StepOptions) -> Pictures:
    """Return what is to be drawn, once it is certain that it can be written."""
    from engine.app.film import check_film
    from engine.app.headless import film_size

    if args.film is None:
        options.left_out("given with --record, of whose film it speaks", {"--fps": args.rate, "--seconds-per-step": args.seconds})
    if not (args.screenshot or args.pictures or args.film):
        options.left_out("given with --screenshot, --pictures or --record", {"--size": args.size})
    seconds = within("--seconds-per-step", 1.0 if args.seconds is None else args.seconds, _MIN_SECONDS, _MAX_SECONDS, "s")
    pixels = film_size(args.size)
    check_files({}, {"--screenshot": args.screenshot})
    if args.pictures is not None:
        check_directory("--pictures", args.pictures)
    frames = check_film("--record", args.film, args.rate, pixels) if args.film is not None else 0.0
    return Pictures(args.at, args.screenshot, args.pictures, args.film, frames, seconds, pixels)


def _case(name: str, args: StepOptions) -> Case:
    """Return what the algorithm is asked."""
    from engine import trace
    from engine.trace.doors import fitted

    if args.scene is None:
        options.left_out("given with --scene", {"--from": args.since})
    if args.pair_file is not None:
        options.left_out("left out with --pair", {"--scene": args.scene})
        from engine.trace.case_file import load_case

        case = fitted(name, load_case(args.pair_file).case)
        if case is None:
            raise InvalidInputError("--pair", f"a file that {name} can be asked ({_example(name)})", args.pair_file)
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
    with options.named("--scene"):
        return case_of_world(demo.stages[0].world, trace.algorithm(name))


def _example(name: str) -> str:
    """Return what kind of thing an algorithm is asked, for a refusal."""
    from engine import trace
    from engine.trace.cases import PairCase

    chosen = trace.algorithm(name)
    example = chosen.example
    if isinstance(example, PairCase):
        return f"such as a pair of the query {example.pair.query}" + (f", {chosen.only}" if chosen.only else "")
    return f"a stepper case of its own kind: step {name} and S save one"


def _checked_beside(beside: str, name: str, case: Case) -> tuple[str, ...]:
    """Return the algorithms that are asked beside one."""
    from engine import trace

    if beside == trace.ALL_BESIDE:
        return trace.beside(name, case)
    with options.named("--beside"):
        other = trace.algorithm(beside)
    if beside == name:
        raise InvalidInputError("--beside", "another algorithm", beside)
    if not other.takes(case):
        can = [candidate for candidate in trace.algorithms() if candidate != name and trace.algorithm(candidate).takes(case)]
        requirement = "one that can be asked the same" + (f": {', '.join(can)}" if can else ", and there is none")
        raise InvalidInputError("--beside", requirement, beside)
    return () if beside == name else (beside,)
