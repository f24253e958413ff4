"""A setting of a solver, in addition to those of the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.world.fields import check_names, number

__all__ = ["Setting", "chosen_settings"]


@dataclass(frozen=True)
class Setting:
    """A setting: a number from `low` to `high`, or one of `choices`.

    Attributes
    ----------
    name, title : str
        Identifier and display name.
    default : float, int or str
    low, high : float
    unit : str
    is_whole : bool
    choices : tuple of str
        The allowed values; if there are any, `low` and `high` are unused.
    help : str
        A sentence that describes its effect.
    """

    name: str
    title: str
    default: float | str
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    is_whole: bool = False
    choices: tuple[str, ...] = ()
    help: str = ""

    def checked(self, value: object) -> float | str:
        """Return the validated value for the solver.

        Raises
        ------
        InvalidInputError
            The value is invalid; the message names the setting, the value and the range.
        """
        field = f"solver_settings.{self.name}"
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                raise InvalidInputError(field, "one of " + ", ".join(self.choices), value)
            return value
        if self.is_whole:
            return integer(field, value, int(self.low), int(self.high))
        if isinstance(value, str):
            raise InvalidInputError(field, f"from {self.low:g} to {self.high:g} {self.unit}".strip(), value)
        return number(field, value, self.unit, self.low, self.high)


def chosen_settings(title: str, settings: Sequence[Setting], given: tuple[tuple[str, float | str], ...]) -> dict[str, float | str]:
    """Return a value for each of the settings of the solver `title`: the given one if there is one, otherwise the default.

    Raises
    ------
    InvalidInputError
        The solver has no setting of a given name, or a value is out of its range.
    """
    if given and not settings:
        raise InvalidInputError(f"solver_settings.{given[0][0]}", f"omitted: the solver {title} has no settings of its own", given[0][1])
    check_names("solver_settings", dict(given), (setting.name for setting in settings))
    by_name, values = dict(given), {setting.name: setting.default for setting in settings}
    return values | {setting.name: setting.checked(by_name[setting.name]) for setting in settings if setting.name in by_name}
