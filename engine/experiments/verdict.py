"""What a shot came to, in words."""

from __future__ import annotations

from engine.experiments.first_contact import Impact
from engine.experiments.spec import Target
from engine.experiments.watch import Outcome, ShotWatch

__all__ = ["verdict"]

_NOUNS: dict[Target, str] = {
    "static": "wall",
    "kinematic": "wall",
    "dynamic": "plate",
    "hinged": "plate",
    "stack": "stack",
    "blade": "blade",
    "sensor": "sensor",
    "head_on": "other bullet",
    "posts": "post",
    "chain": "chain",
}
_PUSHED: dict[Target, str] = {"stack": "the planks", "chain": "the links"}
_NOTABLE = 0.05
"""m/s: a bullet that moves slower than this is said to be at rest."""


def verdict(watch: ShotWatch) -> str:
    """Return the verdict of a shot: tunneled, stopped, hit but flying on, missed, or what it is doing until there is one.

    Where the bullet passed the far face without ever having touched, the words name the two steps that the target lay
    between; where one step saw it inside, but past the middle, they say so. A speed is that along the line of fire, now.
    """
    outcome = watch.outcome
    if watch.spec.target == "sensor" and watch.jump is not None:
        return _how_it_was_felt(watch, watch.jump)
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
        seen = f"step {stop.step}" if stop.fraction == 0.0 else f"a sub-step of step {stop.step + 1}"
        how = f"stopped at x = {stop.center[0]:.2f} m: {seen} saw it {_where(watch, stop)} the {noun}"
    return f"{how}; pushes {_PUSHED.get(watch.spec.target, 'it')} on at {watch.speed:.2g} m/s" if watch.speed > _NOTABLE else how


def _where(watch: ShotWatch, stop: Impact) -> str:
    """Tell whether the contact was seen at the target's surface or inside."""
    spec = watch.spec
    if spec.target in ("kinematic", "blade", "head_on"):  # these have moved on meanwhile
        return "at"
    return "at" if abs(stop.center[0]) - spec.half_target >= spec.half_bullet else "inside"


def _how_it_flies_on(watch: ShotWatch) -> str:
    noun, hit = _NOUNS[watch.spec.target], watch.hit
    assert hit is not None
    what = f"broke through, flies on at {watch.speed:.3g} m/s"
    if not watch.is_past:
        what = f"pushes {_PUSHED.get(watch.spec.target, 'it')} on at {watch.speed:.3g} m/s"
    where = f"at x = {hit.center[0]:.2f} m" if watch.spec.direction * hit.center[0] < 0.0 else f"inside step {hit.step + 1}"
    return f"hit the {noun} {where}, {what}"


def _how_it_was_felt(watch: ShotWatch, jump: int) -> str:
    hit = watch.hit
    if hit is None:
        before, after = watch.positions[jump][0], watch.positions[jump + 1][0]
        return f"never felt: the sensor lay between step {jump} (x = {before:.2f} m) and step {jump + 1} (x = {after:.2f} m)"
    when = f"inside step {hit.step + 1}, by our swept test" if hit.in_toi else f"by step {hit.step}, as it stood in the sensor"
    return f"felt at x = {hit.center[0]:.2f} m, {when}"


def _how_it_tunneled(watch: ShotWatch, jump: int) -> str:
    noun, hit = _NOUNS[watch.spec.target], watch.hit
    if hit is None:
        before, after = watch.positions[jump][0], watch.positions[jump + 1][0]
        return f"the {noun} lay between step {jump} (x = {before:.2f} m) and step {jump + 1} (x = {after:.2f} m)"
    x = f"x = {hit.center[0]:.2f} m"
    if hit.pushes_back:
        return f"the {noun}, hit at {x}, could not give way fast enough"
    return f"step {hit.step} ({x}) saw it past the {noun}'s middle, and let it out at the back"
