"""Defines command-line options as dataclass fields with help text, range, file access and dependencies, and validates their values."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_type_hints

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
    "HtmlFile",
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
    "argument",
    "check_display",
    "command",
    "entries",
    "has_window",
    "listed",
    "n_jobs",
    "named",
    "open_window",
    "option",
]

_T = TypeVar("_T")

ALL = "all"
MAX_PAIRS = 1_000_000_000
FOLDER = "/"
"""Value of `Option.writes` for a folder instead of file extensions."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option or positional argument of a command.

    Parameters
    ----------
    metavar, help : str
    name : str
        Name such as ``--dry-run``; if empty, it is derived from the field name.
    low, high, unit
        Allowed range of a number, and its unit.
    shown : str, optional
        Default to show in the help, if it should differ from the field's default.
    check : callable
        Validator, called with the option's name and its value; raises `InvalidInputError`.
    needs : tuple of str
        Fields of which at least one must also be given.
    excludes : tuple of str
        Fields that cannot be combined with this one.
    reads : bool or callable
        True if the value is the path of an input file, or a function that maps the value to such paths.
    writes : tuple of str, optional
        Allowed extensions of the output file (empty: any), or `FOLDER`.
    is_new : bool
        True if the file must not exist yet.
    without_window : bool
        True if the option implies a headless run.
    in_window : bool
        True if the option is only valid with a window.
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
        """Name of the option in error messages."""
        return self.metavar.strip("[].") if self.is_argument else self.name

    def as_typer(self) -> Any:
        """Convert to a typer parameter."""
        numbers = "" if self.low is None or self.high is None else f" {_shown(self.low)} to {_shown(self.high)}."
        texts: Any = {"metavar": self.metavar or None, "help": self.help + numbers, "show_default": self.shown or True}
        if self.is_argument:
            return typer.Argument(**texts)
        return typer.Option(self.name, envvar=self.envvar, show_envvar=False, **texts)

    def checked(self, value: Any) -> None:
        """Validate a value; raise `InvalidInputError` if it is out of range or rejected by `check`."""
        if self.check is not None:
            self.check(self.label, value)
        if isinstance(value, int) and self.low is not None:
            integer(self.label, value, int(self.low), None if self.high is None else int(self.high))
        elif self.low is not None and self.high is not None:
            within(self.label, value, self.low, self.high, self.unit)


def _shown(number: float) -> str:
    return f"{round(number):,}" if number == round(number) else f"{number:g}"


def option(metavar: str, help: str, default: Any = None, **more: Any) -> Any:
    """Define a dataclass field as an option; `more` are further fields of `Option`."""
    return dataclasses.field(default=default, metadata={"option": Option(metavar=metavar, help=help, **more)})


def argument(metavar: str, help: str, default: Any = dataclasses.MISSING, **more: Any) -> Any:
    """Define a dataclass field as a positional argument; `more` are further fields of `Option`."""
    return option(metavar, help, default, is_argument=True, **more)


def _check_solver(name: str, value: str) -> None:
    from engine.world.solver import solver_name

    solver_name(name, value)


def _use_theme(name: str, theme: str) -> None:
    """Select the color theme for all drawing."""
    from engine.render import palette

    if theme not in palette.THEMES:
        raise InvalidInputError(name, " or ".join(palette.THEMES), theme)
    palette.use_theme(theme)


def _check_ui_scale(name: str, scale: float) -> None:
    from engine.app.layout import check_ui_scale

    check_ui_scale(name, scale)


Seed = Annotated[int, Option(metavar="S", help="Random seed.", check=seed_number)]
Jobs = Annotated[int | None, Option(metavar="J", low=1, high=1024, help="Number of processes.", shown="one per core")]
JsonFile = Annotated[
    str | None,
    Option(name="--json", metavar="FILE", help="Write the result as JSON; - means standard output.", writes=(), without_window=True),
]
ReportFolder = Annotated[
    str | None, Option(metavar="DIR", help="Write report.html and the files it links to into this folder.", writes=(FOLDER,))
]
Screenshot = Annotated[str | None, Option(metavar="F.png", help="Write an image of the result.", writes=(".png",), without_window=True)]
HtmlFile = Annotated[
    str | None,
    Option(
        name="--html", metavar="F.html", help="Write a page that plays the result in any browser.", writes=(".html",), without_window=True
    ),
]
SolverName = Annotated[str | None, Option(metavar="NAME", help="Physics solver, such as soft_step.", shown="box2d", check=_check_solver)]
Against = Annotated[
    str | None, Option(metavar="NAME", help="Run a copy alongside, by this solver, and tell where they part.", check=_check_solver)
]
Settings = Annotated[
    list[str] | None, Option(name="--set", metavar="NAME=VALUE", help="Set a demo parameter or a solver setting; repeatable.")
]
FilmFile = Annotated[
    str | None,
    Option(name="--record", metavar="F.mp4|F.gif", help="Record a video.", writes=(".mp4", ".gif"), without_window=True),
]
FilmRate = Annotated[
    float | None, Option(name="--fps", metavar="N", help="Video frame rate; default 60, or 25 for a GIF.", needs=("film",))
]
FilmSize = Annotated[
    str | None, Option(metavar="WxH", help="Video size in pixels, 16 to 4096 per side.", shown="1280x720", needs=("film",))
]
Theme = Annotated[str | None, Option(metavar="dark|light", help="Color theme of the window, screenshots and videos.", check=_use_theme)]
UiScale = Annotated[
    float | None, Option(metavar="X", help="Scale factor of the window's text, 0.75 to 4.", check=_check_ui_scale, in_window=True)
]


