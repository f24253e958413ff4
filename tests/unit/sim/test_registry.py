import subprocess
import sys

import pytest

from engine.common.errors import InvalidInputError
from engine.demo import Demo
from engine.sim.registry import Registry, all_demos, find_demo
from tests.waiting import PATIENCE


def enter(registry, id, category="A", title="T"):
    return registry.register(id=id, category=category, title=title, watch="w")(type(f"Demo_{id}_{title}", (Demo,), {}))


def test_sorted_by_category_then_title():
    registry = Registry()
    for id, category, title in (("c", "B", "a"), ("b", "A", "z"), ("a", "A", "b")):
        enter(registry, id, category, title)
    assert [demo.id for demo in registry.all()] == ["a", "b", "c"]


def test_duplicates_are_rejected_except_for_the_same_class():
    registry = Registry()
    first = enter(registry, "one")
    registry.register(id="one", category="A", title="T", watch="w")(first)
    with pytest.raises(InvalidInputError, match="id must be different from that of"):
        enter(registry, "one", title="Other")


@pytest.mark.parametrize("id", ["", "Simple", "simple-shapes", "1st", "a__b", "a_"])
def test_ids_are_snake_case(id):
    with pytest.raises(InvalidInputError, match="snake_case"):
        enter(Registry(), id)


def test_unknown_ids_name_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"demo must be one of .*simple_shapes.*, got 'simple'"):
        find_demo("simple")


def test_every_demo_states_what_to_watch():
    demos = all_demos()
    assert "simple_shapes" in [demo.id for demo in demos]
    assert all(demo.title and demo.category and demo.watch.rstrip().endswith((".", "?")) for demo in demos)


def test_importing_demos_opens_no_window_reads_no_argument_and_loads_no_kernel():
    code = (
        "import sys; sys.argv = ['main.py', '--nonsense']\n"
        "from engine.sim.registry import all_demos\n"
        "assert all_demos()\n"
        "pygame = sys.modules.get('pygame')\n"
        "assert pygame is None or not pygame.display.get_init()\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


def test_a_demo_that_cannot_be_imported_is_omitted_and_reported(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "some_demos"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "whole.py").write_text("", encoding="utf-8")
    (folder / "torn.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry()
    registry.discover("some_demos")
    registry.discover("some_demos")
    assert list(registry.broken) == ["some_demos.torn"]
    assert capsys.readouterr().err.count("some_demos.torn is omitted because it cannot be imported: ModuleNotFoundError") == 1


def test_no_built_in_demo_is_omitted():
    registry = Registry()
    registry.discover()
    assert registry.broken == {}
