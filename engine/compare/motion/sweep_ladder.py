"""The ladder of `pgs_ngs`, which is Box2D's own algorithm: down to the same sweeps over the same contacts in the same order.

::

    Box2D                             ours
    as it is                          `pgs_ngs`, as a world of it takes the step, with as many sweeps
    all awake, nobody sleeps          the same                              sleeping
    no continuous collision           the same                              continuous
    .                                 Box2D's impulses to begin from        warm_starting
    .                                 damping as Box2D has it               integrator
    .                                 without pairs that Box2D has not      speculative
    .                                 Box2D's points, where axes agree      skin
    .                                 Box2D's contacts                      contacts
    .                                 its mouse and motor joints            joints
    .                                 contacts and joints in its order      order

On the last line both do the same arithmetic, sweep by sweep, Box2D in float32 and ours in float64; positions are held against each other
there too, with Box2D's own manifolds and skins. Nothing converges, so nothing hides: one sweep more or less shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.box2d.solver import Box2DMemory
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import EPS32
from engine.compare.allowances import lever_allowance, pose_allowance
from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.box2d_order import box2d_order
from engine.compare.motion.constraints import hard_contacts, is_solved, pair_keys
from engine.compare.motion.ladder import ROUNDINGS, Ladder, Rung
from engine.compare.motion.states import THRESHOLD, Taken, Twins, joint_impulses
from engine.dynamics.hard_step import HardContacts, HardStep, Sweeps
from engine.dynamics.joints import rotated
from engine.dynamics.solvers._pgs_ngs_kernel import ON_A, ON_B, ROUND, Planes
from engine.world.snapshot import WorldSnapshot

__all__ = ["SweepLadder"]

_SIDES = np.array([ROUND, ON_A, ON_B])
"""Of Box2D's kinds of manifolds: circles, face of A, face of B."""
_ID_BITS = 32
_DRAWS = 3
_SHARE = 0.1


class SweepLadder(Ladder):
    """The rungs for `pgs_ngs`; see the module."""

    def __init__(self, twins: Twins, bodies: JudgedBodies, top: Rung) -> None:
        self._bodies, self.rungs, self._cold = bodies, [top], None
        self._sides("sleeping", twins := twins.all_awake())
        _, ours = self._sides("continuous", twins := twins.with_settings(continuous=False))
        self._settling = twins, ours, tuple(self.rungs)

    def descend(self, patience: int) -> None:
        """Bring Box2D's contacts and its order into ours."""
        bodies, (twins, ours, rungs) = self._bodies, self._settling
        if patience > 1:
            return  # nothing settles here
        self.theirs, then = twins.box2d_step()
        mine, box2d = hard_contacts(ours, is_open=True), hard_contacts(self.theirs, is_open=False)
        explained = self._reasons(twins)
        theirs, differing = pair_keys(box2d), list(explained)
        shared = mine.chosen(np.isin(pair_keys(mine), theirs))
        skinned = box2d.chosen(~np.isin(theirs, differing)).joined(shared.chosen(np.isin(pair_keys(shared), differing)))
        hard = HardStep(twins.ours, bodies.pose, bodies.velocity, twins.force, twins.gear_sums)
        joints = self._joint_start(twins, hard)
        known = _known_impulses(twins.box2d, then, self.theirs)

        def left(contacts: HardContacts, **asked: Any) -> FloatArray:
            start = _matched(contacts, box2d, known), joints
            return self.theirs.velocity - hard.sweep(contacts, _no_planes(), Sweeps(), THRESHOLD, start=start, **asked)[0]

        order = box2d_order(bodies.model, box2d.fixtures)
        places, numbered = order.contacts, _numbered(hard.joint_table.owner, order.joints)
        sweeps = Sweeps(numbered, order.island)
        ordered, begun = box2d.in_order(places), known[places]
        velocity, pose = self._last(hard, ordered, begun, joints, then, places, sweeps, bodies.pose)
        self.rungs = [
            *rungs,
            Rung("warm_starting", left(mine, is_explicit=False, is_box2d=False)),
            Rung("integrator", left(mine, is_box2d=False)),
            Rung("speculative", left(shared, is_box2d=False)),
            Rung("skin", left(skinned, is_box2d=False)),
            Rung("contacts", left(box2d, is_box2d=False)),
            Rung("joints", left(box2d)),
            Rung("order", self.theirs.velocity - velocity),
        ]
        self.reasons, self._pairs = explained, np.concatenate((mine.fixtures, box2d.fixtures))
        self.island = bodies.islands(self._pairs)
        self._ends = np.array([[bodies.model.rows[bodies.model.fixtures[f].body] for f in pair] for pair in self._pairs.tolist()])
        self._held = bodies.held(self._pairs)
        rounding, moved = np.zeros(len(velocity)), np.zeros(len(velocity))
        for draw in range(_DRAWS):
            noise = stream(draw, "motion")
            poses = bodies.pose + noise.uniform(-1.0, 1.0, bodies.pose.shape) * lever_allowance(bodies.pose, bodies.scale)
            speeds = bodies.velocity * (1.0 + noise.uniform(-1.0, 1.0, bodies.velocity.shape) * EPS32)
            near = HardStep(twins.ours, poses, speeds, twins.force, twins.gear_sums)
            other, place = self._last(near, ordered, begun, joints, then, places, sweeps, poses, True)
            rounding = np.maximum(rounding, bodies.size(other - velocity))
            moved = np.maximum(moved, bodies.size(place - pose - (poses - bodies.pose)))
        self._rounding = self._worst(rounding)
        self.beyond, self.pose_rounding = bodies.size(self.theirs.pose - pose), self._worst(moved)

    def poses_agree(self, speeds: FloatArray) -> NDArray[np.bool_]:
        """Return of which bodies the poses are Box2D's on the last line, as far as rounding goes."""
        bodies = self._bodies
        allowed = pose_allowance(speeds, bodies.scale, bodies.dt) + ROUNDINGS * (self.pose_rounding + bodies.dt * self._rounding)
        found: NDArray[np.bool_] = self.beyond <= allowed
        return found

    def _joint_start(self, twins: Twins, hard: HardStep) -> FloatArray:
        impulse = joint_impulses(twins.box2d, hard.joint_table)
        return impulse if twins.box2d.settings.warm_starting else np.zeros_like(impulse)

    def _last(
        self,
        hard: HardStep,
        contacts: HardContacts,
        known: FloatArray,
        joints: FloatArray,
        then: WorldSnapshot,
        places: IntArray,
        sweeps: Sweeps,
        poses: FloatArray,
        is_single: bool = False,
    ) -> tuple[FloatArray, FloatArray]:
        """Return velocities and poses of the last line."""
        planes = self._planes(then, contacts, np.flatnonzero(is_solved(self.theirs))[places], poses, hard.centers)
        return hard.sweep(contacts, planes, sweeps, THRESHOLD, is_single, start=(known, joints))

    def _planes(self, then: WorldSnapshot, contacts: HardContacts, at: IntArray, poses: FloatArray, centers: FloatArray) -> Planes:
        """Return what positions ask of Box2D's contacts, from its manifolds; `at` are their places among all that it has."""
        memory, model = then.state.memory, self._bodies.model
        assert isinstance(memory, Box2DMemory)
        manifolds, fixtures = memory.manifolds[at], [[model.fixtures[f] for f in pair] for pair in contacts.fixtures.tolist()]
        ends = np.array([[model.rows[one.body] for one in pair] for pair in fixtures], dtype=np.int64).reshape(-1, 2)
        radius = np.array([sum(one.spec.shape.radius for one in pair) for pair in fixtures], dtype=np.float64)
        side, (a, b) = _SIDES[manifolds["type"]], ends.T
        has_face_b = side == ON_B
        turned = np.column_stack((np.cos(poses[:, 2]), np.sin(poses[:, 2])))
        face, other = np.where(has_face_b, b, a), np.where(has_face_b, a, b)

        def out(body: IntArray, local: FloatArray) -> FloatArray:
            return rotated(turned[body], local.astype(np.float64)) + poses[body, :2] - centers[body]

        plane, normal = out(face, manifolds["local_point"]), rotated(turned[face], manifolds["local_normal"].astype(np.float64))
        normal[has_face_b] *= -1.0
        clips = np.stack([out(other, manifolds["points"]["local"][:, k]) for k in range(2)], axis=1)
        planes = np.repeat(plane[:, None], 2, axis=1)
        on_a, on_b = np.where(has_face_b[:, None, None], clips, planes), np.where(has_face_b[:, None, None], planes, clips)
        count, apart = manifolds["count"].astype(np.int64), centers[b] - centers[a]
        return Planes(side, count, np.ascontiguousarray(normal), on_a, on_b, apart, radius)


