"""A scene's islands, and who is awake while they come to rest."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import UNIT, add, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, SKY, chart, draw, plane
from engine.dynamics._island_kernel import islands
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.world import RevoluteJointSpec, World


def _scene() -> World:
    world = new_world(sleeping=True)
    add(world, Segment((-30.0, 0.0), (30.0, 0.0)), (0.0, 0.0), type="static", friction=0.6)
    for row in range(4):
        for k in range(4 - row):
            add(world, UNIT, (-9.0 + 1.05 * k + 0.525 * row, 0.5 + row), friction=0.6)
    for k in range(3):
        add(world, UNIT, (-3.2, 0.5 + k), friction=0.6)
    post = add(world, Circle(0.15), (2.0, 6.0), type="static")
    before, at = post, 2.0
    for k in range(5):
        link = add(world, Polygon.box(0.45, 0.1), (at + 0.45 + 0.9 * k, 6.0), mask=0, angular_damping=1.5)
        world.create_joint(RevoluteJointSpec(before, link, (at + 0.9 * k, 6.0)))
        before = link
    for k in range(3):
        add(world, Circle(0.5), (5.4 + 1.2 * k, 0.5), friction=0.6, angular_damping=2.0, linear_velocity=(-0.4 * k, 0.0))
    add(world, UNIT, (-2.9, 7.0), 0.2, friction=0.6)
    return world


def _links(world: World) -> np.ndarray:
    hinges = [world.joint(joint).spec for joint in world.joint_ids]
    joined = [(spec.body_a, spec.body_b) for spec in hinges if isinstance(spec, RevoluteJointSpec)]
    contacts = np.column_stack((world.contacts.body_a, world.contacts.body_b)).reshape(-1, 2)
    return np.concatenate((contacts, np.array(joined, dtype=np.int64).reshape(-1, 2))).astype(np.int64)


def picture() -> Figure:
    figure, (scene, awake) = pyplot.subplots(2, 1, figsize=(9, 6), layout="constrained", height_ratios=(1.5, 1))
    world, ids = _scene(), _scene().body_ids
    is_dynamic = np.array([world.body(body).spec.type == "dynamic" for body in ids])
    counts: list[int] = []
    n_islands: list[int] = []
    for step in range(480):
        world.step()
        found = islands(_links(world), is_dynamic)  # a world's first ids are its rows
        states = [world.state(body) for body in ids]
        counts.append(sum(state.awake for state in states if state is not None) - int((~is_dynamic).sum()))
        n_islands.append(len(set(found[is_dynamic].tolist())))
        if step == 20:
            colors = (BLUE, ORANGE, GREEN, PURPLE, RED, SKY, "black")
            known = {root: colors[k % 7] for k, root in enumerate(sorted(set(found[is_dynamic].tolist())))}
            for body, state in zip(ids, states, strict=True):
                shape = world.fixture(world.fixtures_of(body)[0]).spec.shape
                draw(scene, shape, Transform(state.position, state.angle), known[int(found[body])] if is_dynamic[body] else GRAY, 0.3)
            for a, b in _links(world).tolist():
                if is_dynamic[a] and is_dynamic[b]:
                    scene.plot(*zip(states[a].position, states[b].position, strict=True), "o-", color="black", ms=3.5, lw=1.2)
            title = f"{n_islands[-1]} islands after 1/3 s; lines are contacts and joints between movable bodies"
            plane(scene, title, (-11.0, 10.0), (-0.6, 7.6))
    t = np.arange(1, 481) / 60.0
    awake.plot(t, counts, color=RED, lw=1.8, label="bodies awake")
    awake.step(t, n_islands, color=BLUE, lw=1.2, label="islands")
    awake.legend(fontsize=9)
    chart(awake, "", "t, s", "")
    return figure
