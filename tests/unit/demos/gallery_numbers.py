"""Every number that a gallery scene predicts, measured on both solvers: ``python -m tests.unit.demos.gallery_numbers`` prints the table.

A row is a scene that has run for long enough: what it measures, what follows from physics, and by how much the two may differ, which is the
scene's own allowance or that of its test on Box2D (`test_gallery_claims`, `test_gallery_b`). Both solvers run with a scene's own settings.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from demos._domino_wave import domino_wave_speed
from demos._hanging_chain import hanging_points
from demos.bounce import N_BALLS, Bounce
from demos.breakable import N_PLATES, Breakable
from demos.bridge import _HALF, Bridge
from demos.buoyancy import ALLOWED as SHARE
from demos.buoyancy import Buoyancy
from demos.car import Car
from demos.card_house import CardHouse
from demos.catapult import Catapult
from demos.conveyor import Conveyor
from demos.dominoes import _HEIGHT, _THICKNESS, Dominoes
from demos.filters import Filters
from demos.newtons_cradle import ALLOWED as MOMENTUM
from demos.newtons_cradle import NewtonsCradle
from demos.one_sided_platform import OneSidedPlatform
from demos.pulley import Pulley
from demos.pyramid import Pyramid
from demos.radial_engine import RadialEngine
from demos.ragdoll import Ragdoll
from demos.scattering import Scattering
from demos.sensor_gates import SensorGates
from demos.tilted_board import N_BOXES, TiltedBoard
from demos.walker import _SCALE, Walker, stride
from demos.wrecking_ball import WreckingBall
from engine.box2d import memory
from engine.common.tolerances import EPS32, LINEAR_SLOP
from engine.demo import Demo
from engine.world import solvers

__all__ = ["ROWS", "Number", "Row"]


@dataclass(frozen=True)
class Number:
    """What was measured, what was predicted, and by how much they may differ, in one unit."""

    measured: float
    predicted: float
    allowed: float

    @property
    def holds(self) -> bool:
        return abs(self.measured - self.predicted) <= self.allowed


@dataclass(frozen=True)
class Row:
    """A scene's number: its id, what it is with its unit, and what takes it on a solver."""

    scene: str
    what: str
    take: Callable[[str], Number]


ROWS: list[Row] = []


def row(scene: str, what: str) -> Callable[[Callable[[Callable[..., Any]], Number]], Callable[[Callable[..., Any]], Number]]:
    """Enter a number; what takes it is given a function that makes a scene on the solver asked for."""

    def enter(take: Callable[[Callable[..., Any]], Number]) -> Callable[[Callable[..., Any]], Number]:
        ROWS.append(Row(scene, what, lambda solver: take(lambda kind, seed=0, **values: kind(seed, values or None, solver=solver))))
        return take

    return enter


def run(demo: Demo, steps: int) -> None:
    for _ in range(steps):
        demo.sim.step()


def until(demo: Demo, is_over: Callable[[], bool], most: int) -> None:
    while not is_over() and demo.steps < most:
        demo.sim.step()


@row("pulley", "acceleration, 3 kg against 2 kg, m/s²")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Pulley, mass_1=3.0, mass_2=2.0, ratio=1.0)
    run(demo, 30)
    return Number(demo.measured, demo.predicted, 100.0 * EPS32 * 10.0)


@row("pyramid", "force that the ground carries, N")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Pyramid)
    run(demo, 200)
    return Number(demo.floor_force, demo.weight, 1e-3 * demo.weight)


@row("card_house", "houses of two that stand, at 0.95 and 1.05 of the tangent of 20°")
def _(make: Callable[..., Any]) -> Number:
    limit = math.tan(math.radians(20.0))
    demo = make(CardHouse, storeys=1, angle=20.0, friction=1.05 * limit, lesser=0.95 * limit)
    run(demo, 400)
    return Number(demo.standing(1) + 10.0 * demo.standing(0), 1.0, 0.0)