def _no_planes() -> Planes:
    none, pairs = np.zeros(0, dtype=np.int64), np.zeros((0, 2))
    return Planes(none, none, pairs, np.zeros((0, 2, 2)), np.zeros((0, 2, 2)), pairs, np.zeros(0))


def _known_impulses(before: WorldSnapshot, then: WorldSnapshot, taken: Taken) -> FloatArray:
    """Return the impulses that the points of `hard_contacts` begin with, (n, 2, 2): of the same pair and name in the step before."""
    old, new = before.state.memory, then.state.memory
    assert isinstance(old, Box2DMemory) and isinstance(new, Box2DMemory)
    found = np.zeros((len(new.keys), 2, 2))
    if before.settings.warm_starting:
        at = {key: row for row, key in enumerate(old.keys.tolist())}
        for row, key in enumerate(new.keys.tolist()):
            if key not in at:
                continue
            was, now = old.manifolds[at[key]], new.manifolds[row]
            for k in range(int(now["count"])):
                for point in was["points"][: int(was["count"])]:
                    if point["id"] == now["points"][k]["id"]:
                        found[row, k] = point["normal_impulse"], point["tangent_impulse"]
                        break
    chosen: FloatArray = found[is_solved(taken)]
    return chosen


def _matched(contacts: HardContacts, others: HardContacts, impulse: FloatArray) -> FloatArray:
    """Return the impulses (n, 2, 2) of the pairs of `contacts`: those of the nearest points of the same pairs among `others`."""
    found, at = np.zeros((len(contacts.count), 2, 2)), {key: row for row, key in enumerate(pair_keys(others).tolist())}
    for row, key in enumerate(pair_keys(contacts).tolist()):
        if key in at:
            mine, theirs = contacts.position[row, : contacts.count[row]], others.position[at[key], : others.count[at[key]]]
            away = np.hypot(*(mine[:, None] - theirs[None]).transpose(2, 0, 1))
            for k, j in enumerate(away.argmin(axis=1).tolist()):
                found[row, k] = impulse[at[key], j]
    return found


def _numbered(owner: IntArray, joints: tuple[int, ...]) -> IntArray:
    """Return the places of `joints` among those that have rows, (m,)."""
    number = {joint: k for k, joint in enumerate(np.unique(owner).tolist())}
    return np.array([number[joint] for joint in joints if joint in number], dtype=np.int64)
