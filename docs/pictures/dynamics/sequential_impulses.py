"""A stack pass by pass, from nothing and from the last impulses; the two ways to clamp; the same in a world."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import UNIT, add, floor, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, chart

_N, _FALL = 10, 10.0 / 480.0  # boxes of 1 kg; m/s that gravity adds in a sub-step


def _passes(impulse: np.ndarray, n: int, is_accumulated: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Solve a stack of unit masses for `n` passes; return the kinetic energy, and the upward velocity of the top box, after each."""
    impulse, bottom = impulse.copy(), np.arange(len(impulse)) == 0
    v = -_FALL + impulse - np.append(impulse[1:], 0.0)  # gravity, and the warm start
    energies, tops = [0.5 * v @ v], [v[-1]]
    for _ in range(n):
        for k in range(len(v)):
            approach = v[k] - (0.0 if k == 0 else v[k - 1])
            change = -approach / (1.0 if bottom[k] else 2.0)
            change = max(impulse[k] + change, 0.0) - impulse[k] if is_accumulated else max(change, 0.0)
            impulse[k] += change
            v[k] += change
            if k > 0:
                v[k - 1] -= change
        energies.append(0.5 * v @ v)
        tops.append(v[-1])
    return np.array(energies), np.array(tops)


def _overlap(is_warm: bool) -> list[float]:
    world = new_world(warm_starting=is_warm)
    floor(world)
    for k in range(_N):
        add(world, UNIT, (0.0, 0.5 + k))
    deepest = []
    for _ in range(180):
        world.step()
        deepest.append(-1e3 * float(world.contacts.separation.min()))
    return deepest


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.1, 1))
    energy, clamps, world = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))
    exact = _FALL * np.arange(_N, 0, -1.0)
    n, free = 40, 0.5 * _N * _FALL**2
    starts = (
        ("cold start", np.zeros(_N), RED),
        ("warm: impulses of a stack of nine", np.append(_FALL * np.arange(_N - 1, 0, -1.0), 0.0), BLUE),
        ("warm: one of ten impulses 10 % too small", exact * (1.0 - 0.1 * (np.arange(_N) == 4)), GREEN),
        ("stale: a load of ten boxes was removed", exact + 10.0 * _FALL, ORANGE),
    )
    for label, start, color in starts:
        energy.semilogy(_passes(start, n)[0] / free, "o-", color=color, ms=3, lw=1, label=label)
    energy.axhline(1.0, color=GRAY, ls="--", lw=1)
    energy.annotate("gravity, unsolved", (n, 1.0), xytext=(0, 4), textcoords="offset points", ha="right", color=GRAY, fontsize=9)
    energy.set_ylim(1e-5, 3e2)
    energy.legend(fontsize=8, loc="upper right")
    chart(energy, f"kinetic energy left in a stack of {_N} (exact: 0)", "sweeps over all contacts", "fraction of the energy from gravity")

    stale = exact + 10.0 * _FALL
    for is_accumulated, color, label in ((True, BLUE, "accumulated impulse is clamped"), (False, RED, "each increment is clamped")):
        clamps.plot(_passes(stale, n, is_accumulated)[1], "-", color=color, lw=1.8, label=label)
    clamps.legend(fontsize=8, loc="center right")
    chart(clamps, "load removed: velocity of the top box", "sweeps", "m/s, upward")

    t = np.arange(1, 181) / 60.0
    for is_warm, color in ((True, BLUE), (False, RED)):
        world.plot(t, _overlap(is_warm), color=color, lw=1.8, label=f"warm_starting={is_warm}")
    world.legend(fontsize=8, loc="lower right")
    chart(world, f"deepest overlap of {_N} boxes, our solver", "t, s", "mm")
    return figure
