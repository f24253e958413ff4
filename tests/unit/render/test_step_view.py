"""Pictures of steps: every mark is drawn at its position, and no texts overlap, in both themes and small views."""

import numpy as np
import pygame
import pytest

from engine import trace
from engine.contracts.trace import Mark, Question, TraceStep, View
from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook
from engine.render.marks import draw_marks
from engine.render.step_view import StepPicture
from tests.unit.app.written import Written, noting_words
from tests.unit.trace.inputs import cases_of

SIZES = ((1004, 690), (524, 570), (502, 690), (440, 390), (190, 200))
FEW = ("gjk", "sat", "quickhull")


@pytest.fixture(autouse=True)
def dark():
    yield
    palette.use_theme("dark")


def picture_of(name, case=None):
    algorithm = trace.algorithm(name)
    case = algorithm.example if case is None else case
    return StepPicture(algorithm, algorithm.scenery(case), algorithm.steps(case))


class Ink:
    """Draws single marks on a plain background, and checks whether they are visible."""

    def __init__(self, size=(420, 300)):
        self.surface, self.fonts = pygame.Surface(size), FontBook()
        self.view = (0, 0, *size)

    def canvas(self, box):
        self.surface.fill(palette.BACKGROUND)
        return Canvas(self.surface, Camera(view=self.view).fitted(box), self.fonts)

    def is_at(self, x, y, reach):
        """Return whether a pixel within `reach` of a position differs from the background."""
        near = pygame.Rect(round(x - reach), round(y - reach), 2 * reach + 1, 2 * reach + 1).clip(self.surface.get_rect())
        pixels = pygame.surfarray.array3d(self.surface)[near.left : near.right, near.top : near.bottom]
        return bool((pixels != np.array(palette.BACKGROUND)).any())


def marks_with_ink(picture, steps, ink):
    """Draw each mark of some steps alone, if its view has positions, and check that it is visible at its positions."""
    n = 0
    planes = {view.name for view in picture.algorithm.views if view.is_plane}
    for k in steps:
        for mark in picture.steps[k].marks:
            if mark.view not in planes:
                continue
            canvas = ink.canvas(picture.boxes[mark.view])
            draw_marks(canvas, lambda points: points, (), (mark,))
            pixels = canvas.camera.to_screen_array(np.array(mark.points, dtype=np.float64))
            for x, y in pixels.tolist():
                radius = mark.radius * canvas.camera.scale
                if mark.form == "circle" or radius > 3.0:  # its rim
                    on_rim = ((x + radius, y), (x - radius, y), (x, y + radius), (x, y - radius))
                    places = [(px, py) for px, py in on_rim if 4 < px < 416 and 4 < py < 296] if mark.form == "circle" else []
                else:
                    places = [(x, y)] if 4 < x < 416 and 4 < y < 296 else []
                if mark.form == "label":
                    places = [(px, py) for px, py in places if 60 < px < 360 and 40 < py < 260]
                for px, py in places:
                    assert ink.is_at(px, py, 60 if mark.form == "label" else 7), (picture.algorithm.title, k, mark)
                    n += 1
    return n


