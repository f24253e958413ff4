"""Random commands to a world: `python -m tests.hazards.fuzz MODE SEED COMMANDS` prints one line of JSON; MODE and SEED may be several, with
commas. A fourth argument names a solver other than Box2D. `python -m tests.hazards.fuzz --operations N [FIRST]` runs `solvers` with seeds
from FIRST on until N operations are done, `SEEDS_A_PROCESS` seeds per process; its last line has the totals.

All public commands are used, with valid and invalid arguments: bodies, fixtures and joints are created and destroyed; types, filters,
sensors, materials and settings change; bodies are pushed, moved and put to sleep; snapshots are taken and restored. A command may be
rejected with one of the project's own errors if it changed nothing; any other failure is a fault, and after each command the ids must match
the solver's bodies and joints.

mode      what is different
plain     ordinary sizes and speeds
extreme   30 to 60 % of the numbers from the edges of what is accepted, and a few from beyond; bodies near the borders of mass and inertia
hooks     commands come from hooks in the middle of a step too, and hooks raise
          every second run takes snapshots, too
snapshot  snapshots, and restoring them; the world and two made of its last one must go on alike
solvers   begins with any solver, and changes it; few bodies; snapshots, each of which is gone on from by a second world, bit for bit
"""

import faulthandler
import json
import math
import random
import subprocess
import sys
from collections import Counter
from itertools import product
from time import process_time

import numpy as np

from engine.box2d import memory
from engine.common.errors import DeadHandleError, InvalidInputError, WorldLostError
from engine.common.limits import MAX_COORDINATE, MAX_ITERATIONS, MAX_MASS, MAX_NUMBER, MAX_REACH, MAX_SPEED, MIN_MASS
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    StepHooks,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
)
from engine.world.joints.interface import changeable
from engine.world.solver import DEFAULT, load_solver, solvers

MODES = ("plain", "extreme", "hooks", "snapshot", "solvers")

MAX_BODIES, MAX_JOINTS = 50, 30
FEW_BODIES, FEW_JOINTS = 12, 8
"""Limits if all solvers are tried: the time of some grows with the cube of these."""
COMMANDS_A_SEED, SEEDS_A_PROCESS = 1500, 12
"""Sizes of a long run: worlds live long enough to wear out, and processes start seldom, since loading all kernels takes seconds."""
RARE = {"contact_forces": 0.3}
"""Weights of solvers that are chosen less often than the others (1): a step with many collisions may take a second."""
STEP_SHARE = 0.35
TINY = (0.0, 0.0, 1e-46, 1.4e-45, 1e-40, 1.17549435e-38, 1e-30, 1e-15, 1e-9, 1.1920929e-07, 1e-6, 1e-3)
"""Small numbers: in float32, some that round to 0, the smallest, a denormal and the smallest normal one; and others."""
BEYOND = 0.03
"""Share of the extreme numbers that may lie outside the accepted range."""
SETTINGS = ("sub_stepping", "continuous", "warm_starting", "sleeping", "hertz", "gravity", "velocity_iterations", "position_iterations")
REFUSALS = (InvalidInputError, DeadHandleError)


class HookError(Exception):
    """Raised by a hook."""


