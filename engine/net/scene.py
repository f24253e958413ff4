"""The shared demo and how it was made: all that a client needs to build it anew, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.common.checks import boolean, seed_number
from engine.common.errors import Described, InvalidInputError
from engine.common.messagepack import MAX_PLAIN_BYTES, is_bounded
from engine.sim.demo import Demo
from engine.sim.registry import find_demo
from engine.sim.scene_demo import SceneDemo, scene_class
from engine.world import load_solver
from engine.world.fields import named_values, number
from engine.world.solver import solver_name

__all__ = ["check_hertz", "check_shareable", "made_of", "scene_of"]

_HERTZ = (10.0, 240.0)
"""Steps a second between which a shared world can be asked for: what a display shows, and a server has time for."""
_PACKAGE = "demos."
_FIELDS = frozenset({"demo", "scene", "seed", "values", "solver", "solver_settings", "built_for", "hertz", "remembers"})


def check_shareable(demo: Demo) -> None:
    """Make sure that a demo can be shared.

    Raises
    ------
    InvalidInputError
        It has no world, or not of a class that others could find.
    """
    if not demo.stages:
        raise InvalidInputError("SCENE", "a demo with a world (this one has nothing that could be shared)", demo.id)
    if isinstance(demo, SceneDemo):
        if not is_bounded(msgspec.msgpack.encode(demo.scene_content())):
            raise InvalidInputError("SCENE", f"a scene that guests can be told, in {MAX_PLAIN_BYTES} bytes", Described("a larger one"))
        return
    if not type(demo).__module__.startswith(_PACKAGE) or find_demo(demo.id) is not type(demo):
        wanted = "a demo of this program, or a scene file (guests do not have a Python file of yours, and never run one that is sent)"
        raise InvalidInputError("SCENE", wanted, demo.id or type(demo).__name__)


def check_hertz(field: str, value: object) -> float:
    """Return steps a second that a shared world may have."""
    return number(field, value, "Hz", *_HERTZ)


def scene_of(demo: Demo) -> dict[str, Any]:
    """Return how a demo was made, with its present parameters."""
    sim = demo.sim
    settings = None if sim.solver_settings is None else [list(pair) for pair in sim.solver_settings]
    return {
        "demo": demo.id,
        "scene": demo.scene_content() if isinstance(demo, SceneDemo) else None,
        "seed": demo.seed,
        "values": dict(demo.values),
        "solver": sim.solver,
        "solver_settings": settings,
        "built_for": sim.built_for,
        "hertz": sim.hertz,
        "remembers": sim.keeps_solver_state,
    }


def made_of(plain: object) -> Demo:
    """Return the demo of such data, as it is when it has just been built.

    Raises
    ------
    LabError
        This program has no such demo, or it cannot be made so; or its solver's state is out of reach here, and there it is not.
    """
    if type(plain) is not dict or set(plain) != _FIELDS:
        raise InvalidInputError("scene", "an object with " + ", ".join(sorted(_FIELDS)), list(plain) if type(plain) is dict else plain)
    values, settings, remembers = plain["values"], plain["solver_settings"], boolean("scene.remembers", plain["remembers"])
    solver, built_for = (None if plain[name] is None else solver_name(f"scene.{name}", plain[name]) for name in ("solver", "built_for"))
    if type(values) is not dict or not all(type(name) is str for name in values):
        raise InvalidInputError("scene.values", "names with numbers", values)
    own = None if settings is None else named_values("scene.solver_settings", settings)
    hertz = None if plain["hertz"] is None else check_hertz("scene.hertz", plain["hertz"])
    seed = seed_number("scene.seed", plain["seed"])
    demo = _kind(plain)(seed, values, solver=solver, built_for=built_for, solver_settings=own, hertz=hertz)
    if remembers:
        for name in demo.sim.solvers:
            problem = load_solver(name).prepare()
            if problem is not None:
                raise InvalidInputError("solver", f"one whose state is in reach here ({problem})", name)
    if demo.sim.keeps_solver_state != remembers:
        demo.sim.keeps_solver_state = remembers
        demo.restart()
    return demo


def _kind(plain: Mapping[str, Any]) -> type[Demo]:
    scene, id = plain["scene"], plain["demo"]
    if scene is not None:
        if type(scene) is not dict:
            raise InvalidInputError("scene.scene", "the content of a scene file", Described(type(scene).__name__))
        return scene_class(scene)
    if type(id) is not str:
        raise InvalidInputError("scene.demo", "the id of a demo", id)
    kind = find_demo(id)
    if not kind.__module__.startswith(_PACKAGE):
        raise InvalidInputError("scene.demo", "that of a demo of this program", id)
    return kind
