"""The simulated link treats messages according to its settings, reproducibly."""

from dataclasses import replace

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net.link import Link, LinkSettings

N = 2000
EVERY = 0.05  # s, from one message to the next: longer than twice the jitter of `_BAD`, so that none waits for the one before it
_BAD = LinkSettings(latency=0.15, jitter=0.02, loss=0.05, duplicate=0.03)


def _through(settings, seed=0, every=EVERY, size=2):
    """Send N numbers through; return each that arrives with its delay in seconds."""
    link = Link(settings, stream(seed, "link"))
    arrivals = []
    for k in range(N):
        link.put(k.to_bytes(size, "little"), k * every)
    for content, due in link.take(1e9):
        number = int.from_bytes(content, "little")
        arrivals.append((number, due - number * every))
    assert (link.n_bytes, link.n_held) == (N * size, 0)
    return arrivals


def test_delays_losses_and_duplicates_match_the_settings():
    arrivals = _through(_BAD)
    times = np.array([time for _, time in arrivals])
    assert times.min() >= 0.13 and times.max() <= (_BAD.latency + _BAD.jitter) + 1e-9
    np.testing.assert_allclose(times.mean(), 0.15, atol=4 * 0.02 / np.sqrt(3 * N))  # four deviations of a uniform mean
    np.testing.assert_allclose(times.std(), 0.02 / np.sqrt(3), rtol=0.1)
    n_known = len({number for number, _ in arrivals})
    for n, share in ((N - n_known, 0.05), (len(arrivals) - n_known, 0.95 * 0.03)):
        assert abs(n - N * share) < 4.0 * np.sqrt(N * share)


def test_only_reorderable_messages_overtake():
    close = replace(_BAD, jitter=0.1, duplicate=0.0)
    numbers = [number for number, _ in _through(close, every=0.01)]
    assert numbers == sorted(numbers)
    mixed = _through(replace(close, reorder=0.1), every=0.01)
    numbers = [number for number, _ in mixed]
    n_early = sum(later < max(numbers[:k], default=-1) for k, later in enumerate(numbers))
    assert n_early > 0.1 * N  # each that overtakes leaves some behind
    assert max(time for _, time in mixed) <= close.latency + close.jitter + 1e-9


def test_limited_bandwidth_queues_messages():
    arrivals = _through(LinkSettings(latency=0.1, bandwidth=1000.0), every=0.0, size=10)
    np.testing.assert_allclose([time for _, time in arrivals], 0.1 + 0.01 * np.arange(1, N + 1))
    assert max(time for _, time in _through(LinkSettings(latency=0.1, bandwidth=1000.0), size=10)) == pytest.approx(0.11)


def test_a_stream_loses_only_time():
    arrivals = _through(replace(_BAD, is_stream=True, loss=0.05, reorder=0.3), every=0.01)
    assert [number for number, _ in arrivals] == list(range(N))
    late = [time for _, time in arrivals if time > (_BAD.latency + _BAD.jitter)]
    assert len(late) > 0.05 * N and max(late) > 0.2 + 3 * 0.15  # those behind a loss wait as well


def test_settings_may_change_at_run_time():
    link = Link(LinkSettings(latency=1.0, bandwidth=100.0), stream(0, "link"))
    link.put(b"x" * 100, 0.0)
    link.settings = LinkSettings(latency=0.1)
    link.put(b"later", 0.5)
    assert link.take(1.9) == []  # the first was sent over the slow one, and is not overtaken
    assert [content for content, _ in link.take(2.0)] == [b"x" * 100, b"later"]
    link.put(b"fast", 2.0)
    assert [content for content, _ in link.take(2.11)] == [b"fast"]
    link.settings = LinkSettings(loss=0.95)
    for _ in range(100):
        link.put(b"lost", 3.0)
    assert link.n_lost > 80 and len(link.take(3.0)) == 100 - link.n_lost


@pytest.mark.parametrize(
    ("field", "value"),
    [("latency", -0.1), ("latency", 150), ("jitter", float("nan")), ("loss", 1.0), ("reorder", 2), ("duplicate", True), ("bandwidth", 5.0)],
)
def test_a_value_out_of_range_is_rejected(field, value):
    with pytest.raises(InvalidInputError, match=f"^{field} must be .*, got {value}$"):
        LinkSettings(**{field: value})
