"""Base class of all demos. It has three interfaces:

- for demos to override: the class attributes of `Demo`, and its methods from `build` to `release`;
- for demos to call: the attributes set in `__init__`, and the methods from `add_stage` to `has`;
- for the window, histories and headless runs: `demo.sim`, a `Simulation`, which steps the demo and applies actions to it.

A demo creates its worlds (`build`), acts at each step (`before_step`, `after_step`) and draws an overlay (`draw`). It does not depend on
pixels, the window or the clock: the same class runs in the window, in a headless run and in a test.

    @register(id="falling_box", category="Shapes", title="A falling box", watch="It falls.")
    class FallingBox(Demo):
        parameters = (Parameter("height", 5.0, 1.0, 20.0, "m", "drop height"),)

        def build(self) -> None:
            stage = self.add_stage(World())
            stage.world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static"))
            stage.world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, self.parameter("height"))))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from engine.common.checks import integer, seed_number
from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.contracts import StepAgreement
from engine.geometry import AABB
from engine.sim.action import Action
from engine.sim.action_codec import checked
from engine.sim.claims import Claim, Verdict
from engine.sim.dropping import DroppedBody
from engine.sim.grip import Grip, take_hold, take_hold_of
from engine.sim.parameters import Parameter, parameter_values
from engine.sim.stage import RefereeFactory, Stage, StepTimes, union
from engine.sim.users import MAX_USERS, User, Users
from engine.world import World, WorldSettings, driven_by, load_solver
from engine.world.fields import named_values
from engine.world.solver import DEFAULT, NamedValues, solver_name

__all__ = ["Demo", "DemoFaultError", "Simulation", "StatusLine", "Viewer"]

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
Canvas: TypeAlias = Any
"""An `engine.render.canvas.Canvas`, which the simulation does not import."""
StatusLine = str | tuple[str, Color]
"""A line of the on-screen readout, optionally with a color from `engine.render.palette`."""

_KEYFRAME_STEPS = 60
"""Steps between keyframes. A keyframe costs about 30 us per body (rebuild, encode, compress), a step of a pile 5 to 9 us per body with
all readouts. Keyframes thus take 10% more time overall, and any step is at most 59 steps after a keyframe."""

_MANY_BODIES, _KEYFRAME_STEPS_OF_MANY = 600, 30
"""Above this number of bodies, 59 steps take half a second on a slow machine, so there is a keyframe every 30 steps, for 20% more time."""


_SIMULATION_STATE = ("solver", "solver_settings", "built_for", "hertz", "keeps_solver_state", "users", "_is_settled")
"""Attributes of a simulation that are part of the demo's state."""
_NOT_STATE = frozenset({"seed", "stages", "viewer", "view_state", "sim"})
"""Attributes of a demo that are not part of its state; rewinding does not change them."""


@dataclass(slots=True)
class Viewer:
    """How a demo is viewed; this is not part of its state.

    Attributes
    ----------
    interactive : bool
        Set by the window: a user is watching, so work that takes seconds must not block drawing.
    pointed : pair of float or None
        Pointer position in the view; None if it is outside.
    drawn_fraction : float
        Fraction of the last step that is drawn, 0 to 1.
    wanted_speed : float or None
        Set it to request slow motion, such as 1/16; the window applies it and resets it to None.
    """

    interactive: bool = False
    pointed: tuple[float, float] | None = None
    drawn_fraction: float = 1.0
    wanted_speed: float | None = None


class DemoFaultError(LabError):
    """A demo's own code raised an exception in a shared simulation. The simulation and its recording continue with the partial result."""


