"""In which order Box2D goes through a step, found from how a world that was rebuilt stands: the same lists, walked as it walks them.

Every list of Box2D's begins with what came last. A world that was rebuilt has its bodies, and the fixtures of each, in ascending order of
their ids; its contacts, all found at once, in that of their two fixtures (b2BroadPhase sorts the pairs); its joints in that of their ids.
An island is what a search in depth finds from the first body that is in none yet (b2World::Solve)::

    take the body on top of the stack; if it is static go no further
    its contacts that touch, and then its joints, that are in no island yet: into the island, and the body beyond onto the stack

Contacts and joints are solved in the order in which the search has come upon them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import IntArray
from engine.world.joint_specs import GearJointSpec
from engine.world.model import WorldModel

__all__ = ["Order", "box2d_order"]


@dataclass(frozen=True)
class Order:
    """What is solved when: rows of contacts and ids of joints as they come, and of each body, by row, the number of its island."""

    contacts: IntArray
    joints: tuple[int, ...]
    island: IntArray


def box2d_order(model: WorldModel, fixtures: IntArray) -> Order:
    """Return the order of a step with contacts of `fixtures`, int64 (n, 2) ids, all awake."""
    rows, n = model.rows, len(model.body_ids)
    number = {fixture: k for k, fixture in enumerate(f for body in sorted(model.bodies) for f in model.bodies[body].fixtures)}
    pairs = [tuple(sorted((number[a], number[b]))) for a, b in fixtures.tolist()]
    newest = sorted(range(len(pairs)), key=lambda row: pairs[row], reverse=True)
    body_of = {fixture: rows[entry.body] for fixture, entry in model.fixtures.items()}
    of_contacts = _edges(n, [(row, body_of[fixtures[row, 0]], body_of[fixtures[row, 1]]) for row in newest])
    of_joints = _edges(n, [(joint, *_ends(model, joint)) for joint in sorted(model.joints, reverse=True)])
    specs = [model.bodies[body].spec for body in model.body_ids.tolist()]
    island, contacts, joints = np.full(n + 1, n, dtype=np.int64), dict[int, None](), dict[int, None]()
    for seed in reversed(range(n)):
        if island[seed] != n or specs[seed].type == "static" or not specs[seed].active:
            continue
        stack, island[seed] = [seed], seed
        while stack:
            body = stack.pop()
            if specs[body].type == "static":
                continue
            for edges, found in ((of_contacts, contacts), (of_joints, joints)):
                for one, other in edges[body]:
                    if one in found or (edges is of_joints and other < n and not specs[other].active):
                        continue
                    found[one] = None
                    if other < n and island[other] == n:
                        island[other] = seed
                        stack.append(other)
        for body in np.flatnonzero(island == seed).tolist():
            if specs[body].type == "static":
                island[body] = n
    return Order(np.array(list(contacts), dtype=np.int64), tuple(joints), island)


def _edges(n: int, links: Sequence[tuple[int, int, int]]) -> Mapping[int, list[tuple[int, int]]]:
    """Return for each of `n` bodies, by row, what links it to which other one, in the order of `links`; row n is no body."""
    found: dict[int, list[tuple[int, int]]] = {body: [] for body in range(n + 1)}
    for one, a, b in links:
        found[a].append((one, b))
        found[b].append((one, a))
    return found


def _ends(model: WorldModel, joint: int) -> tuple[int, int]:
    resolved, world = model.joints[joint], len(model.body_ids)
    spec = resolved.spec
    bodies = resolved.bodies
    if isinstance(spec, GearJointSpec):
        bodies = model.joints[spec.joint_a].bodies[1], model.joints[spec.joint_b].bodies[1]
    a, b = (world if body is None else model.rows[body] for body in bodies)
    return a, b
