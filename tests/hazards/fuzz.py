"""Random commands to a world, in a process of its own: `python -m tests.hazards.fuzz MODE SEED COMMANDS` prints one line of JSON.

Everything the public world knows is thrown at it, right and wrong: bodies, fixtures and joints come and go, types, filters, sensors,
materials, settings change, bodies are pushed, put elsewhere, put to sleep, snapshots taken and gone back to. A command may be refused
with one of the project's own errors; nothing else may happen. At the end the log is replayed in a fresh world.

mode      what is different
plain     ordinary sizes and speeds
extreme   numbers from 1e-9 to 1e9, densities from 1e-4 to 1e6
hooks     commands come from hooks in the middle of a step too, and hooks raise
snapshot  snapshots, and restoring them; the world and two made of its last one must go on alike
"""

from __future__ import annotations

import faulthandler
import json
import math
import random
import sys
from collections import Counter

import numpy as np

from engine.box2d import (
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
    WorldSnapshot,
    memory,
)
from engine.box2d.joints import changeable
from engine.common.errors import DeadHandleError, InvalidInputError, WorldLostError
from engine.geometry import Circle, Polygon

MODES = ("plain", "extreme", "hooks", "snapshot")

MOST_BODIES, MOST_JOINTS = 50, 30
STEP_SHARE = 0.35
REFUSALS = (InvalidInputError, DeadHandleError)


class HookError(Exception):
    """What a hook raises here."""


