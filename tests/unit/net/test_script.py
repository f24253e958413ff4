"""Scripts: actions at ticks from a file, performed once and in order, and mistakes reported with their location."""

import json

import pytest

from engine.common.errors import InvalidInputError
from engine.net.script import Script, load_script
from engine.sim.actions import Grab, Pause, Release

_GRAB = {"tick": 60, "action": {"type": "Grab", "point": [0.0, 5.0]}}
_PAUSE = {"tick": 30, "action": {"type": "Pause", "paused": True}, "client": 2}
_RELEASE = {"tick": 60, "action": {"type": "Release"}}


def test_each_client_performs_its_own_actions_and_those_without_a_client(tmp_path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"acts": [_GRAB, _PAUSE, _RELEASE]}), "utf-8")
    first, second = (Script(load_script(path), client) for client in (1, 2))
    assert first.due(59) == [] and first.due(61) == [Grab((0.0, 5.0)), Release()]
    assert first.due(100) == [] and second.due(30) == [Pause(True)]
    assert len(second.due(60)) == 2


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ([], 'script must be {"acts": '),
        ({"acts": [{}]}, r"acts\[0\] must be an object with tick, action and, optionally, client"),
        ({"acts": [_GRAB, {**_GRAB, "tick": -1}]}, r"acts\[1\].tick must be a whole number >= 0, got -1"),
        ({"acts": [{**_GRAB, "client": 0}]}, r"acts\[0\].client must be a whole number from 1 to 64, got 0"),
        ({"acts": [{**_GRAB, "action": {"type": "Fly"}}]}, r"acts\[0\].action.type must be one of .*, got 'Fly'"),
    ],
)
def test_a_mistake_is_reported_with_its_location(plain, words, tmp_path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps(plain), "utf-8")
    with pytest.raises(InvalidInputError, match=f"script.json: {words}") as caught:
        load_script(path)
    assert "\n" not in str(caught.value)
