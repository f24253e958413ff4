"""Options that several commands take, each with its help in one place; mistakes under an option's name; the window that they open."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from engine.common.checks import seed_number
from engine.common.errors import Described, InvalidInputError
from engine.common.words import meant

__all__ = [
    "ALL",
    "MAX_PAIRS",
    "Against",
    "FilmFile",
    "FilmRate",
    "FilmSize",
    "Jobs",
    "JsonFile",
    "MethodName",
    "Seed",
    "Settings",
    "SolverName",
    "Theme",
    "UiScale",
    "WithPanel",
    "check_display",
    "left_out",
    "listed",
    "n_jobs",
    "named",
    "open_window",
    "prepare_solvers",
    "solver_list",
    "takes_options",
]

FilmFile = Annotated[str | None, typer.Option("--record", metavar="F.mp4|F.gif", help="Write a film of it.")]
FilmRate = Annotated[
    float | None, typer.Option("--fps", metavar="N", help="Frames a second of the film; 60, of a GIF 25.", show_default=False)
]
FilmSize = Annotated[
    str | None, typer.Option("--size", metavar="WxH", help="Pixels of the film, 16 to 4096 a side.", show_default="1280x720")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="J", min=1, max=1024, help="Number of processes.", show_default="one for each core")
]
JsonFile = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")]
Against = Annotated[
    str | None,
    typer.Option("--against", metavar="NAMES", help="Run it once more beside it, driven by this solver, or by each of up to 3: A,B,C."),
]


def _checked_solver(param: typer.CallbackParam, name: str | None) -> str | None:
    if name is not None:
        from engine.world.solver import solver_name

        solver_name(param.opts[0], name)
    return name


def _use_theme(theme: str | None) -> str | None:
    """Set the colors of everything that is drawn; without a theme they stay."""
    if theme is not None:
        from engine.render import palette

        if theme not in palette.THEMES:
            raise InvalidInputError("--theme", " or ".join(palette.THEMES), theme)
        palette.use_theme(theme)
    return theme


Seed = Annotated[
    int, typer.Option("--seed", metavar="S", help="Seed of everything random.", callback=lambda seed: seed_number("--seed", seed))
]
SolverName = Annotated[
    str | None,
    typer.Option(
        "--solver", metavar="NAME", help="Solver of its worlds, such as soft_step.", show_default="box2d", callback=_checked_solver
    ),
]
MethodName = Annotated[
    str | None, typer.Option("--method", metavar="NAME", help="Our solver to compare with Box2D.", callback=_checked_solver)
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the demo, or a setting of its solver; repeatable."),
]
Theme = Annotated[
    str | None, typer.Option("--theme", metavar="dark|light", help="Colors of the window, of pictures and films.", callback=_use_theme)
]
UiScale = Annotated[float | None, typer.Option("--ui-scale", metavar="X", help="Size of text in the window, 0.75 to 4.")]
WithPanel = Annotated[bool, typer.Option("--with-panel", help="Film the whole window, and not the view alone.")]

_Status = TypeVar("_Status")

ALL = "all"
MAX_PAIRS = 1_000_000_000


def takes_options(run: Callable[..., _Status]) -> Callable[..., _Status]:
    """Return a command for typer whose parameters are the fields of the dataclass that `run` takes as its first argument, ``args``.

    What else `run` takes, such as the context, stays a parameter.
    """
    own = get_type_hints(run)
    kind = own["args"]
    hints = get_type_hints(kind, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    others = [name for name in inspect.signature(run).parameters if name != "args"]

    @functools.wraps(run)
    def command(**values: Any) -> _Status:
        rest = {name: values.pop(name) for name in others}
        return run(kind(**values), **rest)

    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=own[name]) for name in others]
    for name, field in fields.items():
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name]))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def n_jobs(given: int | None) -> int:
    """Return how many processes ``--jobs`` asks for: without it, one for each core."""
    from engine.app.compiling import n_cores

    return n_cores() if given is None else given


def listed(option: str, given: str, known: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None) -> tuple[str, ...]:
    """Return the words of a list separated by commas, each once, in the order given.

    The names in `groups` stand for several of the `known` words; without them, ``all`` stands for all.

    Raises
    ------
    InvalidInputError
        There is another word among them, or nothing between two commas; it names `option`.
    """
    members = {ALL: known} if groups is None else groups
    allowed = (*known, *members)
    words: list[str] = []
    for word in (part.strip() for part in given.split(",")):
        if word not in allowed:
            requirement = "a list of " + ", ".join(allowed) + meant(word, allowed)
            raise InvalidInputError(option, requirement, given if word == given else Described(f"{word!r} in {given!r}"))
        words.extend(members.get(word, (word,)))
    return tuple(dict.fromkeys(words))


@contextlib.contextmanager
def named(option: str | Callable[[str], str], field: str | None = None) -> Iterator[None]:
    """Tell a mistake of the body, that in `field` or any, under the name of an option, which may depend on the field's."""
    try:
        yield
    except InvalidInputError as error:
        if field not in (None, error.field):
            raise
        name = option if isinstance(option, str) else option(error.field)
        raise InvalidInputError(name, error.requirement, error.value) from None


def left_out(why: str, options: Mapping[str, object]) -> None:
    """Refuse each of these options that was given.

    Raises
    ------
    InvalidInputError
        It must be `why`: left out, or given with another.
    """
    for option, value in options.items():
        if value is not None:
            raise InvalidInputError(option, why, value)


def solver_list(option: str, given: str | None) -> tuple[str, ...]:
    """Return the solvers of a list separated by commas, at the most as many as run beside a demo; each may be there more than once.

    Raises
    ------
    InvalidInputError
        There is no solver of a name, or there are too many; it names `option`.
    """
    if given is None:
        return ()
    from engine.app.session import MAX_BESIDE
    from engine.world.solver import solver_name

    names = tuple(solver_name(option, name.strip()) for name in given.split(","))
    if len(names) > MAX_BESIDE:
        raise InvalidInputError(option, f"{MAX_BESIDE} solvers at the most", given)
    return names


def prepare_solvers(*names: str | None) -> None:
    """Load, or compile, what makes these solvers fast; the first time of ours that takes some seconds."""
    from engine.world import load_solver

    for name in dict.fromkeys(names):
        if name is not None:
            load_solver(name).prepare()


def open_window(advice: str, ui_scale: float | None, kind: Any, **options: Any) -> None:
    """Run the window, as `engine.app.loop.open_window` takes it, until it is closed; errors as `check_display`."""
    check_display(advice, ui_scale)
    from engine.app import loop

    with loop.open_window(kind, ui_scale=ui_scale, **options) as window:
        window.run()


def check_display(advice: str, ui_scale: float | None) -> None:
    """Make sure that a window can be opened, before anything else is done.

    Raises
    ------
    DisplayError
        There is no display; the message says what works without one.
    """
    from engine.app.display import display_problem
    from engine.app.layout import check_ui_scale

    check_ui_scale("--ui-scale", ui_scale)
    problem = display_problem()
    if problem is not None:
        from engine.app.loop import DisplayError

        raise DisplayError(f"no window can be opened here ({problem}); {advice}")
