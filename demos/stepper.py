"""Any algorithm of the library, step by step, on input that can be dragged, rotated and reshaped; all steps are updated at once.

The drawn steps are those of the production kernel (`engine.trace`). ``python main.py step ALGORITHM`` opens it on the case in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from demos._case_hand import CaseHand
from demos._stepper_quiz import Guesses, StopWatch
from engine import trace
from engine.common.errors import LabError
from engine.contracts.trace import ANSWER_KEYS
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.render.step_board import board_margins, draw_board
from engine.render.step_view import Aside, StepPicture
from engine.trace.cases import Case
from engine.trace.quiz import Asked
from engine.trace.scene_case import SceneCase

if TYPE_CHECKING:
    from engine.contracts.trace import Question
    from engine.render.canvas import Canvas
    from engine.trace.quiz import Quiz

__all__ = ["Stepper"]

NAMES = ("gjk", *(name for name in trace.algorithms() if name != "gjk"))
"""The first of them is what it begins with, whatever others there are."""
_QUESTIONS = {
    "distance": "How far apart are two shapes?",
    "overlap and contact": "Do two shapes overlap, and how deeply?",
    "motion": "When and where do moving shapes touch?",
    "trees and grids": "Which of many boxes overlap?",
    "hulls and pieces": "Which convex shapes cover a body?",
    "solvers": "How do contacts and joints move bodies?",
}
"""Question that each group of algorithms answers."""
_WRITTEN = {
    "box2d": "Box2D",
    **{part: part.upper() for part in ("gjk", "sat", "epa", "bvh", "pgs", "ngs", "xpbd", "avbd")},
}
"""Parts of algorithms' names that are not written in lower case."""
_TOPICS = {
    "gjk": "distance minkowski simplex",
    "sat": "overlap normal",
    "epa": "depth penetration",
    "manifold": "contact clipping",
    "conservative_advancement": "time of impact toi motion",
    "bvh_top_down": "trees",
    "grid": "grids",
    "quickhull": "hulls",
    "triangulation": "pieces",
    "sequential_impulses": "solvers",
}
"""Words by which the list of demos finds an algorithm, in addition to its name."""
MAX_STEPS = 100_000
_REPEAT_AFTER, _REPEAT_EVERY = 24, 5
"""Steps of the clock for which an arrow key is held until it goes on by itself, and from one such step to the next."""
_PACES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

_WATCH_A_QUIZ = (
    "Each question is about the next step. Click the answer, or press its number: the step is shown, and the right arrow goes to the "
    "next question. The right arrow also skips an open question; the left arrow shows the previous steps."
)


@cache
def _example(name: str) -> Case:
    """Return an algorithm's initial case: always the same object, which identifies its steps."""
    example: Case = trace.algorithm(name).example
    return example


def _written(name: str) -> str:
    """Return an algorithm's name for use in a sentence."""
    return " ".join(_WRITTEN.get(part, part) for part in name.split("_"))


class _Buttons(Mapping[str, tuple[str, str]]):
    """Text and help of the buttons of the algorithms, whose modules are imported when their group is shown."""

    def __getitem__(self, name: str) -> tuple[str, str]:
        title = trace.algorithm(name).title
        return _written(name), title if title.endswith("?") else f"{title}."

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


@dataclass(slots=True)
class _ViewState:
    """The drawn steps, cached until they change.

    Attributes
    ----------
    traced : dict
        By algorithm, the case, its picture, and why there is none.
    watch : StopWatch
        Measures how long a question has been shown.
    """

    traced: dict[str, tuple[Case, StepPicture | None, str]] = field(default_factory=dict)
    watch: StopWatch = field(default_factory=StopWatch)
    message: str = ""


