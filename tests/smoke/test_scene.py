"""Scene files on the command line: running, checking, importing levels; tables of a run."""

import csv
import json

from engine.cli.main import main
from tests.smoke.test_cli import printed
from tests.unit.scenes.samples import DRAWING, EXAMPLE, level


def test_a_scene_runs_and_its_tables_agree_with_its_report(tmp_path, capsys):
    file = tmp_path / "seesaw.json"
    file.write_text(EXAMPLE.replace('"position": [0, 1]', '"position": [0.5, 1]'), encoding="utf-8")
    names = ("contacts", "states", "timings")
    tables = [part for name in names for part in (f"--csv-{name}", str(tmp_path / f"{name}.csv"))]
    report = printed(capsys, "run", str(file), "--steps", "120", *tables)
    assert report["demo"] == "scene" and report["bodies"] == 2 and report["steps"] == 120
    rows = {name: list(csv.DictReader((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines())) for name in names}
    assert len(rows["states"]) == 2 * 121 and len(rows["timings"]) == 120
    events = [row["what"] for row in rows["contacts"]]
    assert (events.count("begin"), events.count("end")) == (report["contacts_begun"], report["contacts_ended"])
    assert (events.count("add"), events.count("persist")) == (report["points"]["add"], report["points"]["persist"])


def test_levels_become_scene_files(tmp_path, capsys):
    (tmp_path / "rube.json").write_text(json.dumps(level()), encoding="utf-8")
    (tmp_path / "level.svg").write_text(DRAWING, encoding="utf-8")
    for name, bodies in (("rube.json", 3), ("level.svg", 4)):
        out = tmp_path / f"{name}.scene.json"
        assert main(["scene", str(tmp_path / name), "--out", str(out), "--json", "-"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert main(["scene", str(out), "--json", "-"]) == 0
        again = json.loads(capsys.readouterr().out)
        assert sum(report["bodies"].values()) == bodies
        assert {**report, "file": ""} == {**again, "file": ""}
