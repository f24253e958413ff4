"""A recording in memory, and the demo it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.common.errors import Described, InvalidInputError, LabError
from engine.history.history import History, Line

if TYPE_CHECKING:
    from engine.demo.base import Demo
    from engine.demo.stage import RefereeFactory

__all__ = ["Recording", "present_makers", "replay"]


@dataclass(frozen=True, slots=True)
class Recording:
    """What happened in a demo.

    Attributes
    ----------
    demo : str
        Its id.
    scene : mapping or None
        The content of the scene file that the demo was made of, for one that was.
    seed : int
    values : mapping of str to float
        Its parameters at the beginning.
    step_seconds : float
        At the beginning.
    makers : mapping of str to str
        What recorded it: program, Box2D, numpy, Python, platform.
    line : Line
        Inputs, hashes and digests of bodies, step by step; raw states at keyframes.
    branches : int
        How often somebody went back and did something else; what was given up there is in the file, and not here.
    is_ended : bool
        False of one that was cut off: the program that recorded it did not come to an end in the usual way.
    remembers : bool
        Whether the demo's worlds remembered at the beginning (`Demo.remembers`).
    waits : bool
        Whether it waited for what comes in the background (`Demo.waits`).
    begun : int
        The step at which recording was begun: what had been before it is there too.
    """

    demo: str
    scene: Mapping[str, Any] | None
    seed: int
    values: Mapping[str, float]
    step_seconds: float
    makers: Mapping[str, str]
    line: Line = field(repr=False)
    branches: int = 0
    is_ended: bool = True
    remembers: bool = True
    waits: bool = False
    begun: int = 0

    @property
    def steps(self) -> int:
        """How many."""
        return self.line.last

    @property
    def n_inputs(self) -> int:
        """How many things were done."""
        return sum(len(given) for given in self.line.inputs)

    @property
    def needs_memory(self) -> bool:
        """Whether the worlds remembered what Box2D hides, from the beginning or from the moment at which memory came into reach."""
        return self.remembers or any(one.action == "remember" for given in self.line.inputs for one in given)

    @property
    def foreign(self) -> str:
        """What was otherwise where it was recorded, in words; nothing if nothing was."""
        here = present_makers()
        others = [f"{name} {made} (here {here[name]})" for name, made in self.makers.items() if name in here and here[name] != made]
        if self.needs_memory:
            from engine.box2d import memory

            problem = memory.load()
            if problem is not None:
                others.append(f"Box2D's memory in reach (here not: {problem})")
        return ", ".join(others)

    @property
    def kind(self) -> type[Demo]:
        """The demo's class; `InvalidInputError` if this program has none of that id."""
        if self.scene is not None:
            from engine.demo.scene_demo import scene_class

            return scene_class(dict(self.scene))
        from engine.demo.registry import find_demo

        try:
            return find_demo(self.demo)
        except InvalidInputError:
            raise InvalidInputError("demo", "one of this program's, or of a file of your own (--demo FILE.py)", self.demo) from None

    def new_demo(self, referee: RefereeFactory | None = None) -> Demo:
        """Return the demo as it was at the beginning.

        Raises
        ------
        LabError
            This program has no such demo, or it does not take the parameters.
        """
        if self.needs_memory:
            from engine.box2d import memory

            memory.load()  # where it was in reach then, it must be so here
        demo = self.kind(self.seed, self.values, referee)
        if demo.remembers and not self.remembers:
            demo.remembers = False
            demo.restart()
        demo.waits = self.waits
        return demo


def replay(recording: Recording, referee: RefereeFactory | None = None) -> History:
    """Return a history at the beginning of a recording, with all of it ahead.

    Take its steps (`History.step`, `seek`): each is compared with what was recorded, and `divergence` is the first that ends otherwise.
    """
    history = History(recording.new_demo(referee))
    history.take_over(recording.line)
    return history


def content_of(demo: Demo) -> Mapping[str, Any] | None:
    """Return the content of the scene file of a demo that was made of one, None for a demo of this program.

    Raises
    ------
    InvalidInputError
        It is neither, and could not be found again.
    """
    from engine.demo.registry import find_demo

    scene = getattr(demo, "scene_content", None)
    if scene is not None:
        content: Mapping[str, Any] = scene() if callable(scene) else scene
        return content
    try:
        is_known = find_demo(demo.id) is type(demo)
    except LabError:
        is_known = False
    if not is_known:
        raise InvalidInputError("demo", "one that can be found again by its id", Described(demo.id or type(demo).__name__))
    return None


def present_makers() -> dict[str, str]:
    """Return what decides whether two runs are alike to the last bit."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from engine import __version__

    def of(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "unknown"

    return {
        "program": __version__,
        "Box2D": of("Box2D"),
        "numpy": of("numpy"),
        "Python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
