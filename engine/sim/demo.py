"""The base of every demo. There are three sides to it:

- what a demo overrides: the class attributes of `Demo`, and its methods from `build` to `release`;
- what a demo uses: the attributes that its `__init__` makes, and the methods from `add_stage` to `has`;
- what the window, a history and a headless run use: `demo.sim`, a `Simulation`, which steps the demo and applies actions to it.

A demo says what is in its worlds (`build`), what happens at each step (`before_step`, `after_step`) and what it draws over
the picture (`draw`). It never sees a pixel, a window or the time of day: the same class runs in the window, in a
headless run and in a test.

    @register(id="falling_box", category="Shapes", title="A falling box", watch="It falls.")
    class FallingBox(Demo):
        parameters = (Parameter("height", 5.0, 1.0, 20.0, "m", "height of the fall"),)

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
from engine.sim.action_fields import checked
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
"""An `engine.render.canvas.Canvas`; the simulation knows nothing of drawing."""
StatusLine = str | tuple[str, Color]
"""A line of the readout over the picture, with a color of `engine.render.palette` or without."""

_KEYFRAME_STEPS = 60
"""From one keyframe to the next. Building a world anew, half of it in the steps before, keeping it and packing that take 30 us a body, a
step of a pile 5 to 9 with all that is read and counted: a tenth more time in all, and at most 59 steps on the way to the step asked for."""

_MANY_BODIES, _KEYFRAME_STEPS_OF_MANY = 600, 30
"""With more bodies than this those 59 steps take half a second on a slow machine: then it is every 30, for a fifth more time in all."""


_SIMULATION_STATE = ("solver", "solver_settings", "built_for", "hertz", "waits", "keeps_solver_state", "users", "_is_settled")
"""Attributes of a simulation that are part of the demo's state."""
_NOT_STATE = frozenset({"seed", "stages", "viewer", "view_state", "sim"})
"""Attributes of a demo that are no state of its own: it keeps them when it goes back in time."""


@dataclass(slots=True)
class Viewer:
    """Viewer of a demo, and the moment of its last step that is seen: no part of its past.

    Attributes
    ----------
    interactive : bool
        Set by the window: a user is watching, and what takes seconds must not keep the picture waiting.
    pointed : pair of float or None
        Where the pointer is in the picture; None outside of it.
    drawn_fraction : float
        The fraction of the last step at which the picture is drawn, 0 to 1.
    wanted_speed : float or None
        Set it to ask the window for a slow motion, such as 1/16; the window takes it and sets it to None again.
    """

    interactive: bool = False
    pointed: tuple[float, float] | None = None
    drawn_fraction: float = 1.0
    wanted_speed: float | None = None


class DemoFaultError(LabError):
    """A mistake of a shared demo's own: the world goes on with what was done of it, and so does a recording."""