@register(
    id="stepper",
    category="Algorithms",
    title="Step by step",
    watch="Watch any algorithm of the library step by step on shapes that you can move.",
)
class Stepper(CaseHand):
    """Up to four algorithms on one case."""

    tries = (
        ("Go through the steps (Right and Left).", "key right, key left"),
        ("Drag a shape or a corner: the step is recomputed at once.", "Grab"),
        ("Show another algorithm next to it (B). Which needs fewer steps?", "key b"),
        ("Guess each step before you see it (G).", "key g"),
    )
    needs_kernels = True
    keywords = " ".join(("algorithm", *NAMES, *_TOPICS.values(), *trace.GROUPS)).replace("_", " ")
    parameters = (
        replace(Parameter.choice("algorithm", NAMES), groups=trace.GROUPS, group_notes=_QUESTIONS, buttons=_Buttons()),
        Parameter("step", 1, 1, MAX_STEPS, "", "step", True, in_panel=False),
        Parameter("pace", 1.0, _PACES[0], _PACES[-1], "", "steps per second"),
        Parameter.choice("end", ("stop", "loop"), "at the last step"),
        replace(Parameter.choice("beside", ("none", *NAMES, trace.ALL_BESIDE)), in_panel=False),
    )
    keys = (
        ("Right  Left", "next step, previous step"),
        ("Home  End", "first step, last step"),
        ("Space", "play or pause"),
        ("Up  Down", "faster, slower"),
        ("L", "loop or stop at the end"),
        ("B", "compare with the next algorithm"),
        ("Left drag", "move a shape, a corner or an endpoint"),
        ("Right drag, wheel", "turn a shape"),
        ("Q  E", "turn left, turn right"),
        ("S", "save the case"),
        ("G", "quiz"),
        ("0 to 9, a click", "answer; the right arrow skips the question"),
    )
    takes_keys = frozenset({"space", "home", "end", "n", ".", *ANSWER_KEYS})
    view_state: _ViewState
    opened: ClassVar[Case | None] = None
    """The case of a file, or of what was clicked, in place of the algorithm's example."""
    quiz: ClassVar[Quiz | None] = None
    """Questions to ask instead of playing, which receive the answers."""

    @classmethod
    def of_case(
        cls,
        name: str,
        case: Case | None = None,
        title: str = "",
        beside: str = "none",
        quiz: Quiz | None = None,
    ) -> type[Stepper]:
        """Return a demo class that starts with an algorithm on a case, or on its example; `title` names the source of the case.

        Raises
        ------
        InvalidInputError
            There is no such algorithm.
        """
        trace.algorithm(name)
        first, *others, last = cls.parameters
        names = NAMES if case is None else tuple(other for other in NAMES if trace.algorithm(other).takes(case))
        if quiz is not None:
            names = (name,)
        others_of = ("none", *names, trace.ALL_BESIDE)
        parameters = (
            replace(first, default=float(names.index(name)), high=float(len(names) - 1), choices=names, also=()),
            *others,
            replace(Parameter.choice(last.name, others_of, default=others_of.index(beside)), in_panel=False),
        )
        more: dict[str, Any] = {"quiz": quiz}
        if isinstance(case, SceneCase) and case.note:
            more["watch"] = case.note
        if quiz is not None:
            more["watch"] = _WATCH_A_QUIZ
        return type("OpenedStepper", (cls,), {"opened": case, "parameters": parameters, "title": title or cls.title, **more})

    @classmethod
    def searched_values(cls, searched: str) -> Mapping[str, str]:
        """Return the algorithm with a searched name, otherwise the first one whose name or topic matches."""
        name = "_".join(searched.casefold().split())
        words = [word for word in searched.casefold().split() if word not in cls.title.casefold()]
        parts = {name: (*name.split("_"), *_TOPICS.get(name, "").split()) for names in trace.GROUPS.values() for name in names}
        matches = [name for name in parts if words and all(any(part.startswith(word) for part in parts[name]) for word in words)]
        return {"algorithm": name} if name in NAMES else {"algorithm": matches[0]} if matches else {}

    @classmethod
    def load_kernels(cls) -> None:
        for name in NAMES:
            trace.algorithm(name).steps(_example(name))

    def build(self) -> None:
        self._case: Case | None = self.opened
        """None: the example of the algorithm."""
        self.begin_hand()
        self.playing = False
        self.view_state = _ViewState()
        self._held_for = 0
        """Steps of the clock for which an arrow key has been held down."""
        self._waited = 0
        """Steps of the clock since the algorithm's last, while it plays."""
        self.guesses = Guesses()
        if self.quiz is not None:
            self.guesses = Guesses(is_on=True, made=tuple(self.quiz.made))
            self._next_question()

    # The case and its steps

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithm, and those shown next to it."""
        chosen, beside = self.chosen("algorithm"), self.chosen("beside")
        assert chosen is not None and beside is not None
        if beside == trace.ALL_BESIDE:
            case = self._case if self._case is not None else _example(chosen)
            return (chosen, *trace.beside(chosen, case))
        return (chosen,) if beside in ("none", chosen) else (chosen, beside)

    @property
    def case(self) -> Case | None:
        """Input of the algorithm; None while the algorithm is not loaded."""
        if self._case is not None:
            return self._case
        return _example(self.names[0]) if self.sim.has_kernels else None

    def picture(self, name: str) -> StepPicture | None:
        """Return the steps of an algorithm on the current case; None if it is not loaded or does not accept the case."""
        case = self.case
        if case is None or not self.sim.has_kernels:
            return None
        traced = self.view_state.traced.get(name)
        if traced is None or traced[0] is not case:
            algorithm, made, why = trace.algorithm(name), None, ""
            try:
                if algorithm.takes(case):
                    made = StepPicture(algorithm, algorithm.scenery(case), algorithm.steps(case))
                else:
                    why = "it does not accept this input"
            except LabError as error:
                why = str(error)
            traced = self.view_state.traced[name] = case, made, why
        return traced[1]

    @property
    def n_steps(self) -> int:
        """Number of steps of the longest algorithm."""
        return max((len(picture.steps) for name in self.names if (picture := self.picture(name)) is not None), default=1)

    @property
    def k(self) -> int:
        """The displayed step, from 0."""
        return min(round(self.parameter("step")), self.n_steps) - 1

    def _go_to(self, k: int) -> None:
        step = float(min(max(k, 0), self.n_steps - 1) + 1)
        if step == self.values["step"] and not self.guesses.is_on:
            return
        if self._open_question() is None:
            self.guesses.pass_by(self.k)
        self.values["step"], self._waited = step, 0
        if self.playing:
            self.guesses.pass_by(self.k)

    # Predictions

    def _open_question(self) -> Asked | None:
        """Return the question to be answered before the step is shown; none during playback."""
        name, picture = self.names[0], self.picture(self.names[0])
        if self.playing or picture is None or self.case is None or self.guesses.asked(self.k, picture.steps) is None:
            return None
        return Asked(name, self.case, picture.steps, self.k)

    def _answer(self, given: int | None) -> bool:
        current = self._open_question()
        if current is None or (given is not None and given >= len(current.question.answers)):
            return False
        self.guesses.take(current, given, self.view_state.watch.seconds(current.question))
        if self.quiz is not None:
            self.quiz.made = self.guesses.made
        return True

    def _next_question(self) -> None:
        """Ask the next question of the quiz, or end it."""
        assert self.quiz is not None
        following = self.quiz.asked(len(self.guesses.made)) if len(self.guesses.made) < self.quiz.n else None
        if following is None:
            self.guesses.is_on, self.guesses.at = False, -1
        else:
            self._case, self._touched = following.case, ""
            self.values["step"] = float(following.step + 1)
            self.guesses.seen, self.guesses.at = following.step - 1, -1

    def _shown_question(self) -> tuple[Question | None, int | None]:
        """Return the question about the step that is shown, and its answer if there is one."""
        current, picture = self._open_question(), self.picture(self.names[0])
        self.view_state.watch.look(current.question if current is not None else None)
        if current is not None:
            return current.question, None
        return (picture is not None and self.guesses.answered(self.k, picture.steps)) or (None, None)

    def on_parameter(self, name: str) -> None:
        if name == "algorithm":
            self.begin_hand()
            self.playing = False
            self.guesses.begin_again()
            if self._case is not None and not trace.algorithm(self.names[0]).takes(self._case):
                self._case = None
            self._go_to(0)
        elif name == "step":
            self.playing, self.guesses.at = False, -1
            if self.quiz is not None and self.guesses.is_on:  # no farther than the question
                self.values["step"] = min(self.values["step"], float(self.guesses.seen + 2))

    def beside_worlds(self) -> bytes:
        case = self._case
        return repr(
            (
                self.names,
                self.playing,
                self._waited,
                self._held_for,
                self.guesses.is_on,
                self.guesses.seen,
                self.guesses.at,
                case and (case.scenery, case.handles),
            )
        ).encode()

    # Time

    def after_step(self) -> None:
        held = next((key for key in ("right", "left") if key in self.held and not self.guesses.is_on), "")
        self._held_for = self._held_for + 1 if held else 0
        if self._held_for >= _REPEAT_AFTER and (self._held_for - _REPEAT_AFTER) % _REPEAT_EVERY == 0:
            self._leaf(held)
        if not self.playing:
            return
        self._waited += 1
        if self._waited * self.step_seconds * self.parameter("pace") < 1.0:
            return
        k, last = self.k, self.n_steps - 1
        if k < last:
            self._go_to(k + 1)
        elif self.chosen("end") == "loop":
            self._go_to(0)
        else:
            self.playing = False

    def on_key(self, key: str) -> bool:
        if key in ("right", "n", ".", "left", "home", "end"):
            return self._leaf(key)
        elif key in ("space", "p") and self.quiz is None:
            self.playing, self._waited = not self.playing, 0
            if self.playing and self.k == self.n_steps - 1:
                self._go_to(0)
        elif key in ("up", "down"):
            faster = [pace for pace in _PACES if pace > self.parameter("pace")]
            slower = [pace for pace in _PACES if pace < self.parameter("pace")]
            following = faster[:1] if key == "up" else slower[-1:]
            if not following:
                return False
            self.values["pace"] = following[0]
        elif key == "l":
            self.values["end"] = 1.0 - self.parameter("end")
        elif key == "b":
            self._next_beside()
        elif key == "s":
            self._save()
            return False  # no part of the past: taken again, it would write another file
        elif key in ANSWER_KEYS:
            current = self._open_question()
            return current is not None and key in current.question.keys and self._answer(current.question.keys.index(key))
        elif key == "g" and self.quiz is None:
            if not self.guesses.is_on and self.k == self.n_steps - 1:
                self._go_to(0)  # after the last step there is nothing to ask about
            self.guesses.toggle(self.k)
        else:
            return self.change_touched(key)
        return True

    def _save(self) -> None:
        case = self.case
        if case is not None:
            from engine.trace.case_file import SavedCase, save_case

            self.save_as(Path("out"), self.names[0], partial(save_case, saved=SavedCase(self.names[0], case)))

    def _leaf(self, key: str) -> bool:
        """Move through the steps, skipping an open question, and in a quiz to its next question; return False if nothing changed."""
        before = self.values["step"], self.playing, replace(self.guesses)
        self.playing = False
        k, is_forward = self.k, key not in ("left", "home")
        if key == "end" and self._open_question() is not None:
            return False  # which would show the answer
        if is_forward and self._answer(None):
            return True
        if is_forward and self.quiz is not None and self.guesses.at >= 0:
            self._next_question()
            return True
        self._go_to({"left": k - 1, "home": 0, "end": self._end()}.get(key, k + 1))
        if key == "home" and self.quiz is None and self.guesses.is_on:
            self.guesses.begin_again()
        return before != (self.values["step"], self.playing, self.guesses)

    def _end(self) -> int:
        """Return the last step, or the next one with a question."""
        picture = self.picture(self.names[0])
        return self.guesses.next_asked(self.k, picture.steps) if self.guesses.is_on and picture is not None else self.n_steps - 1

    def _next_beside(self) -> None:
        """Show the next of the algorithms suited for comparison; after the last one, none."""
        words = next(parameter for parameter in self.parameters if parameter.name == "beside").choices
        offered = ["none"]
        if self.sim.has_kernels:
            others = [name for name in trace.algorithm(self.names[0]).beside if name in words]
            offered += others if len(others) < 2 else [*others, trace.ALL_BESIDE]
        now = self.chosen("beside")
        self.values["beside"] = float(words.index(offered[(offered.index(now) + 1) % len(offered)] if now in offered else "none"))

    # The hand

    @property
    def is_fixed(self) -> bool:
        return self.quiz is not None and self.guesses.is_on

    @property
    def first_box(self) -> AABB:
        return (self.opened if self.opened is not None else _example(self.names[0])).box

    def put_case(self, case: Case) -> None:
        if self._open_question() is None:
            self.guesses.pass_by(self.k)
        self._case = case.following(self.case or case)

    # What is seen

    def status(self) -> Sequence[StatusLine]:
        lines: list[StatusLine] = []
        for name in self.names:
            if self.picture(name) is None:
                why = self.view_state.traced[name][2] if name in self.view_state.traced else ""
                words = _written(name)
                lines.append((f"{words}: {why}", palette.WARNING) if why else f"{words}: loading (compiled on first use)")
        return [*lines, *self.message_lines()]

    def _aside(self) -> Aside | None:
        """Return the text below the sentence: the score of the predictions."""
        if self.guesses.is_on or self.quiz is not None:
            current, picture = self._open_question(), self.picture(self.names[0])
            answered = picture and self.guesses.answered(self.k, picture.steps)
            words = self.guesses.words(self.quiz, current and current.question, answered, self.k == self.n_steps - 1)
            is_wrong = answered is not None and answered[0].right != answered[1]
            color = palette.ACCENT if answered is None else palette.UNEXPLAINED if is_wrong else palette.AGREE
            return Aside(words, color)
        return None

    def summary(self) -> Sequence[str]:
        lines = []
        for name in self.names:
            picture = self.picture(name)
            if picture is not None:
                step = picture.steps[min(self.k, len(picture.steps) - 1)]
                lines += [f"{picture.algorithm.title}: step {min(self.k + 1, len(picture.steps))} of {len(picture.steps)}", step.sentence]
        return lines

    def home(self) -> AABB:
        picture, case = self.picture(self.names[0]), self.case
        if picture is not None:
            return picture.boxes[picture.algorithm.views[0].name]
        return case.box if case is not None else super().home()

    def margins(self, width: float, height: float, ui_scale: float) -> tuple[float, float, float]:
        return board_margins(self._pictures(), width, height, ui_scale)

    def _pictures(self) -> list[StepPicture]:
        pictures = [picture for name in self.names if (picture := self.picture(name)) is not None]
        if pictures:
            pictures[0].aside = self._aside()
        return pictures

    def draw(self, canvas: Canvas) -> None:
        if pictures := self._pictures():
            board = draw_board(canvas, pictures, self.k, "step", *self._shown_question())
            plane = board[0].layout.views[pictures[0].algorithm.views[0].name]
            self.draw_handles(canvas, canvas.camera.cut((plane.left, plane.top, plane.width, plane.height)).visible)
