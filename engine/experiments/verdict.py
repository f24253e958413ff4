"""What a shot came to, in words."""

from __future__ import annotations

from engine.experiments.spec import Target
from engine.experiments.watch import ShotWatch

__all__ = ["verdict"]

_NOUNS: dict[Target, str] = {"static": "wall", "dynamic": "plate", "hinged": "plate", "stack": "stack"}


def verdict(watch: ShotWatch) -> str:
    """Return the verdict of a shot: tunneled, stopped, or still on its way.

    Where the bullet passed the far face without ever having touched, the words name the two steps that the target lay
    between; where one step saw it inside, but past the middle, they say so.
    """
    if watch.jump is not None:
        return "tunneled: " + _how_it_tunneled(watch, watch.jump)
    noun, stop = _NOUNS[watch.spec.target], watch.stop
    if stop is None:
        return f"on its way: step {watch.steps}, x = {watch.positions[-1][0]:.2f} m"
    if stop.in_toi:
        return f"stopped at x = {stop.center[0]:.2f} m, inside step {stop.step + 1}, at the time of impact"
    gap = abs(stop.center[0]) - 0.5 * watch.spec.thickness
    where = "at" if gap >= watch.spec.radius else "inside"
    return f"stopped at x = {stop.center[0]:.2f} m: step {stop.step} saw it {where} the {noun}"


def _how_it_tunneled(watch: ShotWatch, jump: int) -> str:
    noun, hit = _NOUNS[watch.spec.target], watch.hit
    if hit is None:
        before, after = watch.positions[jump][0], watch.positions[jump + 1][0]
        return f"the {noun} lay between step {jump} (x = {before:.2f} m) and step {jump + 1} (x = {after:.2f} m)"
    x = f"x = {hit.center[0]:.2f} m"
    if hit.pushes_back:
        return f"the {noun}, hit at {x}, could not give way fast enough"
    return f"step {hit.step} ({x}) saw it past the {noun}'s middle, and let it out at the back"
