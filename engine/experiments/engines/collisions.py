"""Tests of collisions: tunneling, seams, sensors, slow balls, missed touches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.common.rng import stream
from engine.experiments.engines.bench import Column, Measured, Row, Test, enter, within
from engine.experiments.engines.manuals import box2d, box2d3, pymunk
from engine.experiments.limitations.missed_touch import Passage
from engine.experiments.limitations.seams import SLIDERS, Ground, Slide, Slider
from engine.experiments.limitations.threshold import APPROACHES, flying_balls
from engine.experiments.range import fire
from engine.experiments.shot import run_shot
from engine.experiments.shot_batch import run_batch
from engine.experiments.spec import Rule, ShotSpec, Target
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World

_SPEEDS = (20.0, 60.0, 110.0, 200.0, 400.0)
"""Speeds, m/s; at 60 Hz, a step of the slowest is 0.33 m."""
_THICKNESS = 0.05
_TARGETS: dict[Target, tuple[str, float]] = {
    "static": ("a wall", 0.0),
    "kinematic": ("a wall that approaches at 5 m/s", 5.0),
    "dynamic": ("a free plate", 0.0),
    "head_on": ("another bullet", 20.0),
    "blade": ("a spinning blade", 20.0),
}
"""Title, and speed of the target, m/s, by target."""


def _phases(n: int) -> list[float]:
    """Return fractions of a step by which shots fall short of the target, evenly spread."""
    return [(k + 0.5) / n for k in range(n)]


def _spec(column: Column, target: Target, speed: float) -> ShotSpec:
    rule: Rule = "bullet" if column.advice.bullet else "default"
    target_speed = _TARGETS[target][1] if target in _TARGETS else 0.0
    return ShotSpec(speed, _THICKNESS, column.hertz, target=target, rule=rule, solver=column.solver, target_speed=target_speed)


def _through(target: Target, speed: float, column: Column, is_quick: bool) -> Measured:
    n = (4 if is_quick else 8) if target == "blade" else (8 if is_quick else 40)
    share = float(run_batch(_spec(column, target, speed), _phases(n)).tunneled.mean())
    return within(share, 0.0)


def _shot(target: Target, speed: float, column: Column) -> World:
    return fire(_spec(column, target, speed)).world


enter(
    Test(
        "tunneling",
        "Shots through targets",
        "Solid bodies do not pass through each other, so no shot of any speed emerges behind its target. Discs with a radius of 5 cm hit "
        "targets that are 5 cm thick, at evenly spaced phases of a step. The value is the share of shots that pass through.",
        "0%",
        tuple(
            Row(
                f"{target}_{speed:g}",
                f"{speed:g} m/s at {title}",
                "%",
                partial(_through, target, speed),
                partial(_shot, target, speed),
                0.3,
                is_quick=speed in (60.0, 400.0) and target != "blade",
            )
            for target, (title, _) in _TARGETS.items()
            for speed in _SPEEDS
        ),
        {
            "box2d": (
                box2d(
                    "Continuous collision detection prevents dynamic bodies from tunneling through static bodies; bullets are also kept "
                    "from tunneling through dynamic bodies, but they may miss fast ones.",
                    "Chapter06_Bodies",
                    "Bullets",
                ),
            ),
            "box2d3": (
                box2d3(
                    "Continuous collision detection prevents dynamic bodies from tunneling through static bodies; bullets are swept "
                    "against all body types, but not against other bullets.",
                    "Bullets",
                ),
                box2d3("Soft constraints can lead to contact flexing.", "Limitations", "docs/loose_ends.md", "Loose Ends"),
            ),
            "chipmunk": (pymunk("Fast objects are allowed to overlap; the overlap is fixed over time.", "Space.collision_bias"),),
        },
    )
)


# -- seams ------------------------------------------------------------------------------------------------------------

_SLIDE_SPEED = 7.0
_GROUNDS: dict[Ground, str] = {"tiles": "tiles", "edges": "separate edges", "chain": "a chain"}
_LOST = 0.01
"""Allowed loss of speed, as a share."""


def _slide(ground: Ground, slider: Slider, n: int, column: Column) -> Slide:
    phases = stream(0, "engines", "seams").random(n).tolist()
    with column.driving():
        return Slide(ground, slider, _SLIDE_SPEED, phases)


def _sliding(ground: Ground, slider: Slider, column: Column) -> World:
    return _slide(ground, slider, 4, column).world


def _bumps(ground: Ground, slider: Slider, column: Column, is_quick: bool) -> Measured:
    slide = _slide(ground, slider, 10 if is_quick else 60, column)
    while not slide.is_over:
        slide.world.step()
        slide.observe()
    return within(max(_SLIDE_SPEED - way[-1][2] for way in slide.track) / _SLIDE_SPEED, _LOST)


_BEND = ((-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65))
_PLANK = (1.5, 0.05)


def _bend(column: Column) -> World:
    world = column.world(hertz=60.0)
    n = len(_BEND) - 1
    links = tuple(
        FixtureSpec(
            Segment(_BEND[k], _BEND[k + 1], ghost1=_BEND[k - 1] if k else None, ghost2=_BEND[k + 2] if k + 2 <= n else None), friction=0.0
        )
        for k in range(n)
    )
    world.create_body(BodySpec(links, "static"))
    skin = 1.2 * world.capabilities.skin_radius
    plank = FixtureSpec(Polygon.box(*_PLANK), friction=0.0)
    world.create_body(BodySpec((plank,), position=(-3.5, _PLANK[1] + skin), linear_velocity=(1.0, 0.0)))
    return world


def _over_the_bend(column: Column, is_quick: bool) -> Measured:
    world, slowest = _bend(column), 1.0
    for _ in range(420):
        world.step()
        state = world.state(1)
        slowest = min(slowest, state.linear_velocity[0])
        if state.position[0] > 3.0:
            break
    return Measured(1.0 - slowest, slowest > 1.0 - _LOST)


enter(
    Test(
        "seams",
        "Bodies sliding over the seams of a flat floor",
        "A frictionless floor made of pieces of equal height does not change a slider's speed. The value is the share of its speed that "
        "the slowest slider loses over ten seams. Where a chain bends downward, gravity can only accelerate a plank.",
        "a loss of 1%",
        (
            *(
                Row(
                    f"{slider}_{ground}",
                    f"a {slider} over {words}",
                    "%",
                    partial(_bumps, ground, slider),
                    partial(_sliding, ground, slider),
                    1.5,
                )
                for slider in SLIDERS
                for ground, words in _GROUNDS.items()
            ),
            Row("plank_bend", "a plank on a chain that bends down", "%", _over_the_bend, _bend, 6.0),
        ),
        {
            "box2d": (box2d("Chain shapes eliminate ghost collisions.", "Chapter04_Collision_Module", "Chain Shapes"),),
            "box2d3": (
                box2d3("Chain shapes eliminate ghost collisions.", "Chain Shapes"),
                box2d3(
                    "A box-like character can get snagged on the corners between boxes.",
                    "Tile Based Environment",
                    "docs/FAQ.md",
                    "FAQ",
                ),
            ),
            "chipmunk": (pymunk("Segments that know their neighbors avoid collisions with the cracks.", "Segment.set_neighbors"),),
        },
    )
)


# -- sensors ----------------------------------------------------------------------------------------------------------


def _felt(speed: float, column: Column, is_quick: bool) -> Measured:
    spec = _spec(column, "sensor", speed)
    shots = [run_shot(replace(spec, phase=phase)) for phase in _phases(4 if is_quick else 8)]
    share = sum(shot.hit for shot in shots) / len(shots)
    return Measured(share, share == 1.0)


def _gate(column: Column) -> World:
    world = column.world(gravity=(0.0, 0.0))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 2.0), sensor=True),), "static", (3.0, 0.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 0.0), linear_velocity=(3.0, 0.0)))
    return world


def _events(column: Column, is_quick: bool) -> Measured:
    world, n = _gate(column), 0
    for _ in range(round(2.0 * column.hertz)):
        contacts = world.step()
        n += sum(event.sensor for event in (*contacts.began, *contacts.ended))
    return within(float(n), 0.0, 2.0)


enter(
    Test(
        "sensors",
        "Discs through sensors",
        "A sensor detects every body that crosses it. The value is the share of shots that a sensor 5 cm thick reports. A slow disc "
        "enters a sensor 1 m thick once and leaves it once.",
        "100% of the shots and two events",
        (
            *(
                Row(
                    f"sensor_{speed:g}",
                    f"{speed:g} m/s through a sensor 5 cm thick",
                    "%",
                    partial(_felt, speed),
                    partial(_shot, "sensor", speed),
                    1.0,
                    is_quick=speed in (20.0, 200.0),
                )
                for speed in (5.0, 20.0, 60.0, 200.0)
            ),
            Row("gate", "events at 3 m/s in a sensor 1 m thick", "", _events, _gate, 2.0),
        ),
        {
            "box2d": (box2d("A sensor detects collision but does not produce a response.", "Chapter07_Fixtures", "Sensors"),),
            "box2d3": (box2d3("Sensors do not detect objects that pass through within one time step.", "Sensors"),),
            "chipmunk": (pymunk("Sensors only call collision callbacks.", "Shape.sensor"),),
        },
    )
)


# -- slow balls and missed touches --------------------------------------------------------------------------------------


def _slow(column: Column, is_quick: bool) -> Measured:
    with column.driving():
        world, balls = flying_balls()
    for _ in range(round(2.4 * world.settings.hertz)):
        world.step()
    rebounds = [-world.state(ball).linear_velocity[0] for ball in balls]
    lost = [approach for approach, rebound in zip(APPROACHES, rebounds, strict=True) if abs(rebound - approach) > 0.05 * approach]
    return within(max(lost, default=0.0), 0.0)


def _flying(column: Column) -> World:
    with column.driving():
        return flying_balls().world


enter(
    Test(
        "slow",
        "Slow balls",
        "Newton's law of restitution has no minimum speed, so a ball with a restitution of 1 rebounds at its approach speed. The value is "
        "the highest approach speed, from 0.5 to 2 m/s, at which the ball does not rebound.",
        "0 m/s, if each rebound is within 5% of the approach speed",
        (Row("rebound", "fastest ball that does not rebound", "m/s", _slow, _flying, 2.4),),
        {
            "box2d": (
                box2d("Slow collisions are inelastic, to prevent jitter: b2_velocityThreshold.", "Chapter07_Fixtures", "Restitution"),
            ),
            "box2d3": (box2d3("Slow collisions are inelastic, to prevent jitter: b2WorldDef::restitutionThreshold.", "Restitution"),),
            "chipmunk": (pymunk("An elasticity of 1 or more is not recommended, because of inaccuracies.", "Shape.elasticity"),),
        },
    )
)


def _passage(column: Column) -> Passage:
    with column.driving():
        return Passage(hertz=column.hertz / column.advice.finer, bullet=column.advice.bullet)


def _missed(column: Column, is_quick: bool) -> Measured:
    passage = _passage(column)
    for _ in range(2):
        passage.step()
    return within(float(passage.is_behind() and not passage.n_contacts), 0.0)


enter(
    Test(
        "missed",
        "A contact between two separated poses",
        "A rotating rod flies toward a plate. It crosses the plate in the middle of a step, but not at the start or at the end of that "
        "step. Exact continuous collision detection finds the time of contact. The value is 1 if the rod passes through without a contact.",
        "0",
        (Row("rod", "a rod that rotates through a plate in one step", "", _missed, lambda column: _passage(column).world, 0.2),),
        {
            "box2d": (
                box2d(
                    "b2TimeOfImpact may miss a collision if the rotations are large enough.", "Chapter04_Collision_Module", "Time of Impact"
                ),
            ),
            "box2d3": (box2d3("May miss some non-tunneling collisions.", "b2TimeOfImpact", "include/box2d/collision.h", "collision.h"),),
        },
    )
)
