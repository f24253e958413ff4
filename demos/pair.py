"""One pair of shapes, asked of both: our answer and Box2D's side by side while it is dragged and turned.

Without a file it begins with a pair for each query, kept in `demos/pairs`; ``python main.py run --pair FILE`` opens any other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from demos._case_hand import CaseHand, Point
from demos._pair_picture import draw_pair, pair_box
from engine.app.stepper_requests import StepperRequest, door_of_pair
from engine.common.errors import LabError
from engine.compare.pair.file import Pair, load_pair, pair_as_json, save_pair
from engine.contracts.agreement import REASONS, StepAgreement
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color
from engine.trace.cases import Case, PairCase, is_on

if TYPE_CHECKING:
    from engine.compare.pair.answers import PairAnswers
    from engine.render.canvas import Canvas

__all__ = ["PairInspector"]

QUERIES = ("manifold", "distance", "toi", "ray_cast", "contains")
"""Each has a pair of its own to begin with; `overlap` has the picture of `manifold`."""
CONTACT_QUERIES = ("manifold", "overlap", "distance")
"""Queries that can be asked of the same pair."""

FRACTION = Parameter(
    "fraction", 0.5, 0.0, 1.0, "", "time within the step", note="Only for toi: 0 is the start of the step, and 1 is its end."
)
KEY_MOVE = 0.001
"""Meters by which an arrow key moves what was touched last."""
_PROOF, _PROOF_SHARE, _PROOF_WIDTH = 106.0, 0.3, 860.0
"""Design pixels of the foot in which a proof is written, the share of the view that it takes at the most, and its largest width."""
VERDICT_COLORS: dict[str, Color] = {
    "agree": palette.AGREE,
    "explained": palette.EXPLAINED,
    "unexplained": palette.UNEXPLAINED,
    "not judged": palette.CAPTION,
}


@cache
def default_pair(query: str) -> Pair:
    """Return the pair that a query begins with."""
    return load_pair(Path(__file__).parent / "pairs" / f"{query}.json")


@dataclass(slots=True)
class _ViewState:
    """The last pair, and the answers to it."""

    pair: Pair | None = None
    answers: PairAnswers | None = None
    message: str = ""


@register(
    id="pair",
    category="Two answers compared",
    title="One pair, two answers",
    watch="Two libraries answer a query about two shapes: our answer is green, and Box2D's is orange.",
)
class PairInspector(CaseHand):
    """The pair on the table."""

    tries = (
        (
            "Drag B, then turn it with the wheel: after 4° clockwise, Box2D pushes it out in the same direction as we do.",
            "Grab, TurnWheel, Turn",
        ),
        ("Choose toi: a rod passes through a plate, and Box2D misses the contact.", "set query=toi"),
        ("Step through our algorithm (F6).", "step_through"),
    )
    keywords = "contact manifold distance time of impact ray cast compare differ referee penetration"
    parameters = (Parameter.choice("query", QUERIES, "query"), FRACTION)
    keys = (
        ("Left drag", "move a shape, a corner or an endpoint"),
        ("Right drag", "turn a shape"),
        ("Wheel over a shape", "turn it by 2°"),
        ("Arrows", "move the last item that you touched by 1 mm"),
        ("Q  E", "turn by 0.1°, turn back by 0.1°"),
        ("S", "save the pair"),
    )
    needs_kernels = True
    view_state: _ViewState
    opened: ClassVar[Pair | None] = None
    """The pair of a file, instead of those of `demos/pairs`."""
    opened_from: ClassVar[str] = ""

    @classmethod
    def of_file(cls, pair: Pair, path: str) -> type[PairInspector]:
        """Return the class of demo that begins with that pair."""
        parameters: tuple[Parameter, ...] = ()
        if pair.query in CONTACT_QUERIES:
            at = CONTACT_QUERIES.index(pair.query)
            parameters = (Parameter.choice("query", CONTACT_QUERIES, "query", default=at),)
        elif pair.query == "toi":
            parameters = (FRACTION,)
        title, watch = Path(path).name, f"Our answer is green, and Box2D's is orange. {_WATCH[pair.query]}"
        attributes = {"opened": pair, "opened_from": path, "parameters": parameters, "title": title, "watch": watch}
        return type("OpenedPair", (cls,), attributes)

    @classmethod
    def load_kernels(cls) -> None:
        from engine.compare.pair.answers import ask

        for query in QUERIES:
            ask(default_pair(query))

    def build(self) -> None:
        self.pair = self._begin()
        self.view_state = _ViewState()
        self.begin_hand("b" if self.pair.shape_b is not None else "a")

    def home(self) -> AABB:
        return pair_box(self._begin())

    def on_parameter(self, name: str) -> None:
        if name == "query" and self.opened is not None:
            self.pair = self.pair.reasked(self._query())
        elif name == "query":
            self.restart()

    def beside_worlds(self) -> bytes:
        return json.dumps(pair_as_json(self.pair)).encode()

    # Both answers

    @property
    def answers(self) -> PairAnswers | None:
        """Both answers for the current pair; None while the algorithms are not loaded."""
        if not self.sim.has_kernels:
            return None
        if self.view_state.pair is not self.pair:
            from engine.compare.pair.answers import ask

            self.view_state.answers, self.view_state.pair = None, self.pair
            try:
                self.view_state.answers = ask(self.pair)
            except LabError as error:
                self.view_state.message = f"no answer: {error}"
        return self.view_state.answers if self.view_state.pair is self.pair else None

    # The hand

    key_turn = math.radians(0.1)

    @property
    def case(self) -> PairCase:
        return PairCase(self.pair)

    @property
    def first_box(self) -> AABB:
        return self.home()

    def put_case(self, case: Case) -> None:
        """Take a changed pair; an outsider's answer and where it came from, which belong to the pair as opened, stay behind."""
        assert isinstance(case, PairCase)
        self.pair = case.pair

    def part_at(self, case: Case, point: Point) -> str | None:
        """Return the part under the pointer; of a motion its ends, and the shapes at the moment that is shown."""
        if self.pair.query != "toi":
            return super().part_at(case, point)
        ends = [(math.dist(self.middle_of(case, name), point), name) for name in ("b.end", "b.start", "a.end", "a.start")]
        if min(ends)[0] <= self.reach:
            return min(ends)[1]
        sides = (("b", self.pair.shape_b, self.pair.sweep_b), ("a", self.pair.shape_a, self.pair.sweep_a))
        near = 0.4 * self.reach
        return next((name for name, shape, sweep in sides if shape and is_on(shape, sweep.at(self._fraction()), point, near)), None)

    def middle_of(self, case: Case, part: str) -> Point:
        assert isinstance(case, PairCase)
        side, _, end = part.partition(".")
        pair = case.pair
        shape, sweep = (pair.shape_a, pair.sweep_a) if side == "a" else (pair.shape_b, pair.sweep_b)
        if pair.query != "toi" or shape is None:
            return super().middle_of(case, part)
        pose = {"start": sweep.start, "end": sweep.end}.get(end) or sweep.at(self._fraction())
        return pose.apply(shape.centroid)

    def on_key(self, key: str) -> bool:
        if key != "s":
            return self.change_touched(key, KEY_MOVE)
        folder = Path(self.opened_from).parent if self.opened_from else Path("out")
        stem = Path(self.opened_from).stem if self.opened_from else f"pair_{self.pair.query}"
        self.save_as(folder, stem, partial(save_pair, pair=self.pair))
        return False  # no part of the past: taken again, it would write another file

    # What is seen

    def status(self) -> Sequence[StatusLine]:
        answers = self.answers
        if answers is None and self.view_state.message:
            return [self.pair.query, (self.view_state.message, palette.WARNING)]
        if answers is None:
            return [f"{self.pair.query}: loading the algorithms, which are compiled on first use"]
        lines: list[StatusLine] = [
            (_verdict_words(answers), VERDICT_COLORS[answers.verdict]),
            (f"ours:  {answers.ours.words}", palette.AGREE),
        ]
        if answers.box2d is not None:
            lines.append((f"Box2D:  {answers.box2d.words}", palette.EXPLAINED))
        if self.pair.outsider is not None:
            outsider = self.pair.outsider
            lines.append((f"{outsider.name}:  {outsider.note or outsider.answer}", palette.POINT_REMOVE))
        return [*lines, *self.message_lines()]

    def agreement(self) -> StepAgreement:
        answers = self.answers
        if answers is None or answers.box2d is None:
            return StepAgreement()
        counts = {verdict: int(answers.verdict == verdict) for verdict in ("agree", "explained", "unexplained")}
        return StepAgreement(compared=1, **counts)

    def summary(self) -> Sequence[str]:
        answers = self.answers
        if answers is None:
            return ()
        box2d = answers.box2d.words if answers.box2d is not None else "not computed"
        lines = [f"{self.pair.query}: {_verdict_words(answers)}", f"ours   {answers.ours.words}", f"Box2D  {box2d}"]
        return [*lines, answers.evidence] if answers.evidence else lines

    def draw(self, canvas: Canvas) -> None:
        answers = self.answers
        draw_pair(canvas, self.pair, answers, self._fraction(), self.pair.outsider)
        self._draw_proof(canvas, answers)
        if self.pair.query != "toi":
            self.draw_handles(canvas, canvas.camera.visible)

    def door(self) -> StepperRequest | None:
        title = Path(self.opened_from).name if self.opened_from else f"A pair for {self.pair.query}"
        return door_of_pair(self.pair, title)

    def foot_height(self, height: float, ui_scale: float) -> float:
        return min(_PROOF_SHARE * height, _PROOF * ui_scale)

    def _draw_proof(self, canvas: Canvas, answers: PairAnswers | None) -> None:
        """Write why the answers differ, at the foot, on a plate: of the sentences as many as there is room for."""
        left, top, width, height = canvas.camera.view
        inset, fonts = round(12 * canvas.ui_scale), canvas.fonts
        lines: list[tuple[str, Color]] = []
        note = [(self.pair.note, palette.TEXT)] if self.pair.note else []
        reason = [(REASONS[answers.reason].sentence, palette.TEXT)] if answers is not None and answers.reason else []
        evidence = [(f"{answers.evidence}.", palette.CAPTION)] if answers is not None and answers.evidence else []
        own = [*note, *evidence] or reason
        room = max(min(width - 2 * inset, round(_PROOF_WIDTH * canvas.ui_scale)) - 2 * inset, 1)
        high = self.foot_height(height, canvas.ui_scale) - inset
        for chosen in ([*note, *reason, *evidence], own, own[:1]):  # what is said of this pair comes before what is said of all such
            lines = [(line, color) for words, color in chosen for line in fonts.wrapped(words, 13.0, room)]
            if lines_size(fonts, lines, 13.0)[1] <= high:
                break
        else:
            while len(lines) > 1 and lines_size(fonts, lines, 13.0)[1] > high:
                lines = [*lines[:-2], (fonts.shortened(f"{lines[-2][0]} …", 13.0, room), lines[-2][1])]
        if lines and canvas.has_words:
            place = left + inset, top + height - inset - lines_size(fonts, lines, 13.0)[1]
            draw_lines(canvas.surface, fonts, place, lines, 13.0, 235)

    def _begin(self) -> Pair:
        if self.opened is not None:
            return self.opened if self.opened.query == self._query() else self.opened.reasked(self._query())
        return default_pair(self._query())

    def _query(self) -> str:
        return self.chosen("query") or (self.opened.query if self.opened is not None else QUERIES[0])

    def _fraction(self) -> float:
        return self.values.get("fraction", 0.0) if self.pair.query == "toi" else 0.0


_WATCH = {
    **dict.fromkeys(CONTACT_QUERIES, "The dashed outline shows where B would just touch; watch the axes as you turn a shape."),
    "toi": "The outlines show the first contact of each answer; move the slider through the step.",
    "ray_cast": "Drag either end of the ray.",
    "contains": "Drag the point. A colored ring means inside, a gray ring outside.",
}


def _verdict_words(answers: PairAnswers) -> str:
    if answers.verdict in ("explained", "unexplained") and answers.reason:
        name = REASONS[answers.reason].name
        return answers.verdict if name == answers.verdict else f"{answers.verdict}: {name}"
    return answers.verdict