class Fuzzer:
    def __init__(self, mode: str, seed: int) -> None:
        self.mode, self.random, self.seen = mode, random.Random(f"{mode} {seed}"), Counter()
        self.settings = WorldSettings()
        self.world = World(self.settings)
        self.snapshots: list[WorldSnapshot] = []
        self.is_replayable = True
        pit = (FixtureSpec(Polygon.box(5.0, 0.5)), FixtureSpec(Polygon.box(0.3, 5.0)))
        self.world.create_body(BodySpec(pit, type="static", position=(0.0, -2.5)))
        if mode == "hooks":
            self.world.hooks = StepHooks(begin=self.hook, end=self.hook, post_solve=self.hook)

    # -- random values

    def number(self, size: float = 3.0) -> float:
        if self.mode == "extreme" and self.random.random() < 0.2:
            return self.random.choice((-1.0, 1.0)) * 10.0 ** self.random.uniform(-9.0, 9.0)
        return self.random.uniform(-size, size)

    def vector(self, size: float) -> tuple[float, float]:
        return self.number(size), self.number(size)

    def place(self) -> tuple[float, float]:
        return (self.random.uniform(-3.0, 3.0), self.random.uniform(-2.0, 4.0))

    def shape(self) -> Circle | Polygon:
        r = self.random
        size = 10.0 ** r.uniform(-2.0, 2.0) if self.mode == "extreme" and r.random() < 0.1 else r.choice((0.05, 0.2, 0.4, 1.0))
        x, y = (0.0, 0.0) if r.random() < 0.7 else (r.uniform(-0.4, 0.4), r.uniform(-0.4, 0.4))
        kind = r.random()
        if kind < 0.4:
            return Circle(size, (x, y))
        if kind < 0.7:
            return Polygon.box(size, size * r.uniform(0.1, 1.0))
        angles = sorted(r.uniform(0.0, 2.0 * math.pi) for _ in range(r.randint(3, 12)))
        return Polygon([(size * math.cos(angle) + x, size * math.sin(angle) + y) for angle in angles])

    def fixture(self) -> FixtureSpec:
        r = self.random
        return FixtureSpec(
            self.shape(),
            density=10.0 ** r.uniform(-4.0, 6.0) if self.mode == "extreme" else r.choice((0.0, 0.1, 1.0, 1.0, 10.0)),
            friction=r.choice((0.0, 0.3, 1.0, 5.0)),
            restitution=r.choice((0.0, 0.0, 0.5, 1.0, 1.5)),
            sensor=r.random() < 0.15,
            category=r.choice((1, 1, 2, 3, 0, 0xFFFF)),
            mask=r.choice((0xFFFF, 0xFFFF, 0xFFFF, 1, 2, 0)),
            group=r.choice((0, 0, 0, 1, -1, -5)),
        )

    def body(self) -> BodySpec:
        r = self.random
        kind = r.choice(("dynamic", "dynamic", "dynamic", "dynamic", "static", "kinematic"))
        return BodySpec(
            tuple(self.fixture() for _ in range(r.choice((0, 1, 1, 1, 2, 3)))),
            type=kind,
            position=self.place(),
            angle=self.number(),
            linear_velocity=(0.0, 0.0) if kind == "static" else (self.number(8.0), self.number(8.0)),
            angular_velocity=0.0 if kind == "static" else self.number(10.0),
            linear_damping=r.choice((0.0, 0.0, 1.0)),
            gravity_scale=r.choice((1.0, 1.0, 0.0, -1.0)),
            fixed_rotation=r.random() < 0.1,
            bullet=r.random() < 0.3,
            allow_sleep=r.random() < 0.8,
            awake=r.random() < 0.8,
            active=r.random() < 0.9,
        )

    def joint(self):
        r = self.random
        a, b = self.any_of(self.world.body_ids), self.any_of(self.world.body_ids)
        p, q, frequency = self.place(), self.place(), r.choice((0.0, 2.0, 10.0))
        is_on = r.random() < 0.5
        return r.choice(
            (
                lambda: RevoluteJointSpec(a, b, p, is_on, -0.5, 0.5, r.random() < 0.5, self.number(), abs(self.number(50.0))),
                lambda: DistanceJointSpec(a, b, p, q, frequency=frequency, damping_ratio=0.3),
                lambda: WeldJointSpec(a, b, p, frequency=frequency),
                lambda: PrismaticJointSpec(a, b, p, (1.0, r.uniform(-1.0, 1.0)), enable_limit=is_on, upper_translation=1.0),
                lambda: WheelJointSpec(a, b, p, frequency=frequency, enable_motor=is_on, motor_speed=9.0, max_motor_torque=20.0),
                lambda: RopeJointSpec(a, b, p, q),
                lambda: PulleyJointSpec(a, b, (-3.0, 6.0), (3.0, 6.0), p, q),
                lambda: MouseJointSpec(a, p, r.choice((1.0, 1e3)), frequency=r.choice((0.5, 5.0))),
                lambda: FrictionJointSpec(a, b, p, r.choice((0.0, 5.0, 1e3)), 2.0, is_on),
                lambda: MotorJointSpec(a, b, r.choice((None, q)), r.choice((None, 0.5)), 50.0, 9.0, r.choice((0.0, 0.3, 1.0)), is_on),
                self.gear,
                self.gear,
                self.gear,
            )
        )()

    def gear(self) -> GearJointSpec:
        """On any two joints, or, mostly, on two new ones."""
        w, r = self.world, self.random
        on = self.any_of(w.joint_ids), self.any_of(w.joint_ids)
        if r.random() < 0.8 and len(w.joint_ids) + 2 < MOST_JOINTS:
            a, b, c = (self.any_of(w.body_ids) for _ in range(3))
            turned, slid = RevoluteJointSpec(a, b, self.place()), PrismaticJointSpec(b, c, self.place(), (1.0, 0.5))
            on = self.support(turned), self.support(r.choice((slid, RevoluteJointSpec(a, c, self.place()))))
        return GearJointSpec(*on, r.choice((1.0, -1.0, 0.3, -20.0)), r.random() < 0.5)

    def support(self, spec) -> int:
        """Create a joint that another one is to stand on. Who plays through a history must replace this, or the history misses it."""
        return self.world.create_joint(spec)

    def any_of(self, ids) -> int:
        """One that is alive, or now and then a number that may name nothing."""
        if not ids or self.random.random() < 0.02:
            return self.random.randrange(-1, 400)
        return self.random.choice(ids)

    # -- commands

    def command(self, in_hook: bool = False) -> None:
        w, r = self.world, self.random
        commands = {
            "create_body": (7, lambda: len(w.body_ids) < MOST_BODIES and w.create_body(self.body())),
            "destroy_body": (1, lambda: w.destroy_body(self.any_of(w.body_ids))),
            "create_fixture": (3, lambda: w.create_fixture(self.any_of(w.body_ids), self.fixture())),
            "destroy_fixture": (1, lambda: w.destroy_fixture(self.any_of(w.fixture_ids))),
            "create_joint": (2, lambda: len(w.joint_ids) < MOST_JOINTS and w.create_joint(self.joint())),
            "destroy_joint": (1, lambda: w.destroy_joint(self.any_of(w.joint_ids))),
            "set_mouse_target": (1, lambda: w.set_mouse_target(self.any_of(w.joint_ids), self.place())),
            "set_pose": (1, lambda: w.set_pose(self.any_of(w.body_ids), self.place(), self.number())),
            "set_velocity": (2, lambda: w.set_velocity(self.any_of(w.body_ids), self.vector(20.0), self.number(30.0))),
            "set_awake": (2, lambda: w.set_awake(self.any_of(w.body_ids), r.random() < 0.5)),
            "set_body": (3, lambda: w.set_body(self.any_of(w.body_ids), **self.body_change())),
            "set_fixture": (3, lambda: w.set_fixture(self.any_of(w.fixture_ids), **self.fixture_change())),
            "set_joint": (2, self.change_joint),
            "set_settings": (1, lambda: w.set_settings(**self.settings_change())),
            "apply_impulse": (2, lambda: w.apply_impulse(self.any_of(w.body_ids), self.vector(5.0), self.maybe_place())),
            "apply_force": (1, lambda: w.apply_force(self.any_of(w.body_ids), self.vector(50.0), self.maybe_place())),
            "apply_torque": (1, lambda: w.apply_torque(self.any_of(w.body_ids), self.number(50.0))),
            "rebuild": (1, w.rebuild),
            "read": (2, self.read),
        }
        if self.mode == "snapshot" and not in_hook:
            commands["snapshot"] = (1, lambda: self.snapshots.append(w.snapshot()))
            commands["restore"] = (1, self.restore)
        name = r.choices(tuple(commands), [weight for weight, _ in commands.values()])[0]
        try:
            commands[name][1]()
            self.seen[name] += 1
        except REFUSALS:
            self.seen["refused"] += 1
        except HookError:
            self.seen["raised by a hook"] += 1
        except WorldLostError as error:
            self.lost(error)

    def body_change(self) -> dict[str, object]:
        pairs = [("type", kind) for kind in ("static", "dynamic", "kinematic")] + [("gravity_scale", -1.0)]
        pairs += [(name, value) for name in ("bullet", "active", "fixed_rotation", "allow_sleep") for value in (True, False)]
        return dict([self.random.choice(pairs)])

    def fixture_change(self) -> dict[str, object]:
        changes = ({"sensor": True}, {"sensor": False}, {"density": self.random.uniform(0.0, 5.0)}, {"friction": 0.1}, {"mask": 0})
        return self.random.choice((*changes, {"mask": 0xFFFF, "category": 1}, {"group": -1}, {"group": 1, "restitution": 0.9}))

    def change_joint(self) -> None:
        joint, changes = self.joint_change()
        self.world.set_joint(joint, **changes)

    def joint_change(self) -> tuple[int, dict[str, object]]:
        """A joint, and something of it that has another value, which may be out of range."""
        joint, r = self.any_of(self.world.joint_ids), self.random
        names = changeable(self.world.joint(joint).spec) if self.world.is_joint(joint) else ("collide_connected",)
        name = r.choice(names)
        if name.startswith("enable") or name == "collide_connected":
            return joint, {name: r.random() < 0.5}
        return joint, {name: self.place() if name == "linear_offset" else r.choice((0.0, 0.5, 2.0, 20.0, -1.0, 1e3))}

    def settings_change(self) -> dict[str, object]:
        r = self.random
        name = r.choice(("sub_stepping", "continuous", "warm_starting", "sleeping", "hertz", "gravity", "velocity_iterations"))
        values = {"hertz": r.choice((1.0, 10.0, 60.0, 240.0, 10_000.0)), "gravity": (self.number(), self.number(10.0))}
        return {name: values.get(name, r.choice((1, 8, 50)) if name == "velocity_iterations" else r.random() < 0.6)}

    def maybe_place(self) -> tuple[float, float] | None:
        return self.random.choice((None, self.place()))

    def read(self) -> None:
        w = self.world
        assert np.isfinite(w.poses).all() and np.isfinite(w.velocities).all()
        w.body_at(self.place())
        w.state_hash()
        w.body(self.any_of(w.body_ids))
        w.fixture(self.any_of(w.fixture_ids))
        w.joint_anchors(self.any_of(w.joint_ids))

    def restore(self) -> None:
        if self.snapshots:
            self.world.restore(self.random.choice(self.snapshots[-3:]))
            self.is_replayable = False  # the log starts anew, from that snapshot

    def lost(self, error: WorldLostError) -> None:
        self.seen["world lost"] += 1
        print(error, file=sys.stderr)
        self.is_replayable = False  # rebuilt from outside Box2D: it goes on, with the impulses of its joints gone

    def hook(self, *_: object) -> None:
        chance = self.random.random()
        if chance < 0.1:
            self.command(in_hook=True)
        elif chance < 0.11:
            raise HookError("in the middle of Box2D")

    def step(self) -> None:
        try:
            contacts = self.world.step()
        except HookError:
            self.seen["raised by a hook"] += 1
        except WorldLostError as error:
            self.lost(error)
        except REFUSALS:  # what a hook asked for had become impossible by the end of the step
            self.seen["refused"] += 1
        else:
            self.seen["step"] += 1
            assert np.isfinite(contacts.position).all()
            lengths = np.hypot(contacts.normal[:, 0], contacts.normal[:, 1])
            assert (abs(lengths - 1.0) < 1e-5).all()  # float32

    # -- at the end

    def judge(self) -> None:
        world = self.world
        box2d = world._state.cache._world
        assert (box2d.bodyCount, len(box2d.joints)) == (len(world.body_ids) + 1, len(world.joint_ids))  # and the anchor of mouse joints
        world.hooks = None
        if self.is_replayable:
            again = World.replay(self.settings, world.log, world.step_index)
            assert again.state_hash() == world.state_hash(), "the replay differs"
            assert (again.body_ids, again.fixture_ids, again.joint_ids) == (world.body_ids, world.fixture_ids, world.joint_ids)
            assert again.log == world.log
            self.seen["replayed"] += 1
        if self.mode == "snapshot":
            world.rebuild()
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


def main(mode: str, seed: int, n_commands: int) -> None:
    faulthandler.enable()
    if seed % 2:
        memory.load()  # every second run reads and writes Box2D's memory, the others go through its interface
    fuzzer = Fuzzer(mode, seed)
    for _ in range(n_commands):
        fuzzer.command()
        if fuzzer.random.random() < STEP_SHARE:
            fuzzer.step()
    fuzzer.judge()
    print(json.dumps({"mode": mode, "seed": seed, "hash": fuzzer.world.state_hash(), **fuzzer.seen}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
