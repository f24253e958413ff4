"""A demo being run: its clock, its camera, what is shown of it, what a frame of it costs. Knows nothing of widgets or events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Any

from engine.app.aim import Aim
from engine.app.chronicle import Chronicle
from engine.app.clock import FixedClock, speed_name
from engine.app.demo import Demo
from engine.app.history import History
from engine.app.layout import Place
from engine.app.messages import Messages
from engine.app.stage import Stage, StepTimes
from engine.box2d.memory import best_hidden
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import counted
from engine.contracts.agreement import Difference
from engine.geometry import AABB, Transform
from engine.render import palette
from engine.render.camera import Camera
from engine.render.debug_draw import Layers

if TYPE_CHECKING:
    from engine.app.recordings import Recorder, Recording

__all__ = ["Focus", "FrameTimes", "Session"]

_STEPPING_BUDGET = 0.040
"""Seconds of a frame spent on steps at the most; what is still due then is forgotten, so that the window stays alive."""
_LONG_WAY = 600
"""Steps from a keyframe: about a second of a hundred bodies."""
_LONGEST_FRAME = 1.0 / 15.0
"""Seconds of world time taken in one frame at the most."""
_FARTHEST = 12.0
"""How many times smaller than at first the picture may become: farther out a demo is a dot that nobody finds again."""
_CLOSE = 1.2
"""How far around a difference the picture reaches, in sizes of the smaller shape."""
_GRAIN = 40.0
"""Design pixels to which the readout's room is rounded up."""
_FOOT = 16.0
"""Design pixels at the bottom of the view that the scale bar takes beyond the margin of a view of the usual height."""
_SCALE_BAR, _MARGIN = 38.0, 0.05
"""Design pixels that the scale bar takes, and the share of the view's height that is margin (`Camera.fitted`)."""
_WINDOW = 30
_REFRESH = 0.25


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Milliseconds: the frame from one to the next, one step, its check, and the drawing; `steps` were taken.

    `advance` is all that these steps took together: with their checks, what the history keeps of them, and what docks note.
    """

    frame: float = 0.0
    step: float = 0.0
    check: float = 0.0
    draw: float = 0.0
    steps: int = 0
    advance: float = 0.0


@dataclass(frozen=True, slots=True)
class Focus:
    """A difference that is looked at closely: its world and its two fixtures."""

    stage: Stage
    fixture_a: int
    fixture_b: int

    def is_of(self, stage: Stage, difference: Difference) -> bool:
        """Tell whether a difference is that one, in this step or another."""
        return stage is self.stage and (difference.fixture_a, difference.fixture_b) == (self.fixture_a, self.fixture_b)


class Session:
    """One demo in a view.

    Parameters
    ----------
    demo : Demo
    view : (left, top, width, height)
        Where it is drawn, pixels.
    layers : Layers, optional
        What is shown; shared, so that the toggles outlive the demo, except where the demo asks for layers of its own.
    remembers : bool
        Keep a history, so that everything can be taken back.
    """

    def __init__(self, demo: Demo, view: Place, layers: Layers | None = None, remembers: bool = False) -> None:
        self.demo = demo
        self.failure = ""
        self.history: History | None = None
        """What has happened; None of a demo that is only looked at, or that cannot be rewound."""
        self.recorder: Recorder | None = None
        """What writes the history into a file, while it does."""
        self.recording: Recording | None = None
        """What is played, of a session that a recording was opened in."""
        self._n_played = 0
        self.stop_at: int | None = None
        """The step at which it pauses by itself, once."""
        self.chronicle: Chronicle | None = None
        """What is measured at every step of the history; None where there is none."""
        self.watched: tuple[int, int] | None = None
        """The body that plots and the log are about: its stage's place among the demo's, and its id."""
        self.aim = Aim()
        if remembers:
            self._guarded_history()
        shared = layers if layers is not None else Layers()
        self.layers = replace(shared, **demo.layers) if demo.layers else shared
        self.clock = FixedClock(demo.step_seconds)
        self.camera = Camera(view=view)
        self.shown = FrameTimes()
        self._readout = (0.0, 0.0)
        self._foot = 0.0
        self._ui_scale = 1.0
        self._untouched = True
        self._explained = False
        self._speed_chosen = False
        self.focus: Focus | None = None
        """The difference looked at closely, None for none."""
        self._before: tuple[Camera, bool, bool] | None = None
        self.messages = Messages()
        self._recent: deque[FrameTimes] = deque(maxlen=_WINDOW)
        self._since_refresh = _REFRESH
        self.home()

    def home(self) -> None:
        """Show everything, beside the readout or under it, whichever leaves the picture larger; follow nothing."""
        self.aim.stop()
        (width, height), (across, down) = self._readout, self.camera.view[2:]
        foot = self._foot + self.demo.foot_height(down, self._ui_scale)
        is_arranged = self.demo.arrange(across / self._ui_scale, max(down - height - foot, 1.0) / self._ui_scale)
        box = self.demo.home()
        beside = self.camera.fitted(box, kept=(width, 0.0, 0.0, foot))
        under = self.camera.fitted(box, kept=(0.0, height, 0.0, foot))
        self.camera = under if is_arranged else max(under, beside, key=lambda camera: camera.scale)
        self._home_scale = self.camera.scale
        self._untouched = True
        self.focus = self._before = None

    def look_at(self, stage: Stage, difference: Difference, at: tuple[float, float]) -> None:
        """Pause, and go close to a difference at a point of the picture; `look_back` returns."""
        self.aim.stop()
        if self._before is None:
            self._before = (self.camera, self._untouched, self.clock.paused)
        self.clock.paused = True
        self.focus = Focus(stage, difference.fixture_a, difference.fixture_b)
        reach = _CLOSE * min((_size(stage, fixture) for fixture in (difference.fixture_a, difference.fixture_b)), default=1.0)
        self.camera = self.camera.fitted(AABB((at[0] - reach, at[1] - reach), (at[0] + reach, at[1] + reach)))
        self._untouched = False

    def look_back(self) -> bool:
        """Return to what was seen before `look_at`, running if it ran then; False if nothing is looked at."""
        if self._before is None:
            return False
        camera, untouched, paused = self._before
        self.focus = self._before = None
        if untouched:
            self.home()
        else:
            self.camera = camera
        self.clock.paused = self.clock.paused and paused
        return True

    def keep_clear(self, readout: tuple[int, int], ui_scale: float) -> None:
        """Leave room for a readout of (width, height) pixels in the upper left corner; a camera nobody moved makes it at once.

        A readout that shrinks keeps its room, so that the picture does not move with every word.
        """
        grain = _GRAIN * ui_scale  # a word more or less must not move the picture
        width, height = (grain * ceil(length / grain) for length in readout)
        grown = (max(self._readout[0], width), max(self._readout[1], height))
        foot = max(_FOOT * ui_scale, _SCALE_BAR * ui_scale - _MARGIN * self.camera.view[3])
        if grown != self._readout or self._foot != foot:
            self._readout, self._foot, self._ui_scale = grown, foot, ui_scale
            if self._untouched:
                self.home()

    @property
    def seen(self) -> AABB:
        """What is looked at, the picture's frame: a demo whose `home` it is begins with this picture in a view as large."""
        camera, is_untouched = (self.camera, self._untouched) if self._before is None else self._before[:2]
        if is_untouched:
            return self.demo.home()
        (width, height), foot = self._readout, self._foot + self.demo.foot_height(camera.view[3], self._ui_scale)
        is_beside = width * (camera.view[3] - foot) < height * camera.view[2]  # what leaves more of the view
        return camera.framed(kept=(width, 0.0, 0.0, foot) if is_beside else (0.0, height, 0.0, foot))

    @property
    def is_untouched(self) -> bool:
        """Whether nobody has moved the camera since it showed everything."""
        return self._untouched

    def place(self, view: Place) -> None:
        """Take another viewport; a camera nobody moved shows everything there too."""
        if view != self.camera.view:
            self.camera = self.camera.resized(view)
            if self._before is not None:
                self._before = (self._before[0].resized(view), *self._before[1:])
            self._readout = (0.0, 0.0)
            if self._untouched:
                self.home()

    def zoom(self, pixel: tuple[float, float], notches: float) -> None:
        """Zoom by wheel notches, the point under the cursor staying where it is; not so far out that the demo is lost."""
        self.aim.interrupt()
        factor = 1.15 ** max(-8.0, min(8.0, notches))
        farthest = min(self._home_scale / _FARTHEST / self.camera.scale, 1.0)
        self.camera = self.camera.zoomed(pixel, max(factor, farthest))
        self._untouched = False

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by a drag in pixels; a camera that followed something stays behind."""
        self.aim.stop()
        self.camera = self.camera.panned(dx, dy)
        self._untouched = False

    def follow(self, body: tuple[int, int]) -> None:
        """Keep a body, of a stage and an id, in the middle of the view."""
        self.aim.follow(body)
        self._untouched = False

    def show(self, box: AABB) -> None:
        """Go to where all of a box of the picture is seen, beside or under the readout."""
        (width, height), foot = self._readout, self._foot + self.demo.foot_height(self.camera.view[3], self._ui_scale)
        beside = self.camera.fitted(box, kept=(width, 0.0, 0.0, foot))
        under = self.camera.fitted(box, kept=(0.0, height, 0.0, foot))
        self.aim.glide(self.camera, max(under, beside, key=lambda camera: camera.scale))
        self._untouched = False

    def keep_aim(self, poses: Callable[[Stage], FloatArray]) -> None:
        """Let the camera stand where the followed body is drawn; `poses` are those of a stage in the picture."""
        if self.aim.followed is None:
            return
        index, body = self.aim.followed
        if index < len(self.demo.stages) and self.demo.stages[index].world.is_body(body):
            stage = self.demo.stages[index]
            x, y, angle = poses(stage)[stage.world.row_of(body)].tolist()
            at = Transform((x + stage.offset[0], y + stage.offset[1]), angle).apply(stage.world.body(body).local_center)
            self.camera = self.aim.centred(self.camera, at)

    def restart(self) -> None:
        """Build the demo anew; camera and speed stay, a pause too."""
        self.failure = ""
        self._guarded(lambda: self.act("restart"))
        self._adopt()

    def set_parameter(self, name: str, value: float) -> None:
        """Change a parameter of the demo; most demos begin anew."""
        self.failure = ""
        before = self.demo.home()
        if value != self.demo.parameter(name):
            self._guarded(lambda: self.act("set_parameter", name, value))
        self._adopt()
        if self._untouched and self.demo.home() != before:
            self.home()

    def slower(self) -> None:
        """Go one notch slower; the user has chosen, and the demo's own wishes count no more."""
        self._speed_chosen = True
        self.clock.slower()

    def faster(self) -> None:
        """Go one notch faster, as `slower`."""
        self._speed_chosen = True
        self.clock.faster()

    def press(self, key: str) -> None:
        """Give the demo a key."""
        self._guarded(lambda: self.act("press", key))
        self._take_wishes()

    def act(self, action: str, *arguments: Any) -> Any:
        """Do something to the demo, one of `engine.app.history.ACTIONS`, so that it can be taken back; return what it returns."""
        if self.history is not None:
            return self.history.act(action, *arguments)
        return getattr(self.demo, action)(*arguments)

    def play(self, recording: Recording, name: str = "") -> None:
        """Take over what was recorded of a demo that began as this one; docks play it once through, so that all of it can be reached."""
        if self.history is None:
            raise InvalidInputError("recording", f"of a demo that can be rewound ({self.failure})", recording.demo)
        self.history.take_over(recording.line)
        self.recording, self._n_played = recording, recording.n_inputs
        self.messages.say(f"{name or 'the recording'}: {counted(recording.steps, 'step')}, {counted(recording.n_inputs, 'input')}")

    @property
    def is_only_played(self) -> bool:
        """Whether all that has been done here comes from a recording."""
        recording, history = self.recording, self.history
        if recording is None or history is None:
            return False
        return history.line is recording.line and recording.n_inputs == self._n_played

    # -- the time line ------------------------------------------------------------------------------------------------

    @property
    def moment(self) -> str:
        """Time and step of the first world; where the time line counts others, for it goes on through a restart, that one too."""
        world = self.demo.stages[0].world
        words = f"{world.time:.2f} s, step {world.step_index}"
        if self.history is None or self.history.now == world.step_index:
            return words
        return f"{words} ({self.history.now} on the time line)"

    def seek(self, step: int) -> None:
        """Pause, and go to a step that has been."""
        self._travel(lambda history: history.seek(min(max(step, 0), history.last)))

    def back(self) -> None:
        """Pause, and go one step back."""
        self._travel(lambda history: history.seek(max(history.now - 1, 0)))

    def to_the_end(self) -> None:
        """Go to the newest step; a running demo goes on from there."""
        paused = self.clock.paused
        self._travel(lambda history: history.seek(history.last))
        self.clock.paused = paused

    def undo(self) -> None:
        """Pause, and go to before the last thing that somebody did."""
        if self.history is not None and self.history.can_undo:
            self._travel(History.undo)
        else:
            self.messages.say("nothing was done before this")

    def redo(self) -> None:
        """Pause, and return to where the last undo started from."""
        if self.history is not None and self.history.can_redo:
            self._travel(History.redo)
        else:
            self.messages.say("nothing was undone just now")

    def toggle_pause(self) -> None:
        """Pause, or go on."""
        self.clock.paused = not self.clock.paused

    def _travel(self, go: Callable[[History], object]) -> None:
        """Go elsewhere in what has happened, and say so if the demo did not come out as it did the first time."""
        if self.history is None:
            return
        self.failure = ""
        known = self.history.divergence
        self._guarded(lambda: go(self.history) if self.history is not None else None)
        self.clock.reset()
        self.clock.paused = True
        if self.history.divergence is not None and known is None:
            self.messages.say(f"step {self.history.divergence.step} went another way when it was taken again", palette.UNEXPLAINED)
        self._explain_a_long_way(self.history)

    def _explain_a_long_way(self, history: History) -> None:
        """Say once why going back takes its time: nothing is kept of a demo with joints while their memory is out of reach."""
        if self._explained or self.demo.remembers or not any(stage.world.joint_ids for stage in self.demo.stages):
            return
        if history.now - max(step for step in history.keyframes if step <= history.now) > _LONG_WAY:
            self._explained = True
            why = "Numba is not there (main.py doctor)" if best_hidden() is None else "it began while the program was still loading"
            self.messages.say(f"going back takes its time: the demo has joints, and {why}, so it is played from its beginning")

    # -- acting -------------------------------------------------------------------------------------------------------

    def lift(self, key: str) -> None:
        """Take a key from the demo."""
        if key in self.demo.held:
            self.act("lift", key)

    def let_go(self) -> None:
        """Take all keys, and whatever the hand holds, from the demo."""
        if self.demo.held or self.demo.grabbing:
            self.act("lift_all")

    def advance(self, elapsed: float) -> None:
        """Take the steps due after `elapsed` real seconds."""
        start = perf_counter()
        self._remember()
        self._receive()
        self.messages.advance(elapsed)
        self.camera = self.aim.advance(self.camera, elapsed)
        step = check = 0.0
        steps = 0
        self.clock.step_seconds = self.demo.step_seconds
        self.clock.max_steps = max(4, round(_LONGEST_FRAME * max(self.clock.speed, 1.0) / self.demo.step_seconds))
        due = self.clock.advance(elapsed)
        if self.stop_at is not None and self.history is not None:
            due = min(due, max(self.stop_at - self.history.now, 0))
        for taken in range(1, due + 1):
            if not self._guarded(self.demo.step if self.history is None else self.history.step):
                break
            step, check, steps = step + self.demo.times.step, check + self.demo.times.check, taken
            if taken < due and perf_counter() - start > _STEPPING_BUDGET:
                self.clock.forgive(due - taken)
                break
        if self.stop_at is not None and self.history is not None and self.history.now >= self.stop_at:
            self.stop_at = None
            self.clock.paused = True
            self.messages.say("the recording ends here: Space goes on, with what nobody has seen yet")
        self._take_wishes()
        draw = self._recent[-1].draw if self._recent else 0.0
        whole = 1000.0 * (perf_counter() - start)
        self._recent.append(FrameTimes(1000.0 * elapsed, step / max(steps, 1), check / max(steps, 1), draw, steps, whole))
        self._since_refresh += elapsed

    def drew(self, milliseconds: float) -> None:
        """Note what drawing this frame cost; renews the readout four times a second."""
        if self._recent:
            self._recent[-1] = replace(self._recent[-1], draw=milliseconds)
        if self._since_refresh >= _REFRESH and self._recent:
            self._since_refresh = 0.0
            stepped = [times for times in self._recent if times.steps > 0]
            self.shown = FrameTimes(
                fmean(times.frame for times in self._recent),
                fmean(times.step for times in stepped) if stepped else self.shown.step,
                fmean(times.check for times in stepped) if stepped else self.shown.check,
                fmean(times.draw for times in self._recent),
            )

    def observe(self, times: StepTimes) -> None:
        """Show what a step taken elsewhere has cost, and the last drawing: off-screen there is no frame rate."""
        draw = self._recent[-1].draw if self._recent else 0.0
        self.shown = FrameTimes(times.step + times.check + draw, times.step, times.check, draw)
        self._recent.append(self.shown)
        self._since_refresh = 0.0

    @property
    def latest(self) -> FrameTimes:
        """What the last frame took; its drawing, that of the frame before until it is drawn."""
        return self._recent[-1] if self._recent else FrameTimes()

    @property
    def pace(self) -> str:
        """How time passes, in words."""
        name = speed_name(self.clock.speed)
        if not self.clock.paused:
            return name
        return "paused" if name == "1/1" else f"paused, {name}"

    def attempt(self, action: Callable[[], object]) -> None:
        """Let the demo draw, or tell, something. It may look for a body that somebody has deleted by hand: it stops then, and says so.

        Where nothing can be deleted, what the demo raises is a fault of its own, and goes on to whoever asked.
        """
        if self.history is None:
            action()
        elif not self._guarded(action):
            self.messages.end_passing()

    def _remember(self) -> None:
        """Tell the demo, once, that memory has come into reach while it ran."""
        if not self.demo.remembers and best_hidden() is not None and (self.history is None or self.history.at_tip):
            self.act("remember")

    def _receive(self) -> None:
        """Tell the demo what has come in the background, each thing once."""
        if self.demo.waits and (self.history is None or self.history.at_tip):
            for what in self.demo.arrivals():
                if what not in self.demo.arrived:
                    self.act("arrive", what)

    def _guarded_history(self) -> None:
        try:
            self.history = History(self.demo)
            self.chronicle = Chronicle(self.history)
        except LabError as error:
            self.history = None
            self.failure = str(error)

    def _adopt(self) -> None:
        self.clock.reset()
        self._take_wishes()

    def _take_wishes(self) -> None:
        if self.demo.wanted_speed is not None:
            if not self._speed_chosen:
                self.clock.speed = self.demo.wanted_speed
            self.demo.wanted_speed = None

    def _guarded(self, action: Callable[[], object]) -> bool:
        """Do what a demo may fail at; a refusal of the engine pauses the demo and is shown, it does not end the window."""
        try:
            action()
        except LabError as error:
            self.failure = str(error)
            self.clock.paused = True
            return False
        return True


def _size(stage: Stage, fixture: int) -> float:
    """Return the larger side of a fixture's box, metres; of one that has gone, a metre."""
    try:
        box = stage.world.fixture(fixture).shape.aabb(Transform())
    except LabError:
        return 1.0
    return max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
