"""A demo in the user's own file: the page's example runs, rewinds and replays, and mistakes are reported with their line."""

import json
import re
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.cli.own_demo import load_own_demo
from engine.sim import registry
from engine.sim.history import History

PAGE = Path(__file__).resolve().parents[3] / "docs" / "own_scene.md"


def example(number=0):
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[number]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The page's file in a separate folder; afterward, its demo is unregistered."""
    monkeypatch.chdir(tmp_path)
    registry.all_demos()
    known, paths, modules = dict(registry._REGISTRY._classes), sys.path[:], set(sys.modules)
    file = tmp_path / "mine.py"
    file.write_text(example(), encoding="utf-8")
    yield file
    registry._REGISTRY._classes.clear()
    registry._REGISTRY._classes.update(known)
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        if name.startswith("own_demo_"):
            del sys.modules[name]


def test_it_runs_and_is_recorded_and_verified(mine, capsys):
    assert main(["run", "mine.py", "--steps", "20", "--set", "radius=0.8", "--record-inputs", "mine.rec", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["demo"], report["steps"], report["bodies"]) == ("my_seesaw", 20, 2)
    registry._REGISTRY._classes.pop("my_seesaw")
    assert main(["replay", "mine.rec", "--verify"]) == 2
    assert "--demo FILE.py" in capsys.readouterr().err
    assert main(["replay", "mine.rec", "--verify", "--demo", "mine.py"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("import math\n", "import math\n\nx = unknown\n", r"mine\.py, line 3, in <module>: NameError: name 'unknown' is not defined"),
        ("import math\n", "def f(:\n", r"mine\.py, line 1: "),
        ("        a, self", "        self.nothing.here\n        a, self", r"mine\.py, line 17, in build: AttributeError: 'MySeesaw'"),
        ("Polygon.box(3.0, 0.1)", "Polygon.box(-3.0, 0.1)", r"mine\.py, line 16, in build: .*must be"),
        ('id="my_seesaw"', 'id="bridge"', r"mine\.py, line 8, in <module>: id must be different from that of demos\.bridge"),
        ("@register", "#@register", r"ID\|FILE must be a file with one demo.*got 0 in mine\.py"),
    ],
)
def test_a_mistake_is_reported_in_one_line_with_its_place(mine, old, new, says, capsys):
    text = example()
    assert old in text
    mine.write_text(text.replace(old, new), encoding="utf-8")
    assert main(["run", "mine.py", "--headless", "--steps", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert re.search(says, error)


def test_a_demo_of_the_list_that_cannot_be_built_is_reported_in_one_line(monkeypatch, capsys):
    def broken(*_):
        raise KeyError("boom")

    monkeypatch.setattr("demos.dominoes.add_ground", broken)
    assert main(["run", "dominoes", "--headless", "--steps", "2"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(r"error: the demo dominoes failed in .*dominoes\.py, line \d+, in \w+: KeyError: 'boom'", error)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"x = 1\n\0\n", "mine.py.*null bytes"),
        (b"x = " + b"-" * 100_000 + b"1\n", "mine.py"),
        (b"import other\n", "mine.py, line 1.*other.py"),
    ],
)
def test_a_syntax_error_is_reported_in_one_line(mine, content, says, capsys):
    mine.write_bytes(content)
    mine.with_name("other.py").write_text("def\n", encoding="utf-8")
    assert main(["run", "mine.py", "--headless", "--steps", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert re.search(says, error)


def test_objects_of_its_own_classes_are_rewound(mine, monkeypatch):
    """This also applies to a class in a neighboring file."""
    (mine.parent / "notes_of_mine.py").write_text("class Note:\n    def __init__(self):\n        self.text = ''\n", encoding="utf-8")
    text = "from notes_of_mine import Note\n\n" + example().replace(
        "    def build(self):", "    def build(self):\n        self.note = Note()", 1
    )
    mine.write_text(text + "\n    def after_step(self):\n        self.note.text += 'x'\n", encoding="utf-8")
    history = History(load_own_demo(str(mine))(0))
    for _ in range(70):
        history.step()
    history.seek(40)
    assert history.demo.note.text == "x" * 40
    history.seek(70)
    assert history.demo.note.text == "x" * 70 and history.divergence is None


def test_the_action_of_the_page_is_recorded_by_its_script_and_replayed(mine, capsys, monkeypatch):
    mine.write_text(example(0) + "\n\n" + example(1), encoding="utf-8")
    monkeypatch.syspath_prepend(mine.parent)
    exec(example(2), {})
    del sys.modules["mine"]
    registry._REGISTRY._classes.pop("my_seesaw")
    assert main(["replay", "explode.rec", "--verify", "--demo", "mine.py"]) == 0
    assert "inputs    1" in capsys.readouterr().out
