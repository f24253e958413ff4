"""A mistake in a command is one line on standard error, and overwrites no file."""

import os
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.compare.pair.file import Pair, save_pair
from engine.geometry import Circle, Polygon, Transform
from engine.scenes import Scene, save_scene
from engine.world import BodySpec, FixtureSpec

SAMPLES = Path(__file__).resolve().parents[3] / "sprites" / "samples"
GEAR, PAW = SAMPLES / "gear.svg", SAMPLES / "paw.png"
METHOD = "run pyramid --steps 1 --solver sequential_impulses --set"
NETLAB = "netlab simple_shapes --set count=1"


@pytest.fixture
def folder(tmp_path, monkeypatch, display):
    """Make the folder in which the commands run, without a display."""
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
        ("broken.json", '{\n  "format": ,\n}'),
        ("wrong.json", '{"format": "collision scene", "version": 1,\n "bodies": [\n  {"tpye": "static"}]}'),
        ("wrong_pair.json", (tmp_path / "apart.json").read_text(encoding="utf-8").replace('"b": {', '"b": {"wrong": 1, ')),
        ("own.py", ""),
        ("no.py", "this is no Python"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    return tmp_path


def _contents(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.iterdir() if path.name not in ("out", "__pycache__")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--theme light list", "--theme must be given after the command (list), if it has that option, got 'light'"),
        ("--ui-scale 2 run bullet", "--ui-scale must be given after the command (run), if it has that option, got 2.0"),
        ("run bullet --csv-states a.csv --json a.csv", "--csv-states must be a different file from --json"),
        ("check mine.py --report out --json out/report.html", "--json must be a different file from --report"),
        ("scene scene.json --pixels-per-metre 9", "--pixels-per-metre must be omitted for a file in meters, got 9.0"),
        ("run bounce --solver newton", "--solver must be one of box2d, soft_step"),
        ("run bounce --against sof_step --headless", "--against must be one of box2d, soft_step"),
        ("run bounce --solver soft_stp", "--solver must be one of ... (did you mean soft_step?), got 'soft_stp'"),
        (f"{METHOD} share=3", "--set: solver_settings.share must be from 0 to 1, got 3"),
        (f"{METHOD} solver.iterations=2.5", "--set: ... iterations must be a whole number from 1 to 1000, got 2.5"),
        (f"{METHOD} shar=0.3", "--set: ... solver.iterations, share, slop (did you mean share?), got 'shar'"),
        ("run pyramid --solver soft_step --set solver.share=0.3", "... share must be omitted: ... has no settings of its own, got 0.3"),
        ("run pyramid --set solver.share=0.3", "... solver_settings must be empty with Box2D, ... got {'share': 0.3}"),
        ("replay a.rec --theme blue", "--theme must be dark or light, got 'blue'"),
        ("run a.rec", "ID|FILE must be a demo or a scene file (to play a recording: replay a.rec), got 'a.rec'"),
        ("run mine.py", "ID|FILE must be a file with one demo, a class derived from Demo under @register(...)"),
        ("run yours.py", "... a file that can be read ... got 'yours.py'"),
        ("run body.json", "... format must be collision scene, got 'collision body'"),
        ("fire --target static,", "--target must be a list of static, dynamic, kinematic,"),
        ("fire --angle 79 --jitter-angle 9 --shots 9", "--angle must be from -80 to 80 degrees, jitter included, got"),
        ("fire --speed 1e-9", "--speed must be 0 or at least 6e-07 m/s (1e-08 m per step), got 1e-09"),
        ("atlas --target blade", "--target must be one of static, kinematic, dynamic, sensor, head_on, got 'blade'"),
        ("atlas --x angle=-90:90:3", "--x: angle must be from -80 to 80 degrees, got -90.0"),
        ("bench manifolt", "NAMES must be one of manifold, overlap,"),
        ("references projectil", "NAMES must be one of ... (did you mean projectile?), got 'projectil'"),
        ("motion --steps 10 --every 20", "--every must be"),
        ("motion no_such_demo", "... no_such_demo"),
        ("host nothing_like_it", "SCENE must be one of the ... demos"),
        ("host stepper --port 0 --steps 1", "SCENE must be a demo with a world (this one has nothing to share), got 'stepper'"),
        ("host bridge --set speed=2", "--set: parameter must be ... got 'speed'"),
        ("join here:70000", "HOST: port must be a whole number from 1 to 65535, got 70000"),
        ("join 127.0.0.1:1 --headless", "nothing is listening at 127.0.0.1:1: check that the server is running"),
        ("join 127.0.0.1:1 --name=", "--name must be 1 to 40 characters long, got ''"),
        ("join 127.0.0.1:1 --method guessing", "--method must be one of prediction, interpolation, lockstep, got 'guessing'"),
        ("join 127.0.0.1:1 --script acts.json", "acts.json: acts[0].tick must be a whole number >= 0, got -1"),
        (f"{NETLAB} --latency 150", "--latency must be from 0 to 10 s, got 150.0"),
        (f"{NETLAB} --join-at 600", "--join-at must be a whole number from 1 to 599, got 600"),
        (f"{NETLAB} --method fast", "--method must be a list of prediction, interpolation, lockstep, all, got 'fast'"),
        (f"{NETLAB} --sweep speed=1", "--sweep must be NAME=LIST, ... latency, "),
        (f"{NETLAB} --sweep latency=0,x", "--sweep must be a finite number after each =, got 'x'"),
        (f"{NETLAB} --script nowhere.json", "... nowhere.json"),
        ("engines --tests seam", "--tests must be a list of tunneling, ... (did you mean seams?), got 'seam'"),
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
        ("step gjk --size 16x5000 --screenshot a.png", "--size must be from 16 to 4096 pixels per side, got '16x5000'"),
        ("step moving_discs --pair moving.json", "... such as a pair of the query toi, of two discs"),
        ("step --at 3", "--at must be given with ALGORITHM, got 3"),
        ("step gjk --quiz 3 --at 2", "--at must be omitted with --quiz, got 2"),
        ("step gjk --quiz 3", "... no window can be opened here"),
        ("rnu", ""),
        ("bounce", "... python main.py run bounce"),
        ("run simple_shpaes", "... did you mean simple_shapes?"),
        ("list --json missing/list.json", ""),
        ("--ui-scale 9", ""),
        ("run simple_shapes", "... no window can be opened here"),
        ("run simple_shapes --steps 0", ""),
        ("run simple_shapes --set speed", "--set"),
        ("run simple_shapes --set no_such_thing=1", "--set"),
        ("run nonconvex_characters --headless --set speed=fast", "--set"),
        ("run nonconvex_characters --headless --set speed=nan", "--set"),
        ("run nonconvex_characters --headless --set speed=1e9", "--set"),
        ("run simple_shapes --screenshot .", ""),
        ("run --headless", "ID|FILE must be a demo (see the list command), a scene file, or --pair FILE, got nothing"),
        ("run --headless --pair broken.json", "broken.json, line 2, column"),
        ("run --headless --pair wrong_pair.json", "wrong_pair.json: b.wrong must be"),
        ("run --headless --pair missing.json", "... pair file must be a file that can be read"),
        ("run --headless --pair apart.json bullet", "ID|FILE must be omitted with --pair, got 'bullet'"),
        ("run --headless --pair apart.json --set query=toi", "--set: query must be one of manifold, overlap, distance, got 'toi'"),
        ("run simple_shapes --csv-states a.txt", "--csv-states must be a file name that ends in .csv"),
        ("scene", "FILE must be a scene file"),
        ("scene none.json", "... scene file must be a file that can be read"),
        ("scene wrong.json", "wrong.json, line 3: bodies[0].tpye must be a known field (type), got 'static'"),
        ("run wrong.json --steps 9", "wrong.json, line 3: bodies[0].tpye must be"),
        ("scene wrong.json --out wrong.json", "--out must be a different file"),
        ("scene acts.txt", "... must be a scene: a file that ends in .json or .svg"),
        ("fire --thickness 0", "--thickness must be"),
        ("fire --hertz nan", "--hertz must be"),
        ("fire --ccd maybe", "--ccd must be a list of off, on, both"),
        ("fire --rule bullet,magic", "--rule must be a list of discrete, default, bullet, substeps, swept, all"),
        ("fire --angle 85", "--angle must be from -80 to 80 degrees, got 85"),
        ("fire --angle nan", "--angle must be from -80 to 80 degrees"),
        ("fire --turn 400", "--turn must be from -360 to 360 degrees"),
        ("fire --height 2", "--height must be from -0.5 to 0.5 m"),
        ("fire --restitution 1.5", "--restitution must be from 0 to 1"),
        ("fire --target-speed inf", "--target-speed must be"),
        ("fire --shape ball", "--shape must be one of disc, box"),
        ("fire --solver soft_step --rule swept", "--rule must be one of discrete, default, bullet with --solver soft_step"),
        ("atlas --out new --x sped=1:2:3", "--x must be one of speed"),
        ("atlas --out new --x speed=200:20:6", "--x: HI must be greater than 200, got 20"),
        ("atlas --out new --x speed=1:2:1", "--x: N must be a whole number from 2"),
        ("atlas --out new --x speed=1:2", "--x must be PARAM=LO:HI:N"),
        ("atlas --out new --y speed=1:2:3", "--y must be a parameter other than that of --x"),
        ("atlas --out new --rule ccd", "--rule must be a list of discrete"),
        ("atlas --out new --speed 5", "--speed must be omitted if an axis varies it"),
        ("atlas --out new --angle 95", "--angle must be from"),
        ("atlas --out new --shots 0", "--shots must be"),
        ("atlas --out new --y target_speed=0:9:3", "--y must be a parameter that static targets have"),
        ("trace nowhere.png", "... a file that can be read (No such file or directory)"),
        ("trace empty", "... must be a picture or a drawing, got a folder"),
        ("trace acts.json", "... a file that ends in .png"),
        (f"trace {GEAR} --tolerance 0", "--tolerance must be > 0 m, got 0.0"),
        (f"trace {GEAR} --tolerance nan", "--tolerance must be a finite number in m, got nan"),
        (f"trace {GEAR} --pixels-per-metre -5", "--pixels-per-metre must be > 0"),
        (f"trace {GEAR} --threshold 1", "--threshold must be greater than 0 and less than 1"),
        (f"trace {GEAR} --method exact,magic", "--method must be a list of exact"),
        (f"trace {GEAR} --crop 1,2,3", "--crop must be four whole numbers"),
        (f"trace {GEAR} --crop 0,0,5,5", "--crop must be omitted for a drawing"),
        (
            f"trace {PAW} --crop 1000,1000,10,10",
            "--crop must be ... a rectangle within the picture's 192 x 192 pixels",
        ),
        ("check missing.py", "... a file that can be read"),
        ("check empty", "... a folder with .py files"),
        ("check own.py", "... no function collide"),
        ("check own.py:other", "... no function other"),
        ("check no.py", "... invalid syntax"),
        ("check own.py --query toi", "--query must be one of manifold, overlap, distance"),
        ("check own.py --time-limit 0", "--time-limit must be"),
        ("check own.py --tolerance nan", "--tolerance must be"),
        ("check mine.py --pair missing.json", "... a file that can be read"),
        ("check", "... FILE.py:FUNCTION"),
    ],
)
def test_a_mistake_is_one_line_and_overwrites_no_file(arguments, message, folder, capsys):
    before = _contents(folder)
    assert main(arguments.split()) == 2
    captured = capsys.readouterr()
    (line,) = (line for line in captured.err.splitlines() if line.startswith("error: "))
    first, *others = message.split("...") if "..." in message and "(...)" not in message else (message,)
    assert captured.out == "" and line.startswith(f"error: {first.rstrip()}") and all(part.strip() in line for part in others)
    assert captured.err.endswith(line + "\n") and _contents(folder) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
@pytest.mark.parametrize(
    "arguments",
    [
        "scene P.json",
        "scene P.svg",
        "run P.json --steps 1",
        "run P.py --steps 1",
        "run --headless --pair P.json",
        "run simple_shapes --steps 1 --drop P.json",
        "trace P.svg",
        "trace P.png",
        "replay P.rec --headless",
        "engines --rows P.json",
        "join 127.0.0.1:1 --script P.json",
        "step gjk --pair P.json",
        "check P.py",
    ],
)
def test_a_named_pipe_is_refused_before_anybody_writes_to_it(arguments, folder, capsys):
    name = next(word for word in arguments.split() if word.startswith("P."))
    os.mkfifo(folder / name)
    assert main(arguments.split()) == 2
    assert "not a regular file" in capsys.readouterr().err
