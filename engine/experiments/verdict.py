"""What a shot came to, in words."""

from __future__ import annotations

from engine.experiments.spec import Target
from engine.experiments.watch import Outcome, ShotWatch

__all__ = ["verdict"]

_NOUNS: dict[Target, str] = {"static": "wall", "dynamic": "plate", "hinged": "plate", "stack": "stack"}
_PUSHED: dict[Target, str] = {"static": "it", "dynamic": "it", "hinged": "it", "stack": "the planks"}
_NOTABLE = 0.05
"""m/s: a bullet that moves slower than this is said to be at rest."""


def verdict(watch: ShotWatch) -> str:
    """Return the verdict of a shot: tunneled, stopped, hit but flying on, missed, or what it is doing until there is one.

    Where the bullet passed the far face without ever having touched, the words name the two steps that the target lay
    between; where one step saw it inside, but past the middle, they say so. A speed is that along the line of fire, now.
    """
    outcome = watch.outcome
    if watch.jump is not None:
        return "tunneled: " + _how_it_tunneled(watch, watch.jump)
    if outcome is Outcome.STOPPED:
        return _how_it_stopped(watch)
    if outcome is Outcome.FLIES_ON:
        return _how_it_flies_on(watch)
    if outcome is Outcome.MISSED:
        return f"missed: it is past the {_NOUNS[watch.spec.target]} and never touched it"
    if outcome is Outcome.DOES_NOT_MOVE:
        return "the bullet does not move"
    return f"on its way: step {watch.steps}, x = {watch.positions[-1][0]:.2f} m"


def _how_it_stopped(watch: ShotWatch) -> str:
    noun, stop = _NOUNS[watch.spec.target], watch.stop
    assert stop is not None
    if stop.in_toi:
        how = f"stopped at x = {stop.center[0]:.2f} m, inside step {stop.step + 1}, at the time of impact"
    else:
        gap = abs(stop.center[0]) - 0.5 * watch.spec.thickness
        where = "at" if gap >= watch.spec.radius else "inside"
        how = f"stopped at x = {stop.center[0]:.2f} m: step {stop.step} saw it {where} the {noun}"
    return f"{how}; pushes {_PUSHED[watch.spec.target]} on at {watch.speed:.2g} m/s" if watch.speed > _NOTABLE else how


def _how_it_flies_on(watch: ShotWatch) -> str:
    noun, hit = _NOUNS[watch.spec.target], watch.hit
    assert hit is not None
    what = f"broke through, flies on at {watch.speed:.3g} m/s"
    if not watch.is_past:
        what = f"pushes {_PUSHED[watch.spec.target]} on at {watch.speed:.3g} m/s"
    where = f"at x = {hit.center[0]:.2f} m" if watch.spec.direction * hit.center[0] < 0.0 else f"inside step {hit.step + 1}"
    return f"hit the {noun} {where}, {what}"


def _how_it_tunneled(watch: ShotWatch, jump: int) -> str:
    noun, hit = _NOUNS[watch.spec.target], watch.hit
    if hit is None:
        before, after = watch.positions[jump][0], watch.positions[jump + 1][0]
        return f"the {noun} lay between step {jump} (x = {before:.2f} m) and step {jump + 1} (x = {after:.2f} m)"
    x = f"x = {hit.center[0]:.2f} m"
    if hit.pushes_back:
        return f"the {noun}, hit at {x}, could not give way fast enough"
    return f"step {hit.step} ({x}) saw it past the {noun}'s middle, and let it out at the back"
