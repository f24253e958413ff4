"""Shared scenes: checks whether a demo can be shared, and builds a client's copy of it."""

from __future__ import annotations

import msgspec

from engine.common.errors import Described, InvalidInputError
from engine.common.messagepack import MAX_PLAIN_BYTES, is_bounded
from engine.net.messages import SharedScene
from engine.sim.actions import SetSolver
from engine.sim.demo import Demo
from engine.sim.registry import find_demo
from engine.sim.scene_demo import SceneDemo, scene_class
from engine.world import load_solver
from engine.world.fields import named_values, number

__all__ = ["check_hertz", "check_shareable", "make_demo", "shared_scene"]

_HERTZ = (10.0, 240.0)
"""Smallest and largest allowed number of steps per second of a shared world; displays can show these and a server can simulate them."""
_PACKAGES = ("demos.", "engine.")


def check_shareable(demo: Demo) -> None:
    """Raise `InvalidInputError` if a demo has no world, is neither part of this program nor a scene that can be sent, or has a solver that
    cannot be shared."""
    if not demo.stages:
        raise InvalidInputError("SCENE", "a demo with a world (this one has nothing to share)", demo.id)
    for name in demo.sim.solvers:
        SetSolver(name).check(demo.sim)
    if isinstance(demo, SceneDemo) and _is_built_in(type(demo)):
        if not is_bounded(msgspec.msgpack.encode(demo.scene_content())):
            raise InvalidInputError("SCENE", f"a scene of at most {MAX_PLAIN_BYTES} bytes, to be sent to guests", Described("a larger one"))
    elif not _is_built_in(type(demo)) or isinstance(demo, SceneDemo) or find_demo(demo.id) is not type(demo):
        requirement = "a demo of this program or a scene file (guests do not have your Python files, and never run code that is sent)"
        raise InvalidInputError("SCENE", requirement, demo.id or type(demo).__name__)


def _is_built_in(kind: type[Demo]) -> bool:
    """Return True if a class of demo, with all its bases, is part of this program."""
    return all(base.__module__.startswith(_PACKAGES) for base in kind.__mro__ if issubclass(base, Demo))


def check_hertz(field: str, value: object) -> float:
    """Return `value` if it is an allowed number of steps per second of a shared world."""
    return number(field, value, "Hz", *_HERTZ)


def shared_scene(demo: Demo) -> SharedScene:
    """Return the description of a demo with its present parameters."""
    sim = demo.sim
    return SharedScene(
        demo.id, demo.scene_content() if isinstance(demo, SceneDemo) else None, demo.seed, dict(demo.values), sim.solver,
        None if sim.solver_settings is None else list(sim.solver_settings), sim.built_for, sim.hertz, sim.keeps_solver_state,
    )  # fmt: skip


def make_demo(scene: SharedScene) -> Demo:
    """Build the demo of a shared scene.

    Raises
    ------
    LabError
        This program has no such demo, it cannot be built from `scene`, or the server keeps solver state that is not accessible here.
    """
    kind = find_demo(scene.demo) if scene.scene is None else scene_class(scene.scene)
    if not _is_built_in(kind):
        raise InvalidInputError("scene.demo", "the id of a built-in demo", scene.demo)
    settings = None if scene.solver_settings is None else named_values("scene.solver_settings", scene.solver_settings)
    hertz = None if scene.hertz is None else check_hertz("scene.hertz", scene.hertz)
    demo = kind(scene.seed, scene.values, solver=scene.solver, built_for=scene.built_for, solver_settings=settings, hertz=hertz)
    for name in demo.sim.solvers if scene.remembers else ():
        problem = load_solver(name).prepare()
        if problem is not None:
            raise InvalidInputError("solver", f"a solver whose internal state is accessible here ({problem})", name)
    if demo.sim.keeps_solver_state != scene.remembers:
        demo.sim.keeps_solver_state = scene.remembers
        demo.restart()
    return demo
