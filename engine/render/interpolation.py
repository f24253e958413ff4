"""Poses between two steps, points that move with them, and impacts inside a step, so that slow motion shows cause before effect.

A picture between two steps interpolates linearly between their states. If continuous physics found an impact within the step, the path has
a bend: before the impact, the body that was hit did not move.

        straight from state to state           with the bend at the impact
        bullet  o . . . . . >|                 bullet  o . . . >|
        plate     |#|-->  moves immediately    plate     |#|    |   rests, then moves
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.common.arrays import FloatArray, IntArray, any_of_rows
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.contracts.contact import PointState, StepContacts

__all__ = [
    "PathPiece",
    "StepImpacts",
    "StepPath",
    "bends",
    "contact_moments",
    "impacts_of",
    "interpolated",
    "moved",
    "step_impacts",
    "step_path",
]


def interpolated(before: FloatArray, after: FloatArray, fraction: float | FloatArray, local_centers: FloatArray) -> FloatArray:
    """Return the poses at `fraction` of the way (one, or (n,) per body); each center of mass moves on a straight line, as in Box2D.

    The origin of a body is recovered from its center: ``position = center - R(angle) local_center``.
    """
    if before.shape != after.shape or np.min(fraction, initial=1.0) >= 1.0 or np.array_equal(before, after):
        return after
    share = np.reshape(fraction, (-1, 1))
    start, end = moved(local_centers, before), moved(local_centers, after)
    between = before + share * (after - before)
    cos, sin = np.cos(between[:, 2]), np.sin(between[:, 2])
    center = start + share * (end - start)
    between[:, 0] = center[:, 0] - (cos * local_centers[:, 0] - sin * local_centers[:, 1])
    between[:, 1] = center[:, 1] - (sin * local_centers[:, 0] + cos * local_centers[:, 1])
    return between


def moved(local: FloatArray, poses: FloatArray, rows: IntArray | None = None) -> FloatArray:
    """Transform local points to the world, each with the pose in its own row, or in `rows`."""
    cos, sin, x, y = np.cos(poses[:, 2]), np.sin(poses[:, 2]), poses[:, 0], poses[:, 1]
    if rows is not None:  # column by column, because NumPy takes five times as long for rows of two numbers
        cos, sin, x, y = cos[rows], sin[rows], x[rows], y[rows]
    moved = np.empty_like(local)
    moved[:, 0] = cos * local[:, 0] - sin * local[:, 1] + x
    moved[:, 1] = sin * local[:, 0] + cos * local[:, 1] + y
    return moved


@dataclass(frozen=True, slots=True)
class StepImpacts:
    """The impacts that continuous collision detection found in one step.

    Attributes
    ----------
    bodies : int64 (k,)
        Ids of the bodies with an impact; only a body's first impact is used.
    moments : float64 (k,)
        Fraction of the step at which it happened, 0 to 1.
    poses : float64 (k, 3)
        Pose of the body at that time.
    contact_moments : float64 (n,)
        Fraction of the step at which each of the step's contacts began; 0 unless an impact within the step created it.
    """

    bodies: IntArray
    moments: FloatArray
    poses: FloatArray
    contact_moments: FloatArray

    def between(self, before: FloatArray, after: FloatArray, fraction: float, local_centers: FloatArray, body_ids: IntArray) -> FloatArray:
        """Return the poses at `fraction` of the step: linear, except for bends at the impacts.

        `body_ids`, int64 (b,), ascending, are the ids of the poses' rows. Bodies destroyed since then have no row; teleported bodies have
        their new pose.
        """
        drawn = interpolated(before, after, fraction, local_centers)
        if drawn is after or not len(self.bodies):
            return drawn
        there = np.flatnonzero(np.isin(self.bodies, body_ids))
        rows = np.searchsorted(body_ids, self.bodies[there])
        moves = any_of_rows(before[rows] != after[rows])
        rows, there = rows[moves], there[moves]
        moments, poses = self.moments[there], self.poses[there]
        early = fraction <= moments
        start = np.where(early[:, None], before[rows], poses)
        end = np.where(early[:, None], poses, after[rows])
        length = np.where(early, moments, 1.0 - moments)
        share = np.where(early, fraction, fraction - moments) / np.maximum(length, np.finfo(np.float64).tiny)
        bent = interpolated(start, end, share, local_centers[rows])
        drawn[rows] = np.where(share[:, None] >= 1.0, end, bent)
        return drawn


@dataclass(frozen=True, slots=True)
class PathPiece:
    """One of several steps that a world took within one step of the picture, from `start` to `end`, with the poses (b, 3) of its
    bodies."""

    start: float
    end: float
    body_ids: tuple[int, ...]
    before: FloatArray
    after: FloatArray
    impacts: StepImpacts | None


@dataclass(frozen=True, slots=True)
class StepPath:
    """A step made of several sub-steps; same interface as `StepImpacts`.

    Attributes
    ----------
    pieces : tuple of PathPiece
        In order.
    contact_moments : float64 (n,)
        Fraction of the whole step at which each contact of the last piece began.
    """

    pieces: tuple[PathPiece, ...]
    contact_moments: FloatArray

    def between(self, before: FloatArray, after: FloatArray, fraction: float, local_centers: FloatArray, body_ids: IntArray) -> FloatArray:
        """Return the poses at `fraction` of the step; `before` and `after` are those of its last piece."""
        piece = next((piece for piece in self.pieces if fraction <= piece.end), self.pieces[-1])
        if fraction >= 1.0 or any(known.body_ids != tuple(body_ids.tolist()) for known in (piece, self.pieces[-1])):
            return interpolated(before, after, fraction, local_centers)
        share = min(max((fraction - piece.start) / max(piece.end - piece.start, np.finfo(np.float64).tiny), 0.0), 1.0)
        if piece.impacts is not None:
            drawn = piece.impacts.between(piece.before, piece.after, share, local_centers, body_ids)
        else:
            drawn = interpolated(piece.before, piece.after, share, local_centers)
        was_put = any_of_rows(self.pieces[-1].after != after)  # moved since the step
        return np.where(was_put[:, None], after, drawn) if was_put.any() else drawn


def step_impacts(contacts: StepContacts, body_ids: IntArray, before: FloatArray, velocities: FloatArray, seconds: float) -> StepImpacts:
    """Compute when each impact happened, as the fraction of its path that the faster of the two bodies had covered.

    Parameters
    ----------
    contacts : StepContacts
    body_ids : int64 (b,)
        Ascending.
    before, velocities : float64 (b, 3)
        Poses and velocities at the beginning of the step.
    seconds : float
        Length of the step.
    """
    moments = np.zeros(len(contacts))
    at = np.flatnonzero(contacts.in_toi)
    if not len(at):
        none = np.zeros(0, dtype=np.int64)
        return StepImpacts(none, np.zeros(0), np.zeros((0, 3)), moments)
    rows = np.stack((np.searchsorted(body_ids, contacts.body_a[at]), np.searchsorted(body_ids, contacts.body_b[at])))
    poses = np.stack((contacts.pose_a[at], contacts.pose_b[at]))
    travel = np.hypot(velocities[rows, 0], velocities[rows, 1]) * seconds
    travel = np.minimum(travel, MAX_TRANSLATION_PER_STEP)
    gone = np.hypot(poses[:, :, 0] - before[rows, 0], poses[:, :, 1] - before[rows, 1])
    faster, column = np.argmax(travel, axis=0), np.arange(len(at))
    way = np.maximum(travel[faster, column], np.finfo(np.float64).tiny)
    moments[at] = np.minimum(gone[faster, column] / way, 1.0)
    order = np.argsort(np.concatenate((moments[at], moments[at])), kind="stable")
    flat = rows.reshape(-1)[order]
    first, where = np.unique(flat, return_index=True)
    chosen = order[where]
    return StepImpacts(body_ids[first], np.concatenate((moments[at], moments[at]))[chosen], poses.reshape(-1, 3)[chosen], moments)


class WorldStep(Protocol):
    """A step of the world within a step of the picture, as `engine.sim.stage.TakenPiece` describes it."""

    @property
    def contacts(self) -> StepContacts: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def body_ids(self) -> tuple[int, ...]: ...
    @property
    def before(self) -> FloatArray: ...
    @property
    def after(self) -> FloatArray: ...
    @property
    def velocities(self) -> FloatArray | None: ...
    @property
    def seconds(self) -> float: ...


class Stepped(Protocol):
    """The stage that took a step; `engine.sim.stage.Stage` implements it."""

    @property
    def is_last_step(self) -> bool: ...
    @property
    def pieces(self) -> Sequence[WorldStep]: ...


def step_path(stage: Stepped) -> StepImpacts | StepPath | None:
    """Return the path of the bodies within the last step; None if it is straight, or the stage was moved since then."""
    if not stage.is_last_step:
        return None
    steps = stage.pieces
    path = tuple(PathPiece(step.start, step.end, step.body_ids, step.before, step.after, impacts_of(step)) for step in steps)
    if len(path) == 1:
        return path[0].impacts
    return StepPath(path, contact_moments(steps[-1], path[-1].impacts))


def bends(path: StepImpacts | StepPath | None) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return where paths bend inside a step: body ids (k,), fractions of the step (k,) and poses (k, 3)."""
    parts = [(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 3)))]
    if isinstance(path, StepImpacts):
        parts.append((path.bodies, path.moments, path.poses))
    for piece in path.pieces if isinstance(path, StepPath) else ():
        if piece.impacts is not None:
            moments = piece.start + (piece.end - piece.start) * piece.impacts.moments
            parts.append((piece.impacts.bodies, moments, piece.impacts.poses))
        if piece.end < 1.0:
            ids = np.array(piece.body_ids, dtype=np.int64)
            parts.append((ids, np.full(len(ids), piece.end), piece.after))
    ids, moments, poses = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return ids, moments, poses


def impacts_of(step: WorldStep) -> StepImpacts | None:
    """Return the impacts inside a step of the world; None if there are none."""
    if step.velocities is None or not step.contacts.in_toi.any():
        return None
    return step_impacts(step.contacts, np.array(step.body_ids, dtype=np.int64), step.before, step.velocities, step.seconds)


def contact_moments(step: WorldStep, impacts: StepImpacts | None) -> FloatArray:
    """Return when each contact began within the step, 0 to 1, float64 (n,); 0 for older contacts."""
    moments = impacts.contact_moments if impacts is not None else np.zeros(len(step.contacts))
    is_new = any_of_rows(step.contacts.state == PointState.ADD) | (moments > 0.0)
    return np.where(is_new, step.start + (step.end - step.start) * moments, 0.0)