class Demo:
    """Base class; see the module.

    Parameters
    ----------
    seed : int
        >= 0; everything random in the demo comes from it.
    values : mapping of str to number
        Parameters that differ from their defaults.
    referee : callable, optional
        Makes a referee for each world; without one nothing is compared.
    solver : str, optional
        What drives its worlds, one of `engine.world.solvers`, in place of what drives them otherwise: Box2D, or what a scene file names.
    built_for : str, optional
        The solver for which its worlds are laid out, where that is another one: two worlds that are compared begin alike.
    solver_settings : pairs of str and float or str, optional
        Settings of the solver's own, in place of those that its worlds would have.
    hertz : float, optional
        Steps a second, in place of those of its worlds.

    Attributes
    ----------
    stages : list of Stage
    steps : int
        Taken since the last restart.
    dropped : list of DroppedBody
        Files that were dropped into it since the last restart.
    held : set of str
        Keys held down now, by pygame's names: "left", "space", "a".
    ready : set of str
        Of `arrivals`, what is there. It stays: a restart builds the worlds anew, but what was loaded is not loaded again.
    viewer : Viewer
    view_state : object
        What the demo keeps for its picture alone: it is no part of the demo's state, and going back in time leaves it as it is.
    sim : Simulation
    """

    id: ClassVar[str] = ""
    category: ClassVar[str] = ""
    title: ClassVar[str] = ""
    watch: ClassVar[str] = ""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    layers: ClassVar[Mapping[str, bool]] = {}
    """Layers shown at first, where they differ from `engine.render.views.Layers`: ``{"aabbs": True}``."""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The demo's own keys and what they do, for buttons and the page of keys: ``(("Left, Right", "walk left, walk right"),)``."""
    needs_referee: ClassVar[bool] = False
    """True if there is little to see without the referee's algorithms: the browser's preview gets them too then."""
    no_edits: ClassVar[str] = ""
    """Why its worlds cannot be changed by hand; empty where they can."""
    opens_list: ClassVar[bool] = False
    """True if the list of demos begins with this one chosen, and its preview running."""
    tries: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What to try: sentences, each with what ticks it off, joined by commas: "key t" (a key of the demo), "set gravity" (a parameter),
    "Grab" (an action of `engine.sim.actions`) or the id of a command of the window ("pause")."""
    keywords: ClassVar[str] = ""
    """Words that find the demo in the list, besides those of its title and of `watch`."""
    takes_keys: ClassVar[frozenset[str]] = frozenset()
    """Keys that the window has a use for, and that it leaves to this demo: of one with a time of its own Space, for instance."""

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
        self.ready: set[str] = set()
        self.viewer = Viewer()
        self.view_state: Any = None
        self._grip: Grip | None = None
        self.sim = Simulation(self, referee, solver, built_for, solver_settings, hertz)
        self.restart()

    # -- what a demo overrides ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Create the worlds: one `add_stage` for each."""
        raise NotImplementedError

    def before_step(self) -> None:
        """Act on the worlds before a step; called once a step."""

    def after_step(self) -> None:
        """Look at what the step did."""

    def draw_background(self, canvas: Canvas) -> None:
        """Draw under the bodies; world coordinates, `canvas.at(stage.offset)` for a stage's own."""

    def draw(self, canvas: Canvas) -> None:
        """Draw over the bodies. `stage.drawn_pose(id)` is where a body is in this picture."""

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        """Return colors of single bodies by id, in place of the usual ones; called for every picture."""
        return {}

    def outlined_bodies(self, stage: Stage) -> Collection[int]:
        """Return ids of bodies drawn without a fill, because the demo draws them itself; called for every picture."""
        return ()

    def status(self) -> Sequence[StatusLine]:
        """Return the lines of the readout."""
        return ()

    def summary(self) -> Sequence[str]:
        """Return the lines that a headless run prints at its end, such as verdicts."""
        return ()

    def on_key(self, key: str) -> bool:
        """React to a key pressed; return True if it was the demo's. The window's own keys never arrive here."""
        return False

    def on_wheel(self, point: tuple[float, float], notches: float) -> bool:
        """React to the wheel over a point of the picture; return True if it was the demo's, and the view does not zoom."""
        return False

    def turn(self, point: tuple[float, float]) -> bool:
        """React to the right button pressed at a point of the picture; True if it takes hold of something that `drag` turns."""
        return False

    def on_parameter(self, name: str) -> None:
        """React to a parameter that was changed; the base builds everything anew."""
        self.restart()

    def beside_worlds(self) -> bytes:
        """Return what else the demo's state consists of, as bytes to be recognized by: what moves or is moved without a `World`.

        It is part of the digest of every step, by which a recording that is played again is found to end otherwise.
        """
        return b""

    def agreement(self) -> StepAgreement:
        """Return what was compared with Box2D since the restart: every contact of every world, unless overridden."""
        return sum((stage.total for stage in self.stages), StepAgreement())

    def arrange(self, width: float, height: float) -> bool:
        """Lay the worlds out for a picture of so many design pixels, and return True if that makes a difference.

        Only `Stage.offset` and `Stage.window` may change.
        """
        return False

    def foot_height(self, height: float, ui_scale: float) -> float:
        """Return how much of a view of that height, pixels, the demo draws a diagram on, from below: its worlds are shown above that.

        `ui_scale` is of screen pixels to a design pixel.
        """
        return 0.0

    def door(self) -> Any:
        """Return what can be watched step by step where nothing is pointed at, an `engine.app.stepper_requests.StepperRequest`, or None.

        Unless overridden, the window takes the deepest contact, of worlds without one the nearest pair.
        """
        return None

    def margins(self, width: float, height: float, ui_scale: float) -> tuple[float, float, float]:
        """Return how much of a view of that size, pixels, the demo draws on at its top, its right and its bottom: its worlds are shown
        between; unless overridden, `foot_height` alone."""
        return 0.0, 0.0, self.foot_height(height, ui_scale)

    def home(self) -> AABB:
        """Return what the camera shows at first: all fixtures as they were built, unless overridden."""
        box = union([stage.bounds for stage in self.stages if stage.bounds is not None])
        return box if box is not None else AABB((-10.0, -6.0), (10.0, 6.0))

    def arrivals(self) -> Sequence[str]:
        """Return what has come in the background and may steer a step, kernels or numbers, each under a name."""
        return ()

    @property
    def grabbing(self) -> bool:
        """True if a body is held."""
        return self.grip is not None

    @property
    def grip(self) -> Grip | None:
        """The hand where it holds something, and what it holds still exists."""
        return self._grip if self._grip is not None and self._grip.is_there else None

    def grab(self, point: tuple[float, float]) -> bool:
        """Take hold of the dynamic body at a point of the picture; return whether there is one."""
        self.release()
        self._grip = take_hold(self.stages, point)
        return self._grip is not None

    def drag(self, point: tuple[float, float]) -> None:
        """Pull what is held towards a point; it may have been destroyed meanwhile."""
        if self._grip is not None:
            self._grip.pull(point)

    def release(self) -> None:
        """Let go."""
        if self._grip is not None:
            self._grip.let_go()
            self._grip = None

    def state_attributes(self) -> dict[str, Any]:
        """Return its state by name: all attributes but those that belong to the program around it."""
        return {name: value for name, value in vars(self).items() if name not in _NOT_STATE}

    def set_state_attributes(self, state: Mapping[str, Any]) -> None:
        """Replace its state by one that `state_attributes` returned."""
        attributes = vars(self)
        for name in [name for name in attributes if name not in state and name not in _NOT_STATE]:
            del attributes[name]
        attributes.update(state)

    # -- what a demo uses ---------------------------------------------------------------------------------------------

    def add_stage(self, world: World, offset: tuple[float, float] = (0.0, 0.0), label: str = "", mark_touching: bool = False) -> Stage:
        """Add a world to the picture and return its stage."""
        stage = Stage(world, offset, label, mark_touching)
        if self.sim.referee is not None:
            stage.referee = self.sim.referee(world)
        self.stages.append(stage)
        return stage

    def parameter(self, name: str) -> float:
        """Return a parameter's present value."""
        return self.values[name]

    def set_parameter(self, name: str, value: object) -> None:
        """Change a parameter, checked; nothing happens if it already has the value."""
        number = parameter_values(self.parameters, {name: value})[name]
        if number != self.values[name]:
            self.values[name] = number
            self.on_parameter(name)

    def rng(self, name: str) -> np.random.Generator:
        """Return the random stream of this demo and `name`, the same after every restart."""
        return stream(self.seed, self.id, name)

    @property
    def step_seconds(self) -> float:
        """Length of a step."""
        return 1.0 / self.stages[0].world.settings.hertz if self.stages else 1.0 / 60.0

    def restart(self) -> None:
        """Build everything anew from the seed and the parameters, without what was dropped."""
        self._grip = None
        self.stages.clear()
        self.dropped.clear()
        self.steps = 0
        self.sim.built_with = dict(self.values)
        with self.sim.driving():
            self.build()
        self.sim.settle()

    def has(self, what: str) -> bool:
        """Return True if a step may ask for something of `arrivals`: the demo waits for nothing, or it is ready."""
        return not self.sim.waits or what in self.ready

    @property
    def has_algorithms(self) -> bool:
        """True if all that the referee's algorithms can be asked is there."""
        return self.sim.has_algorithms


