"""Reading a Box2D world after a step, through its public interface: the slow reader, and the judge of the fast one.

Both readers fill the same columns with the same raw numbers, so that nothing downstream depends on which one ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.world.records import BodyMotion

__all__ = ["PublicReader", "RawContacts", "Reader"]

MANIFOLD_DTYPE = np.dtype(
    [
        ("points", [("local", np.float32, 2), ("normal_impulse", np.float32), ("tangent_impulse", np.float32), ("id", np.uint32)], 2),
        ("local_normal", np.float32, 2),
        ("local_point", np.float32, 2),
        ("type", np.int32),
        ("count", np.int32),
    ]
)
"""`b2Manifold` as it lies in memory: 64 bytes."""


@dataclass(frozen=True, slots=True)
class RawContacts:
    """Touching contacts: addresses of each, int64 (n,), and of its two fixtures (n, 2), and manifolds of `MANIFOLD_DTYPE`."""

    contacts: NDArray[np.int64]
    fixtures: NDArray[np.int64]
    manifolds: NDArray[np.void]


class Reader(Protocol):
    """Copies a world's state out of Box2D. Must only be used between steps."""

    def bodies(self, handles: Sequence[Any], addresses: NDArray[np.int64]) -> BodyMotion:
        """Read the bodies behind `handles`, whose addresses are given too."""
        ...

    def contacts(self, world: Any) -> RawContacts:
        """Read the contacts that touch."""
        ...


class PublicReader:
    """Through pybox2d's properties: about 0.6 us a body and 10 us a contact."""

    def bodies(self, handles: Sequence[Any], addresses: NDArray[np.int64]) -> BodyMotion:
        values = np.empty((len(handles), 6), dtype=np.float32)
        awake = np.empty(len(handles), dtype=np.bool_)
        for row, body in enumerate(handles):
            position, velocity = body.position, body.linearVelocity
            values[row] = (position.x, position.y, body.angle, velocity.x, velocity.y, body.angularVelocity)
            awake[row] = body.awake
        return BodyMotion(values, awake)

    def contacts(self, world: Any) -> RawContacts:
        # pybox2d hands the list out reversed; Box2D's own order is the one the memory reader walks
        touching = [contact for contact in reversed(world.contacts) if contact.touching]
        addresses = np.array([hash(contact) for contact in touching], dtype=np.int64)
        fixtures = np.zeros((len(touching), 2), dtype=np.int64)
        manifolds = np.zeros(len(touching), dtype=MANIFOLD_DTYPE)
        for row, contact in enumerate(touching):
            fixtures[row] = hash(contact.fixtureA), hash(contact.fixtureB)
            _copy_manifold(contact.manifold, manifolds[row])
        return RawContacts(addresses, fixtures, manifolds)


def _copy_manifold(manifold: Any, row: Any) -> None:
    points = manifold.points  # cut to the point count by pybox2d
    row["type"], row["count"] = manifold.type_, len(points)
    row["local_normal"] = tuple(manifold.localNormal)
    row["local_point"] = tuple(manifold.localPoint)
    for k, point in enumerate(points):
        slot = row["points"][k]
        slot["local"] = tuple(point.localPoint)
        slot["normal_impulse"] = point.normalImpulse
        slot["tangent_impulse"] = point.tangentImpulse
        slot["id"] = point.id.key
