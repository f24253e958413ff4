import time

import pytest

from engine.app import warmup
from engine.app.warmup import RefereeWarmup
from engine.box2d import World


def test_it_ends_with_a_factory_and_stalls_nobody_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "import time; time.sleep(0.3)")
    monkeypatch.setattr(warmup, "referee_factory", lambda: lambda world: ("referee of", world))
    warming = RefereeWarmup()
    start = time.perf_counter()
    warming.start()
    assert time.perf_counter() - start < 0.2 and warming.factory is None and not warming.wait(0.0)
    assert warming.wait(30.0)
    world = World()
    assert warming.factory is not None and warming.factory(world) == ("referee of", world)
    assert warming.failure == ""


def test_a_failure_is_said_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "raise SystemExit(1)")
    monkeypatch.setattr(warmup, "referee_factory", fail)
    warming = RefereeWarmup()
    warming.start()
    assert warming.wait(30.0)
    assert warming.factory is None and "no compiler here" in warming.failure


def test_closing_ends_the_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "import time; time.sleep(60)")
    warming = RefereeWarmup()
    warming.start()
    deadline = time.perf_counter() + 10.0
    while warming._compiler is None and time.perf_counter() < deadline:
        time.sleep(0.01)
    warming.close()
    assert warming.wait(10.0) and warming.factory is None


def test_closing_before_it_began_is_fine() -> None:
    RefereeWarmup().close()