class Simulation:
    """Steps a demo and acts on it: for the window, a history and a headless run.

    Attributes
    ----------
    demo : Demo
    waits : bool or None
        True if the demo goes without what takes seconds until it is ready, rather than ask for it in the middle of a step: set by the
        window at the beginning, part of what a recording keeps; None is no.
    keeps_solver_state : bool
        True if its worlds keep the whole state of their solver when they are brought into canonical form; see `keep_solver_state`.
    referee : callable or None
        Makes the referee of each world.
    solver : str or None
        What drives every world that the demo makes without naming a solver; None where that is left to the demo.
    solver_settings : pairs of str and float or str, or None
        Settings of that solver's own; None where they are left to the demo.
    hertz : float or None
        Steps a second of all its worlds, also of those to come; None where that is left to the demo.
    built_for : str or None
        For which solver its worlds are laid out; None for that which drives them.
    has_algorithms : bool
        True if the referee's algorithms are complete.
    users : Users
        Who shares the demo; nobody, of one that a single person plays.
    user_number : int
        User whose action is applied now; 0 between actions, and where one person plays.
    is_checked : bool
        False while steps are not to be checked by referees.
    observers : list of callable
        Called with each stage after each of its steps, new or taken again: for a picture, or for counts.
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
        self.waits: bool | None = None
        self.keeps_solver_state = True
        self.users = Users()
        self.user_number = 0
        self._is_settled = False
        self.built_with: dict[str, float] = {}
        """The demo's parameters when its worlds were built last."""
        self.referee = referee
        self.has_algorithms = referee is not None
        self.is_checked = True
        self.observers: list[Callable[[Stage], object]] = []

    def state_attributes(self) -> dict[str, Any]:
        """Return its state by name."""
        return {name: getattr(self, name) for name in _SIMULATION_STATE}

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Take one step in every stage; of a shared demo let a tick pass, in which there may be none or several.

        Raises
        ------
        LabError
            It broke off. A shared demo has then done all the same what is done at a keyframe, and built a world that was lost anew: it goes
            on, and everywhere alike; what is the demo's own mistake is a `DemoFaultError` there.
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
        """Let no step within be checked: it is taken again."""
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
        """True if several users can come: its steps are ticks then."""
        return self.users.is_shared

    @property
    def is_keyframe(self) -> bool:
        """True if worlds are brought into canonical form after the step just taken, so that the demo can be brought back to here exactly.

        Not while the impulses of joints are out of reach: each time a hanging chain would sag for want of them. A step is then reached from
        the beginning, or from where they came into reach.
        """
        return self._steps_to_keyframe == 0

    @property
    def _steps_to_keyframe(self) -> int | None:
        """How many steps, or ticks, the next keyframe lies ahead; 0 at one, None where there is none."""
        if self.is_shared:
            return self.users.ticks_to_keyframe
        stages = self.demo.stages
        if not self.keeps_solver_state and any(stage.world.joint_ids for stage in stages):
            return None
        is_of_many = sum(len(stage.world.body_ids) for stage in stages) > _MANY_BODIES
        return -self.demo.steps % (_KEYFRAME_STEPS_OF_MANY if is_of_many else _KEYFRAME_STEPS)

    @property
    def times(self) -> StepTimes:
        """Times of the last step, over all stages."""
        stages = self.demo.stages
        return StepTimes(sum(stage.times.step for stage in stages), sum(stage.times.check for stage in stages))

    def settle(self) -> None:
        """Bring worlds that were just built into canonical form, and measure them."""
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

    # -- what the pointer holds ---------------------------------------------------------------------------------------

    def hold(self, stage: int, body: int, held: tuple[float, float], point: tuple[float, float]) -> None:
        """Take hold of a body at a point of its own frame, and pull it towards a point of the picture.

        Raises
        ------
        LabError
            There is no such stage or body, or none that can be held.
        """
        demo = self.demo
        demo.release()
        demo._grip = take_hold_of(demo.stages[self._checked_stage(stage)], body, held, point)

    # -- what drives the worlds ---------------------------------------------------------------------------------------

    def driving(self) -> AbstractContextManager[None]:
        """Let worlds that the demo makes within be driven as all the others."""
        return driven_by(self.solver or DEFAULT, self.solver_settings or ()) if self.solver or self.solver_settings else nullcontext()

    def set_solver(self, solver: str, solver_settings: Mapping[str, float | str] | NamedValues = ()) -> None:
        """Let another solver drive all worlds of the demo from here on, and those to come; of the same one, change the settings.

        They stay laid out for the one that the demo began with. What has fallen asleep wakes, so that one sees what becomes of it; what was
        made asleep sleeps on.

        Raises
        ------
        InvalidInputError
            There is none of that name, or it cannot take a setting, or what is in a world; then nothing has changed.
        """
        kind, settings = load_solver(solver), named_values("solver_settings", solver_settings)
        worlds, built_for = [stage.world for stage in self.demo.stages], self.built_for or self.solvers[0]
        if self.keeps_solver_state and not kind.has_whole_states():
            kind.prepare()
        kind.accept(WorldSettings(solver_settings=settings))
        for world in worlds if len(worlds) > 1 else ():  # all of them, or none
            World.from_snapshot(world.snapshot()).set_solver(solver, settings)
        for world in worlds:
            if (world.solver, world.settings.solver_settings) != (solver, settings):
                world.set_solver(solver, settings)
        self.solver, self.solver_settings, self.built_for = solver, settings, built_for
        self.keeps_solver_state &= self.has_whole_states
        self._tell_worlds()

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of what drives the demo's worlds, each once; of a demo without a world, of what would drive one."""
        return tuple(dict.fromkeys(stage.world.solver for stage in self.demo.stages)) or (self.solver or DEFAULT,)

    @property
    def own_settings(self) -> dict[str, float | str]:
        """Every setting of the solver's own with its value, as the first world has them; none of a demo without a world."""
        worlds = [stage.world for stage in self.demo.stages]
        return load_solver(worlds[0].solver).own_settings(worlds[0].settings) if worlds else {}

    @property
    def skin_radius(self) -> float:
        """Meters of skin around polygons for which its worlds are laid out: what lies on something is that much higher."""
        return load_solver(self.built_for or self.solver or DEFAULT).capabilities.skin_radius

    @property
    def is_on_box2d(self) -> bool:
        """True if nothing but Box2D drives its worlds: what is said of Box2D is true of them."""
        return self.solvers == (DEFAULT,)

    @property
    def solver_title(self) -> str:
        """Titles of the solvers of its worlds, for people."""
        return ", ".join(load_solver(name).capabilities.title for name in self.solvers)

    @property
    def has_whole_states(self) -> bool:
        """True if all that the next step of its worlds depends on is in reach by now (`Solver.has_whole_states`)."""
        return all(load_solver(name).has_whole_states() for name in self.solvers)

    # -- the referee --------------------------------------------------------------------------------------------------

    def use_referee(self, referee: RefereeFactory | None, is_complete: bool = True) -> None:
        """Give every stage, now and after each restart, a referee, or take it away; not `is_complete`: what else a demo asks is to come."""
        self.referee, self.has_algorithms = referee, referee is not None and is_complete
        for stage in self.demo.stages:
            stage.referee = referee(stage.world) if referee is not None else None

    def use_missing_referees(self, referee: RefereeFactory | None = None) -> None:
        """Give a referee, the demo's own or another, to stages that come from before there was one: the demo has gone back to them."""
        self.referee = self.referee if self.referee is not None else referee
        self.has_algorithms |= referee is not None
        for stage in self.demo.stages:
            if stage.referee is None and self.referee is not None:
                stage.referee = self.referee(stage.world)

    # -- acting -------------------------------------------------------------------------------------------------------

    def act(self, action: Action, user: int = 0) -> Any:
        """Apply an action, as one of several users if `user` is not 0; return its result.

        Raises
        ------
        LabError
            It is refused; `DemoFaultError` if a shared demo makes a mistake at it.
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
        """Return an action of this copy of the simulation as every other copy has to apply it, its fields checked.

        Raises
        ------
        InvalidInputError
            A field is outside its range.
        """
        return checked(action.resolve(self))

    @property
    def user(self) -> User | None:
        """The user whose action is applied now; None where one person plays."""
        return self.users.users.get(self.user_number)

    @property
    def acting_user(self) -> User:
        """The user whose action is applied now; `InvalidInputError` if there is none."""
        return self.users.users[self.checked_user(self.user_number)]

    def checked_user(self, number: int) -> int:
        """Return the number of a user who has joined; `InvalidInputError` if there is none."""
        if number not in self.users.users:
            raise InvalidInputError("user", "one who has joined", number)
        return number

    def has_body(self, stage: int, body: int) -> bool:
        """Return True if there is such a stage, and such a body in its world."""
        return stage < len(self.demo.stages) and self.demo.stages[stage].world.is_body(body)

    def world(self, stage: int) -> World:
        """Return the world of a stage; `InvalidInputError` if there is none."""
        return self.demo.stages[self._checked_stage(stage)].world

    def _checked_stage(self, stage: int) -> int:
        if not 0 <= integer("stage", stage, 0) < len(self.demo.stages):
            raise InvalidInputError("stage", f"below {len(self.demo.stages)}", stage)
        return stage

    def keep_solver_state(self) -> None:
        """Keep the whole state of the worlds' solver from now on."""
        self.keeps_solver_state = True
        self._tell_worlds()
