"""A mistake in a command is one line on standard error, and costs no file."""

from __future__ import annotations

import pytest

from engine.cli.main import main
from engine.compare.pair.file import Pair, save_pair
from engine.geometry import Circle, Polygon, Transform
from engine.scenes import Scene, save_scene
from engine.world import BodySpec, FixtureSpec

METHOD = "run pyramid --steps 1 --solver sequential_impulses --set"
NETLAB = "netlab simple_shapes --set count=1"


@pytest.fixture
def folder(tmp_path, monkeypatch, display):
    """Where the commands run, without a display."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    box, far = Polygon.box(0.5, 0.5), Transform((3.0, 0.0))
    save_scene("scene.json", Scene(bodies=(BodySpec((FixtureSpec(Circle(0.5)),)),)))
    save_pair("apart.json", Pair("distance", box, Transform(), box, far))
    save_pair("ray.json", Pair("ray_cast", box, Transform(), ray=((-2.0, 0.0), (2.0, 0.0))))
    save_pair("moving.json", Pair("toi", box, Transform(), box, far, end_a=Transform(), end_b=far))
    for name, text in (
        ("mine.py", "def collide(a, b): return None\n"),
        ("acts.json", '{"acts": [{"tick": -1, "action": {"type": "Pause", "paused": true}}]}'),
        ("body.json", '{"format": "collision body"}'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--theme light list", "--theme must be given after the command (list), if it has that option, got 'light'"),
        ("--ui-scale 2 run bullet", "--ui-scale must be given after the command (run), if it has that option, got 2.0"),
        ("run bullet --csv-states a.csv --json a.csv", "--csv-states must be a different file from --json"),
        ("check mine.py --report out --json out/report.html", "--json must be a different file from --report"),
        ("scene scene.json --pixels-per-metre 9", "--pixels-per-metre must be omitted for a file in meters, got 9.0"),
        ("run bounce --solver newton", "--solver must be one of box2d, soft_step"),
        ("run bounce --against sof_step --headless", "--against must be one of box2d, soft_step"),
        ("run bounce --solver soft_stp", "--solver must be one of ... (did you mean soft_step?), got 'soft_stp'"),
        ("run pyramid --steps 6 --against soft_step --from 6", "--from must be a whole number from 0 to 5, got 6"),
        (f"{METHOD} share=3", "--set: solver_settings.share must be from 0 to 1, got 3"),
        (f"{METHOD} solver.iterations=2.5", "--set: ... iterations must be a whole number from 1 to 1000, got 2.5"),
        (f"{METHOD} shar=0.3", "--set: ... solver.iterations, share, slop (did you mean share?), got 'shar'"),
        ("run pyramid --solver soft_step --set solver.share=0.3", "... share must be a known setting (direct, firmness), got 0.3"),
        ("run pyramid --set solver.share=0.3", "... solver_settings must be empty with Box2D, ... got {'share': 0.3}"),
        ("replay a.rec --theme blue", "--theme must be dark or light, got 'blue'"),
        ("run a.rec", "ID|FILE must be a demo or a scene file (to play a recording: replay a.rec), got 'a.rec'"),
        ("run mine.py", "ID|FILE must be a file with one demo, a class derived from Demo under @register(...)"),
        ("run yours.py", "... a file that exists, got 'yours.py'"),
        ("run body.json", "... format must be collision scene, got 'collision body'"),
        ("fire --target static,", "--target must be a list of static, dynamic, kinematic,"),
        ("fire --angle 79 --jitter-angle 9 --shots 9", "--angle must be from -80 to 80 degrees, jitter included, got"),
        ("fire --speed 1e-9", "--speed must be 0 or at least 6e-07 m/s (1e-08 m per step), got 1e-09"),
        ("atlas --target blade", "--target must be one of static, kinematic, dynamic, sensor, head_on, got 'blade'"),
        ("atlas --x angle=-90:90:3", "--x: angle must be from -80 to 80 degrees, got -90.0"),
        ("bench manifolt", "NAMES must be one of manifold, overlap,"),
        ("motion --steps 10 --every 20", "--every must be"),
        ("motion no_such_demo", "... no_such_demo"),
        ("host nothing_like_it", "SCENE must be one of the ... demos"),
        ("host stepper --port 0 --steps 1", "SCENE must be a demo with a world (this one has nothing to share), got 'stepper'"),
        ("host bridge --tls-certificate none.pem", "--tls-certificate must be a file that can be read ... got 'none.pem'"),
        ("host bridge --set speed=2", "--set: parameter must be ... got 'speed'"),
        ("join here:70000", "HOST: port must be a whole number from 1 to 65535, got 70000"),
        ("join 127.0.0.1:1 --headless", "nothing is listening at 127.0.0.1:1: check that the server is running"),
        ("join 127.0.0.1:1 --name=", "--name must be 1 to 40 characters long, got ''"),
        ("join 127.0.0.1:1 --method guessing", "--method must be one of prediction, interpolation, lockstep, got 'guessing'"),
        ("join 127.0.0.1:1 --script acts.json", "acts.json: acts[0].tick must be a whole number >= 0, got -1"),
        (f"{NETLAB} --latency 150", "--latency must be from 0 to 10 s, got 150.0"),
        (f"{NETLAB} --join-at 600", "--join-at must be a whole number from 1 to 599, got 600"),
        (f"{NETLAB} --method fast", "--method must be a list of prediction, interpolation, lockstep, all, got 'fast'"),
        (f"{NETLAB} --sweep speed=1", "--sweep must be NAME=LIST, NAME one of latency, "),
        (f"{NETLAB} --sweep latency=0,x", "--sweep must be a finite number after each =, got 'x'"),
        (f"{NETLAB} --script nowhere.json", "... nowhere.json"),
        ("step gkj", "ALGORITHM must be one of ... (did you mean gjk?), got 'gkj'"),
        ("step gjk --beside eap", "--beside must be one of ... did you mean epa"),
        ("step gjk --beside quickhull", "--beside must be one that accepts the same input: ... epa"),
        ("step gjk --beside gjk", "--beside must be another algorithm, got 'gjk'"),
        ("step gjk --pair scene.json", "scene.json: format must be"),
        ("step gjk --pair ray.json", "--pair must be a file that gjk can process (such as a pair of the query distance), got 'ray.json'"),
        ("step gjk --pair apart.json --scene pyramid", "--scene must be omitted with --pair"),
        ("step gjk --scene pyramd", "--scene must be one of ... did you mean pyramid"),
        ("step gjk --scene pair", "--scene must be a demo with a world, got 'pair'"),
        ("step gjk --at 99 --json out.json", "--at must be a whole number from 1 to"),
        ("step gjk --size 16x5000 --screenshot a.png", "--size must be from 16 to 4096 pixels a side, got '16x5000'"),
        ("step moving_discs --pair moving.json", "... such as a pair of the query toi, of two discs"),
        ("step --at 3", "--at must be given with ALGORITHM, got 3"),
        ("step gjk --quiz 3 --at 2", "--at must be omitted with --quiz, got 2"),
        ("step gjk --quiz 3", "... no window can be opened here"),
        ("step quickhull --own mine.py", "--own must be used with one of alternating_projections, "),
        ("step gjk --own none.py", "--own must be a readable file"),
        ("step gjk --own mine.py:away --json out.json", "mine.py: no function away; there is collide"),
    ],
)
def test_a_mistake_is_one_line_and_costs_no_file(arguments, told, folder, capsys):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert main(arguments.split()) == 2
    captured = capsys.readouterr()
    (line,) = (line for line in captured.err.splitlines() if line.startswith("error: "))
    first, *others = told.split("...") if "..." in told and "(...)" not in told else (told,)
    assert captured.out == "" and line.startswith(f"error: {first.rstrip()}") and all(part.strip() in line for part in others)
    assert captured.err.endswith(line + "\n") and {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
