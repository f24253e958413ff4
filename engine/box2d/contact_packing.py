"""The contacts of a step without what follows from the rest, so that many can be kept.

Of a `StepContacts` nearly all is computed from the manifolds and keys beside it and from where the bodies stood (`contacts.point_columns`):

    keys, and who owns a fixture   -> fixture_a, fixture_b, body_a, body_b
    a pose for each body           -> pose_a, pose_b                              but for pairs asleep, and impacts inside the step
    these, manifolds, radii        -> count, normal, position, separation, feature_id, impulses      impulses but for such impacts

Whether it does is tried: a column that comes out otherwise in a single bit is kept as it is. So it comes back to the last bit, whatever
made it, in the process that took it apart (another one may have another cosine).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.box2d.contacts import EvaluatedPairs, fixtures_of, point_columns
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import PointState, StepContacts
from engine.geometry import Circle
from engine.world.specs import FixtureSpec

__all__ = ["Owners", "pack_contacts", "unpack_contacts"]

Owners = tuple[tuple[int, int, FixtureSpec], ...]
"""(fixture id, body id, specification) of all fixtures, in ascending order of ids, as in `WorldSnapshot`."""

_POSES = "poses"


def pack_contacts(pairs: EvaluatedPairs, owners: Owners) -> dict[str, Any]:
    """Return what of `pairs.contacts` does not follow from the rest of `pairs` and the fixtures, by name."""
    contacts = pairs.contacts
    left = {one.name: getattr(contacts, one.name) for one in fields(StepContacts)}
    poses = {_POSES: _pose_of_each(contacts)}
    for given in (poses, {"pose_a": contacts.pose_a, "pose_b": contacts.pose_b}):
        found = _following(pairs.keys, pairs.manifolds, owners, given)
        if all(_is_same(found.get(name), left[name]) for name in ("pose_a", "pose_b")):
            return given | {name: value for name, value in left.items() if not _is_same(found.get(name), value)}
    return left  # of fixtures that are gone


def unpack_contacts(left: Mapping[str, Any], keys: IntArray, manifolds: NDArray[np.void], owners: Owners) -> StepContacts:
    """Return the contacts again."""
    found = _following(keys, manifolds, owners, left) | dict(left)
    return StepContacts(**{one.name: found[one.name] for one in fields(StepContacts)})


def _pose_of_each(contacts: StepContacts) -> FloatArray:
    """Return the pose of each body that touches something, (n, 3), by ascending id, as the first of its contacts has it."""
    _, first = np.unique(np.concatenate((contacts.body_a, contacts.body_b)), return_index=True)
    return frozen(np.concatenate((contacts.pose_a, contacts.pose_b))[first])


def _following(keys: IntArray, manifolds: NDArray[np.void], owners: Owners, given: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return what follows, where `given` has the poses: of each body, or both columns; nothing if a fixture is not there any more."""
    ids = np.array([fixture for fixture, _, _ in owners], dtype=np.int64)
    fixtures = fixtures_of(keys)
    if not np.isin(np.concatenate(fixtures), ids).all():
        return {}
    rows = [np.searchsorted(ids, column) for column in fixtures]
    owner = np.array([body for _, body, _ in owners], dtype=np.int64)
    bodies = [owner[at] for at in rows]
    if _POSES in given:
        known = np.unique(np.concatenate(bodies))
        poses = [given[_POSES][np.searchsorted(known, column)] for column in bodies]
    else:
        poses = [given["pose_a"], given["pose_b"]]
    rounds = [spec.shape.radius if isinstance(spec.shape, Circle) else None for _, _, spec in owners]
    radius = np.array([BOX2D_POLYGON_SKIN if one is None else np.float32(one) for one in rounds], dtype=np.float64)
    skin = np.array([BOX2D_POLYGON_SKIN if one is None else 0.0 for one in rounds])
    a, b = rows
    found = point_columns(manifolds, (poses[0], poses[1]), (radius[a], radius[b]), skin[a] + skin[b])
    found["state"] = np.where(np.arange(2) < found["count"][:, None], PointState.PERSIST, -1).astype(np.int8)
    found |= {"fixture_a": fixtures[0], "fixture_b": fixtures[1], "body_a": bodies[0], "body_b": bodies[1]}
    found |= {"pose_a": poses[0], "pose_b": poses[1]}
    return {name: frozen(column) for name, column in found.items()}


def _is_same(one: object, other: object) -> bool:
    """Tell whether two arrays are of the same bits in the same order in memory, and as read-only."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return False
    is_alike = one.dtype == other.dtype and one.shape == other.shape and one.strides == other.strides
    return is_alike and one.flags.writeable == other.flags.writeable and one.tobytes() == other.tobytes()
