"""What the wheel installs: `engine`, and below it the demos, their pictures and the benchmarks, for no top-level name but `engine` is ours.

`engine.common.installation.laboratory` finds them in both places. Everything else is in pyproject.toml.
"""

from setuptools import find_packages, setup

ROOMS = ("demos", "sprites", "benchmarks")

setup(
    packages=[*find_packages(include=["engine", "engine.*"]), *(f"engine.laboratory.{room}" for room in ROOMS)],
    package_dir={f"engine.laboratory.{room}": room for room in ROOMS},
)