@row("card_house", "height of the top of the house, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(CardHouse)
    run(demo, 300)
    return Number(demo.world.state(demo.tops[1]).position[1], demo.heights[1], 8.0 * LINEAR_SLOP)


@row("dominoes", "speed of the wave, m/s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Dominoes, gap=0.35, friction=0.2)
    until(demo, lambda: demo.hits[-1] is not None, 2400)
    predicted = domino_wave_speed(_HEIGHT, _THICKNESS, 0.35, 0.2, 10.0)
    return Number(demo.speed or 0.0, predicted, 0.02 * predicted)


@row("bridge", "sag without a load, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Bridge)
    demo.world.destroy_body(demo.ball)
    run(demo, 400)
    bound = 3.0 * 2.0 * _HALF / (16.0 * demo.predicted) * len(demo.hinges) * demo.gap + LINEAR_SLOP
    stiff = -float(hanging_points(16, demo._length, 2.0 * _HALF, 1.0)[:, 1].min())
    return Number(demo.sag or 0.0, stiff, min(bound, 0.01))


@row("wrecking_ball", "fastest before the wall, m/s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(WreckingBall)
    until(demo, lambda: demo.is_down, 300)
    return Number(demo.fastest, demo.predicted, demo.allowed)


@row("radial_engine", "farthest that a piston is from its place, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(RadialEngine, cylinders=5, speed=60.0)
    run(demo, 59)
    return Number(demo.worst, 0.0, LINEAR_SLOP)


@row("ragdoll", "energy gained in a fall, J")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Ragdoll)
    gained, before = 0.0, demo.began_with
    for _ in range(144):
        run(demo, 5)
        gained, before = max(gained, demo.energy - before), demo.energy
    return Number(gained, 0.0, 20.0 * LINEAR_SLOP)


@row("car", "speed on the level, m/s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Car, hills=0.0, speed=4.0)
    run(demo, 120)
    return Number(demo.speed, 4.0, 0.08)


@row("catapult", "range, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Catapult, weight=60.0, stop=45.0)
    until(demo, lambda: demo.last is not None, 900)
    measured, predicted, lost = demo.last or (0.0, math.inf, 0.0)
    return Number(measured, predicted, 1.05 * lost)


@row("walker", "way in a turn of the crank, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Walker)
    until(demo, lambda: demo.per_turn is not None, 720)
    return Number(demo.per_turn or 0.0, _SCALE * stride(), 0.1 * _SCALE * stride())


@row("filters", "balls in a wrong bin")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Filters, 3, rate=5.0)
    run(demo, 720)
    return Number(demo.wrong + 100.0 * (sum(demo.sorted) < 20), 0.0, 0.0)


@row("sensor_gates", "crossings counted")
def _(make: Callable[..., Any]) -> Number:
    demo = make(SensorGates, 1)
    run(demo, 600)
    return Number(demo.counted, demo.on_the_right, 0.0)


@row("one_sided_platform", "jumps of 10 that end on the floor foretold")
def _(make: Callable[..., Any]) -> Number:
    demo = make(OneSidedPlatform, jumpers=10, slowest=4.0)
    until(demo, lambda: demo.is_over, 1200)
    return Number(sum(demo.floor_of(body) == demo.predicted(k) for k, body in enumerate(demo.jumpers)), 10.0, 0.0)


@row("conveyor", "way that a parcel slips, farthest from foretold, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Conveyor)
    run(demo, 500)
    farthest = max(demo.slips, key=lambda slip: abs(slip - demo.predicted))
    return Number(farthest, demo.predicted, demo.parameter("speed") * demo.step_seconds)


@row("breakable", "blow that is farthest from foretold, N s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Breakable)
    run(demo, 80)
    k = max(range(N_PLATES), key=lambda k: abs(demo.blows[k] - demo.predicted(k)) / demo.allowed(k))
    return Number(demo.blows[k], demo.predicted(k), demo.allowed(k))


@row("buoyancy", "share under water, farthest from foretold")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Buoyancy)
    run(demo, 720)
    _, share, predicted = max(demo.shares(), key=lambda one: abs(one[1] - one[2]))
    return Number(share, predicted, SHARE)


@row("newtons_cradle", "momentum that came in, N s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(NewtonsCradle, pulled=1, gap=5.0)
    until(demo, lambda: demo.blow is not None, 600)
    return Number(demo.first or 0.0, demo.predicted, MOMENTUM * demo.predicted)


@row("newtons_cradle", "momentum that left, N s")
def _(make: Callable[..., Any]) -> Number:
    demo = make(NewtonsCradle, pulled=1, gap=5.0)
    until(demo, lambda: demo.blow is not None, 600)
    before, after = demo.blow or (math.inf, 0.0)
    return Number(after, before, MOMENTUM * abs(before))


@row("tilted_board", "boxes that let go where foretold, of all")
def _(make: Callable[..., Any]) -> Number:
    demo = make(TiltedBoard, turn=5.0)
    run(demo, 576)
    return Number(sum(demo.is_as_predicted(k) for k in range(N_BOXES)), N_BOXES, 0.0)


@row("bounce", "height of a rebound, farthest from foretold, m")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Bounce)
    until(demo, lambda: not {"rises", "falls"} & set(demo.phases), 400)
    k = max(range(N_BALLS), key=lambda k: abs(demo.tops[k] - demo.predicted(k)))
    return Number(demo.tops[k], demo.predicted(k), demo.allowed)


@row("scattering", "degrees by which a disc leaves outside of what is foretold")
def _(make: Callable[..., Any]) -> Number:
    demo = make(Scattering, restitution=1.0, shots=15)
    until(demo, lambda: len(demo.turned) == 15, 240)
    outside = [max(low - angle, angle - high, 0.0) for angle, low, high in demo.angles()]
    return Number(math.degrees(max(outside)) + 100.0 * (len(outside) < 15), 0.0, math.degrees(1e-4))


def lines() -> Iterator[str]:
    """The table, a line at a time."""
    yield f"| scene | what | predicted | allowed | {' | '.join(solvers())} |"
    yield "|---" * (4 + len(solvers())) + "|"
    for one in ROWS:
        numbers = [one.take(solver) for solver in solvers()]
        told = " | ".join(f"{number.measured:.6g}{'' if number.holds else ' (outside)'}" for number in numbers)
        asked = {(f"{number.predicted:.6g}", f"{number.allowed:.2g}") for number in numbers}
        predicted, allowed = (" or ".join(dict.fromkeys(column)) for column in zip(*sorted(asked), strict=True))
        yield f"| `{one.scene}` | {one.what} | {predicted} | {allowed} | {told} |"


if __name__ == "__main__":
    memory.load()
    for line in lines():
        print(line, flush=True)
    sys.exit(0)
