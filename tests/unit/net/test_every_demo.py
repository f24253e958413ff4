"""All shareable demos, played by two users at once: late actions make no difference."""

import contextlib

import pytest

from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.net.netlab.random_user import RandomUser
from engine.net.scene import check_shareable
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import Join
from engine.sim.registry import all_demos, find_demo

LATEST = 25
"""Ticks by which an action may be late."""


def _check(kind, n_ticks, solver=None):
    known, late = (SharedSimulation(kind(1, solver=solver)) for _ in range(2))
    rng = stream(7, kind.id)
    waiting = []
    """When an action arrives, and its tick."""

    def user(number):
        def act(action):
            with contextlib.suppress(LabError):
                own = UserAction(number, len(waiting) + 1, known.demo.sim.resolve(action))
                known.add(known.now, own)
                waiting.append((known.now + int(rng.integers(LATEST)), known.now, own))

        for simulation in (known, late):
            simulation.add(0, UserAction(number, 0, Join()))
        return RandomUser(rng, act, rate=12.0)

    users, final = [user(number) for number in (1, 2)], dict(known.digests)
    while known.now < n_ticks:
        for each in users if known.now < n_ticks - LATEST else ():
            each.play(known.demo, known.now / 60.0)
        known.step()
        final[known.now] = known.digests[known.now]
    n_again = 0
    for frame in range(n_ticks):
        for arrived in [action for action in waiting if action[0] <= frame]:
            waiting.remove(arrived)
            late.add(*arrived[1:])
        n_again += late.rollback()
        late.step()
        late.forget(frame - LATEST)
    assert not waiting and n_again > n_ticks // 2 and late.now == known.now
    assert late.digests == {tick: final[tick] for tick in late.digests} and not late.faults and not known.faults
    assert len(set(final.values())) > n_ticks // 2 and len(late.demo.sim.users.users) == 2


@pytest.mark.parametrize(("id", "solver"), [("car", None), ("promise_seams", None), ("simple_shapes", "soft_step")])
def test_late_actions_make_no_difference(id, solver):
    _check(find_demo(id), 50, solver)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.id) for kind in all_demos()])
def test_late_actions_make_no_difference_in_any_demo(kind):
    demo = kind()
    if demo.stages:
        check_shareable(demo)
        _check(kind, 120)
    else:
        with pytest.raises(InvalidInputError, match="a demo with a world"):
            check_shareable(demo)
