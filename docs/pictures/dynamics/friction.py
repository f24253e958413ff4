"""What holds, slides and rolls on a slope; a pull that grows until the friction gives way."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.dynamics import UNIT, add, floor, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, chart, new
from engine.geometry import AnyShape, Circle

_G = 10.0


def _acceleration(shape: AnyShape, degrees: float, friction: float) -> float:
    """Return how fast a body that was let go on a slope gains speed down it, m/s^2."""
    world, slope = new_world(), math.radians(degrees)
    floor(world, degrees, friction=friction)
    body = add(world, shape, (0.5 * math.sin(slope), 0.5 * math.cos(slope)), -slope, friction=friction)
    speeds = []
    for _ in range(60):
        world.step()
        speeds.append(math.hypot(*world.state(body).linear_velocity))
    return 2.0 * (speeds[-1] - speeds[29])


def picture() -> Figure:
    figure, (slopes, pulled) = new()
    friction = 0.5
    fine = np.radians(np.linspace(0.0, 80.0, 321))
    sliding = _G * (np.sin(fine) - friction * np.cos(fine))
    slopes.plot(np.degrees(fine), np.maximum(sliding, 0.0), color=BLUE, lw=1.2, label="box: 0, then g (sin a - μ cos a)")
    rolling = np.maximum(sliding, 2.0 / 3.0 * _G * np.sin(fine))
    slopes.plot(np.degrees(fine), rolling, color=ORANGE, lw=1.2, label="disc: 2/3 g sin a, then as the box")
    degrees = (10.0, 26.0, 27.0, 34.0, 42.0, 54.0, 58.0, 70.0)  # above 45 a box's corner bears it alone
    slopes.plot([a for a in degrees if a < 43.0], [_acceleration(UNIT, a, friction) for a in degrees if a < 43.0], "s", color=BLUE, ms=5)
    slopes.plot(degrees, [_acceleration(Circle(0.5), a, friction) for a in degrees], "o", color=ORANGE, ms=5)
    for tangent, name in ((friction, "tan a = μ"), (3.0 * friction, "tan a = 3 μ")):
        slopes.axvline(math.degrees(math.atan(tangent)), color=GRAY, ls=":", lw=1)
        slopes.text(math.degrees(math.atan(tangent)) + 1, 0.3, name, color=GRAY, fontsize=9)
    slopes.legend(fontsize=9, loc="upper left")
    title = "acceleration down a slope, μ = 0.5: formulas (lines)\nand simulations (squares: boxes; dots: discs)"
    chart(slopes, title, "slope a, degrees", "m/s²")

    world = new_world()
    floor(world, friction=friction)
    box = add(world, UNIT, (0.0, 0.5), friction=friction)
    for _ in range(30):
        world.step()
    pull = np.linspace(0.0, 8.0, 120)
    held, speed = [], []
    for force in pull.tolist():
        world.apply_force(box, (force, 0.0), (world.state(box).position[0], 0.0))
        contacts = world.step()
        held.append(60.0 * abs(float(contacts.tangent_impulse.sum())))
        speed.append(world.state(box).linear_velocity[0])
    pulled.plot(pull, held, "o", color=RED, ms=3, label="friction, N")
    pulled.plot(pull, np.minimum(pull, friction * _G), color=RED, lw=1, label="pull, limited to μ N")
    pulled.plot(pull, speed, color=GREEN, lw=1.5, label="speed, m/s")
    pulled.legend(fontsize=9, loc="upper left")
    chart(pulled, "a box of 10 N is pulled along the floor, μ = 0.5", "pull, N", "")
    return figure
