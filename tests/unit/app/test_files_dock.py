"""Files written by the window: scenes and pictures; automatic backups of scenes, recovered after a crash."""

import os
import subprocess
import sys
from pathlib import Path

import pygame
import pytest

from engine.app import navigator
from engine.app.commands import find, run
from engine.app.files import places, recovery
from engine.app.files.opening import file_stem, load_any_scene
from engine.app.files.recovery import EVERY, Recovery
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.window import Window
from engine.geometry import Circle
from engine.scenes import Scene, build, load_scene, save_scene
from engine.sim.actions import CreateBody, Grab, Release
from engine.sim.scene_demo import SceneDemo, scene_demo
from engine.world import BodySpec, FixtureSpec
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]
SIZE = (1280, 720)
CTRL = pygame.KMOD_CTRL
BALL = BodySpec((FixtureSpec(Circle(0.2)),), position=(2.0, 3.0))


class Desk:
    """A window with a demo, its working directory, and its keys."""

    def __init__(self, demo, demos):
        self.window = Window(SIZE, demos, demo)
        self.frame()

    def frame(self, n=1, elapsed=1.0 / 60.0):
        surface = pygame.Surface(SIZE)
        for k in range(n):
            self.window.update(elapsed)
            if k in (0, n - 1):
                self.window.show(surface)

    def key(self, key, mod=0):
        self.window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
        self.frame()

    @property
    def recorder(self):
        return next(dock for dock in self.window.docks if isinstance(dock, RecordingDock))

    @property
    def question(self):
        """Return the displayed question."""
        return self.window.screen.asking.question

    def type(self, words):
        """Type a text and accept it."""
        for letter in words:
            self.window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a, mod=0, unicode=letter))
        self.key(pygame.K_RETURN)

    @property
    def answers(self):
        return [] if self.question is None else [answer.words for answer in self.question.answers]

    def choose(self, words):
        """Choose an answer with the keyboard."""
        for _ in range(self.answers.index(words) + (self.question.typed is not None)):
            self.key(pygame.K_DOWN)
        self.key(pygame.K_RETURN)

    def wait_for(self, title):
        """Run frames until a demo with that title is shown."""
        until(lambda: (self.frame(), self.window.session.demo.title == title)[1], look=0.005)

    def save(self):
        """Save, without a question."""
        self.key(pygame.K_s, CTRL)
        assert self.question is None
        self.frame()

    def finish(self):
        """Run frames until pending files are written."""
        while self.recorder.is_busy:
            self.frame(1, 0.0)

    def recover(self, folder):
        """Back up unsaved work in a folder."""
        recovery = Recovery(folder)
        self.window.recover(recovery)
        self.frame()
        return recovery

    def build_a_ball(self):
        self.window.session.act(CreateBody.of(0, BALL))
        self.frame(2)

    @property
    def offer(self):
        """Text of the status strip."""
        return self.window.note[0] if self.window.note is not None else ""

    @property
    def words(self):
        return "\n".join(message.words for message in self.window.session.messages._waiting)


