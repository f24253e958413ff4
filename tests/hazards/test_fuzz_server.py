"""A shared world attacked by clients that send arbitrary messages. More: ``python -m tests.hazards.fuzz_server 100000``."""

import pytest

from engine.net.server import Server
from engine.sim.registry import find_demo
from tests.hazards import fuzz_server


def test_an_attacked_world_keeps_running():
    report = fuzz_server.besiege(1_800, honest=1, n_in_peace=64)
    assert report["messages"] >= 1_800 and report["dropped"] > 60 and len(report["kinds"]) > 10
    assert report["ticks"] > 10


def test_an_unexpected_exception_is_detected(monkeypatch):
    def careless(*_):
        raise KeyError("a bug")

    monkeypatch.setattr(Server, "_request_action", careless)
    with pytest.raises(AssertionError, match="KeyError"):
        fuzz_server.besiege(200, honest=1, n_in_peace=70)


def test_rejected_clients_do_not_affect_the_others():
    report = fuzz_server.leave_in_peace(1_000, honest=1)
    assert report["messages"] >= 1_000 and report["dropped"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("solver", [None, "soft_step"])
@pytest.mark.parametrize("demo", ["bridge", "ragdoll_pile", "breakable", "walker", "sensor_gates", "radial_engine"])
def test_worlds_of_all_kinds_keep_running(demo, solver):
    assert fuzz_server.besiege(1_000, honest=1, n_in_peace=66, demo=find_demo(demo)(0, solver=solver))["dropped"] > 20


@pytest.mark.slow
def test_a_world_attacked_for_long_stays_unchanged():
    report = fuzz_server.besiege(100_000)
    assert report["messages"] >= 100_000 and set(report["kinds"]) == set(fuzz_server.ATTACKS)
    assert report["objects_grown_by"] < 1.25
