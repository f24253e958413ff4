"""What is kept of what was made lately."""

from __future__ import annotations

from engine.render.recent import Recent


def test_what_is_asked_for_all_the_time_stays_and_the_rest_goes() -> None:
    recent: Recent[str, int] = Recent(10)
    recent.put("caption", 1)
    for k in range(1000):
        recent.put(f"number {k}", k)
        assert recent.get("caption") == 1
    assert recent.get("number 999") == 999 and recent.get("number 900") is None
    assert len(recent) <= 20
