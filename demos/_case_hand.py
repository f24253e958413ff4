"""The hand of the demos `pair` and `stepper`: it moves, rotates and reshapes the parts of a case."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.common.errors import LabError
from engine.demo import Demo, StatusLine
from engine.geometry import AABB
from engine.render import palette
from engine.trace.cases import Case

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["CaseHand"]

WHEEL_TURN = math.radians(2.0)
HANDLE = 0.016
"""Largest distance of the pointer from a handle that it takes, as a share of the case as it begins: of the world and not of the screen, or
what a recorded hand takes would depend on the zoom."""

Point = tuple[float, float]


class CaseHand(Demo):
    """A demo about a case: two shapes, a cloud of points, boxes.

    Attributes
    ----------
    message : str
        Result of saving, until the case changes; kept in `view_state`.
    """

    key_turn: ClassVar[float] = WHEEL_TURN
    """Angle by which a key turns the part that was touched last, radians."""

    @property
    @abstractmethod
    def case(self) -> Case | None:
        """The current case; None while it is not loaded."""

    @abstractmethod
    def put_case(self, case: Case) -> None:
        """Adopt a changed case."""

    @property
    def is_fixed(self) -> bool:
        """True if the hand may not change the case."""
        return False

    @property
    @abstractmethod
    def first_box(self) -> AABB:
        """Bounding box of the initial case, of which `HANDLE` is a share."""

    def chosen(self, name: str) -> str | None:
        """Return the selected option of a choice parameter; None if there is no such parameter."""
        choices = next((parameter.choices for parameter in self.parameters if parameter.name == name), None)
        return None if choices is None else choices[round(self.parameter(name))]

    def begin_hand(self, touched: str = "") -> None:
        """Release the held part; `touched` is the part that keys change."""
        self._held: tuple[str, Point, Case, float | None] | None = None
        """The part, where the hand took it or is now, the case as it was then, and the angle turned since if it is turned."""
        self._touched = touched

    @property
    def reach(self) -> float:
        """Distance within which a handle can be grabbed, meters."""
        (left, bottom), (right, top) = self.first_box.lower, self.first_box.upper
        return HANDLE * max(right - left, top - bottom)

    def part_at(self, case: Case, point: Point) -> str | None:
        """Return the part under the pointer."""
        return case.part_at(point, self.reach)

    def middle_of(self, case: Case, part: str) -> Point:
        """Return the point about which a part rotates."""
        return case.middle(part)

    # What the hand does

    def grab(self, point: Point) -> bool:
        return self._take(point, None)

    def turn(self, point: Point) -> bool:
        return self._take(point, 0.0)

    def _take(self, point: Point, turned: float | None) -> bool:
        case = self.case
        part = None if case is None or self.is_fixed else self.part_at(case, point)
        if case is None or part is None or (turned is not None and case.turned(part, 1.0) is case):
            return False
        self._touched, self._held = part, (part, point, case, turned)
        return True

    def drag(self, point: Point) -> None:
        if self._held is None:
            return
        part, before, case, turned = self._held
        if turned is None:  # from where it was taken: an invalid place is passed over, and the part is under the hand again behind it
            self._put(case.moved(part, point[0] - before[0], point[1] - before[1]), case)
            return
        x, y = self.middle_of(case, part)
        swept = math.atan2(point[1] - y, point[0] - x) - math.atan2(before[1] - y, before[0] - x)
        turned += math.remainder(swept, 2.0 * math.pi)
        self._put(case.turned(part, turned), case)
        self._held = part, point, case, turned

    def release(self) -> None:
        self._held = None

    @property
    def grabbing(self) -> bool:
        return self._held is not None

    def on_wheel(self, point: Point, notches: float) -> bool:
        case = self.case
        part = None if case is None or self.is_fixed else self.part_at(case, point)
        if case is None or part is None or (turned := case.turned(part, WHEEL_TURN * notches)) is case:
            return False
        self._touched = part
        self._put(turned, case)
        return True

    def change_touched(self, key: str, step: float = 0.0) -> bool:
        """Rotate the last touched part by Q or E, or move it `step` meters by an arrow key; return True for these keys."""
        moves = {"left": (-step, 0.0), "right": (step, 0.0), "up": (0.0, step), "down": (0.0, -step)} if step else {}
        case = self.case
        if case is None or self.is_fixed or not self._touched or key not in ("q", "e", *moves):
            return False
        if key in moves:
            self._put(case.moved(self._touched, *moves[key]), case)
        else:
            self._put(case.turned(self._touched, self.key_turn if key == "q" else -self.key_turn), case)
        return True

    def _put(self, changed: Case, unless: Case) -> None:
        if changed is not unless:
            self.view_state.message = ""
            self.put_case(changed)

    # What is saved and seen

    def save_as(self, folder: Path, stem: str, save: Callable[[Path], object]) -> None:
        """Save the case under the first unused name of ``stem_1.json``, ``stem_2.json``, ..."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = next(file for k in range(1, 1_000_000) if not (file := folder / f"{stem}_{k}.json").exists())
            save(path)
            self.view_state.message = f"saved as {path}"
        except (OSError, LabError) as error:
            self.view_state.message = f"not saved: {(isinstance(error, OSError) and error.strerror) or error}"

    def message_lines(self) -> list[StatusLine]:
        """Return the result of saving."""
        message = self.view_state.message
        return [(message, palette.WARNING if message.startswith("not") else palette.ACCENT)] if message else []

    def draw_handles(self, canvas: Canvas, plane: AABB) -> None:
        """Draw rings around what the hand would grab in `plane`: a corner, or the corners of the shape under the pointer."""
        case, pointed = self.case, self.viewer.pointed
        if case is None or pointed is None or self.is_fixed or not plane.overlaps(AABB(pointed, pointed)):
            return
        part = self._held[0] if self._held is not None else self.part_at(case, pointed)
        with canvas.clipped(plane):
            for name, at in case.handles:
                if name == part:
                    canvas.point(at, palette.ACCENT, 8.0, ring=True)
                elif part is not None and name.partition(".")[0] == part:
                    canvas.point(at, palette.CAPTION, 5.0, ring=True)
