"""A whole collision frame against pymunk's step of the same scene.

Ours: from the poses of all bodies to their boxes, the pairs and the manifolds of each. Pymunk's: a step, in which it moves the bodies,
updates its tree and finds the pairs; then either every pair is filtered out and no contact computed, or all shapes are sensors, so
that it computes the contacts of each pair and solves none.
"""

from __future__ import annotations

from benchmarks.bodies import spread_boxes
from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from engine.query.batch import ShapeBatch
from engine.query.batch_frame import collide

__all__ = ["run"]

SPEED = 3.0
"""Meters a second along each axis; 5 cm a step, and the scene stays what it is while it is measured."""


def run(quick: bool = False) -> list[Record]:
    """Time scenes of 1,000 and 10,000 bodies."""
    sizes, rounds = ((1_000,), 5) if quick else ((1_000, 10_000), 21)
    records = []
    for n in sizes:
        shapes, which, poses = spread_boxes(n)
        packed = ShapeBatch(shapes)
        calls = {"ours": lambda packed=packed, which=which, poses=poses: _done(collide(packed, which, poses))}
        missing, contacts = "", collide(packed, which, poses)
        try:
            calls["pymunk"] = _pymunk_step(shapes, which, poses, False)
            calls["pymunk, sensors"] = _pymunk_step(shapes, which, poses, True)
        except MissingPeerError as error:
            missing = str(error)
        times = seconds_in_turn(calls, rounds)
        note = f"{len(contacts.pairs):,} pairs, {int((contacts.manifolds.count > 0).sum()):,} contacts"
        for peer, what in (("pymunk", "; pymunk computes none"), ("pymunk, sensors", "; pymunk computes them too")):
            their = times.get(peer)
            records.append(record(f"scene, {n:,} bodies", "ms", times["ours"], their, peer if their else "", missing or note + what))
    return records


def _pymunk_step(shapes, which, poses, with_contacts):
    require_peer("pymunk")
    import pymunk

    space = pymunk.Space()
    apart = pymunk.ShapeFilter(group=1)
    for shape, (x, y, angle) in zip(which.tolist(), poses.tolist(), strict=True):
        body = pymunk.Body(1.0, 1.0)
        body.position, body.angle = (x, y), angle
        body.velocity = (SPEED if shape % 2 else -SPEED, SPEED if shape % 4 < 2 else -SPEED)
        polygon = pymunk.Poly(body, shapes[shape].vertices.tolist())
        polygon.filter, polygon.sensor = (pymunk.ShapeFilter() if with_contacts else apart), with_contacts
        space.add(body, polygon)
    return lambda: _done(space.step(1.0 / 60.0))


def _done(result: object) -> None:
    """Drop the result."""