def _options_of(kind: Any) -> dict[str, tuple[Any, Any, Option]]:
    """Return (type, default, option) of each field of an options dataclass, by field name."""
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
    """Decorate a command so that typer can call it with the fields of its options dataclass as parameters.

    The wrapper validates the options, calls `run`, prints and writes the report that it returns, and returns the exit status.
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
    """Return the options whose values differ from their defaults, with those values."""
    rows = {name: (made, default, getattr(args, name)) for name, (_, default, made) in _options_of(type(args)).items()}
    return {name: (made, value) for name, (made, default, value) in rows.items() if value not in (None, default, []) and value is not False}


def has_window(args: Any) -> bool:
    """Return True unless one of the given options implies a headless run."""
    return not any(made.without_window for made, _ in _given(args).values())


def _check(args: Any) -> None:
    """Validate ranges, option dependencies and conflicts, and input and output files."""
    present, rows = _given(args), _options_of(type(args))
    reads: list[tuple[str, str]] = []
    writes: list[tuple[str, str, tuple[str, ...]]] = []
    for made, value in present.values():
        if made.needs and not present.keys() & set(made.needs):
            raise InvalidInputError(made.label, "given with " + " or ".join(rows[name][2].label for name in made.needs), value)
        for other in present.keys() & set(made.excludes):
            raise InvalidInputError(rows[other][2].label, f"omitted with {made.label}", present[other][1])
        if made.in_window and not has_window(args):
            raise InvalidInputError(made.label, "omitted in a headless run", value)
        made.checked(value)
        if made.reads:
            paths = made.reads(value) if callable(made.reads) else value if isinstance(value, list) else [value]
            reads += [(made.label, path) for path in paths]
        if made.writes is not None:
            writes.append((made.label, value, made.writes))
            if made.is_new and os.path.lexists(value):
                raise InvalidInputError(made.label, "a file that does not exist yet", value)
    check_files(reads, writes)


def n_jobs(given: int | None) -> int:
    """Return the number of processes for ``--jobs``; None means one per core."""
    from engine.common.machine import n_cores

    return n_cores() if given is None else given


def listed(option: str, given: str, known: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None) -> tuple[str, ...]:
    """Parse a comma-separated list; return its words without duplicates, in the order given.

    `groups` maps a name to the `known` words it expands to; if None, ``all`` expands to all of them.

    Raises
    ------
    InvalidInputError
        The list contains an unknown or empty word; the error names `option`.
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


def entries(names: Sequence[str], known: Mapping[str, _T]) -> list[_T]:
    """Return the entries of a table with the names given as arguments, each once; all of them if no names are given.

    Raises
    ------
    InvalidInputError
        There is no entry of a name; the message suggests the nearest.
    """
    for name in names:
        if name not in known:
            raise InvalidInputError("NAMES", "one of " + ", ".join(known) + meant(name, known), name)
    return [known[name] for name in dict.fromkeys(names or known)]


@contextlib.contextmanager
def named(option: str | Callable[[str], str], field: str | None = None) -> Iterator[None]:
    """Rename the field of an `InvalidInputError` raised in the with block to an option.

    `option` is a name or a function of the original field; if `field` is given, errors of other fields pass unchanged.
    """
    try:
        yield
    except InvalidInputError as error:
        if field not in (None, error.field):
            raise
        name = option if isinstance(option, str) else option(error.field)
        raise InvalidInputError(name, error.requirement, error.value) from None


def open_window(advice: str, kind: Any, **settings: Any) -> None:
    """Open a window with `engine.app.loop.open_window` and run it until it is closed; raises the same errors as `check_display`."""
    check_display(advice)
    from engine.app import loop

    with loop.open_window(kind, **settings) as window:
        window.run()


def check_display(advice: str) -> None:
    """Check that a window can be opened.

    Raises
    ------
    DisplayError
        No display is available; the message ends with `advice`, if there is any.
    """
    from engine.app.display import display_problem

    problem = display_problem()
    if problem is not None:
        from engine.app.loop import DisplayError

        raise DisplayError(f"no window can be opened here ({problem})" + (f"; {advice}" if advice else ""))
