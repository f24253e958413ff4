"""How the stages of a demo are drawn: fading marks of contact points, impacts inside the last step, colors.

`views_of(demo)` notes what each step does, from its first call on. Nothing of it is part of the demo's state: marks are kept by step, so
that where the demo goes back the picture shows those of the steps before, and steps taken again replace theirs. Marks of bodies that a
command has moved or destroyed are dropped.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from engine.common.arrays import FloatArray, any_of_rows
from engine.contracts.contact import PointState
from engine.render.interpolation import PathPiece, StepImpacts, StepPath, step_impacts
from engine.render.trail import ContactTrail
from engine.render.views import SceneView
from engine.sim.demo import Demo
from engine.sim.stage import Stage, TakenPiece

__all__ = ["StageViews", "step_path", "views_of"]


class StageViews:
    """Marks of the stages of a demo; an observer of its simulation."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self._trails: WeakKeyDictionary[Stage, ContactTrail] = WeakKeyDictionary()

    def __call__(self, stage: Stage) -> None:
        """Note the contact points that came and went in a stage's last step."""
        trail = self._trails.setdefault(stage, ContactTrail())
        for piece in stage.pieces:
            trail.record(piece.contacts, _moments(piece, _impacts(piece)))

    def scene(self, stage: Stage) -> SceneView:
        """Return a stage as it is drawn now."""
        from engine.app.dropped_picture import shown_of  # loads pygame, which a run without a picture does without

        trail, displaced = self._trails.get(stage, ContactTrail()), stage.displaced
        trail.forget(displaced)
        pictured = [drop.body for drop in self._demo.dropped if drop.stage is stage and drop.is_there and shown_of(drop) is not None]
        return SceneView(
            world=stage.world,
            offset=stage.offset,
            trail=trail,
            impacts=step_path(stage),
            displaced=displaced,
            agreement=stage.agreement,
            mark_touching=stage.mark_touching,
            colors=self._demo.body_colors(stage),
            outline_only={*self._demo.outlined_bodies(stage), *pictured},
        )


def views_of(demo: Demo) -> StageViews:
    """Return the views of a demo's stages; they observe it from the first call on."""
    observers = demo.sim.observers
    views = next((observer for observer in observers if isinstance(observer, StageViews)), None)
    if views is None:
        views = StageViews(demo)
        observers.append(views)
    return views


def step_path(stage: Stage) -> StepImpacts | StepPath | None:
    """Return the way of the bodies within the last step; None if it is straight, or the stage was brought elsewhere since."""
    if not stage.is_last_step:
        return None
    *_, last = pieces = stage.pieces
    path = tuple(PathPiece(piece.start, piece.end, piece.body_ids, piece.before, piece.after, _impacts(piece)) for piece in pieces)
    if len(path) == 1:
        return path[0].impacts
    return StepPath(path, _moments(last, path[-1].impacts))


def _impacts(piece: TakenPiece) -> StepImpacts | None:
    if piece.velocities is None or not piece.contacts.in_toi.any():
        return None
    return step_impacts(piece.contacts, np.array(piece.body_ids, dtype=np.int64), piece.before, piece.velocities, piece.seconds)


def _moments(piece: TakenPiece, impacts: StepImpacts | None) -> FloatArray:
    """Return when within the stage's step each contact of a piece began, 0 to 1, float64 (n,); 0 for those from before."""
    moments = impacts.contact_moments if impacts is not None else np.zeros(len(piece.contacts))
    is_new = any_of_rows(piece.contacts.state == PointState.ADD) | (moments > 0.0)
    return np.where(is_new, piece.start + (piece.end - piece.start) * moments, 0.0)