class Fuzzer:
    def __init__(self, mode, seed, solver=DEFAULT):
        self.mode, self.random, self.seen = mode, random.Random(f"{mode} {seed}"), Counter()
        self.switches = mode == "solvers"
        self.solver = self.any_solver() if self.switches else solver
        self.most_bodies, self.most_joints = (FEW_BODIES, FEW_JOINTS) if self.switches else (MAX_BODIES, MAX_JOINTS)
        self.share = self.random.uniform(0.3, 0.6) if mode == "extreme" else 0.0
        """Share of extreme numbers."""
        self.goes_back = mode in ("snapshot", "solvers") or (mode == "extreme" and self.random.random() < 0.5)
        self.slowest = 0.0
        """Seconds of the processor that the longest step has taken."""
        self.settings = WorldSettings()
        self.world = World(self.settings, self.solver)
        self.snapshots = []
        """With the hash of the world of that moment."""
        pit = (FixtureSpec(Polygon.box(5.0, 0.5)), FixtureSpec(Polygon.box(0.3, 5.0)))
        self.world.create_body(BodySpec(pit, type="static", position=(0.0, -2.5)))
        if mode == "hooks":
            self.world.hooks = StepHooks(begin=self.hook, end=self.hook, post_solve=self.hook)

    # -- random values

    def number(self, size=3.0, most=MAX_NUMBER):
        return self.edge(self.random.uniform(-size, size), -most, most)

    def edge(self, usual, low=-MAX_NUMBER, high=MAX_NUMBER):
        """`usual`, or in an extreme run sometimes a number at the limit of the accepted range or of float32."""
        r = self.random
        if r.random() >= self.share:
            return usual
        anywhere, wide, near = (10.0 ** r.uniform(*ends) for ends in ((-45.0, 38.0), (-9.0, 9.0), (-4.0, 6.0)))
        size = r.choice((*TINY, low, high, low, high, anywhere, wide, near))
        number = r.choice((-1.0, 1.0, 1.0)) * size
        return number if r.random() < BEYOND else min(max(number, low), high)

    def vector(self, size):
        return self.number(size), self.number(size)

    def place(self):
        x, y = self.random.uniform(-3.0, 3.0), self.random.uniform(-2.0, 4.0)
        return self.edge(x, -MAX_COORDINATE, MAX_COORDINATE), self.edge(y, -MAX_COORDINATE, MAX_COORDINATE)

    def shape(self):
        r = self.random
        size = self.edge(r.choice((0.05, 0.2, 0.4, 1.0)), 0.0, MAX_REACH)
        x, y = (0.0, 0.0) if r.random() < 0.7 else (r.uniform(-0.4, 0.4), r.uniform(-0.4, 0.4))
        if r.random() < self.share:
            x, y = self.edge(x, -MAX_REACH, MAX_REACH), self.edge(y, -MAX_REACH, MAX_REACH)

        def corner():
            return self.number(1.0, MAX_REACH), self.number(1.0, MAX_REACH)

        kind = r.random()
        if kind < 0.4:
            return Circle(size, (x, y))
        if kind < 0.45 and self.switches:  # which Box2D refuses
            return Capsule((x, y), corner(), size)
        if kind < 0.5 and (self.share or self.switches):
            return Segment((x, y), corner(), ghost1=r.choice((None, corner())), ghost2=r.choice((None, corner())))
        if kind < 0.7:
            half_width, half_height = size, self.edge(size * r.uniform(0.1, 1.0), 0.0, MAX_REACH)
            corners = [(x + i * half_width, y + j * half_height) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            return Polygon(corners) if self.share else Polygon.box(half_width, half_height)
        angles = sorted(r.uniform(0.0, 2.0 * math.pi) for _ in range(r.randint(3, 12)))
        return Polygon([(size * math.cos(angle) + x, size * math.sin(angle) + y) for angle in angles])

    def density(self, shape):
        """Sometimes such that the mass is near a limit for dynamic bodies."""
        r = self.random
        usual = r.choice((0.0, 0.1, 1.0, 1.0, 10.0))
        area = 0.0 if isinstance(shape, Segment) else shape.mass(1.0).area
        if area > 0.0 and r.random() < self.share:
            mass = r.choice((MIN_MASS, MAX_MASS, 1.0, 10.0 ** r.uniform(-9.0, 12.0))) * r.choice((1.0, 0.5, 0.999999, 1.000001))
            return min(mass / area, MAX_NUMBER)
        return self.edge(usual, 0.0)

    def fixture(self):
        r = self.random
        shape = self.shape()
        return FixtureSpec(
            shape,
            density=self.density(shape),
            friction=self.edge(r.choice((0.0, 0.3, 1.0, 5.0)), 0.0),
            restitution=self.edge(r.choice((0.0, 0.0, 0.5, 1.0, 1.5)), 0.0),
            sensor=r.random() < 0.15,
            category=r.choice((1, 1, 2, 3, 0, 0xFFFF)),
            mask=r.choice((0xFFFF, 0xFFFF, 0xFFFF, 1, 2, 0)),
            group=r.choice((0, 0, 0, 1, -1, -5)),
        )

    def body(self):
        r = self.random
        kind = r.choice(("dynamic", "dynamic", "dynamic", "dynamic", "static", "kinematic"))
        return BodySpec(
            tuple(self.fixture() for _ in range(r.choice((0, 1, 1, 1, 2, 3)))),
            type=kind,
            position=self.place(),
            angle=self.number(),
            linear_velocity=(0.0, 0.0) if kind == "static" else (self.number(8.0, MAX_SPEED), self.number(8.0, MAX_SPEED)),
            angular_velocity=0.0 if kind == "static" else self.number(10.0, MAX_SPEED),
            linear_damping=self.edge(r.choice((0.0, 0.0, 1.0)), 0.0),
            angular_damping=self.edge(0.0, 0.0),
            gravity_scale=self.edge(r.choice((1.0, 1.0, 0.0, -1.0))),
            fixed_rotation=r.random() < 0.1,
            bullet=r.random() < 0.3,
            allow_sleep=r.random() < 0.8,
            awake=r.random() < 0.8,
            active=r.random() < 0.9,
        )

    def joint(self):
        r = self.random
        a, b = self.any_of(self.world.body_ids), self.any_of(self.world.body_ids)
        p, q, frequency = self.place(), self.place(), self.edge(r.choice((0.0, 2.0, 10.0)), 0.0)
        damping, limit, force, torque = self.edge(0.3, 0.0), abs(self.number(1.0)), self.edge(50.0, 0.0), self.edge(9.0, 0.0)
        is_on, speed, tied = r.random() < 0.5, self.number(9.0), r.random() < 0.2

        def now(value):
            """Mostly None, which means the value at creation."""
            return value if r.random() < 0.5 * self.share else None

        axis = (1.0, self.number(1.0))
        length, angle, other = (lambda: now(self.edge(1.0, 0.0))), (lambda: now(self.number())), (lambda: now(self.place()))
        return r.choice(
            (
                lambda: RevoluteJointSpec(a, b, p, is_on, -limit, limit, tied, speed, force, tied, other(), angle()),
                lambda: DistanceJointSpec(a, b, p, q, frequency, damping, tied, length()),
                lambda: WeldJointSpec(a, b, p, frequency, damping, tied, other(), angle()),
                lambda: PrismaticJointSpec(a, b, p, axis, is_on, -limit, 1.0, tied, speed, force, tied, other(), angle()),
                lambda: WheelJointSpec(a, b, p, (self.number(1.0), 1.0), frequency, damping, is_on, speed, torque, tied, other()),
                lambda: RopeJointSpec(a, b, p, q, length(), tied),
                lambda: PulleyJointSpec(a, b, self.place(), (3.0, 6.0), p, q, self.edge(1.0, 1e-3, 1e3), tied, length(), length()),
                lambda: MouseJointSpec(a, p, self.edge(r.choice((1.0, 1e3)), 0.0), self.edge(r.choice((0.5, 5.0)), 0.0), damping, other()),
                lambda: FrictionJointSpec(a, b, p, self.edge(r.choice((0.0, 5.0, 1e3)), 0.0), torque, tied, other()),
                lambda: MotorJointSpec(a, b, r.choice((None, q)), r.choice((None, 0.5)), force, torque, self.edge(0.3, 0.0, 1.0), is_on),
                self.gear,
                self.gear,
                self.gear,
            )
        )()

    def gear(self):
        """On any two joints, but mostly on two new ones."""
        w, r = self.world, self.random
        on = self.any_of(w.joint_ids), self.any_of(w.joint_ids)
        if r.random() < 0.8 and len(w.joint_ids) + 2 < self.most_joints:
            a, b, c = (self.any_of(w.body_ids) for _ in range(3))
            turned, slid = RevoluteJointSpec(a, b, self.place()), PrismaticJointSpec(b, c, self.place(), (1.0, 0.5))
            on = self.support(turned), self.support(r.choice((slid, RevoluteJointSpec(a, c, self.place()))))
        return GearJointSpec(*on, self.edge(r.choice((1.0, -1.0, 0.3, -20.0)), -1e3, 1e3), r.random() < 0.5)

    def support(self, spec):
        """Create a joint on which another one will depend. A subclass that acts through a history must override this, or the history misses
        the command.
        """
        return self.world.create_joint(spec)

    def any_of(self, ids):
        """An existing one, or sometimes a number that may be invalid."""
        if not ids or self.random.random() < 0.02:
            return self.random.randrange(-1, 400)
        return self.random.choice(ids)

    def any_solver(self):
        names = solvers()
        return self.random.choices(names, [RARE.get(name, 1.0) for name in names])[0]

    # -- commands

    def command(self, in_hook=False):
        w, r = self.world, self.random
        commands = {
            "create_body": (7, lambda: len(w.body_ids) < self.most_bodies and w.create_body(self.body())),
            "destroy_body": (1, lambda: w.destroy_body(self.any_of(w.body_ids))),
            "create_fixture": (3, lambda: w.create_fixture(self.any_of(w.body_ids), self.fixture())),
            "destroy_fixture": (1, lambda: w.destroy_fixture(self.any_of(w.fixture_ids))),
            "create_joint": (2, lambda: len(w.joint_ids) < self.most_joints and w.create_joint(self.joint())),
            "destroy_joint": (1, lambda: w.destroy_joint(self.any_of(w.joint_ids))),
            "set_mouse_target": (1, lambda: w.set_mouse_target(self.any_of(w.joint_ids), self.place())),
            "set_pose": (1, lambda: w.set_pose(self.any_of(w.body_ids), self.place(), self.number())),
            "set_velocity": (2, lambda: w.set_velocity(self.any_of(w.body_ids), self.speeds(), self.number(30.0, MAX_SPEED))),
            "set_awake": (2, lambda: w.set_awake(self.any_of(w.body_ids), r.random() < 0.5)),
            "set_body": (3, lambda: w.set_body(self.any_of(w.body_ids), **self.body_change())),
            "set_fixture": (3, lambda: w.set_fixture(self.any_of(w.fixture_ids), **self.fixture_change())),
            "set_joint": (2, self.change_joint),
            "set_settings": (1, lambda: w.set_settings(**self.settings_change())),
            "apply_impulse": (2, lambda: w.apply_impulse(self.any_of(w.body_ids), self.vector(5.0), self.maybe_place())),
            "apply_force": (1, lambda: w.apply_force(self.any_of(w.body_ids), self.vector(50.0), self.maybe_place())),
            "apply_torque": (1, lambda: w.apply_torque(self.any_of(w.body_ids), self.number(50.0))),
            "rebuild": (1, w.canonicalize),
            "read": (2, self.read),
        }
        if self.goes_back and not in_hook:
            commands["snapshot"] = (1, lambda: self.snapshots.append((w.snapshot(), w.state_hash())))
            commands["restore"] = (1, self.restore)
            commands["from_snapshot"] = (1, self.twin)
        if self.switches:
            commands["set_solver"] = (1, lambda: w.set_solver(self.any_solver()))
            if not in_hook:
                commands["hand_out"] = (0.2, lambda: w.hand_out(tuple(next_id + r.randrange(3) for next_id in w.snapshot().next_ids)))
                commands["keeps_solver_state"] = (0.2, lambda: setattr(w, "keeps_solver_state", r.random() < 0.7))
        name = r.choices(tuple(commands), [weight for weight, _ in commands.values()])[0]
        before = self.everything() if not w.hooks and r.random() < 0.3 else None
        try:
            commands[name][1]()
            self.seen[name] += 1
        except REFUSALS as error:
            self.seen["refused"] += 1
            if before is not None and name != "create_joint":  # of which a gear's two joints may have been made before it was refused
                assert self.everything() == before, f"a refused {name} has changed the world: {error}"
        except HookError:
            self.seen["raised by a hook"] += 1
        except WorldLostError as error:
            self.lost(error)
            assert before is None or name == "restore" or self.everything() == before, f"{name} lost the world: {error}"
        self.check_ids()

    def everything(self):
        """Return the state that a rejected command must not change."""
        w, state = self.world, self.world._model
        bodies = [(body, entry.spec, tuple(entry.fixtures), tuple(entry.joints)) for body, entry in state.bodies.items()]
        fixtures = [(fixture, entry.spec, entry.body) for fixture, entry in state.fixtures.items()]
        return w.state_hash(), w.settings, w.out_of_range, w._next_ids["body"], bodies, fixtures, list(state.joints.items())

    def check_ids(self):
        """The ids match the solver's objects; in Box2D, each handle still exists."""
        state, solver = self.world._model, self.world._solver
        if self.world.solver != DEFAULT:
            assert len(solver.motion().values) == len(state.bodies)
            return
        cache = solver._cache
        box2d = cache._world
        assert (box2d.bodyCount, box2d.jointCount) == (len(state.bodies) + 1, len(state.joints))  # and the anchor of mouse joints
        assert cache._bodies.keys() == state.bodies.keys()
        assert cache._fixtures.keys() == state.fixtures.keys()
        assert cache._joints.keys() == state.joints.keys()

    def speeds(self):
        return self.number(20.0, MAX_SPEED), self.number(20.0, MAX_SPEED)

    def body_change(self):
        pairs = [("type", kind) for kind in ("static", "dynamic", "kinematic")]
        pairs += [("gravity_scale", self.edge(-1.0)), ("linear_damping", self.edge(0.0, 0.0)), ("angular_damping", self.edge(0.0, 0.0))]
        pairs += [(name, value) for name in ("bullet", "active", "fixed_rotation", "allow_sleep") for value in (True, False)]
        return dict([self.random.choice(pairs)])

    def fixture_change(self):
        density, friction, restitution = self.edge(self.random.uniform(0.0, 5.0), 0.0), self.edge(0.1, 0.0), self.edge(0.9, 0.0)
        changes = ({"sensor": True}, {"sensor": False}, {"density": density}, {"friction": friction})
        changes += ({"mask": 0}, {"mask": 0xFFFF, "category": 1}, {"group": -1}, {"group": 1, "restitution": restitution})
        return self.random.choice(changes)

    def change_joint(self):
        joint, changes = self.joint_change()
        self.world.set_joint(joint, **changes)

    def joint_change(self):
        """A joint and one of its fields with another value, which may be out of range."""
        joint, r = self.any_of(self.world.joint_ids), self.random
        names = changeable(self.world.joint(joint).spec) if self.world.is_joint(joint) else ("collide_connected",)
        name = r.choice(names)
        if name.startswith("enable") or name == "collide_connected":
            return joint, {name: r.random() < 0.5}
        return joint, {name: self.place() if name == "linear_offset" else self.edge(r.choice((0.0, 0.5, 2.0, 20.0, -1.0, 1e3)))}

    def settings_change(self):
        r = self.random
        name = r.choice(SETTINGS)
        iterations = r.choice((1, 8, 50, 50, 50, MAX_ITERATIONS) if self.share else (1, 8, 50))
        hertz = self.edge(r.choice((1.0, 10.0, 60.0, 240.0, 10_000.0)), 1.0, 10_000.0)
        values = {"hertz": hertz, "gravity": (self.number(), self.number(10.0))}
        return {name: values.get(name, iterations if name.endswith("_iterations") else r.random() < 0.6)}

    def maybe_place(self):
        return self.random.choice((None, self.place()))

    def read(self):
        w = self.world
        assert np.isfinite(w.poses).all() and np.isfinite(w.velocities).all()
        w.body_at(self.place())
        w.state_hash()
        w.body(self.any_of(w.body_ids))
        w.fixture(self.any_of(w.fixture_ids))
        w.joint_anchors(self.any_of(w.joint_ids))

    def twin(self):
        """Create another world from a current snapshot, and step both."""
        self.world.canonicalize()
        twin = self.world.clone()
        assert twin.state_hash() == self.world.state_hash(), "a world made of a snapshot is another"
        for _ in range(self.random.randint(0, 4) if self.switches else 0):
            self.step()
            self.step(twin)
            assert twin.state_hash() == self.world.state_hash(), f"{self.world.solver}: goes on otherwise than its snapshot"

    def restore(self):
        if self.snapshots:
            snapshot, digest = self.random.choice(self.snapshots[-3:])
            self.world.restore(snapshot)
            assert self.world.state_hash() == digest, "what was restored is another world"

    def lost(self, error):
        self.seen["world lost"] += 1
        print(error, file=sys.stderr)
        assert not self.world.is_lost, error

    def hook(self, *_):
        chance = self.random.random()
        if chance < 0.1:
            self.command(in_hook=True)
        elif chance < 0.11:
            raise HookError("in the middle of Box2D")

    def step(self, world=None):
        """Step the world, or another one."""
        world = world or self.world
        try:
            started = process_time()
            try:
                contacts = world.step()
            finally:
                self.slowest = max(self.slowest, process_time() - started)
        except HookError:
            self.seen["raised by a hook"] += 1
        except WorldLostError as error:
            self.lost(error)
            assert not world.is_lost, error
        except REFUSALS:  # what a hook asked for had become impossible by the end of the step
            self.seen["refused"] += 1
        else:
            self.seen["step"] += 1
            assert np.isfinite(world.poses).all() and np.isfinite(world.velocities).all()
            assert np.isfinite(contacts.position).all() and np.isfinite(contacts.normal_impulse).all()
            lengths = np.hypot(contacts.normal[:, 0], contacts.normal[:, 1])
            assert (abs(lengths - 1.0) < 1e-5).all()  # float32
        self.check_ids()

    # -- at the end

    def judge(self):
        world = self.world
        world.hooks = None
        if self.goes_back:
            world.canonicalize()
            snapshot = world.snapshot()
            twins = [world, *(World.from_snapshot(snapshot) for _ in range(2))]
            for _ in range(30):
                for twin in twins:
                    try:
                        twin.step()
                    except WorldLostError as error:
                        self.lost(error)
                assert len({twin.state_hash() for twin in twins}) == 1, "a world, rebuilt, and two made of its snapshot differ"
            self.seen["restored"] += 1


def main(modes, seeds, n_commands, solver=DEFAULT):
    faulthandler.enable()
    if seeds[0] % 2 == 0 and solver == DEFAULT:
        memory._tested = (
            memory.PublicReader(),
            "left out",
        )  # every second process goes through Box2D's interface, the others read and write its memory
    for name in solvers() if "solvers" in modes else (solver,):
        load_solver(name).prepare()  # else the slowest step is one that compiles
    for mode, seed in product(modes, seeds):
        fuzzer = Fuzzer(mode, seed, solver)
        for _ in range(n_commands):
            fuzzer.command()
            if fuzzer.random.random() < STEP_SHARE:
                fuzzer.step()
        fuzzer.judge()
        slowest = round(1e3 * fuzzer.slowest, 1)
        print(json.dumps({"mode": mode, "seed": seed, "hash": fuzzer.world.state_hash(), "slowest_ms": slowest, **fuzzer.seen}), flush=True)


def campaign(n_operations, seed):
    """Run `solvers` with seeds from `seed` on; print a line for each process, and the totals. Return the number of failed seeds."""
    total, slowest, failed = Counter[str](), (0.0, -1), list[int]()
    n_done = 0
    waiting = []
    while n_done < n_operations:
        if not waiting:
            waiting = list(range(seed, seed + 2 * SEEDS_A_PROCESS, 2))  # of one parity, see `main`
            seed += 1 if seed % 2 == 0 else 2 * SEEDS_A_PROCESS - 1
        command = [sys.executable, "-m", "tests.hazards.fuzz", "solvers", ",".join(map(str, waiting)), str(COMMANDS_A_SEED)]
        done = subprocess.run(command, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            waiting.pop(0)
            seen = json.loads(line)
            slowest = max(slowest, (seen.pop("slowest_ms"), seen["seed"]))
            total.update({name: number for name, number in seen.items() if name not in ("mode", "seed", "hash")})
        n_done = sum(number for name, number in total.items() if name != "restored")
        if done.returncode != 0:
            failed.append(waiting.pop(0))
            print(f"solvers {failed[-1]} {COMMANDS_A_SEED}: ended with {done.returncode}\n{done.stderr[-3000:]}", flush=True)
        print(json.dumps({"operations": n_done, "failed": failed, "slowest_ms": slowest[0], "in": slowest[1]}), flush=True)
    print(json.dumps(total))
    return len(failed)


if __name__ == "__main__":
    if sys.argv[1] == "--operations":
        sys.exit(min(campaign(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0), 1))
    main(sys.argv[1].split(","), [int(seed) for seed in sys.argv[2].split(",")], int(sys.argv[3]), *sys.argv[4:])