class Demo:
    """Base class of demos; see the module.

    Parameters
    ----------
    seed : int
        Seed of all random numbers of the demo, >= 0.
    values : mapping of str to number
        Parameters that differ from their defaults.
    referee : callable, optional
        Creates a referee for each world; if omitted, contacts are not checked.
    solver : str, optional
        Solver of the demo's worlds, one of `engine.world.solvers`. By default, Box2D or the solver named in a scene file.
    built_for : str, optional
        Solver whose polygon skin the initial layout assumes, if not `solver`; worlds that are compared must start from the same layout.
    solver_settings : pairs of str and float or str, optional
        Solver-specific settings that replace those of the demo's worlds.
    hertz : float, optional
        Steps per second; replaces the rate of the demo's worlds.

    Attributes
    ----------
    stages : list of Stage
    steps : int
        Number of steps since the last restart.
    dropped : list of DroppedBody
        Bodies dropped into the demo since the last restart.
    held : set of str
        Keys held down, by pygame's names: "left", "space", "a".
    viewer : Viewer
    view_state : object
        Data used only for drawing; not part of the demo's state, and not changed by rewinding.
    sim : Simulation
    """

    id: ClassVar[str] = ""
    category: ClassVar[str] = ""
    title: ClassVar[str] = ""
    watch: ClassVar[str] = ""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    layers: ClassVar[Mapping[str, bool]] = {}
    """Initial layers that differ from the defaults of `engine.render.views.Layers`: ``{"aabbs": True}``."""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The demo's keys and their functions, for buttons and the help page: ``(("Left, Right", "walk left, walk right"),)``."""
    needs_kernels: ClassVar[bool] = False
    """True if the demo calls kernels that neither a solver nor the live check needs: in the window it waits until they are compiled."""
    no_edits: ClassVar[str] = ""
    """Reason why the demo's worlds cannot be edited; empty if they can be."""
    clear_key: ClassVar[str] = ""
    """Key that removes everything built by hand, of a demo whose `restart` keeps it; empty if a restart removes it."""
    clock_start: tuple[float, int] = (0.0, 0)
    """Time, seconds, and step of the first world at which the displayed clock is 0; set by a `restart` that keeps the worlds."""
    opens_list: ClassVar[bool] = False
    """True if this demo is initially selected in the demo list."""
    tries: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Suggestions: sentences, each with comma-separated triggers that tick it off: "key t" (a key of the demo), "set gravity" (a
    parameter), "Grab" (an action of `engine.sim.actions`) or the id of a window command ("pause")."""
    claims: ClassVar[tuple[Claim, ...]] = ()
    """Numbers that the demo predicts and measures; the readout shows them first."""
    keywords: ClassVar[str] = ""
    """Search terms for the demo list, in addition to the title and `watch`."""
    keeps_scenes: ClassVar[bool] = False
    """True if a scene saved from this demo opens with its keys and parameters; `on_scene` is then called in place of `build`."""
    takes_keys: ClassVar[frozenset[str]] = frozenset()
    """Window shortcut keys that are passed to this demo instead, such as Space in a demo with its own clock."""

    def __init__(
        self,
        seed: int = 0,
        values: Mapping[str, object] | None = None,
        referee: RefereeFactory | None = None,
        solver: str | None = None,
        built_for: str | None = None,
        solver_settings: NamedValues | None = None,
        hertz: float | None = None,
    ) -> None:
        self.seed = seed_number("seed", seed)
        self.values = parameter_values(self.parameters, values or {})
        self.stages: list[Stage] = []
        self.dropped: list[DroppedBody] = []
        self.steps = 0
        self.held: set[str] = set()
        self.viewer = Viewer()
        self.view_state: Any = None
        self._grip: Grip | None = None
        self.sim = Simulation(self, referee, solver, built_for, solver_settings, hertz)
        self.restart()

    # -- for demos to override ----------------------------------------------------------------------------------------

    @classmethod
    def searched_values(cls, searched: str) -> Mapping[str, str]:
        """Return the parameters with which the demo list opens this demo for a search text."""
        return {}

    def build(self) -> None:
        """Create the worlds, with one `add_stage` call for each."""
        raise NotImplementedError

    def on_scene(self) -> None:
        """Handle worlds that were built from a scene file instead of by `build`; see `keeps_scenes`."""

    def before_step(self) -> None:
        """Hook called before each step, for instance to apply forces."""

    def after_step(self) -> None:
        """Hook called after each step, for instance to read contacts."""

    def draw_background(self, canvas: Canvas) -> None:
        """Draw behind the bodies, in the view's coordinates, meters; use `canvas.at(stage.offset)` for world coordinates of a stage."""

    def draw(self, canvas: Canvas) -> None:
        """Draw over the bodies; `stage.drawn_pose(id)` is the drawn pose of a body."""

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        """Return colors by body id that override the defaults; called every frame."""
        return {}

    def outlined_bodies(self, stage: Stage) -> Collection[int]:
        """Return ids of bodies to draw without a fill, because the demo draws them itself; called every frame."""
        return ()

    def status(self) -> Sequence[StatusLine]:
        """Return the lines of the readout that follow the verdicts."""
        return ()

    def summary(self) -> Sequence[str]:
        """Return the lines printed at the end of a headless run, such as verdicts."""
        return ()

    def on_key(self, key: str) -> bool:
        """Handle a key press; return True if the demo uses the key. Shortcuts of the window are not passed on."""
        return False

    def on_wheel(self, point: tuple[float, float], notches: float) -> bool:
        """Handle the mouse wheel at a point in the view; return True if the demo uses it, so that the view does not zoom."""
        return False

    def turn(self, point: tuple[float, float]) -> bool:
        """Handle a right click at a point in the view; return True if that grabs something that `drag` turns."""
        return False

    def on_parameter(self, name: str) -> None:
        """Handle a changed parameter; by default, restart."""
        self.restart()

    def beside_worlds(self) -> bytes:
        """Return demo state held outside its `World`s, as bytes for the digest of each step, which reveals a diverging replay."""
        return b""

    def agreement(self) -> StepAgreement:
        """Return the results of all comparisons with Box2D since the restart; by default, of all contacts of all worlds."""
        return sum((stage.total for stage in self.stages), StepAgreement())

    def arrange(self, width: float, height: float) -> bool:
        """Lay out the worlds for a view of this size, in design pixels; return True if anything changed.

        Only `Stage.offset` and `Stage.window` may change.
        """
        return False

    def foot_height(self, height: float, ui_scale: float) -> float:
        """Return the height of the diagram that the demo draws at the bottom of a view, pixels; the worlds are shown above it.

        `height` is the height of the view, pixels, and `ui_scale` the number of screen pixels per design pixel.
        """
        return 0.0

    def door(self) -> Any:
        """Return the `engine.app.stepper_requests.StepperRequest` to use if the pointer is not on anything, or None for the default.

        The default is the deepest contact, or the nearest pair if there are no contacts.
        """
        return None

    def margins(self, width: float, height: float, ui_scale: float) -> tuple[float, float, float]:
        """Return the top, right and bottom margins, pixels, that the demo draws in, for a view of this size; by default, only a bottom
        margin of `foot_height`. The worlds are shown in the remaining area."""
        return 0.0, 0.0, self.foot_height(height, ui_scale)

    def home(self) -> AABB:
        """Return the box that the camera shows at first; by default, it contains all fixtures in their initial poses."""
        box = union([stage.bounds for stage in self.stages if stage.bounds is not None])
        return box if box is not None else AABB((-10.0, -6.0), (10.0, 6.0))

    @classmethod
    def load_kernels(cls) -> None:
        """Call the kernels of `needs_kernels`; by default, by running the demo for two seconds."""
        demo = cls()
        for _ in range(round(2.0 / demo.step_seconds)):
            demo.sim.step()

    @property
    def grabbing(self) -> bool:
        """True if a body is held."""
        return self.grip is not None

    @property
    def grip(self) -> Grip | None:
        """The current grip; None if nothing is held, or it no longer exists."""
        return self._grip if self._grip is not None and self._grip.is_there else None

    def grab(self, point: tuple[float, float]) -> bool:
        """Grab the dynamic body at a point in the view; return True if there is one."""
        self.release()
        self._grip = take_hold(self.stages, point)
        return self._grip is not None

    def drag(self, point: tuple[float, float]) -> None:
        """Pull the grabbed body toward a point; no-op if it no longer exists."""
        if self._grip is not None:
            self._grip.pull(point)

    def release(self) -> None:
        """Release the grabbed body, if any."""
        if self._grip is not None:
            self._grip.let_go()
            self._grip = None

    def state_attributes(self) -> dict[str, Any]:
        """Return the attributes that are part of the demo's state, by name."""
        return {name: value for name, value in vars(self).items() if name not in _NOT_STATE}

    def set_state_attributes(self, state: Mapping[str, Any]) -> None:
        """Replace the demo's state with the result of an earlier `state_attributes` call."""
        attributes = vars(self)
        for name in [name for name in attributes if name not in state and name not in _NOT_STATE]:
            del attributes[name]
        attributes.update(state)

    def verdicts(self) -> list[Verdict]:
        """Return a line for each claim, with the measured and the predicted number."""
        lines = [claim.verdict(self) for claim in self.claims]
        return [line for line in lines if line is not None]

    # -- for demos to call --------------------------------------------------------------------------------------------

    def add_stage(self, world: World, offset: tuple[float, float] = (0.0, 0.0), label: str = "", mark_touching: bool = False) -> Stage:
        """Add a world to the view and return its stage."""
        stage = Stage(world, offset, label, mark_touching)
        if self.sim.referee is not None:
            stage.referee = self.sim.referee(world)
        self.stages.append(stage)
        return stage

    def parameter(self, name: str) -> float:
        """Return the current value of a parameter."""
        return self.values[name]

    def set_parameter(self, name: str, value: object) -> None:
        """Validate and set a parameter; no-op if the value is unchanged."""
        number = parameter_values(self.parameters, {name: value})[name]
        if number != self.values[name]:
            self.values[name] = number
            self.on_parameter(name)

    def rng(self, name: str) -> np.random.Generator:
        """Return the demo's random number generator with this name; it restarts with the demo."""
        return stream(self.seed, self.id, name)

    @property
    def step_seconds(self) -> float:
        """Step length, seconds."""
        return 1.0 / self.stages[0].world.settings.hertz if self.stages else 1.0 / 60.0

    def restart(self) -> None:
        """Rebuild all worlds from the seed and the parameters; dropped bodies are removed."""
        self._grip = None
        self.stages.clear()
        self.dropped.clear()
        self.steps = 0
        self.sim.built_with = dict(self.values)
        with self.sim.driving():
            self.build()
        self.sim.settle()


