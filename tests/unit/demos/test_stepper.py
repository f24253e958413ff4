"""The stepper: keys, playback, dragging the case and the slider, two algorithms at once, and pictures of degenerate cases."""

import math

import pygame
import pytest

from demos import stepper as module
from demos.stepper import Stepper
from engine import trace
from engine.app import pages
from engine.app.headless import picture_of
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.render import palette
from engine.render.step_board import divided
from engine.sim.actions import PressKey, ReleaseKey
from engine.sim.history import History, demo_hash
from engine.sim.registry import find_demo
from engine.trace.cases import PairCase
from engine.ui.rows import Buttons, Note
from tests.unit.app.controls import button, names
from tests.unit.app.written import Written, noting_words
from tests.waiting import until

SIZES = ((1280, 720), (800, 600))


@pytest.fixture(autouse=True)
def display(monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    yield
    palette.use_theme("dark")
    pygame.display.quit()


def press(demo, *keys):
    for key in keys:
        assert demo.on_key(key), key


class Hand:
    """A window with a stepper, and the mouse in it."""

    def __init__(self, demo, size=(1280, 720), is_watched=False):
        self.window = Window(size, (type(demo),), demo, is_watched=is_watched)
        self.surface = pygame.Surface(size)

        def shows():
            self.window.update(0.0)
            self.window.show(self.surface)
            return len(self.controls.views) == len(demo.names)

        until(shows)
        for _ in range(2):
            shows()

    @property
    def controls(self):
        return self.window.screen.painter.controls

    def send(self, kind, **attributes):
        self.window.handle(pygame.event.Event(kind, attributes))
        self.window.update(1.0 / 60.0)
        self.window.show(self.surface)

    def drag(self, start, end, button=1):
        self.send(pygame.MOUSEBUTTONDOWN, pos=start, button=button)
        held = tuple(int(button == k) for k in (1, 2, 3))
        self.send(pygame.MOUSEMOTION, pos=end, rel=(end[0] - start[0], end[1] - start[1]), buttons=held)
        self.send(pygame.MOUSEBUTTONUP, pos=end, button=button)


def test_keys_move_through_the_steps():
    demo = Stepper()
    n = demo.n_steps
    assert n == len(trace.algorithm("gjk").steps(demo.case)) and demo.k == 0
    assert not demo.on_key("left") and demo.k == 0
    press(demo, "right", "n", ".")
    assert demo.k == 3
    press(demo, "end")
    assert not demo.on_key("right") and demo.k == n - 1
    press(demo, "home")
    assert demo.k == 0 and not demo.on_key("x")


def test_a_key_that_changes_nothing_takes_no_undo_entry():
    """Issue 31: End on the last step took one."""
    history = History(Stepper())
    for keys in (("home", "left"), ("end", "end", "end", "right"), ("up",) * 9, ("down",) * 9, ("home", "home")):
        for key in keys:
            before = demo_hash(history.demo)
            kept = len(history.inputs[0])
            assert history.act(PressKey(key)) is (demo_hash(history.demo) != before) is (len(history.inputs[0]) > kept), key
    assert [done.action.key for done in history.inputs[0]] == ["end", *["up"] * 3, *["down"] * 5, "home"]
    history.act(PressKey("space"))
    assert history.act(PressKey("home")) is True and not history.demo.playing, "it ends the play"


@pytest.mark.parametrize(
    ("searched", "name"),
    [
        ("SAT", "sat"), ("epa", "epa"), ("clip", "manifold"), ("contact", "manifold"), ("time of impact", "conservative_advancement"),
        ("sat cached", "sat_cached"), ("step by step SAT", "sat"), ("hull", "quickhull"),
    ],
)  # fmt: skip
def test_a_search_for_an_algorithm_opens_it(searched, name):
    assert Stepper.searched_values(searched) == {"algorithm": name}


def test_a_search_for_no_algorithm_opens_the_first():
    assert Stepper.searched_values("step") == Stepper.searched_values("giraffe") == {}


def test_a_held_arrow_key_repeats():
    demo = Stepper()
    demo.sim.act(PressKey("right"))
    for _ in range(34):
        demo.sim.step()
    assert demo.k == 4, "one at once, and after 0.4 s twelve a second"
    demo.sim.act(ReleaseKey("right"))
    for _ in range(60):
        demo.sim.step()
    assert demo.k == 4


def test_it_plays_at_its_speed_and_stops_or_loops():
    demo = Stepper(values={"pace": 2.0})
    n = demo.n_steps
    press(demo, "space")
    for _ in range(61):
        demo.sim.step()
    assert demo.playing and demo.k == 2, "two steps a second"
    press(demo, "end", "p")
    assert demo.playing and demo.k == 0, "from the end it begins again"
    for _ in range(30 * n + 2):
        demo.sim.step()
    assert not demo.playing and demo.k == n - 1
    press(demo, "l", "space")
    for _ in range(31 * n):
        demo.sim.step()
    assert demo.playing, "round and round"
    press(demo, "up", "right")
    assert demo.parameter("pace") == 4.0 and not demo.playing


def test_a_drag_moves_a_shape_and_keeps_the_step_number():
    demo = Stepper()
    case = demo.case
    assert isinstance(case, PairCase) and case.pair.shape_b is not None
    press(demo, "right", "right")
    before = demo.picture("gjk")
    middle = case.middle("b")
    assert demo.grab(middle) and demo.grabbing
    demo.drag((middle[0] + 0.4, middle[1] - 0.3))
    demo.drag((middle[0] + 0.5, middle[1] - 0.2))
    demo.release()
    moved = demo.case
    assert isinstance(moved, PairCase) and not demo.grabbing and demo.k == 2
    assert moved.middle("b") == pytest.approx((middle[0] + 0.5, middle[1] - 0.2)) and moved.pair.pose_a == case.pair.pose_a
    assert moved.before.pose_b.position == pytest.approx((case.pair.pose_b.position[0] + 0.4, case.pair.pose_b.position[1] - 0.3)), (
        "what it was a frame ago, for algorithms that remember"
    )
    assert demo.picture("gjk") is not before
    assert demo.picture("gjk").steps[-1].result == trace.algorithm("gjk").query(moved)
    demo.restart()
    assert demo.case == case and not demo.grab((90.0, 90.0)) and not demo.turn((90.0, 90.0)) and not demo.on_wheel((90.0, 90.0), 1.0)


def test_a_corner_that_would_be_concave_stays_in_place():
    demo = Stepper()
    corner = dict(demo.case.handles)["a.2"]
    assert demo.grab(corner)
    demo.drag((corner[0] + 0.3, corner[1]))
    reshaped = demo.case
    assert dict(reshaped.handles)["a.2"] == pytest.approx((corner[0] + 0.3, corner[1]))
    demo.drag((corner[0] - 1.5, corner[1]))
    assert demo.case is reshaped, "concave: as it was"
    demo.drag((corner[0] + 0.2, corner[1] + 0.1))
    assert dict(demo.case.handles)["a.2"] == pytest.approx((corner[0] + 0.2, corner[1] + 0.1)), "under the hand again"


def test_right_drag_and_wheel_rotate():
    demo = Stepper()
    x, y = demo.case.middle("b")
    angle = demo.case.pair.pose_b.angle
    assert demo.turn((x + 0.1, y))
    for k in range(1, 5):
        demo.drag((x + 0.1 * math.cos(k * math.pi / 8), y + 0.1 * math.sin(k * math.pi / 8)))
    demo.release()
    assert demo.case.pair.pose_b.angle == pytest.approx(angle + math.pi / 2.0) and demo.case.middle("b") == pytest.approx((x, y))
    assert demo.on_wheel((x, y), 3.0)
    assert demo.case.pair.pose_b.angle == pytest.approx(angle + math.pi / 2.0 + math.radians(6.0))
    press(demo, "e")
    assert demo.case.pair.pose_b.angle == pytest.approx(angle + math.pi / 2.0 + math.radians(4.0))


def test_another_algorithm_keeps_a_compatible_case():
    demo = Stepper()
    middle = demo.case.middle("b")
    demo.grab(middle)
    demo.drag((middle[0] - 0.5, middle[1] - 0.5))
    demo.release()
    moved = demo.case
    demo.set_parameter("algorithm", "epa")
    assert demo.case is moved and demo.names == ("epa",) and demo.k == 0
    demo.set_parameter("algorithm", "quickhull")
    assert demo.case == trace.algorithm("quickhull").example
    assert demo.status() == []


def test_two_algorithms_show_the_same_step_side_by_side():
    demo = Stepper(values={"beside": "epa"})
    assert demo.names == ("gjk", "epa")
    lengths = [len(demo.picture(name).steps) for name in demo.names]
    assert demo.n_steps == max(lengths)
    press(demo, "end")
    lines = demo.summary()
    assert [f"step {n} of {n}" in line for n, line in zip(lengths, lines[::2], strict=True)] == [True, True]
    press(demo, "b")
    assert demo.names != ("gjk", "epa")
    demo.set_parameter("beside", "quickhull")
    assert any("does not accept this input" in str(line) for line in demo.status()) and picture_of(demo)


def test_three_trees_are_shown_over_the_same_boxes():
    trees = ("bvh_top_down", "bvh_bottom_up", "bvh_insertion")
    demo = Stepper.of_case(trees[0], trace.algorithm(trees[0]).example, beside=trace.ALL_BESIDE)()
    assert isinstance(demo, Stepper) and demo.names == trees
    rects = divided(pygame.Rect(3, 5, 1280, 720), len(trees), 2)
    assert [rect.size for rect in rects] == [(640, 360)] * 3
    assert trace.beside("gjk", demo.case) == (), "which cannot be asked about boxes"


def test_it_opens_with_a_given_case():
    case = PairCase(Pair("distance", Circle(0.5), Transform(), Polygon.box(1.0, 1.0), Transform((3.0, 0.0))))
    kind = Stepper.of_case("epa", case, "a contact", "gjk")
    demo = kind()
    assert isinstance(demo, Stepper)
    assert demo.case is case and demo.names == ("epa", "gjk") and kind.title == "a contact" and demo.id == "stepper"
    assert "quickhull" not in kind.parameters[0].choices, "only what can be asked it"
    with pytest.raises(InvalidInputError, match="algorithm"):
        Stepper.of_case("nothing")


def test_the_slider_can_be_dragged_and_undone():
    demo = Stepper()
    hand = Hand(demo, is_watched=True)
    track = next(item for item in hand.controls.all if item.parameter == "step").place
    hand.drag((track.left, track.centery), (track.right, track.centery))
    assert demo.k == demo.n_steps - 1
    hand.drag((track.centerx, track.centery), (track.centerx, track.centery + 200))
    assert abs(demo.k - (demo.n_steps - 1) / 2.0) <= 1.0
    before = demo.k
    hand.send(pygame.KEYDOWN, key=pygame.K_END, mod=0, unicode="")
    hand.send(pygame.KEYDOWN, key=pygame.K_HOME, mod=0, unicode="")
    assert demo.k == 0, "Home is the demo's own here"
    hand.send(pygame.KEYDOWN, key=pygame.K_SPACE, mod=0, unicode=" ")
    assert demo.playing and not hand.window.session.clock.paused, "and Space"
    for _ in range(3):
        hand.window.session.undo()
    assert hand.window.session.timeline.failure == "" and demo.k == before and not demo.playing


def test_the_mouse_reaches_both_planes():
    for size in SIZES:
        demo = Stepper(values={"beside": "epa"})
        hand = Hand(demo, size)
        for plane, camera in hand.controls.views:
            x, y = demo.case.middle("b")
            px, py = (round(coordinate) for coordinate in camera.to_screen((x, y)))
            assert plane.collidepoint(px, py)
            hand.drag((px, py), (px - 20, py + 10))
            assert demo.case.middle("b") == pytest.approx((x - 20.0 / camera.scale, y - 10.0 / camera.scale))
        assert hand.window.session.timeline.failure == ""


def test_a_click_on_a_button_or_in_the_picture_answers_a_question():
    demo = Stepper()
    press(demo, "g", "right", "right")
    hand = Hand(demo)
    question = demo._shown_question()[0]
    assert question.places
    key = question.keys[question.right]
    button, spot = (item for item in hand.controls.all if item.key == key)
    assert button.place.top > spot.place.bottom, "the words below, the place in the picture above"
    case = demo.case
    hand.drag(spot.place.center, spot.place.center)
    assert [guess.is_right for guess in demo.guesses.made] == [True] and demo.case is case
    assert not [item for item in hand.controls.all if item.key], "answered once"
    press(demo, "home", "right", "right")
    hand.send(pygame.MOUSEMOTION, pos=(5, 5), rel=(0, 0), buttons=(0, 0, 0))
    hand.drag(button.place.center, button.place.center)
    assert [guess.is_right for guess in demo.guesses.made] == [True, True]


def test_a_click_shows_the_page_and_its_links_work():
    """Issue 31: it was "opened" by a missing program."""
    hand = Hand(Stepper())
    reader = hand.window.router.page
    link = next(item for item in hand.controls.all if item.page)
    before = hand.surface.copy()
    hand.drag(link.place.center, link.place.center)
    assert reader.page == "gjk.md#derivation" and hand.window.session.demo.k == 0
    assert pygame.mask.from_threshold(before, (0, 0, 0), (1, 1, 1)) != pygame.mask.from_threshold(hand.surface, (0, 0, 0), (1, 1, 1))
    links = [row for row in reader.rows if isinstance(row, Buttons)]
    next(button for row in links for button in row.items if "EPA" in button.words).press()
    assert reader.page == "epa.md"
    hand.send(pygame.KEYDOWN, key=pygame.K_RIGHT, mod=0, unicode="")
    assert hand.window.session.demo.k == 0, "keys are the page's"
    hand.send(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="")
    assert reader.is_open and reader.page == "gjk.md#derivation", "Esc goes back to the page before"
    hand.send(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="")
    assert not reader.is_open and not hand.window.browsing
    assert "is not installed" in reader.open("nowhere.md#at-all") and not reader.is_open


def test_a_page_is_shown_as_text():
    markdown = """# Of *two* boxes
One `a < b` and
**two**, see [EPA](epa.md#idea), [code](../../engine/x.py).

- first
  goes on
1. second

    x <= y
      z

| a | b | c |
|---|---|---|
| r | 1 |  |

![a plane](p.png)
"""
    opened = []
    rows = pages.page_rows(markdown, "algorithms", opened.append)
    notes = [(row.words, row.lead) for row in rows if isinstance(row, Note)]
    assert notes == [
        ("Of two boxes", ""),
        ("One a < b and two, see EPA, code.", ""),
        ("first goes on", "•"),
        ("second", "1."),
        ("x <= y\n  z", ""),
        ("r: b: 1", "•"),
        ("a plane", ""),
    ]
    (link,) = (item for row in rows if isinstance(row, Buttons) for item in row.items)
    link.press()
    assert opened == ["epa.md"]


@pytest.mark.parametrize(("beside", "count"), [("none", 1), ("bvh_insertion", 2), (trace.ALL_BESIDE, 3)])
def test_there_is_one_slider_for_the_step(beside, count):
    """Issue 31: there was one in the panel and one in each picture."""
    demo = Stepper.of_case("bvh_top_down", beside=beside)()
    hand = Hand(demo, is_watched=True)
    assert len(demo.names) == count
    assert [item.ends for item in hand.controls.all if item.parameter == "step"] == [(1.0, float(demo.n_steps))]
    assert "step" not in [parameter.name for parameter in demo.parameters if parameter.in_panel]


def test_the_panel_shows_the_algorithms_of_one_group():
    hand = Hand(Stepper(), is_watched=True)

    def words():
        return names(hand.window)

    assert {"motion", "solvers", "GJK", "alternating projections"} < set(words()) and "bisection" not in words()
    button(hand.window, "hulls and pieces").press()
    until(lambda: hand.send(pygame.MOUSEMOTION, pos=(5, 5), rel=(0, 0), buttons=(0, 0, 0)) or "triangulation" in words())
    assert hand.window.session.demo.names == (trace.GROUPS["hulls and pieces"][0],) and "GJK" not in words()


def test_the_panel_states_the_question_of_the_group():
    hand = Hand(Stepper(), is_watched=True)
    for group in trace.GROUPS:
        button(hand.window, group).press()
        rows = hand.window.screen.panel.rows("", is_unfolded=False)
        questions = [row.words for row in rows if isinstance(row, Note) and row.words.endswith("?") and not row.lead]
        assert len(questions) == 1 and questions[0] == module._QUESTIONS[group]


def test_every_algorithm_is_in_one_group():
    assert sorted(name for names in trace.GROUPS.values() for name in names) == list(trace.algorithms())


def test_every_page_of_an_algorithm_is_there():
    for name in trace.algorithms():
        page = trace.algorithm(name).page
        path = pages.page_path(page)
        assert path is not None, page
        anchor = page.partition("#")[2]
        text = path.read_text(encoding="utf-8")
        heads = ["".join(c for c in line.strip("# ").lower().replace(" ", "-") if c.isalnum() or c in "-_") for line in text.splitlines() if line.startswith("#")]  # fmt: skip  # noqa: E501
        assert not anchor or anchor in heads, page


def test_in_the_window_the_algorithms_wait_for_their_kernels(monkeypatch):
    loaded = set()
    monkeypatch.setattr("engine.app.session.is_ready", loaded.__contains__)
    demo = Stepper()
    window = Window((800, 500), (Stepper,), demo)
    surface = pygame.Surface((800, 500))
    window.show(surface)
    assert demo.case is None and any("loading" in str(line) for line in demo.status())
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, mod=0, unicode=""))
    loaded.add("demo stepper")
    for _ in range(3):
        window.update(1.0 / 60.0)
        window.show(surface)
    assert demo.n_steps > 1 and window.session.timeline.failure == ""
    plane = window.screen.painter.controls.views[0][0]
    corners = [window.session.view.camera.to_screen(at) for _, at in demo.case.handles]
    assert all(plane.collidepoint(corner) for corner in corners), "the picture shows the case, which came later"
    wide, high = (max(at[k] for at in corners) - min(at[k] for at in corners) for k in (0, 1))
    assert wide > 0.4 * plane.width or high > 0.4 * plane.height, "without the room that the words before it took"
    assert demo.picture("gjk") is demo.picture("gjk"), "traced once"


