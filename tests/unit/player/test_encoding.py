"""Integers are restored, and the same recording always gives the same text."""

import numpy as np
import pytest

from engine.player.encoding import first_differences, packed_recording, second_differences
from tests.unit.player.decoding import decoded

EDGES = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, -8193, 2**31, -(2**31) - 1, 2**52, -(2**52)]


@pytest.mark.parametrize("values", [[], EDGES, EDGES[::-1], [0] * 1000], ids=["none", "edges", "reversed", "zeros"])
def test_integers_survive(values):
    text = packed_recording({"bodies": []}, {"a": np.array(values, dtype=np.int64), "b": np.array([7])})
    streams = decoded(text).streams
    assert streams["a"].tolist() == values
    assert streams["b"].tolist() == [7]


def test_random_integers_of_all_sizes_survive():
    rng = np.random.default_rng(1)
    values = (rng.choice([-1, 1], 5000) * 2.0 ** rng.uniform(0.0, 52.0, 5000)).astype(np.int64)
    assert (decoded(packed_recording({"bodies": []}, {"a": values})).streams["a"] == values).all()


def test_differences_restart_with_each_run():
    values, starts = np.array([100, 101, 103, -50, -50, 7]), np.array([0, 3, 5])
    assert first_differences(values, starts).tolist() == [100, 1, 2, -50, 0, 7]
    assert second_differences(values, starts).tolist() == [100, 1, 1, -50, 0, 7]


def test_the_same_content_gives_the_same_text():
    streams = {"a": np.arange(100)}
    assert packed_recording({"bodies": [], "title": "ä"}, streams) == packed_recording({"bodies": [], "title": "ä"}, streams)
