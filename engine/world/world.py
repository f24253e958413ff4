"""A world that cannot be crashed, whatever drives it.

The model, specifications under ids of our own, is what counts; what the solver makes of it can be thrown away and built again. Every
change is a checked command, applied at a step boundary in the order it was asked for, and kept in a log: a fresh world fed
the same log gives the same bits. Asked for from a hook in the middle of a step, a change waits until the step has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from engine.common.checks import boolean, integer
from engine.common.errors import DeadHandleError, InvalidInputError, LabError, WorldLostError
from engine.common.interrupts import DeferredInterrupt
from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.contracts import StepContacts
from engine.world import commands as c
from engine.world.fields import changed, check_names, named_values, number, vector
from engine.world.hooks import PreSolveHook, StepHooks
from engine.world.joint_specs import JointSpec, MouseJointSpec, bodies_of, joints_of
from engine.world.joints import altered
from engine.world.readings import WorldReadings
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import default_settings, default_solver, solver_name
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["World"]

_BODY_SETTINGS = (
    "type",
    "linear_damping",
    "angular_damping",
    "gravity_scale",
    "fixed_rotation",
    "bullet",
    "allow_sleep",
    "active",
    "name",
)
_FIXTURE_SETTINGS = ("density", "friction", "restitution", "sensor", "category", "mask", "group", "name")


class World(WorldReadings):
    """Bodies, fixtures and joints under ids that are never used twice, stepped by a fixed ``1 / hertz`` seconds.

    Parameters
    ----------
    settings : WorldSettings, optional
        Gravity, step rate, iterations.
    solver : str, optional
        What drives it, one of `solvers()`; without it `default_solver()`.

    Notes
    -----
    A world belongs to the thread that made it. It neither copies nor pickles: take a `snapshot`.
    """

    __slots__ = ("_deferred", "_hooks", "_log", "_to_be_destroyed")

    def __init__(self, settings: WorldSettings | None = None, solver: str | None = None) -> None:
        if settings is not None:
            _want("settings", settings, WorldSettings)
        settings = WorldSettings() if settings is None else settings
        if solver is None and not settings.solver_settings and default_settings():
            settings = replace(settings, solver_settings=default_settings())
        super().__init__(settings, default_solver() if solver is None else solver)
        self._to_be_destroyed: set[tuple[str, int]] = set()
        self._deferred: list[c.Command] = []
        self._log: list[tuple[int, c.Command]] = []
        self._hooks: StepHooks | None = None

    @property
    def hooks(self) -> StepHooks | None:
        """What to call in the middle of a step; taken at its start."""
        return self._hooks

    @hooks.setter
    def hooks(self, value: StepHooks | None) -> None:
        if value is not None:
            _want("hooks", value, StepHooks)
        self._hooks = value

    def __copy__(self) -> NoReturn:
        raise TypeError("a World cannot be copied: use World.from_snapshot(world.snapshot())")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a World cannot be pickled: pickle world.snapshot()")

    @property
    def log(self) -> tuple[tuple[int, c.Command], ...]:
        """Every command since the beginning, the last `restore` or the last `clear_log`, each with the number of steps made before it."""
        return tuple(self._log)

    def clear_log(self) -> None:
        """Empty the log: a run that is kept by its snapshots needs none, and one that gives commands every step would grow for ever."""
        self._log.clear()

    @property
    def keeps_solver_state(self) -> bool:
        """Whether `canonicalize` and `snapshot` keep all of the solver's state that is in reach, and not only what is public.

        True at first. Of runs that must be alike bit for bit none may have it otherwise than the others: a world restored to a snapshot
        without it goes on without it.
        """
        return self._state.solver.keeps_state

    @keeps_solver_state.setter
    def keeps_solver_state(self, value: bool) -> None:
        self._check_between_steps("keeps_solver_state")
        self._state.solver.keeps_state = boolean("keeps_solver_state", value)

    @property
    def is_always_canonical(self) -> bool:
        """Whether `canonicalize` changes nothing, with what drives the world now: then it comes back exactly to any snapshot."""
        return self._state.solver.is_always_canonical

    # -- changing it --------------------------------------------------------------------------------------------------

    def create_body(self, spec: BodySpec) -> int:
        """Create a body with its fixtures and return its id."""
        _want("spec", spec, BodySpec)
        spec = self._state.solver.accept(spec)
        body, first = self._next_ids["body"], self._next_ids["fixture"]
        self._submit(c.CreateBody(body, spec, tuple(range(first, first + len(spec.fixtures)))))
        return body

    def destroy_body(self, body: int) -> None:
        """Destroy a body, its fixtures and its joints."""
        self._body_entry(body)
        self._submit(c.DestroyBody(body))

    def create_fixture(self, body: int, spec: FixtureSpec) -> int:
        """Add a fixture to a body and return the fixture's id."""
        self._body_entry(body)
        _want("spec", spec, FixtureSpec)
        spec = self._state.solver.accept(spec)
        fixture = self._next_ids["fixture"]
        self._submit(c.CreateFixture(fixture, body, spec))
        return fixture

    def destroy_fixture(self, fixture: int) -> None:
        """Take a fixture from its body."""
        self._fixture_entry(fixture)
        self._submit(c.DestroyFixture(fixture))

    def create_joint(self, spec: JointSpec) -> int:
        """Join bodies and return the joint's id."""
        _want("spec", spec, JointSpec)
        for body in bodies_of(spec):
            self._body_entry(body)
        for other in joints_of(spec):
            self._joint_entry(other)
        spec = self._state.solver.accept(spec)
        joint = self._next_ids["joint"]
        self._submit(c.CreateJoint(joint, spec))
        return joint

    def destroy_joint(self, joint: int) -> None:
        """Remove a joint."""
        self._joint_entry(joint)
        self._submit(c.DestroyJoint(joint))

    def set_mouse_target(self, joint: int, target: tuple[float, float]) -> None:
        """Move the point a mouse joint pulls to (world, m)."""
        if not isinstance(self._joint_entry(joint).spec, MouseJointSpec):
            raise InvalidInputError("joint", "a mouse joint", joint)
        self._submit(c.SetMouseTarget(joint, vector("target", target, "m", MAX_COORDINATE)))

    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        """Put a body elsewhere; it keeps its velocity. It wakes, and so does what rested on it, or lies where it is now."""
        self._body_entry(body)
        self._submit(c.SetPose(body, vector("position", position, "m", MAX_COORDINATE), number("angle", angle, "rad")))

    def set_velocity(self, body: int, linear: tuple[float, float], angular: float = 0.0) -> None:
        """Give a moving body a velocity, m/s and rad/s."""
        self._body_entry(body)
        turning = number("angular", angular, "rad/s", -MAX_SPEED, MAX_SPEED)
        self._submit(c.SetVelocity(body, vector("linear", linear, "m/s", MAX_SPEED), turning))

    def set_awake(self, body: int, awake: bool) -> None:
        """Wake a body or put it to sleep."""
        self._body_entry(body)
        self._submit(c.SetAwake(body, boolean("awake", awake)))

    def set_body(self, body: int, **changes: Any) -> None:
        """Change settings of a body: type, damping, gravity_scale, fixed_rotation, bullet, allow_sleep, active, name."""
        entry = self._body_entry(body)
        check_names("body", changes, _BODY_SETTINGS)
        at_rest = replace(entry.spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0, fixtures=())
        self._submit(c.SetBody(body, _as_checked(changed(at_rest, "body", changes), changes)))

    def set_fixture(self, fixture: int, **changes: Any) -> None:
        """Change settings of a fixture: density, friction, restitution, sensor, category, mask, group, name."""
        now = changed(self._fixture_entry(fixture).spec, "fixture", changes, _FIXTURE_SETTINGS)
        self._submit(c.SetFixture(fixture, _as_checked(now, changes)))

    def set_joint(self, joint: int, **changes: Any) -> None:
        """Change settings of a joint, those of `engine.world.joints.changeable`: motor, limits, spring, lengths, strengths, ratio.

        It keeps its id, its bodies, its anchors and the angle from which its limits count; its bodies wake.
        """
        now = altered(self._joint_entry(joint), changes)
        self._submit(c.SetJoint(joint, _as_checked(now.spec, changes)))

    def set_settings(self, **changes: Any) -> None:
        """Change settings of the world; another gravity wakes everybody."""
        settings = changed(self._state.model.settings, "WorldSettings", changes)
        self._submit(c.SetSettings(_as_checked(settings, changes)))

    def set_solver(self, solver: str, solver_settings: Mapping[str, float | str] | Iterable[tuple[str, float | str]] | None = None) -> None:
        """Let another solver drive the world from here on; of the same one, change the settings of its own.

        Bodies, fixtures and joints keep their ids, poses and velocities; see `engine.world.conversion` for what else stays. What has fallen
        asleep wakes; what was made asleep sleeps on. A snapshot knows its solver: `restore` goes back across the change.

        Parameters
        ----------
        solver : str
            One of `solvers()`.
        solver_settings : mapping of str to float or str, optional
            `WorldSettings.solver_settings` of that solver; without, its defaults.

        Raises
        ------
        InvalidInputError
            There is no such solver, or it cannot take a setting, a shape, a body or a joint, which is named; the world stays as it is.
        """
        solver = solver_name("solver", solver)
        settings = named_values("solver_settings", () if solver_settings is None else solver_settings)
        if self._busy or (solver, settings) != (self.solver, self.settings.solver_settings):
            self._submit(c.SetSolver(solver, settings))

    def apply_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float] | None = None) -> None:
        """Push a body by N s, at a world point or at its centre of mass."""
        self._body_entry(body)
        at = None if point is None else vector("point", point, "m", MAX_COORDINATE)
        self._submit(c.ApplyImpulse(body, vector("impulse", impulse, "N s"), at))

    def apply_force(self, body: int, force: tuple[float, float], point: tuple[float, float] | None = None) -> None:
        """Push a body by N during the next step, at a world point or at its centre of mass."""
        self._body_entry(body)
        at = None if point is None else vector("point", point, "m", MAX_COORDINATE)
        self._submit(c.ApplyForce(body, vector("force", force, "N"), at))

    def apply_torque(self, body: int, torque: float) -> None:
        """Turn a body by N m during the next step."""
        self._body_entry(body)
        self._submit(c.ApplyTorque(body, number("torque", torque, "N m")))

    def canonicalize(self) -> None:
        """Bring the solver into the form that `restore` would give it from a snapshot of this moment.

        Two worlds of which one came here by itself and the other was restored to a snapshot taken here then go on alike, to the last
        bit: so a run that is to be rewound does this at every keyframe, before the snapshot. Ids stay; nothing is told to hooks.
        """
        self._submit(c.Canonicalize())

    def build_ahead(self, n_slices: int) -> None:
        """Do the first of `n_slices` > 0 slices of what the next `canonicalize` can do in advance; to the world it makes no difference."""
        self._check_between_steps("build_ahead")
        n_slices = integer("n_slices", n_slices, 1)
        with DeferredInterrupt():
            self._state.solver.build_ahead(n_slices)

    def hand_out(self, next_ids: tuple[int, int, int]) -> tuple[int, int, int]:
        """Let the next body, fixture and joint get these ids; return those that they would have got.

        Of several who create things in one world each may so have a range of its own: then an id does not depend on who came first.
        No id of the range may have been used already.
        """
        self._check_between_steps("hand_out")
        wanted = "three whole numbers >= 0, each of which names nothing that lives"
        if type(next_ids) is not tuple or len(next_ids) != len(self._next_ids):
            raise InvalidInputError("next_ids", wanted, next_ids)
        numbers = [integer(f"next_ids[{at}]", one, 0) for at, one in enumerate(next_ids)]
        model = self._state.model
        if numbers[0] in model.bodies or numbers[1] in model.fixtures or numbers[2] in model.joints:
            raise InvalidInputError("next_ids", wanted, next_ids)
        before = (self._next_ids["body"], self._next_ids["fixture"], self._next_ids["joint"])
        self._next_ids = dict(zip(("body", "fixture", "joint"), numbers, strict=True))
        return before

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self) -> StepContacts:
        """Advance by ``1 / hertz`` seconds and return the contacts.

        Raises
        ------
        WorldLostError
            The solver broke off in the middle, or a body left the finite numbers. The world has been put back as it stood
            before this step.
        BaseException
            Whatever a hook raised, or Ctrl-C; the step is whole then.
        """
        self._check_between_steps("step")
        with DeferredInterrupt():
            self._run(self._advance)
        return self.contacts

    @classmethod
    def replay(
        cls,
        settings: WorldSettings,
        log: Iterable[tuple[int, c.Command]],
        n_steps: int,
        pre_solve: PreSolveHook | None = None,
        solver: str | None = None,
    ) -> World:
        """Return a fresh world after `n_steps` of the same commands: the same bits, on the same platform.

        `pre_solve` is the original world's rule, where it had one; other hooks have left their commands in the log.
        """
        world = cls(settings, solver)
        world.hooks = StepHooks(pre_solve=pre_solve)
        waiting = _checked_log(log)
        at = 0
        for step in range(integer("n_steps", n_steps, 0) + 1):
            while at < len(waiting) and waiting[at][0] <= step:
                world._check_targets(waiting[at][1])
                world._submit(waiting[at][1])
                at += 1
            if step < n_steps:
                world.step()  # one that broke off is in the log, with what became of it
        return world

    def snapshot(self) -> WorldSnapshot:
        """Return all of the world that can be kept outside Box2D."""
        self._check_between_steps("snapshot")
        return self._state.snapshot((self._next_ids["body"], self._next_ids["fixture"], self._next_ids["joint"]))

    @classmethod
    def from_snapshot(cls, snapshot: WorldSnapshot) -> World:
        """Return a new world in the state of a snapshot; see `restore`."""
        _want("snapshot", snapshot, WorldSnapshot)
        world = cls(snapshot.settings, snapshot.solver)
        world.restore(snapshot)
        return world

    def restore(self, snapshot: WorldSnapshot, must_hold: bool = False) -> None:
        """Go back to a snapshot, with the same ids and the solver that drove it then. The log starts anew.

        `must_hold`: refuse one with a joint that its solver cannot hold, which came from elsewhere.

        Poses, velocities, sleep, the impulses of contacts and joints and the times at rest come back, as far as they are in the
        solver's reach (`Solver.has_whole_states`); the rest starts from zero. What depends on the order of contacts starts as in a new
        world: with Box2D a disordered pile deviates by millimetres. After `canonicalize` nothing deviates: take the snapshots to which
        you will return right after one.
        """
        self._check_between_steps("restore")
        _want("snapshot", snapshot, WorldSnapshot)
        boolean("must_hold", must_hold)
        with DeferredInterrupt():
            self._unguarded.load(snapshot, must_hold)  # a world that is lost, too
            self._next_ids = dict(zip(("body", "fixture", "joint"), snapshot.next_ids, strict=True))
            self._destroyed_at.clear()
            self._log.clear()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _submit(self, command: c.Command) -> None:
        """Apply a checked command now; or, where a hook gave it, when the step or the command under way has ended."""
        self._check_command(command)
        self._reserve(command)
        if self._busy:
            self._to_be_destroyed.update(self._destroyed_by(command))
            self._deferred.append(command)
            return
        with DeferredInterrupt():
            self._run(lambda: self._execute(command))

    def _check_command(self, command: c.Command) -> None:
        if self._busy:
            for kind, one in self._targets(command):
                if (kind, one) in self._to_be_destroyed:
                    raise DeadHandleError(f"{kind} {one} is destroyed at the end of this step already")
        self._state.check(command)

    def _run(self, action: Callable[[], object]) -> None:
        """Do one thing, then everything that hooks asked for meanwhile; raise the first error of all when all is done.

        Destroying a body ends its contacts and so calls hooks too, in the middle of the solver: nothing may be changed from there.
        """
        state = self._state
        errors: list[BaseException] = []
        self._busy = True
        state.solver.hooks = self.hooks
        try:
            waiting: list[Callable[[], object]] = [action]
            while waiting:
                for each in waiting:
                    try:
                        each()
                    except Exception as error:
                        errors.append(error)
                    raised = state.solver.take_error()
                    errors += [] if raised is None else [raised]
                deferred, self._deferred = self._deferred, []
                self._to_be_destroyed.clear()
                waiting = [partial(self._execute, command) for command in deferred]
        finally:
            self._busy = False
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"and after it: {type(other).__name__}: {other}")
            raise errors[0]

    def _advance(self) -> None:
        """Make the step, and note the joints that went because of a body that was taken out; log a step that broke off."""
        state = self._state
        n_before = len(state.model.out_of_range)
        try:
            state.advance()
        except WorldLostError:
            self._log.append((state.model.step_index, c.Canonicalize(tuple(state.model.out_of_range[n_before:]))))
            raise
        finally:
            self._note_dropped()

    def _note_dropped(self) -> None:
        state = self._unguarded
        self._destroyed_at.update((("joint", joint), state.model.step_index) for joint in state.take_dropped())

    def _execute(self, command: c.Command) -> None:
        """Apply a command, log it, and note what it destroyed."""
        self._check_targets(command)
        destroyed = self._destroyed_by(command)
        state = self._state
        try:
            dropped = state.execute(command)
        except WorldLostError:
            if not isinstance(command, c.Canonicalize | c.SetSolver):  # which change nothing then
                self._log.append((state.model.step_index, c.Canonicalize()))  # what has come of it
            raise
        self._note_dropped()
        self._log.append((self.step_index, command))
        for handle in [*destroyed, *(("joint", joint) for joint in dropped)]:
            self._destroyed_at[handle] = self.step_index

    def _check_targets(self, command: c.Command) -> None:
        for kind, one in self._targets(command):
            {"body": self._body_entry, "fixture": self._fixture_entry, "joint": self._joint_entry}[kind](one)

    def _destroyed_by(self, command: c.Command) -> list[tuple[str, int]]:
        """Return everything that a command destroys."""
        match command:
            case c.DestroyBody(body):
                entry = self._body_entry(body)
                lost = self._state.model.lost_with(entry.joints)
                return [("body", body)] + [("fixture", i) for i in entry.fixtures] + [("joint", i) for i in lost]
            case c.DestroyFixture(fixture):
                return [("fixture", fixture)]
            case c.DestroyJoint(joint):
                return [("joint", i) for i in self._state.model.lost_with([joint])]
        return []

    @staticmethod
    def _targets(command: c.Command) -> list[tuple[str, int]]:
        """Return everything that must be alive for a command to mean something."""
        match command:
            case c.CreateBody() | c.SetSettings() | c.SetSolver() | c.Canonicalize():
                return []
            case c.CreateFixture(_, body, _):
                return [("body", body)]
            case c.CreateJoint(_, spec):
                return [("body", body) for body in bodies_of(spec)] + [("joint", joint) for joint in joints_of(spec)]
            case c.DestroyFixture(fixture) | c.SetFixture(fixture, _):
                return [("fixture", fixture)]
            case c.DestroyJoint(joint) | c.SetMouseTarget(joint, _) | c.SetJoint(joint, _):
                return [("joint", joint)]
            case _:
                return [("body", command.body)]

    def _reserve(self, command: c.Command) -> None:
        """Never hand out again the ids that a command that is in order brings along, whatever becomes of it."""
        match command:
            case c.CreateBody(body, _, fixtures):
                made = {"body": (body,), "fixture": fixtures}
            case c.CreateFixture(fixture, _, _):
                made = {"fixture": (fixture,)}
            case c.CreateJoint(joint, _):
                made = {"joint": (joint,)}
            case _:
                return
        for kind, numbers in made.items():
            self._next_ids[kind] = max(self._next_ids[kind], *(one + 1 for one in numbers), 0)

    def _check_between_steps(self, what: str) -> None:
        self._check_thread()
        if self._busy:
            raise LabError(f"{what} was asked for from a hook in the middle of a step")


def _checked_log(log: Iterable[tuple[int, c.Command]]) -> list[tuple[int, c.Command]]:
    found = []
    try:
        for number, command in log:
            _want("log", command, c.Command)
            found.append((integer("log", number, 0), command))
    except InvalidInputError:
        raise
    except Exception:  # no pairs, or of somebody else's iterator
        raise InvalidInputError("log", "pairs of a number of steps and a command, as World.log has them", log) from None
    return found


def _as_checked(spec: object, changes: Iterable[str]) -> tuple[tuple[str, Any], ...]:
    """Return what was changed as the specification holds it, by name, in order: nothing of what was given is looked at again."""
    return tuple((name, getattr(spec, name)) for name in sorted(changes))


def _want(field: str, value: object, kind: Any) -> None:
    if not isinstance(value, kind):
        name = getattr(kind, "__name__", "command" if kind is c.Command else "joint specification")
        raise InvalidInputError(field, f"a {name}", value)