def test_edits_are_part_of_the_recorded_state():
    demo, other = Stepper(), Stepper()
    assert demo_hash(demo) == demo_hash(other)
    middle = demo.case.middle("b")
    demo.grab(middle)
    demo.drag((middle[0] + 1e-12, middle[1]))
    assert demo_hash(demo) != demo_hash(other)


@pytest.mark.parametrize("kind", [Stepper, find_demo("pair")])
def test_a_repeated_step_saves_no_second_file(kind, tmp_path):
    history = History(kind())
    history.act(PressKey("q"))
    history.step()
    history.act(PressKey("s"))
    history.step()
    history.seek(0)
    history.act(PressKey("s"))  # in the past it leaves what lies ahead
    history.seek(2)
    assert len(list((tmp_path / "out").iterdir())) == 2 and history.last == 2


def degenerate():
    def case(a, b, at=(0.0, 0.0), away=(1.5, 0.5)):
        return PairCase(Pair("distance", a, Transform(at, 0.3), b, Transform((at[0] + away[0], at[1] + away[1]), 1.0)))

    return {
        "64 corners": case(Polygon.regular(64, 1.0), Polygon.regular(64, 0.7)),
        "100 km away": case(Polygon.box(0.5, 0.5), Polygon.regular(5, 0.5), (1e5, -1e5)),
        "no length": case(Segment((0.0, 0.0), (0.0, 0.0)), Circle(1e-9)),
        "one place": case(Polygon.box(0.5, 0.5), Polygon.box(0.5, 0.5), (0.0, 0.0), (0.0, 0.0)),
        "far apart": case(Polygon.box(0.5, 0.5), Polygon.box(0.5, 0.5), (0.0, 0.0), (5e3, 0.0)),
        "a needle": case(Polygon.box(1.0, 1e-5), Segment((-1.0, 0.0), (1.0, 0.0), 1e-3)),
    }


@pytest.mark.parametrize("name", degenerate())
def test_pictures_of_degenerate_cases_are_complete(name):
    case = degenerate()[name]
    with noting_words():
        for theme, size, beside in (("dark", SIZES[0], "none"), ("light", SIZES[1], "epa")):
            palette.use_theme(theme)
            demo = Stepper.of_case("gjk", case, beside=beside)()
            assert isinstance(demo, Stepper)
            hand = Hand(demo, size)
            for _ in range(min(demo.n_steps, 3)):
                written = Written(size)
                hand.window.show(written)
                view = hand.window.session.view.camera.view
                assert demo.status() == []
                inside = [(words, place) for words, place in written.words if place.left >= view[0] and place.bottom <= view[3]]
                over = [(a, b) for k, (a, here) in enumerate(inside) for b, there in inside[:k] if here.colliderect(there)]
                assert over == [], (name, size, demo.k)
                press(demo, "right")
