"""Parameters of a demo, which are sliders in the window and ``--set NAME=VALUE`` on the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.common.words import meant, plain_number

__all__ = ["Parameter", "parameter_values"]

_DECADES = 3.0


@dataclass(frozen=True, slots=True)
class Parameter:
    """An adjustable number of a demo.

    Parameters
    ----------
    name : str
        Name for ``--set``.
    default, low, high : float
        Initial value, and the closed range of allowed values.
    unit, description : str
        For display: "m/s", "muzzle speed".
    whole : bool
        True for integers only.
    slider_high : float, optional
        Upper end of the slider, if less than `high`.
    note : str
        One-line explanation for newcomers, in addition to the description.
    choices, also : tuple of str
        For a parameter from `choice`: the names of the values 0, 1, 2..., and an alias for each ("" for none).
    several : bool
        True for a parameter from `some`: the value is a bit mask, the sum of 2^k over the selected choices k.
    logarithmic : bool
        True for a logarithmic slider. If `low` is 0, the slider starts `_DECADES` decades below the default, and its left end means 0.
    buttons : mapping of str to (str, str)
        Words and help of the buttons of choices, by the choice; other buttons show the choice itself.
    groups : mapping of str to tuple of str
        Groups of the choices, by their titles: the panel has a button for each group, and shows the choices of the group in use.
    group_notes : mapping of str to str
        One-line explanations of groups, by their titles.
    help : str
        Tooltip of its slider or buttons; the range if empty.
    setting : str
        Field of `WorldSettings` that it sets; the panel then has no second slider for that field.
    in_panel : bool
        False for a parameter without a row in the panel: the demo draws its own control, or a key sets it.
    idle_with : (str, str)
        Name and choice of another parameter with which this one changes nothing: the panel then has no row for it.
    """

    name: str
    default: float
    low: float
    high: float
    unit: str = ""
    description: str = ""
    whole: bool = False
    slider_high: float | None = None
    note: str = ""
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    several: bool = False
    logarithmic: bool = False
    buttons: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    group_notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    help: str = ""
    setting: str = ""
    in_panel: bool = True
    idle_with: tuple[str, str] = ("", "")

    @classmethod
    def some(cls, name: str, choices: Sequence[str], chosen: Sequence[str], description: str = "") -> Parameter:
        """Return a parameter that selects one or more of several choices, typed as ``first+second`` or ``all``."""
        words = tuple(choices)
        default = sum(1 << words.index(word) for word in chosen)
        last = (1 << len(words)) - 1
        return cls(name, default, 1, last, description=description, whole=True, choices=words, several=True)

    @classmethod
    def choice(
        cls, name: str, choices: Sequence[str], description: str = "", also: Sequence[str] = (), default: int = 0, note: str = ""
    ) -> Parameter:
        """Return a parameter that selects one of several choices; its value is the index of the choice."""
        last = len(choices) - 1
        words, others = tuple(choices), tuple(also)
        return cls(name, default, 0, last, description=description, whole=True, note=note, choices=words, also=others)

    def __post_init__(self) -> None:
        for name in ("default", "low", "high"):  # state digests use repr, which differs for 12 and 12.0
            object.__setattr__(self, name, float(getattr(self, name)))
        if not self.low <= self.default <= self.high:
            raise InvalidInputError(f"parameter {self.name}: default", f"from {self.low:g} to {self.high:g}", self.default)

    @property
    def grouped(self) -> dict[str, tuple[int, ...]]:
        """Values of the choices of each group, without empty groups; a single group without a title if there are none."""
        if not self.groups:
            return {"": tuple(range(len(self.choices)))}
        values = {title: tuple(self.choices.index(word) for word in words if word in self.choices) for title, words in self.groups.items()}
        return {title: indices for title, indices in values.items() if indices}

    @property
    def tooltip(self) -> str:
        """The help text, or, if there is none, the range of the values and the name on the command line."""
        allowed = "" if self.choices else f"From {self.shown(self.low)} to {self.shown(self.high)}. "
        return self.help or f"{allowed}On the command line, use --set {self.name}=..."

    def button(self, index: int) -> tuple[str, str]:
        """Return the words and the tooltip of a choice's button."""
        choice = self.choices[index]
        words, explained = self.buttons.get(choice, (choice.replace("_", " "), ""))
        return words, f"{explained} On the command line, use --set {self.name}={choice}." if explained else self.tooltip

    @property
    def slider_range(self) -> tuple[float, float]:
        """Minimum and maximum value of the slider."""
        return self.low, self.high if self.slider_high is None else min(self.slider_high, self.high)

    @property
    def slider_ends(self) -> tuple[float, float]:
        """Minimum and maximum slider positions: the values, or their decimal logarithms for a logarithmic slider."""
        low, high = self.slider_range
        return (self._lowest, math.log10(high)) if self.logarithmic else (low, high)

    def on_slider(self, number: float) -> float:
        """Return the slider position of a value."""
        return max(math.log10(number), self._lowest) if self.logarithmic and number > 0.0 else self._lowest if self.logarithmic else number

    @property
    def _lowest(self) -> float:
        return math.log10(self.low) if self.low > 0.0 else math.log10(self.default) - _DECADES

    def checked(self, value: object) -> float:
        """Validate a value and return it as a float; `value` is a number, a numeric string, or the name of a choice.

        Raises
        ------
        InvalidInputError
            The value is not a number or choice, is out of range, or is not an integer although `whole` is set.
        """
        if self.choices:
            return self._chosen(value)
        kind = "a whole number" if self.whole else "a number"
        requirement = f"{kind} from {self.low:g} to {self.high:g}" + (f" {self.unit}" if self.unit else "")
        try:
            number = finite(self.name, float(value) if isinstance(value, str) else value)
        except ValueError:
            raise InvalidInputError(self.name, requirement, value) from None
        if not self.low <= number <= self.high or (self.whole and number != round(number)):
            raise InvalidInputError(self.name, requirement, value)
        return number

    def snapped(self, place: float) -> float:
        """Return the value that a slider position sets, rounded to three digits of the range, or of the value for a logarithmic slider."""
        low, high = self.slider_range
        if self.logarithmic:
            if self.low == 0.0 and place <= self._lowest:
                return 0.0
            number = float(f"{10.0**place:.3g}")
            return min(max(round(number) if self.whole else number, low), high)
        number = place
        grain = 1.0 if self.whole else 10.0 ** _grain_exponent(high - low)
        return min(max(round(number / grain) * grain, self.low), self.high)

    def shown(self, number: float) -> str:
        """Return a value as text for display, with its unit."""
        if self.several:
            return "+".join(word for k, word in enumerate(self.choices) if self.has(number, k))
        if self.choices:
            return self.choices[round(number)]
        text = f"{number:.0f}" if self.whole else plain_number(number, "")
        return f"{text} {self.unit}" if self.unit else text

    @staticmethod
    def has(number: float, index: int) -> bool:
        """Return True if a value of a `some` parameter includes the choice with this index."""
        return bool(round(number) >> index & 1)

    def chosen(self, number: float, index: int) -> float:
        """Return the value after a click on the choice with this index, which selects it or, for `some`, toggles it; one stays selected."""
        if not self.several:
            return float(index)
        return float(round(number) ^ (1 << index)) or number

    def _chosen(self, value: object) -> float:
        if self.several:
            return self._some(value)
        if isinstance(value, str):
            for words in (self.choices, self.also, tuple(str(k) for k in range(len(self.choices)))):
                if value.strip() and value.strip().lower() in words:
                    return float(words.index(value.strip().lower()))
        elif isinstance(value, int | float) and not isinstance(value, bool) and value in range(len(self.choices)):
            return float(value)
        raise InvalidInputError(self.name, "one of " + ", ".join(self.choices) + meant(str(value), (*self.choices, *self.also)), value)

    def _some(self, value: object) -> float:
        if isinstance(value, str) and value.strip().lower() == "all":
            return self.high
        if isinstance(value, str):
            words = [word.strip().lower() for word in value.split("+")]
            if all(word in self.choices for word in words):
                return float(sum(1 << k for k, word in enumerate(self.choices) if word in words))
            value = float(value) if value.strip().isdecimal() else value
        if isinstance(value, int | float) and not isinstance(value, bool) and value in range(1, round(self.high) + 1):
            return float(value)
        wrong = next((word for word in str(value).split("+") if word.strip().lower() not in self.choices), "")
        raise InvalidInputError(self.name, "one or more of " + "+".join(self.choices) + meant(wrong, (*self.choices, "all")), value)


def parameter_values(parameters: Sequence[Parameter], given: Mapping[str, object]) -> dict[str, float]:
    """Return the values of all parameters: validated values from `given`, otherwise defaults.

    Raises
    ------
    InvalidInputError
        A name is unknown, or a value is out of range.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            requirement = "one of " + ", ".join(known) + meant(name, known) if known else "absent: this demo has none"
            raise InvalidInputError("parameter", requirement, name)
    return {name: parameter.checked(given[name]) if name in given else parameter.default for name, parameter in known.items()}


def _grain_exponent(span: float) -> int:
    exponent = -3
    while span > 10.0 ** (exponent + 3):
        exponent += 1
    return exponent
