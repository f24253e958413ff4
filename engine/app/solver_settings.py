"""The settings of a solver as parameters for a panel: its own, and those of the world that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.common.limits import MAX_ITERATIONS
from engine.sim.parameters import Parameter
from engine.world import WorldSettings, load_solver
from engine.world.setting import Setting

__all__ = ["OF_WORLD", "changed_setting", "setting_parameters", "setting_values"]

OF_WORLD = "world."
"""Prefix of the names of the world's settings."""
_SWEEPS = "Sweeps over the velocities of all joints and contacts in a step."
_VELOCITY = Parameter(f"{OF_WORLD}velocity_iterations", 8, 1, MAX_ITERATIONS, "", "Velocity iterations", True, 64.0, help=_SWEEPS)
_SUB_STEPS = Parameter(
    f"{OF_WORLD}velocity_iterations",
    8,
    1,
    MAX_ITERATIONS,
    "",
    "Sub-steps",
    True,
    64.0,
    help="Number of parts into which a step is divided.",
)
_POSITION = Parameter(
    f"{OF_WORLD}position_iterations",
    3,
    1,
    MAX_ITERATIONS,
    "",
    "Position iterations",
    True,
    64.0,
    help="Sweeps that correct positions after the velocities.",
)
_WARM = replace(
    Parameter.choice(f"{OF_WORLD}warm_starting", ("off", "on"), "Warm starting", default=1),
    help="Starts each step with the impulses of the previous step.",
)
_HEEDED = {"box2d": (_VELOCITY, _POSITION), "soft_step": (_SUB_STEPS,)}
"""Settings of the world that each solver uses; all use warm starting."""
_MANY = 1000.0
"""Ratio of largest to smallest value from which a slider is logarithmic."""


def setting_parameters(solver: str) -> tuple[Parameter, ...]:
    """Return the settings of a solver; other engines cannot switch warm starting off."""
    kind = load_solver(solver)
    warm = () if kind.capabilities.replays else (_WARM,)
    return (*_HEEDED.get(solver, ()), *(_parameter(setting) for setting in kind.settings), *warm)


def _parameter(setting: Setting) -> Parameter:
    if setting.choices:
        chosen = setting.choices.index(str(setting.default))
        return replace(Parameter.choice(setting.name, setting.choices, setting.title, default=chosen), help=setting.help)
    default, low, high = float(setting.default), setting.low, setting.high
    is_wide = high >= _MANY * low if low > 0.0 else default > 0.0 and high >= _MANY * default
    return Parameter(
        setting.name, default, low, high, setting.unit, setting.title, setting.is_whole, logarithmic=is_wide, help=setting.help
    )


def setting_values(solver: str, settings: WorldSettings) -> dict[str, float]:
    """Return the value of each setting, as a parameter, in a world with these settings."""
    own = dict(settings.solver_settings)
    values: dict[str, float] = {}
    for parameter in setting_parameters(solver):
        if parameter.name.startswith(OF_WORLD):
            values[parameter.name] = float(getattr(settings, parameter.name.removeprefix(OF_WORLD)))
        else:
            values[parameter.name] = parameter.checked(own.get(parameter.name, parameter.default))
    return values


def changed_setting(parameter: Parameter, value: float, before: Mapping[str, float | str]) -> dict[str, float | str]:
    """Return a solver's own settings with one value changed, as `World.set_solver` takes them."""
    number = parameter.choices[round(value)] if parameter.choices else round(value) if parameter.whole else value
    return {**before, parameter.name: number}
