"""Options of commands: each is a field of a dataclass with its help, its range, its file and what it goes with, checked before a run."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import typer

from engine.cli.output import check_files, deliver
from engine.common.checks import integer, seed_number, within
from engine.common.errors import Described, InvalidInputError
from engine.common.words import meant
from engine.report import Report

__all__ = [
    "ALL",
    "FOLDER",
    "MAX_PAIRS",
    "Against",
    "FilmFile",
    "FilmRate",
    "FilmSize",
    "Jobs",
    "JsonFile",
    "Option",
    "ReportFolder",
    "Screenshot",
    "Seed",
    "Settings",
    "SolverName",
    "Theme",
    "UiScale",
    "WithPanel",
    "argument",
    "check_display",
    "command",
    "has_window",
    "listed",
    "n_jobs",
    "named",
    "open_window",
    "option",
    "prepare_solvers",
    "solver_list",
]

ALL = "all"
MAX_PAIRS = 1_000_000_000
FOLDER = "/"
"""In place of the endings of a file: a folder."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, or argument, of a command.

    Parameters
    ----------
    metavar, help : str
    name : str
        Empty: that of the field, ``--like-this``.
    low, high, unit
        Range of a number.
    shown : str, optional
        Default in the help, where the field's own says nothing.
    check : callable
        Called with the option's name and a value that was given; it raises `InvalidInputError`.
    needs, excludes : tuple of str
        Fields of which one must be given too; fields none of which may be given with it.
    reads : bool or callable
        True if it names a file that is read, or a function from its value to the names of such files.
    writes : tuple of str, optional
        Endings of the file that is written, any if empty; or `FOLDER`.
    is_new : bool
        True if the file must not exist yet.
    without_window, in_window : bool
        The run then has no window; or it means something in a window only.
    """

    metavar: str = ""
    help: str = ""
    name: str = ""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    shown: str | None = None
    check: Callable[[str, Any], object] | None = None
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    reads: bool | Callable[[str], Sequence[str]] = False
    writes: tuple[str, ...] | None = None
    is_new: bool = False
    without_window: bool = False
    in_window: bool = False
    is_argument: bool = False
    envvar: str | None = None

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.metavar.strip("[].") if self.is_argument else self.name

    def as_typer(self) -> Any:
        """Return the parameter of typer."""
        numbers = "" if self.high is None else f" {self.low:g} to {self.high:g}."
        texts: Any = {"metavar": self.metavar or None, "help": self.help + numbers, "show_default": self.shown or True}
        if self.is_argument:
            return typer.Argument(**texts)
        return typer.Option(self.name, envvar=self.envvar, show_envvar=False, **texts)

    def checked(self, value: Any) -> None:
        """Refuse a value that is out of range or of no use."""
        if self.check is not None:
            self.check(self.label, value)
        if isinstance(value, int) and self.low is not None:
            integer(self.label, value, int(self.low), None if self.high is None else int(self.high))
        elif self.low is not None and self.high is not None:
            within(self.label, value, self.low, self.high, self.unit)


def option(metavar: str, help: str, default: Any = None, **more: Any) -> Any:
    """Return a dataclass field that is an option; `more` as in `Option`."""
    return dataclasses.field(default=default, metadata={"option": Option(metavar=metavar, help=help, **more)})


def argument(metavar: str, help: str, default: Any = dataclasses.MISSING, **more: Any) -> Any:
    """Return a dataclass field that is an argument; `more` as in `Option`."""
    return option(metavar, help, default, is_argument=True, **more)


def _check_solver(name: str, value: str) -> None:
    from engine.world.solver import solver_name

    solver_name(name, value)


def _use_theme(name: str, theme: str) -> None:
    """Set the colors of everything that is drawn."""
    from engine.render import palette

    if theme not in palette.THEMES:
        raise InvalidInputError(name, " or ".join(palette.THEMES), theme)
    palette.use_theme(theme)


def _check_ui_scale(name: str, scale: float) -> None:
    from engine.app.layout import check_ui_scale

    check_ui_scale(name, scale)


Seed = Annotated[int, Option(metavar="S", help="Seed of everything random.", check=seed_number)]
Jobs = Annotated[int | None, Option(metavar="J", low=1, high=1024, help="Number of processes.", shown="one for each core")]
JsonFile = Annotated[
    str | None, Option(name="--json", metavar="FILE", help="Write JSON; - is standard output.", writes=(), without_window=True)
]
ReportFolder = Annotated[
    str | None, Option(metavar="DIR", help="Write report.html with its pictures, and beside it what it refers to.", writes=(FOLDER,))
]
Screenshot = Annotated[str | None, Option(metavar="F.png", help="Write a picture.", writes=(".png",), without_window=True)]
SolverName = Annotated[
    str | None, Option(metavar="NAME", help="Solver of its worlds, such as soft_step.", shown="box2d", check=_check_solver)
]
Against = Annotated[
    str | None, Option(metavar="NAMES", help="Run it once more beside it, driven by this solver, or by each of up to 3: A,B,C.")
]
Settings = Annotated[
    list[str] | None, Option(name="--set", metavar="NAME=VALUE", help="A parameter of the demo, or a setting of its solver; repeatable.")
]
FilmFile = Annotated[
    str | None,
    Option(name="--record", metavar="F.mp4|F.gif", help="Write a film.", writes=(".mp4", ".gif"), without_window=True),
]
FilmRate = Annotated[float | None, Option(name="--fps", metavar="N", help="Frames a second of the film; 60, of a GIF 25.", needs=("film",))]
FilmSize = Annotated[str | None, Option(metavar="WxH", help="Pixels of the film, 16 to 4096 a side.", shown="1280x720", needs=("film",))]
WithPanel = Annotated[bool, Option(help="Film the whole window, and not the view alone.", needs=("film",))]
Theme = Annotated[str | None, Option(metavar="dark|light", help="Colors of the window, of pictures and films.", check=_use_theme)]
UiScale = Annotated[float | None, Option(metavar="X", help="Size of text in the window, 0.75 to 4.", check=_check_ui_scale, in_window=True)]


def _options_of(kind: Any) -> dict[str, tuple[Any, Any, Option]]:
    """Return types, defaults and options of the fields of a dataclass."""
    hints, rows = get_type_hints(kind, include_extras=True), {}
    for field in dataclasses.fields(kind):
        hint, made = hints[field.name], field.metadata.get("option")
        if made is None:
            hint, made = hint.__origin__, hint.__metadata__[0]
        if not made.name:
            made = dataclasses.replace(made, name=f"--{field.name.replace('_', '-')}")
        rows[field.name] = hint, field.default, made
    return rows


def command(run: Callable[..., Report | int | None]) -> Callable[..., int]:
    """Return the function that typer calls: its parameters are the options of the dataclass that `run` takes as ``args``.

    They are checked first; the report that `run` returns is printed and written last, and its status returned.
    """
    own = get_type_hints(run)
    rows = _options_of(own["args"])
    others = [name for name in inspect.signature(run).parameters if name != "args"]

    @functools.wraps(run)
    def called(**values: Any) -> int:
        rest = {name: values.pop(name) for name in others}
        args = own["args"](**values)
        _check(args)
        report = run(args, **rest)
        if not isinstance(report, Report):
            return report or 0
        return deliver(report, getattr(args, "json", None), getattr(args, "report", None))

    kind, nothing = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    parameters = [inspect.Parameter(name, kind, annotation=own[name]) for name in others]
    for name, (hint, default, made) in rows.items():
        default = nothing if default is dataclasses.MISSING else default
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=Annotated[hint, made.as_typer()]))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _given(args: Any) -> dict[str, tuple[Option, Any]]:
    """Return the options that were given, with their values."""
    rows = {name: (made, default, getattr(args, name)) for name, (_, default, made) in _options_of(type(args)).items()}
    return {name: (made, value) for name, (made, default, value) in rows.items() if value not in (None, default, []) and value is not False}


def has_window(args: Any) -> bool:
    """Return True unless an option was given that describes a run without a window."""
    return not any(made.without_window for made, _ in _given(args).values())


def _check(args: Any) -> None:
    """Refuse what is out of range, what does not go together, and files that cannot be written or are read too."""
    present, rows = _given(args), _options_of(type(args))
    reads: list[tuple[str, str]] = []
    writes: list[tuple[str, str, tuple[str, ...]]] = []
    for made, value in present.values():
        if made.needs and not present.keys() & set(made.needs):
            raise InvalidInputError(made.label, "given with " + " or ".join(rows[name][2].label for name in made.needs), value)
        for other in present.keys() & set(made.excludes):
            raise InvalidInputError(rows[other][2].label, f"left out with {made.label}", present[other][1])
        if made.in_window and not has_window(args):
            raise InvalidInputError(made.label, "left out of a headless run", value)
        made.checked(value)
        if made.reads:
            paths = made.reads(value) if callable(made.reads) else value if isinstance(value, list) else [value]
            reads += [(made.label, path) for path in paths]
        if made.writes is not None:
            writes.append((made.label, value, made.writes))
            if made.is_new and os.path.lexists(value):
                raise InvalidInputError(made.label, "a file that is not there yet", value)
    check_files(reads, writes)


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
    """Report a mistake of the body, that in `field` or any, under the name of an option, which may depend on the field's."""
    try:
        yield
    except InvalidInputError as error:
        if field not in (None, error.field):
            raise
        name = option if isinstance(option, str) else option(error.field)
        raise InvalidInputError(name, error.requirement, error.value) from None


def solver_list(option: str, given: str | None) -> tuple[str, ...]:
    """Return the solvers of a list separated by commas, at most as many as run beside a demo; each may be there more than once.

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
        raise InvalidInputError(option, f"at most {MAX_BESIDE} solvers", given)
    return names


def prepare_solvers(*names: str | None) -> None:
    """Load, or compile, what makes these solvers fast; the first time of ours that takes some seconds."""
    from engine.world import load_solver

    for name in dict.fromkeys(names):
        if name is not None:
            load_solver(name).prepare()


def open_window(advice: str, kind: Any, **settings: Any) -> None:
    """Run the window, as `engine.app.loop.open_window` takes it, until it is closed; errors as `check_display`."""
    check_display(advice)
    from engine.app import loop

    with loop.open_window(kind, **settings) as window:
        window.run()


def check_display(advice: str) -> None:
    """Make sure that a window can be opened, before anything else is done.

    Raises
    ------
    DisplayError
        There is no display; the message says what works without one.
    """
    from engine.app.display import display_problem

    problem = display_problem()
    if problem is not None:
        from engine.app.loop import DisplayError

        raise DisplayError(f"no window can be opened here ({problem}); {advice}")