@pytest.fixture
def desk(drop, twins, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Desk(drop(), (drop, twins))


def test_ctrl_s_saves_the_scene_without_the_hand_and_overwrites_its_file(desk, tmp_path):
    (tmp_path / "drop.json").write_text("somebody's", encoding="utf-8")
    session = desk.window.session
    desk.frame(20)
    session.act(Grab((0.0, session.demo.stages[0].world.state(1).position[1])))
    assert session.demo.grip is not None
    desk.save()
    desk.frame(5)
    desk.save()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drop-2.json", "drop.json"], "not over a file of before, then in its own"
    assert (tmp_path / "drop.json").read_text(encoding="utf-8") == "somebody's"
    assert "drop-2.json, in its state at step 28; Menu, Open… opens it" in desk.words
    scene = load_scene(tmp_path / "drop-2.json")
    assert scene.joints == () and scene.title == "Drop"
    assert build(scene).state(1).position == pytest.approx(session.demo.stages[0].world.state(1).position, abs=0.1)


def test_what_is_seen_is_saved(desk, tmp_path):
    session = desk.window.session
    session.timeline.seek(0)
    session.act(CreateBody.of(0, BALL))
    session.clock.paused = False
    desk.frame(30)
    now, session.clock.paused = session.timeline.history.now, True
    desk.save()
    saved = build(load_scene(tmp_path / "drop.json")).state(2).position
    assert saved == pytest.approx(session.demo.stages[0].world.state(2).position, abs=0.1) and saved[1] < BALL.position[1] - 0.5
    session.timeline.seek(0)
    desk.save()
    assert build(load_scene(tmp_path / "drop.json")).state(2).position == BALL.position and session.timeline.history.last >= now


def test_an_opened_scene_is_saved_to_its_file_unless_the_file_has_changed(drop, tmp_path, desk):
    path = tmp_path / "balls.json"
    save_scene(path, Scene(title="Balls", bodies=(BALL,)))
    desk = Desk(scene_demo(load_any_scene(str(path)), "balls.json")(), (drop,))
    desk.window.session.clock.paused = True
    desk.window.session.act(CreateBody.of(0, BALL))
    desk.key(pygame.K_s, CTRL)
    assert len(load_scene(path).bodies) == 2 and load_scene(path).title == "Balls" and len(list(tmp_path.iterdir())) == 1
    save_scene(path, Scene(title="Another's", bodies=(BALL,) * 5))
    desk.key(pygame.K_s, CTRL)
    assert desk.question.title == "Replace balls.json?" and len(load_scene(path).bodies) == 5
    desk.key(pygame.K_RETURN)  # another name
    assert desk.question.typed == "balls.json"
    desk.key(pygame.K_RETURN)
    assert desk.question.title == "Replace balls.json?"
    desk.key(pygame.K_DOWN)
    desk.key(pygame.K_RETURN)
    assert desk.question is None and len(load_scene(path).bodies) == 2
    run(find("save_as"), desk.window.app)
    desk.type("more balls")
    desk.window.session.act(Grab(BALL.position))
    assert desk.window.session.demo.grabbing and desk.window.session.demo.status()[0] == "more balls.json: 2 bodies, 0 joints"


def test_a_level_of_another_editor_is_not_overwritten(tmp_path, desk, drop):
    path = tmp_path / "level.json"
    path.write_text('{"gravity": {"x": 0, "y": -10}, "body": []}', encoding="utf-8")
    desk = Desk(scene_demo(load_any_scene(str(path)), str(path))(), (drop,))
    desk.save()
    assert path.read_text(encoding="utf-8").startswith('{"gravity"') and (tmp_path / "level-2.json").exists()


def test_ctrl_shift_s_asks_for_a_name_and_ctrl_s_keeps_to_it(desk, tmp_path):
    desk.window.session.clock.paused = True
    desk.window.session.timeline.seek(0)
    for wrong, message in (("a.png", "ends in .json"), ("no/such/a", "directory that exists")):
        desk.key(pygame.K_s, CTRL | pygame.KMOD_SHIFT)
        desk.type(wrong)
        assert message in desk.question.words
        desk.key(pygame.K_ESCAPE)
    desk.key(pygame.K_s, CTRL | pygame.KMOD_SHIFT)
    desk.type("my seesaw")
    desk.key(pygame.K_s, CTRL)
    assert [path.name for path in tmp_path.iterdir()] == ["my seesaw.json"] and load_scene(tmp_path / "my seesaw.json").title == "my seesaw"
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    run(find("save_as"), desk.window.app)
    desk.type("other")
    assert desk.question.title == "Replace other.json?"
    assert (tmp_path / "other.json").read_text(encoding="utf-8") == "{}"
    desk.key(pygame.K_ESCAPE)
    assert desk.question is None and not desk.window.browsing


@pytest.mark.parametrize("name", [".", "..", "/", "~nobody-of-that-name", "字" * 150])
def test_an_invalid_file_name_is_requested_again(desk, tmp_path, name):
    desk.window.session.clock.paused = True
    desk.window.session.timeline.seek(0)
    run(find("save_as"), desk.window.app)
    desk.type(name)
    assert desk.question.words.startswith("the name must be ")
    desk.key(pygame.K_ESCAPE)
    assert list(tmp_path.iterdir()) == [] and desk.question is None


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes no folder that somebody works in")
def test_a_missing_folder_is_reported(desk, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)  # which the fixture takes back
    gone.rmdir()
    for command in ("save", "save_as"):
        run(find(command), desk.window.app)
        assert desk.question is None and "Nothing was written" in desk.words
    run(find("open"), desk.window.app)
    assert "Samples" in desk.answers


def test_the_file_dialog_goes_through_folders_and_remembers_the_last(desk, tmp_path):
    folder = tmp_path / "levels"
    folder.mkdir()
    save_scene(folder / "ball.json", Scene(title="A ball", bodies=(BALL,)))
    for name in ("notes.txt", ".hidden.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    run(find("open"), desk.window.app)
    assert desk.answers == ["Open this file", "Up one folder", "Samples", "levels/"]
    for typed, wrong in (("nothing.json", "There is no file nothing.json."), ("字" * 150, "There is no file "), ("", "Type the name")):
        desk.type(typed)
        assert desk.question.words.startswith(wrong)
    desk.type("level")  # part of one name
    assert desk.answers == ["Open this file", "Up one folder", "Samples", "ball.json"]
    (folder / "deeper").mkdir()
    for k, name in enumerate(("a.json", "z.json")):
        save_scene(folder / name, Scene(title=name))
        os.utime(folder / name, (k, k))
    desk.type("deep")
    desk.choose("Up one folder")
    desk.type(".js")  # of several names
    assert desk.answers[1:] == ["ball.json", "z.json", "a.json"]
    desk.type(str(folder))
    assert desk.answers[3:] == ["ball.json", "z.json", "a.json", "deeper/"], "the newest file first, folders last"
    desk.type("ball.json")
    desk.wait_for("A ball")
    run(find("open"), desk.window.app)
    assert "ball.json" in desk.answers, "the folder of the last file"
    desk.type(str(tmp_path))
    assert "levels/" in desk.answers


def test_the_file_dialog_offers_the_samples(desk):
    run(find("open"), desk.window.app)
    desk.choose("Samples")
    assert {"paw.png", "gear.svg"} <= set(desk.answers) and "Samples" not in desk.answers
    desk.choose("paw.png")
    until(lambda: (desk.frame(), bool(desk.window.session.demo.dropped))[1], look=0.005)
    run(find("open"), desk.window.app)
    desk.choose("seesaw.json")
    desk.wait_for("A seesaw")


def test_the_name_of_a_sample_opens_it_from_any_folder(desk):
    run(find("open"), desk.window.app)
    desk.type("seesaw")
    desk.wait_for("A seesaw")
    run(find("open"), desk.window.app)
    desk.type(".png")
    assert {"ampersand.png", "paw.png"} <= set(desk.answers), "of several, they are listed"


def test_a_scene_opened_from_the_list_starts_no_other_demo(drop, desk, tmp_path):
    save_scene(tmp_path / "ball.json", Scene(title="A ball", bodies=(BALL,)))
    desk = Desk(None, (drop,))
    run(find("open"), desk.window.app)
    desk.choose("ball.json")
    desk.wait_for("A ball")
    assert not desk.window.browsing and desk.window.navigator.left == []


def test_a_long_folder_is_listed_in_parts(desk, tmp_path):
    for k in range(40):
        path = tmp_path / f"{k:02}.json"
        path.write_text("{}", encoding="utf-8")
        os.utime(path, (40 - k, 40 - k))
    run(find("open"), desk.window.app)
    names = []
    while True:
        names += [words for words in desk.answers if words.endswith(".json")]
        if not desk.answers[-1].startswith("More"):
            break
        desk.choose(desk.answers[-1])
    assert names == [f"{k:02}.json" for k in range(40)]


def test_ctrl_s_saves_every_world(twins, drop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    desk = Desk(twins(), (twins, drop))
    desk.frame(20)
    demo = desk.window.session.demo
    desk.window.session.clock.paused = True
    desk.save()
    scene = load_scene(tmp_path / "twins.json")
    again = scene_demo(scene)()
    assert len(demo.stages) == len(again.stages) == 2 and scene.notes == ()
    for mine, other in zip(demo.stages, again.stages, strict=True):
        assert (mine.offset, mine.label) == (other.offset, other.label)
        assert other.world.poses == pytest.approx(mine.world.poses, abs=0.1)
    for stage in demo.stages:  # a demo that draws its worlds apart by itself
        stage.offset = (0.0, 0.0)
    desk.window.session.saved.path = tmp_path / "twins-2.json"
    desk.save()
    opened = scene_demo(load_scene(tmp_path / "twins-2.json"), "twins-2.json")()
    n_bodies = sum(len(stage.world.body_ids) for stage in opened.stages)
    assert opened.status()[0] == f"twins-2.json: {n_bodies} bodies, 0 joints in 2 worlds"
    opened.sim.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.2)),), position=(2.0, 9.0))))
    assert opened.status()[0] == f"twins-2.json: {n_bodies + 1} bodies, 0 joints in 2 worlds"
    assert file_stem(opened) == "twins-2" and file_stem(demo) == "twins", "scenes, pictures, tables and recordings are called alike"
    apart = opened.stages
    upper, lower = (stage.bounds for stage in apart)
    assert upper is not None and lower is not None and lower.upper[1] < upper.lower[1]


