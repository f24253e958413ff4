"""How the stages of a demo are drawn: fading marks of contact points, impacts inside the last step, colors.

`views_of(demo)` observes each step from its first call on. The marks are not part of the demo's state. They are stored by step: after
rewinding, the picture shows those of the previous steps, and repeated steps replace their marks. Marks of bodies that a command has moved
or destroyed are dropped.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from engine.render.interpolation import contact_moments, impacts_of, step_path
from engine.render.trail import ContactTrail
from engine.render.views import SceneView
from engine.sim.demo import Demo
from engine.sim.stage import Stage

__all__ = ["StageViews", "views_of"]


class StageViews:
    """Marks of the stages of a demo; an observer of its simulation."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self._trails: WeakKeyDictionary[Stage, ContactTrail] = WeakKeyDictionary()

    def __call__(self, stage: Stage) -> None:
        """Record the contact points that appeared and disappeared in a stage's last step."""
        trail = self._trails.setdefault(stage, ContactTrail())
        for piece in stage.pieces:
            trail.record(piece.contacts, contact_moments(piece, impacts_of(piece)))

    def scene(self, stage: Stage) -> SceneView:
        """Return the drawing state of a stage."""
        from engine.app.dropped_picture import shown_of  # imports pygame, which a run without a picture does not need

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
    """Return the views of a demo's stages; they observe the demo from the first call on."""
    observers = demo.sim.observers
    views = next((observer for observer in observers if isinstance(observer, StageViews)), None)
    if views is None:
        views = StageViews(demo)
        observers.append(views)
    return views
