"""Parameters of a demo: sliders in the window, ``--set NAME=VALUE`` on the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.common.words import meant

__all__ = ["Parameter", "parameter_values"]

_DECADES = 3.0


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number a demo lets people change.

    Parameters
    ----------
    name : str
        As typed after ``--set``.
    default, low, high : float
        The value to begin with, and the closed range allowed.
    unit, description : str
        For people: "m/s", "muzzle speed".
    whole : bool
        Only whole numbers.
    slider_high : float, optional
        Where the slider ends, if sooner than `high`.
    note : str
        One line that explains it to newcomers, where the description does not.
    choices, also : tuple of str
        Of a choice, made by `choice`: the word for each value 0, 1, 2..., and another word that is taken for it ("" for none).
    several : bool
        Of a choice of several words at once, made by `some`: the value is the sum of 2^k over the words k that are chosen.
    logarithmic : bool
        True if the slider goes by powers of ten: of a range over many of them. Where `low` is 0, it begins `_DECADES` below the default,
        and its left end is 0.
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

    @classmethod
    def some(cls, name: str, choices: Sequence[str], chosen: Sequence[str], description: str = "", note: str = "") -> Parameter:
        """Return a parameter that is one or more of a few words, typed as ``one+other`` or ``all``."""
        words = tuple(choices)
        default = sum(1 << words.index(word) for word in chosen)
        last = (1 << len(words)) - 1
        return cls(name, default, 1, last, description=description, whole=True, note=note, choices=words, several=True)

    @classmethod
    def choice(
        cls, name: str, choices: Sequence[str], description: str = "", also: Sequence[str] = (), default: int = 0, note: str = ""
    ) -> Parameter:
        """Return a parameter that is one of a few words; its value is the index of the word."""
        last = len(choices) - 1
        words, others = tuple(choices), tuple(also)
        return cls(name, default, 0, last, description=description, whole=True, note=note, choices=words, also=others)

    def __post_init__(self) -> None:
        for name in ("default", "low", "high"):  # 12 and 12.0 are one value, but not one text, and a state's digest is of the text
            object.__setattr__(self, name, float(getattr(self, name)))
        if not self.low <= self.default <= self.high:
            raise InvalidInputError(f"parameter {self.name}: default", f"from {self.low:g} to {self.high:g}", self.default)

    @property
    def slider_range(self) -> tuple[float, float]:
        """Both ends of the slider."""
        return self.low, self.high if self.slider_high is None else min(self.slider_high, self.high)

    @property
    def slider_ends(self) -> tuple[float, float]:
        """Both ends as places on the slider: logarithms where it is logarithmic."""
        low, high = self.slider_range
        return (self._lowest, math.log10(high)) if self.logarithmic else (low, high)

    def on_slider(self, number: float) -> float:
        """Return the place of a value on the slider."""
        return max(math.log10(number), self._lowest) if self.logarithmic and number > 0.0 else self._lowest if self.logarithmic else number

    @property
    def _lowest(self) -> float:
        return math.log10(self.low) if self.low > 0.0 else math.log10(self.default) - _DECADES

    def checked(self, value: object) -> float:
        """Return `value`, a number or a text that is one, if it is allowed; of a choice, its word or its index.

        Raises
        ------
        InvalidInputError
            It is no number, outside the range, or not whole where it must be.
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
        """Return the allowed value nearest to a place on the slider, to three figures of the range, or of itself: what a slider sets."""
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
        """Return the value as people read it, with its unit."""
        if self.several:
            return "+".join(word for k, word in enumerate(self.choices) if self.has(number, k))
        if self.choices:
            return self.choices[round(number)]
        text = f"{number:.0f}" if self.whole else f"{number:.4g}"
        return f"{text} {self.unit}" if self.unit else text

    @staticmethod
    def has(number: float, index: int) -> bool:
        """Return True if a value of several words has the word of that index."""
        return bool(round(number) >> index & 1)

    def chosen(self, number: float, index: int) -> float:
        """Return the value after a click on the word of that index: that word, or, of several, with it or without; never none."""
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
    """Return every parameter's value, the `given` ones checked.

    Raises
    ------
    InvalidInputError
        A name is unknown, or a value outside its range.
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