def test_an_unwritable_folder_is_reported(desk, monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    monkeypatch.setattr(Path, "cwd", lambda: gone)
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(places, "user_pictures_path", lambda: tmp_path / "file")
    for key, mod in ((pygame.K_s, CTRL), (pygame.K_F12, 0)):
        desk.key(key, mod)
    assert desk.words.count("Nothing was written") == 2 and "Errno" not in desk.words and desk.window.running


def test_f12_writes_a_picture_of_the_whole_window(desk, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "user_pictures_path", lambda: tmp_path)
    desk.key(pygame.K_F12)
    picture = pygame.image.load(tmp_path / "collision-laboratory" / "drop.png")
    assert picture.get_size() == SIZE and len({tuple(picture.get_at((x, y))) for x in range(0, 1280, 9) for y in range(0, 720, 9)}) > 10


CRASH = """
import os, sys
from pathlib import Path
from engine.app.files.recovery import Recovery
from engine.scenes import Scene
recovery = Recovery(Path(sys.argv[1]))
recovery.keep(lambda: Scene(title="lost"), None, "drop")
recovery.wait()
os._exit(3)
"""


def test_a_scene_left_by_a_crash_is_offered_and_stays_until_it_is_saved(drop, desk, tmp_path):
    folder = tmp_path / "unsaved"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", CRASH, str(folder)], env=environment, cwd=ROOT, timeout=PATIENCE, check=False)
    assert run.returncode == 3
    desk = Desk(None, (drop,))
    recovery = desk.recover(folder)
    assert [file.demo for file in recovery.left] == ["drop"]
    assert desk.window.browsing and desk.offer.endswith("was not saved. Ctrl Shift O opens or discards it.")
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.key(pygame.K_RETURN)
    assert not desk.window.browsing and desk.window.session.demo.title == "lost" and "This is the scene from" in desk.words
    assert recovery.left == () and "was not saved" not in desk.offer and list(folder.glob("*.json")), "a second crash loses nothing"
    desk.save()
    assert load_scene(tmp_path / "drop.json").title == "lost" and not list(folder.glob("*.json"))


def test_work_is_kept_in_a_demo_that_was_closed(desk, tmp_path):
    recovery = desk.recover(tmp_path / "unsaved")
    desk.build_a_ball()
    desk.frame(20)
    session, history = desk.window.session, desk.window.session.timeline.history
    session.clock.paused = True
    now, state = history.now, session.demo.stages[0].world.state_hash()
    for way in ("the list", "Ctrl Shift O"):
        desk.key(pygame.K_ESCAPE)
        assert desk.window.browsing and not desk.offer and not desk.words, "nothing is lost"
        assert [file.demo for file in recovery.left] == ["drop"]
        desk.frame(5)
        if way == "the list":
            desk.key(pygame.K_RETURN)
        else:
            desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
        assert desk.window.session is session and history.now == now and session.demo.stages[0].world.state_hash() == state, way
        assert session.clock.paused and "as you left it, at step" in desk.words
        assert recovery.left == () and "was not saved" not in desk.offer
    session.undo()
    assert len(session.demo.stages[0].world.body_ids) == 2 and history.divergence is None
    session.timeline.redo()
    desk.window.leave()
    assert [path.name for path in (tmp_path / "unsaved").glob("*.json")] == ["drop.json"], "it is offered at the next start"


def test_backups_contain_the_scene_as_built(desk, tmp_path):
    """Issue 13: a seesaw whose discs had fallen off."""
    recovery = desk.recover(tmp_path / "unsaved")
    session = desk.window.session
    desk.build_a_ball()
    desk.frame(30)
    state = session.demo.stages[0].world.state_hash()
    session.clock.paused = True
    desk.frame(1, EVERY)
    recovery.wait()
    kept = session.saved.recovery
    assert kept is not None and build(load_scene(kept)).state(2).position == BALL.position
    assert session.timeline.history.divergence is None
    assert session.demo.stages[0].world.state_hash() == state


def test_a_backup_of_a_removed_demo_opens_as_a_scene(desk, tmp_path):
    recovery = desk.recover(tmp_path / "unsaved")
    desk.build_a_ball()
    desk.window.session.view.zoom((700, 300), 3.0)
    seen = desk.window.session.view.seen
    desk.key(pygame.K_ESCAPE)
    desk.window.navigator.left.clear()  # others were left since
    desk.key(pygame.K_RETURN)  # the demo anew: it offers its own for a while
    assert desk.offer
    desk.window.session.clock.paused = True
    desk.frame(3, 5.0)
    assert not desk.offer
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.key(pygame.K_RETURN)
    demo = desk.window.session.demo
    assert desk.window.session.clock.paused, "somebody was at work on it"
    assert isinstance(demo, SceneDemo) and demo.title == "Drop" and len(demo.stages[0].world.body_ids) == 3
    assert "own buttons and sliders" in demo.watch and demo.home().upper == pytest.approx(seen.upper)
    desk.key(pygame.K_ESCAPE)  # looked at, and still not saved
    assert [file.demo for file in recovery.left] == ["drop"]
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.key(pygame.K_RETURN)
    desk.key(pygame.K_s, CTRL)
    assert load_scene(tmp_path / "drop.json").title == "Drop"
    desk.key(pygame.K_ESCAPE)
    assert recovery.left == ()


def test_a_closed_scene_file_is_offered_in_the_list(drop, desk):
    desk = Desk(scene_demo(Scene(title="Balls", bodies=(BALL,)))(), (drop,))
    session = desk.window.session
    desk.frame(20)
    assert session.timeline.history is not None
    session.act(Grab(session.demo.stages[0].world.state(0).position))
    desk.key(pygame.K_ESCAPE)
    assert not session.demo.grabbing and "Balls is still as you left it, at step 21." in desk.offer
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    assert desk.window.session is session and not session.clock.paused and session.timeline.history.can_undo
    desk.key(pygame.K_ESCAPE)
    desk.frame(3, 5.0)
    assert not desk.offer
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    assert desk.window.session is session


def test_only_recent_demos_are_kept(drop, twins, choosy, desk, monkeypatch):
    monkeypatch.setattr(navigator, "MAX_LEFT", 3)
    kinds = (drop, twins, choosy, *(type(f"More{k}", (drop,), {"id": f"more{k}", "title": f"More {k}"}) for k in range(2)))
    desk = Desk(None, kinds)
    sessions = []
    for k in range(len(kinds)):
        desk.window.navigator.start(k)
        desk.frame(5)
        desk.key(pygame.K_k)
        desk.frame(2)
        sessions.append(desk.window.session)
        desk.key(pygame.K_ESCAPE)
    assert desk.window.navigator.left == sessions[-3:]
    assert "Undo history for Twins was discarded" in desk.words
    desk.window.navigator.start(2)
    assert desk.window.session is sessions[2] and len(desk.window.navigator.left) == 2
    monkeypatch.setattr(navigator, "MAX_BYTES", 1)
    desk.key(pygame.K_ESCAPE)
    assert desk.window.navigator.left == [sessions[2]], "the one left last stays whatever it takes"
    desk.window.navigator.start(0)
    assert desk.window.session is not sessions[0]


def test_lost_work_is_reported_before_the_program_exits(desk, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert desk.recover(tmp_path / "file" / "unsaved").failure
    desk.build_a_ball()
    desk.frame(11, 0.1 * EVERY)
    assert "cannot be backed up" in desk.words
    desk.key(pygame.K_ESCAPE)
    assert "could not be backed up" in desk.words
    desk.key(pygame.K_ESCAPE)
    assert "your work in Drop will be lost" in desk.words and desk.window.running


def test_earlier_work_in_a_demo_is_not_replaced_and_is_listed_after_the_offer(desk, drop, tmp_path):
    folder = tmp_path / "unsaved"
    desk.recover(folder)
    for _ in range(3):
        desk.build_a_ball()
        desk.key(pygame.K_ESCAPE)
        desk.window.navigator.left.clear()  # as after many others
        desk.key(pygame.K_RETURN)
    desk.window.leave()
    assert sorted(path.name for path in folder.glob("*.json")) == ["drop-2.json", "drop-3.json", "drop.json"]
    later = Desk(None, (drop,))
    second = later.recover(folder)
    assert [file.demo for file in second.left] == ["drop"] * 3 and "Your work in drop" in later.offer
    later.frame(3, 5.0)
    assert later.window.browsing and not later.offer, "no older one comes after it"
    later.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    assert [answer.words[:6] for answer in later.question.answers] == ["drop, "] * 3 + ["Discar", "Open a"]
    assert [answer.words.rpartition(": ")[2] for answer in later.question.answers[:3]] == ["3 bodies, 0 joints"] * 3
    second.left[0].path.write_text("no JSON")
    assert second.left[0].size == "cannot be read"
    later.key(pygame.K_DOWN)
    later.key(pygame.K_RETURN)
    assert "This is the scene from" in later.words and len(second.left) == 2


def test_unsaved_work_is_discarded_one_scene_at_a_time_or_all_of_it(drop, tmp_path):
    """Issue 31: it was offered at every start until it was saved."""
    for k in range(3):
        save_scene(tmp_path / f"demo{'abc'[k]}.json", Scene(title="lost"))
        os.utime(tmp_path / f"demo{'abc'[k]}.json", (k, k))
    desk = Desk(None, (drop,))
    recovery = desk.recover(tmp_path)
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.choose("Discard…")
    assert [words[:5] for words in desk.answers] == ["democ", "demob", "demoa", "All 3"]
    desk.key(pygame.K_ESCAPE)
    assert len(recovery.left) == 3
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.choose("Discard…")
    desk.key(pygame.K_RETURN)
    assert [path.name for path in sorted(tmp_path.glob("*.json"))] == ["demoa.json", "demob.json"]
    assert "Your work in democ from " in desk.words and "was discarded." in desk.words
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.choose("Discard…")
    desk.choose("All 2")
    assert recovery.left == () and not list(tmp_path.glob("*.json")) and "2 unsaved scenes were discarded." in desk.words


def test_discarded_work_does_not_return_with_the_kept_demo(desk, tmp_path):
    recovery = desk.recover(tmp_path / "unsaved")
    desk.build_a_ball()
    desk.key(pygame.K_ESCAPE)
    files = next(dock for dock in desk.window.docks if isinstance(dock, FilesDock))
    files._ask_to_discard(recovery.left)
    desk.frame()
    desk.key(pygame.K_RETURN)
    desk.key(pygame.K_RETURN)
    assert not desk.window.browsing and len(desk.window.session.demo.stages[0].world.body_ids) == 2
    desk.window.leave()
    assert recovery.left == () and not list((tmp_path / "unsaved").glob("*.json"))


def test_lost_work_is_reported_once(drop, desk, tmp_path):
    folder = tmp_path / "unsaved"
    folder.mkdir()
    save_scene(folder / "drop.json", Scene(title="lost", bodies=(BALL,)))
    desk = Desk(None, (drop,))
    recovery = desk.recover(folder)
    assert "was not saved" in desk.offer
    desk.frame(3)
    desk.window.navigator.start(0)
    desk.frame(3)
    desk.key(pygame.K_ESCAPE)
    assert desk.window.browsing and not desk.offer and [file.demo for file in recovery.left] == ["drop"], "Ctrl Shift O still opens it"


def test_only_the_newest_recovery_files_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(recovery, "MAX_FILES", 2)
    for k in range(4):
        save_scene(tmp_path / f"drop-{k}.json", Scene(title="lost"))
        os.utime(tmp_path / f"drop-{k}.json", (k, k))
    assert [file.path.name for file in Recovery(tmp_path).left] == ["drop-3.json", "drop-2.json"] == sorted(os.listdir(tmp_path))[::-1]


@pytest.mark.parametrize("ending", ["saved", "undone", "restarted"])
def test_saved_or_undone_work_has_no_backup(desk, tmp_path, ending):
    recovery, folder = desk.recover(tmp_path / "unsaved"), tmp_path / "unsaved"
    session = desk.window.session
    session.clock.paused = True
    desk.build_a_ball()
    desk.frame(2, EVERY)
    recovery.wait()
    assert [path.name for path in folder.iterdir()] == ["drop.json"]
    if ending == "saved":
        desk.save()
    elif ending == "undone":
        session.undo()
    else:
        session.restart()
    desk.frame(2, EVERY)
    assert not list(folder.iterdir())
    desk.key(pygame.K_ESCAPE)
    assert desk.window.browsing and recovery.left == () and not list(folder.iterdir())
    desk.key(pygame.K_RETURN)
    desk.build_a_ball()
    desk.key(pygame.K_ESCAPE)
    assert len(recovery.left) == 1


def test_a_throw_a_slider_and_a_key_are_not_edits(desk, tmp_path):
    recovery = desk.recover(tmp_path / "unsaved")
    session = desk.window.session
    session.act(Grab((0.0, session.demo.stages[0].world.state(1).position[1])))
    session.act(Release())
    session.set_parameter("height", 2.0)
    session.press("k")
    desk.frame(2, EVERY)
    desk.key(pygame.K_ESCAPE)
    assert recovery.left == () and not list((tmp_path / "unsaved").iterdir())


def test_an_offer_waits_for_other_messages_and_overlaps_nothing(desk, tmp_path):
    folder = tmp_path / "unsaved"
    folder.mkdir()
    save_scene(folder / "drop.json", Scene(title="lost"))
    desk.window.session.clock.paused = True
    desk.frame(5)
    surface, above = pygame.Surface(SIZE), (0, 0, SIZE[0], desk.window.screen.layout.strip[1])
    desk.window.show(surface)
    before = pygame.image.tobytes(surface.subsurface(above), "RGB")
    desk.window.session.messages.say("something else")
    desk.recover(folder)
    assert desk.offer == "something else"
    desk.frame(2, 6.1)
    assert "Your work in drop" in desk.offer
    desk.window.show(surface)
    assert pygame.image.tobytes(surface.subsurface(above), "RGB") == before


def test_a_damaged_recovery_file_is_reported_and_kept(drop, tmp_path):
    (tmp_path / "abc.json").write_text("{", encoding="utf-8")
    desk = Desk(None, (drop,))
    desk.recover(tmp_path)
    desk.key(pygame.K_o, CTRL | pygame.KMOD_SHIFT)
    desk.key(pygame.K_RETURN)
    assert "cannot be opened" in desk.words and desk.window.browsing
    assert (tmp_path / "abc.json").read_text(encoding="utf-8") == "{"


def test_a_saved_scene_keeps_the_view(desk, tmp_path):
    session = desk.window.session
    desk.save()
    assert load_scene(tmp_path / "drop.json").camera == session.demo.home()
    scene = load_scene(tmp_path / "drop.json")
    first = Desk(scene_demo(scene, "drop.json")(), ())
    session = first.window.session
    session.view.zoom((700, 300), 4.0)
    session.view.pan(30.0, 20.0)
    first.save()
    again = Desk(scene_demo(load_scene(tmp_path / "drop.json"), "drop.json")(), ()).window.session
    assert again.view.camera.scale == pytest.approx(session.view.camera.scale, rel=1e-6)
    assert again.view.camera.center == pytest.approx(session.view.camera.center, abs=1e-6)