class Simulation:
    """Steps a demo and applies actions to it, for the window, a history or a headless run.

    Attributes
    ----------
    demo : Demo
    keeps_solver_state : bool
        True if canonicalizing a world preserves its solver's complete state; see `keep_solver_state`.
    referee : callable or None
        Creates the referee of each world.
    solver : str or None
        Solver for every world the demo creates without naming one; None leaves the choice to the demo.
    solver_settings : pairs of str and float or str, or None
        Solver-specific settings; None leaves them to the demo.
    hertz : float or None
        Steps per second of all current and future worlds; None leaves it to the demo.
    built_for : str or None
        Solver whose polygon skin the initial layout assumes; None means the solver in use.
    has_kernels : bool
        False in a window while the kernels of the demo and of its solvers are compiled; it then takes no steps.
    users : Users
        Users of a shared simulation; empty for a single user.
    user_number : int
        Number of the user whose action is being applied; 0 between actions, and for a single user.
    is_checked : bool
        False if referees must not check steps.
    observers : list of callable
        Called with each stage after each of its steps, including repeated steps.
    """

    def __init__(
        self,
        demo: Demo,
        referee: RefereeFactory | None,
        solver: str | None = None,
        built_for: str | None = None,
        solver_settings: NamedValues | None = None,
        hertz: float | None = None,
    ) -> None:
        self.demo = demo
        self.solver = None if solver is None else solver_name("solver", solver)
        self.solver_settings = solver_settings
        self.built_for = built_for
        self.hertz = hertz
        self.keeps_solver_state = True
        self.users = Users()
        self.user_number = 0
        self._is_settled = False
        self.built_with: dict[str, float] = {}
        """Parameters with which the worlds were last built."""
        self.referee = referee
        self.has_kernels = True
        self.is_checked = True
        self.observers: list[Callable[[Stage], object]] = []

    def state_attributes(self) -> dict[str, Any]:
        """Return its state by name."""
        return {name: getattr(self, name) for name in _SIMULATION_STATE}

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Advance every stage by one step, or a shared demo by one tick, which may contain no step or several.

        Raises
        ------
        LabError
            The step failed. A shared demo then still does its keyframe work and rebuilds lost worlds, so that all copies continue
            identically; an exception of the demo's own code becomes a `DemoFaultError` there.
        """
        if not self.is_shared:
            return self._advance(1)
        try:
            return self._advance(self.users.tick())
        except LabError:
            self._mend()
            raise
        except Exception as error:
            self._mend()
            raise DemoFaultError(f"{type(error).__name__}: {error}") from error

    def _advance(self, n_steps: int) -> None:
        demo, users = self.demo, self.users
        self._tell_worlds()
        worlds = [stage.world for stage in demo.stages]
        with self.driving():
            for _ in range(n_steps):
                users.push(demo.stages)
                demo.before_step()
                for stage in demo.stages:
                    stage.advance(self.is_checked)
                    for observe in self.observers:
                        observe(stage)
                demo.steps += 1
                demo.after_step()
        if [stage.world for stage in demo.stages] != worlds:
            users.leave_worlds(demo)
        if self.is_keyframe:
            self._canonicalize()

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Disable the referees in the with block, for repeated steps."""
        was_checked, self.is_checked = self.is_checked, False
        try:
            yield
        finally:
            self.is_checked = was_checked

    def _mend(self) -> None:
        with suppress(LabError):
            if any(stage.world.is_lost for stage in self.demo.stages):
                self.demo.restart()
                self.users.leave_worlds(self.demo)
            if self.is_keyframe:
                self._canonicalize()

    def _canonicalize(self) -> None:
        for stage in self.demo.stages:
            stage.world.canonicalize()

    @property
    def is_shared(self) -> bool:
        """True if several users can join; `step` then advances by ticks."""
        return self.users.is_shared

    @property
    def is_keyframe(self) -> bool:
        """True if worlds are canonicalized after the latest step, so that the demo can be restored to it exactly.

        Always False while joint impulses are not accessible, because canonicalizing would discard them and hanging chains would sag. The
        step is then reached by replaying from the start, or from the step at which the impulses became readable.
        """
        return self._steps_to_keyframe == 0

    @property
    def is_keyframe_next(self) -> bool:
        """True if the next step ends at a keyframe, which takes longer."""
        return self._steps_to_keyframe == 1

    @property
    def _steps_to_keyframe(self) -> int | None:
        """Number of steps, or ticks, to the next keyframe; 0 at a keyframe, None if there will be none."""
        if self.is_shared:
            return self.users.ticks_to_keyframe
        stages = self.demo.stages
        if not self.keeps_solver_state and any(stage.world.joint_ids for stage in stages):
            return None
        is_of_many = sum(len(stage.world.body_ids) for stage in stages) > _MANY_BODIES
        return -self.demo.steps % (_KEYFRAME_STEPS_OF_MANY if is_of_many else _KEYFRAME_STEPS)

    @property
    def times(self) -> StepTimes:
        """Times of the last step, summed over all stages."""
        stages = self.demo.stages
        return StepTimes(sum(stage.times.step for stage in stages), sum(stage.times.check for stage in stages))

    def settle(self) -> None:
        """Canonicalize newly built worlds and measure their bounds."""
        if not self._is_settled:
            self._is_settled, self.keeps_solver_state = True, self.has_whole_states
        self._tell_worlds()
        for stage in self.demo.stages:
            if self.hertz is not None:
                stage.world.set_settings(hertz=self.hertz)
            stage.world.canonicalize()
            stage.measure()

    def _tell_worlds(self) -> None:
        for stage in self.demo.stages:
            stage.world.keeps_solver_state = self.keeps_solver_state

    # -- grabbing -----------------------------------------------------------------------------------------------------

    def hold(self, stage: int, body: int, held: tuple[float, float], point: tuple[float, float]) -> None:
        """Grab a body at `held`, in its own frame, and pull it toward `point`, in the view; both in meters.

        Raises
        ------
        LabError
            The stage or body does not exist, or the body cannot be grabbed.
        """
        demo = self.demo
        demo.release()
        demo._grip = take_hold_of(demo.stages[self._checked_stage(stage)], body, held, point)

    # -- solver -------------------------------------------------------------------------------------------------------

    def driving(self) -> AbstractContextManager[None]:
        """Return a context in which new worlds get the solver and settings of the simulation."""
        return driven_by(self.solver or DEFAULT, self.solver_settings or ()) if self.solver or self.solver_settings else nullcontext()

    def set_solver(self, solver: str, solver_settings: Mapping[str, float | str] | NamedValues = ()) -> None:
        """Change the solver, or its settings, of all current and future worlds of the demo.

        The layout still assumes the initial solver. Bodies that fell asleep wake up, to show how the new solver treats them; bodies
        created asleep stay asleep.

        Raises
        ------
        InvalidInputError
            There is no such solver, or it does not support a setting or the contents of a world; nothing is changed then.
        """
        kind, settings = load_solver(solver), named_values("solver_settings", solver_settings)
        worlds, built_for = [stage.world for stage in self.demo.stages], self.built_for or self.solvers[0]
        if self.keeps_solver_state and not kind.has_whole_states():
            kind.prepare()
        kind.accept(WorldSettings(solver_settings=settings))
        for world in worlds if len(worlds) > 1 else ():  # change all worlds or none
            world.clone().set_solver(solver, settings)
        for world in worlds:
            if (world.solver, world.settings.solver_settings) != (solver, settings):
                world.set_solver(solver, settings)
        self.solver, self.solver_settings, self.built_for = solver, settings, built_for
        self.keeps_solver_state &= self.has_whole_states
        self._tell_worlds()

    @property
    def solvers(self) -> tuple[str, ...]:
        """Distinct names of the solvers of the demo's worlds; if it has no world, the solver that a new world would get."""
        return tuple(dict.fromkeys(stage.world.solver for stage in self.demo.stages)) or (self.solver or DEFAULT,)

    @property
    def own_settings(self) -> dict[str, float | str]:
        """Solver-specific settings of the first world, by name; empty if there is no world."""
        worlds = [stage.world for stage in self.demo.stages]
        return load_solver(worlds[0].solver).own_settings(worlds[0].settings) if worlds else {}

    @property
    def skin_radius(self) -> float:
        """Polygon skin radius that the initial layout assumes, meters: resting bodies lie that much higher."""
        return load_solver(self.built_for or self.solver or DEFAULT).capabilities.skin_radius

    @property
    def is_on_box2d(self) -> bool:
        """True if Box2D is the solver of all worlds."""
        return self.solvers == (DEFAULT,)

    @property
    def solver_title(self) -> str:
        """Titles of the solvers in use, for display."""
        return ", ".join(load_solver(name).capabilities.title for name in self.solvers)

    @property
    def has_whole_states(self) -> bool:
        """True if the complete solver state of all worlds is accessible (`Solver.has_whole_states`)."""
        return all(load_solver(name).has_whole_states() for name in self.solvers)

    # -- the referee --------------------------------------------------------------------------------------------------

    def use_referee(self, referee: RefereeFactory | None) -> None:
        """Give every stage a referee, now and after each restart, or remove it."""
        self.referee = referee
        for stage in self.demo.stages:
            stage.referee = referee(stage.world) if referee is not None else None

    def use_missing_referees(self, referee: RefereeFactory | None = None) -> None:
        """Give a referee to stages without one, as after rewinding to before there was one; `referee` is used if this has none."""
        self.referee = self.referee if self.referee is not None else referee
        for stage in self.demo.stages:
            if stage.referee is None and self.referee is not None:
                stage.referee = self.referee(stage.world)

    # -- acting -------------------------------------------------------------------------------------------------------

    def act(self, action: Action, user: int = 0) -> Any:
        """Apply an action and return its result; `user` is its user in a shared simulation, or 0.

        Raises
        ------
        LabError
            The action is rejected; `DemoFaultError` if the code of a shared demo fails.
        """
        with self.driving(), action.context(self):
            return action.apply(self) if user == 0 else self._act_as(integer("user", user, 1, MAX_USERS), action)

    def _act_as(self, number: int, action: Action) -> Any:
        users, self.user_number = self.users, number
        try:
            hand: AbstractContextManager[None] = nullcontext()
            if action.uses_hand:
                hand = users.hand_of(self.demo, self.checked_user(number))
                if action.may_create:
                    users.check_ids(number)
            action.check(self)
            with hand:
                result, inverse = action.perform(self)
                users.note(number, action, inverse)
            return result
        except LabError:
            raise
        except Exception as error:
            raise DemoFaultError(f"{type(error).__name__}: {error}") from error
        finally:
            self.user_number = 0

    def resolve(self, action: Action) -> Action:
        """Return a validated action that has the same effect in every copy of the simulation.

        Raises
        ------
        InvalidInputError
            A field is outside its range.
        """
        return checked(action.resolve(self))

    @property
    def user(self) -> User | None:
        """The user whose action is being applied; None between actions, and for a single user."""
        return self.users.users.get(self.user_number)

    @property
    def acting_user(self) -> User:
        """The user whose action is being applied; raises `InvalidInputError` if there is none."""
        return self.users.users[self.checked_user(self.user_number)]

    def checked_user(self, number: int) -> int:
        """Return `number`, or raise `InvalidInputError` if no such user has joined."""
        if number not in self.users.users:
            raise InvalidInputError("user", "a user who has joined", number)
        return number

    def has_body(self, stage: int, body: int) -> bool:
        """Return True if the stage exists and its world has the body."""
        return stage < len(self.demo.stages) and self.demo.stages[stage].world.is_body(body)

    def world(self, stage: int) -> World:
        """Return the world of a stage, or raise `InvalidInputError` if there is no such stage."""
        return self.demo.stages[self._checked_stage(stage)].world

    def _checked_stage(self, stage: int) -> int:
        if not 0 <= integer("stage", stage, 0) < len(self.demo.stages):
            raise InvalidInputError("stage", f"below {len(self.demo.stages)}", stage)
        return stage

    def keep_solver_state(self) -> None:
        """Preserve the complete solver state of all worlds from now on."""
        self.keeps_solver_state = True
        self._tell_worlds()