@pytest.mark.parametrize("name", FEW)
def test_every_mark_is_drawn(name):
    picture = picture_of(name)
    assert marks_with_ink(picture, range(len(picture.steps)), Ink()) > 10


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("name", trace.algorithms())
def test_every_mark_of_every_algorithm_is_drawn(name, theme):
    palette.use_theme(theme)
    algorithm, ink, n = trace.algorithm(name), Ink(), 0
    for case in cases_of(algorithm, 5, seed=3):
        try:
            picture = picture_of(name, case)
        except ValueError:
            continue
        n += marks_with_ink(picture, range(0, len(picture.steps), 1 + len(picture.steps) // 5), ink)
    assert n > 0


@pytest.mark.parametrize("form", ["point", "path", "polygon", "circle", "arrow", "line", "label"])
@pytest.mark.parametrize("role", ["new", "dropped", "ghost"])
def test_a_shape_without_size_is_a_dot(form, role):
    ink = Ink()
    for at in ((0.0, 0.0), (1e5, -1e5)):
        mark = Mark(form, role, (at, at, at) if form == "polygon" else (at, at), text="here")
        picture = StepPicture(trace.algorithm("gjk"), (Mark("point", "other", (at,)),), [TraceStep("x", 0, "So it is.", marks=(mark,))])
        canvas = ink.canvas(picture.boxes["plane"])
        draw_marks(canvas, lambda points: points, (), (mark,))
        x, y = canvas.camera.to_screen(at)
        assert ink.is_at(x, y, 40)


def words_do_not_overlap(picture, steps, sizes):
    with noting_words():
        for size in sizes:
            fonts = FontBook()
            for k in steps:
                written = Written(size)
                places = picture.draw(written, written.get_rect(), k, fonts)
                assert written.overlaps() == [], (picture.algorithm.title, size, k)
                area = written.get_rect()
                assert all(area.contains(rect) for rect in places.layout.views.values())


@pytest.mark.parametrize("name", FEW)
def test_no_texts_overlap(name):
    picture = picture_of(name)
    words_do_not_overlap(picture, (0, len(picture.steps) // 2, len(picture.steps) - 1), SIZES)


@pytest.mark.slow
@pytest.mark.parametrize("name", trace.algorithms())
def test_no_texts_of_any_algorithm_overlap(name):
    for case in cases_of(trace.algorithm(name), 5, seed=5):
        try:
            picture = picture_of(name, case)
        except ValueError:
            continue
        words_do_not_overlap(picture, range(0, len(picture.steps), 1 + len(picture.steps) // 4), SIZES)


def test_the_sentence_is_complete_if_there_is_room():
    picture = picture_of("gjk")
    with noting_words():
        for size in SIZES[:4]:
            for k, step in list(enumerate(picture.steps))[::3]:
                written = Written(size)
                picture.draw(written, written.get_rect(), k, FontBook())
                text = " ".join(words for words, _ in written.words)
                assert step.sentence in text, (size, k)


def test_the_current_line_and_the_slider_follow_the_step():
    picture, surface, fonts = picture_of("gjk"), pygame.Surface((1004, 690)), FontBook()
    places = [picture.draw(surface, surface.get_rect(), k, fonts) for k in range(len(picture.steps))]
    assert len({tuple(layout.track) for layout in places}) == 1, "nothing moves from step to step"
    thumbs = []
    for k in range(len(picture.steps)):
        layout = picture.draw(surface, surface.get_rect(), k, fonts)
        row = [surface.get_at((x, layout.track.centery - 4))[:3] for x in range(layout.track.left, layout.track.right)]
        thumbs.append(row.index(palette.ACCENT))
    assert thumbs == sorted(set(thumbs))
    past = picture.draw(surface, surface.get_rect(), 10_000, fonts)
    assert past == picture.draw(surface, surface.get_rect(), len(picture.steps) - 1, fonts)


def test_a_question_hides_the_step_and_has_buttons():
    picture, fonts = picture_of("gjk"), FontBook()
    k = next(k for k, step in enumerate(picture.steps) if step.question is not None)
    question = picture.steps[k].question
    with noting_words():
        written = Written((1004, 690))
        places = picture.draw(written, written.get_rect(), k, fonts, question=question)
        texts = [words for words, _ in written.words]
        assert question.prompt in texts and picture.steps[k].sentence not in " ".join(texts)
        assert len(places.answers) == len(question.answers) and len(places.answer_places) == len(question.places)
        assert written.overlaps() == []
        answered = Written((1004, 690))
        picture.draw(answered, answered.get_rect(), k, fonts, question=question, chosen=question.right)
        assert answered.overlaps() == []


def test_a_plot_has_ticks_inside_its_range():
    class Facts:
        title, page, pseudo_code = "T", "sat.md", ("one",)
        views = (View("plane", "p"), View("curve", "gap over time", x="s", y="m"))

    marks = (Mark("path", "best", ((0.0, -1.0), (1.0, 2.0)), "curve"), Mark("line", "bound", ((0.0, 5.0), (1.0, 5.0)), "curve"))
    picture = StepPicture(Facts(), (), [TraceStep("x", 0, "So it is.", marks=marks, question=Question("?", ("a", "b"), 0))])
    box = picture.boxes["curve"]
    assert box.lower[1] < -1.0 and box.upper[1] > 5.0, "a line that says how high it lies is in the picture"
    with noting_words():
        written = Written((800, 400))
        picture.draw(written, written.get_rect(), 0, FontBook())
        texts = [words for words, _ in written.words]
    assert {"0", "2", "4"} <= set(texts) and "m" in texts and "s" in texts


def test_a_curve_does_not_cross_its_name():
    class Facts:
        title, page, pseudo_code = "T", "sat.md", ("one",)
        views = (View("plane", "p"), View("curve", "impulses", x="step", y="N s"))

    path = ((0.0, 0.0), (1.8, 0.0), (1.8, 1.0), (2.0, 1.0))
    marks = (Mark("path", "other", path, "curve"), Mark("label", "other", path[-1:], "curve", "contact 0"))
    with noting_words():
        written = Written((900, 500))
        StepPicture(Facts(), (), [TraceStep("x", 0, "So it is.", marks=marks)]).draw(written, written.get_rect(), 0, FontBook())
    name, end = (next(rect for words, rect in written.words if words == shown) for shown in ("contact 0", "2"))
    assert name.left >= end.centerx


@pytest.mark.parametrize("name", ["sat", "sequential_impulses"])
def test_sentences_costs_and_axes_are_complete_with_large_text(name):
    """Issue 31: captions were cut at 800x600 with the largest text."""
    algorithm = trace.algorithm(name)
    steps = algorithm.steps(algorithm.example)
    picture = StepPicture(algorithm, algorithm.scenery(algorithm.example), steps)
    titles = {view.title for view in algorithm.views}
    for k in range(0, len(steps), max(len(steps) // 5, 1)):
        surface = Written((440, 492))
        with noting_words():
            picture.draw(surface, surface.get_rect(), k, FontBook(1.625))
        cut = [words for words, _ in surface.words if words.endswith("…")]
        assert not [words for words in cut if not any(title.startswith(words[:-1]) for title in titles)]


def test_a_small_view_has_the_first_phrase_of_its_title():
    """Four algorithms share a window; the titles of the side views were truncated within a word."""
    with noting_words():
        written = Written((476, 313))
        picture_of("sat").draw(written, written.get_rect(), 9, FontBook(), parts=frozenset({"title", "views", "sentence", "count"}))
    words = {words for words, _ in written.words}
    assert {"shadows on the axis", "gaps so far"} <= words and not any(text.endswith("…") for text in words)
