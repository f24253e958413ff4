"""`compare --report`: the contents of the folder, with and without an unexplained pair."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from engine.cli.main import main
from engine.compare.pair.file import load_pair
from engine.compare.queries import our_manifolds
from engine.compare.questions.contact import ManifoldQuestion


def run(*arguments):
    return main(["compare", "--jobs", "1", *arguments])


def test_the_folder_has_the_page_and_each_pair_in_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("--pairs", "700", "--seed", "3", "--queries", "manifold,toi", "--report", "out/it") == 0
    assert f"report: {Path('out/it/report.html')}" in capsys.readouterr().out
    page = Path("out/it/report.html").read_text(encoding="utf-8")
    pairs = sorted(Path("out/it").glob("*.json"))
    assert len(pairs) >= 6
    players = {pair.with_suffix(".html").name for pair in pairs}
    assert {file.name for file in Path("out/it").iterdir()} == {"report.html", *(file.name for file in pairs), *players}
    assert set(re.findall(r'href="([^"]+\.html)"', page)) == players
    for pair in pairs:
        assert f"python main.py run --pair out/it/{pair.name}" in page
        assert main(["run", "--pair", str(pair), "--headless", "--json", "answers.json"]) == 0
        answers = json.loads(Path("answers.json").read_text(encoding="utf-8"))
        assert answers["verdict"] == "explained" and f"-{answers['reason']}-" in pair.name


def test_an_unexplained_pair_is_saved_simplified_with_a_picture(tmp_path, monkeypatch, capsys):
    def faulty(posed, exact=True):
        rows = our_manifolds(posed, exact)
        axis = rows.axis.copy()
        axis[:, :2] *= -1.0
        return replace(rows, axis=axis)

    monkeypatch.setattr(ManifoldQuestion, "ours", staticmethod(faulty))
    options = ("--pairs", "12", "--seed", "3", "--queries", "manifold")
    assert run(*options) == 1
    assert "--report DIR shrinks unexplained pairs" in capsys.readouterr().out
    assert run(*options, "--report", str(tmp_path)) == 1
    small = load_pair(tmp_path / "manifold-unexplained-1.json")
    assert small.provenance is not None and small.provenance.seed == 3
    assert "shrunk" in small.note
    drawing = ElementTree.fromstring((tmp_path / "manifold-unexplained-1.svg").read_bytes())
    assert drawing.tag.endswith("svg")
    assert "Shrunk" in (tmp_path / "report.html").read_text(encoding="utf-8")
