"""Captures what a demo does, step by step, for a page: bodies, contact points, joints, events, the referee's differences, the readout.

Positions are rounded to a grid. Its pitch follows from a maximum error for every point of a body, which the recording states: `MAX_ERROR`,
or 1/20,000 of the view if that is less. Contact points are stored relative to the center of the body that they ride on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import Described, InvalidInputError
from engine.contracts.agreement import REASONS
from engine.contracts.contact import PointState, StepContacts
from engine.player.encoding import first_differences, packed_recording, second_differences
from engine.render import palette
from engine.render.interpolation import bends, moved, step_path
from engine.render.packing import PackedShapes, carried_points
from engine.sim.comparison import Comparison
from engine.sim.demo import Demo, StatusLine
from engine.sim.ids import called, readable
from engine.sim.stage import Stage
from engine.world import World

if TYPE_CHECKING:
    from engine.render.sketch import SketchBook

__all__ = ["MAX_ERROR", "Capture"]

MAX_ERROR = 1e-4
"""Maximum distance of any recorded point of a body from its true position, meters."""
_OF_VIEW = 1.0 / 20_000.0
"""The same as a share of the view: 0.06 pixels of 1,280."""
_FOR_CENTER = 2.0 / 3.0
"""Share of the error for the center; the rest is for the rotation. This split takes the fewest bits: two coordinates and one angle."""
_POINT_ERROR = 5.0
"""Maximum error of a contact point, of a separation: times the error of bodies."""
_NORMAL_TURN = 1024
"""Directions of a normal: at most 0.18 degrees off."""
_IMPULSE_STEPS = 8
"""Steps per doubling of an impulse: at most 4.5% off."""
_MIN_IMPULSE = 1e-4
"""Smallest impulse that is distinguished from zero, as a share of the largest."""
_READOUT_SECONDS = 0.1
"""Time between two captures of the readout: nobody reads faster, and some demos compute it in milliseconds."""
_WHOLE_STEPS = 60
"""Number of first steps whose readout is captured after each: a shot is over after a few."""
_MAX_STATES = 1_000_000
"""Maximum number of bodies times steps: 1 GB of memory in a pile, and a page of 7 MB."""
_MAX_GRID = 2.0**52
"""Maximum number of grid pitches from the origin; a body farther away is shown there."""


@dataclass
class _Body:
    """A body whose `facts` do not change, from step `first` on; `parts` are (chunk, row), one after the other."""

    facts: dict[str, Any]
    reach: float
    first: int
    parts: list[tuple[_Chunk, int]] = field(default_factory=list)


@dataclass
class _Chunk:
    """Steps of a stage between two changes of its structure; `states` (b, 4) of each step are center, angle and look of its bodies."""

    world: World
    packed: PackedShapes
    bodies: IntArray
    states: list[FloatArray] = field(default_factory=list)


class _Points(NamedTuple):
    """Contact points of a step, or of all: `key` (4, n) is the stage, both fixtures and the feature; `bodies` (2, n) are A and B."""

    key: IntArray
    step: IntArray
    is_new: NDArray[np.bool_]
    bodies: IntArray
    position: FloatArray
    normal: FloatArray
    separation: FloatArray
    impulse: FloatArray


class _Motion(NamedTuple):
    """Centers of all bodies as decoded, (n, 2), on a grid; that of body k at step s is row ``offsets[k] + s``."""

    pitch: float
    offsets: IntArray
    centers: FloatArray


class Capture:
    """Captures a demo from its present state on; call `update` after each step.

    Parameters
    ----------
    demo : Demo
    beside : Comparison, optional
        A copy of the demo with another solver; only its bodies are captured.
    draw_dropped : callable, optional
        Draws the pictures of dropped bodies.
    n_steps : int
        Number of steps that will be captured.

    Attributes
    ----------
    steps : int
        Number of captured steps.
    notes : list of mapping
        Marks on the timeline, each with `step` and `text`.

    Raises
    ------
    InvalidInputError
        The demo has no world, or the run is too long for its number of bodies.
    """

    def __init__(
        self,
        demo: Demo,
        beside: Comparison | None = None,
        draw_dropped: Callable[[Any, Demo], None] | None = None,
        n_steps: int = 0,
    ) -> None:
        if not demo.stages:
            raise InvalidInputError("demo", "one with a world", Described(demo.title))
        n_bodies = (1 if beside is None else 2) * sum(len(stage.world.body_ids) for stage in demo.stages)
        limit = _MAX_STATES // max(n_bodies, 1)
        if n_steps > limit:
            requirement = f"at most {limit * demo.step_seconds:.4g} s for a page of {n_bodies:,} bodies"
            raise InvalidInputError("seconds", requirement, n_steps * demo.step_seconds)
        self.steps = 0
        self.notes: list[dict[str, Any]] = []
        self._demo, self._beside, self._draw_dropped = demo, beside, draw_dropped
        self._book: SketchBook | None = None
        self._bends: list[tuple[float, ...]] = []
        self._readout_steps = max(round(_READOUT_SECONDS / demo.step_seconds), 1)
        (left, bottom), (right, top) = demo.home().lower, demo.home().upper
        self._facts = {
            "kind": "run",
            "title": demo.title,
            "watch": demo.watch,
            "facts": {"demo": demo.id, "seed": demo.seed, "solver": " ".join(demo.sim.solvers)},
            "seconds": demo.step_seconds,
            "home": [left, bottom, right, top],
            "layers": dict(demo.layers),
        }
        self._max_error = min(MAX_ERROR, _OF_VIEW * max(right - left, top - bottom))
        self._shapes: dict[tuple[object, ...], int] = {}
        self._bodies: list[_Body] = []
        self._chunks: dict[int, _Chunk] = {}
        self._joints: dict[tuple[int, ...], dict[str, Any]] = {}
        self._colors: dict[int, int] = {}
        self._points: list[_Points] = []
        self._events: list[tuple[int, int, int, int]] = []
        self._differences: dict[tuple[object, ...], dict[str, Any]] = {}
        self._runs: list[dict[str, Any]] = []
        self._lines: dict[tuple[str, int], int] = {}
        self._readouts: list[tuple[int, list[int]]] = []
        self._stages: dict[int, dict[str, Any]] = {}
        self._take()

    def update(self) -> None:
        """Capture the state after a step."""
        self.steps += 1
        self._take()

    def _take(self) -> None:
        demos = [self._demo] if self._beside is None else [self._demo, self._beside.demo]
        stages = [(demo, which, stage) for which, demo in enumerate(demos) for stage in demo.stages]
        self._chunks = {number: chunk for number, chunk in self._chunks.items() if number < len(stages)}
        for number, (demo, which, stage) in enumerate(stages):
            self._take_stage(number, stage, demo, which)
        self._take_drawing()
        if self.steps > _WHOLE_STEPS and self.steps % self._readout_steps:
            return
        verdicts = [(verdict.words, palette.of_verdict(verdict.holds)) for verdict in self._demo.verdicts()]
        lines = [self._line(line) for line in (*verdicts, *self._demo.status())]
        if not self._readouts or self._readouts[-1][1] != lines:
            self._readouts.append((self.steps, lines))

    def _line(self, line: StatusLine) -> int:
        """Return the number of a line of the readout."""
        text, color = (line, palette.TEXT) if isinstance(line, str) else line
        return self._lines.setdefault((text, self._color(palette.packed(color))), len(self._lines))

    def _take_drawing(self) -> None:
        """Note what the demo draws behind its bodies and over them."""
        demo = self._demo
        hooks: list[list[Callable[[Any], None]]] = [[], []]
        if type(demo).draw_background is not Demo.draw_background:
            hooks[0].append(demo.draw_background)
        draw_dropped = self._draw_dropped
        if draw_dropped is not None and demo.dropped:
            hooks[0].append(lambda canvas: draw_dropped(canvas, demo))
        if type(demo).draw is not Demo.draw:
            hooks[1].append(demo.draw)
        if self._book is None:
            if not any(hooks):
                return
            from engine.render.sketch import SketchBook  # loads pygame

            self._book = SketchBook(demo.home(), demo.margins(*SketchBook.size, 1.0))
        for stage in demo.stages:
            stage.drawn_poses = stage.world.poses
        self._book.add(self.steps, *hooks)

    def _color(self, color: int) -> int:
        return self._colors.setdefault(color, len(self._colors))

    def _take_stage(self, number: int, stage: Stage, demo: Demo, beside: int) -> None:
        world, chunk = stage.world, self._chunks.get(number)
        if chunk is None or chunk.world is not world or chunk.packed.version != (world.structure_version, palette.theme_name()):
            chunk = self._chunks[number] = self._new_chunk(number, world, chunk)
            self._stages[number] = {"offset": stage.offset, "label": stage.label, "label_at": stage.label_at, "beside": beside}
            if stage.window is not None:
                self._stages[number]["window"] = [*stage.window.lower, *stage.window.upper]
        packed, contacts, poses = chunk.packed, world.contacts, world.poses
        rows = packed.rows_of_contacts(contacts)
        colors = packed.outline_colors(world.awake, demo.body_colors(stage), rows if stage.mark_touching else None)
        kinds, which = np.unique(colors, return_inverse=True)
        numbers = np.array([self._color(color) for color in kinds.tolist()], dtype=np.int64)
        is_outline = np.isin(packed.body_ids, self._outlined(demo, stage))
        looks = 4 * numbers[which] + 2 * is_outline + ~world.awake
        chunk.states.append(np.column_stack((packed.centers_of_mass(poses), poses[:, 2], looks)))
        self._take_bends(chunk, stage)
        if beside:
            return
        positions = carried_points(contacts, packed, poses, rows)
        self._take_points(number, chunk, contacts, positions, rows)
        self._take_joints(number, chunk)
        self._take_differences(number, stage)
        for piece in stage.pieces if self.steps else ():
            for is_end, events in enumerate((piece.contacts.began, piece.contacts.ended)):
                for event in events:
                    a, b = chunk.packed.rows_of(np.array((event.body_a, event.body_b))).tolist()
                    if a >= 0 and b >= 0:
                        self._events.append((self.steps, int(chunk.bodies[a]), int(chunk.bodies[b]), 2 * event.sensor + is_end))

    def _outlined(self, demo: Demo, stage: Stage) -> list[int]:
        """Return the ids of the bodies that are drawn without a fill, because a picture shows them."""
        dropped = demo.dropped if self._draw_dropped is not None else ()
        pictured = (drop.body for drop in dropped if drop.stage is stage and drop.is_there and drop.has_picture)
        return [*demo.outlined_bodies(stage), *pictured]

    def _take_bends(self, chunk: _Chunk, stage: Stage) -> None:
        """Note where the paths of bodies bend inside the step: step, body, fraction of the step, center and angle."""
        ids, fractions, poses = bends(step_path(stage) if self.steps else None)
        rows = chunk.packed.rows_of(ids)
        there = (rows >= 0) & chunk.packed.is_moving[rows]
        rows, poses = rows[there], poses[there]
        centers = moved(chunk.packed.local_centers[rows], poses)
        table = np.column_stack((fractions[there], centers, poses[:, 2])).round(5)
        self._bends += [(self.steps, body, *bend) for body, bend in zip(chunk.bodies[rows].tolist(), table.tolist(), strict=True)]

    def _new_chunk(self, number: int, world: World, before: _Chunk | None) -> _Chunk:
        packed = PackedShapes(world)
        known = {self._bodies[k].facts["id"]: k for k in before.bodies.tolist()} if before is not None and before.world is world else {}
        chunk = _Chunk(world, packed, np.zeros(len(world.body_ids), dtype=np.int64))
        outlines, names = self._outlines(packed), Counter(map(world.name_of, world.body_ids))
        for row, body_id in enumerate(world.body_ids):
            record, (shapes, reach) = world.body(body_id), outlines[row]
            facts = {"stage": number, "id": body_id, "name": _name(record.spec.name, body_id, names[record.spec.name])}
            facts |= {"kind": record.spec.type, "shapes": shapes, "center": record.local_center, "mass": record.mass}
            k = known.get(body_id, -1)
            if k < 0 or self._bodies[k].facts != facts:
                k = len(self._bodies)
                self._bodies.append(_Body(facts, reach, self.steps))
            self._bodies[k].parts.append((chunk, row))
            chunk.bodies[row] = k
        return chunk

    def _outlines(self, packed: PackedShapes) -> list[tuple[tuple[int, ...], float]]:
        """Return for each body the numbers of its shapes, and the distance of its farthest point or origin from its center of mass."""
        numbers: list[list[int]] = [[] for _ in packed.body_ids]
        reach = np.hypot(*packed.local_centers.T)
        for k, row in enumerate(packed.polygon_row.tolist()):
            corners = packed.vertices[packed.starts[k] : packed.starts[k + 1]] - packed.local_centers[row]
            reach[row] = max(reach[row], float(np.hypot(*corners.T).max()))
            numbers[row].append(self._shape(corners.round(7), float(packed.skins[k]), bool(packed.polygon_sensor[k])))
        for k, row in enumerate(packed.circle_row.tolist()):
            center, radius = packed.centers[k] - packed.local_centers[row], float(packed.radii[k])
            reach[row] = max(reach[row], float(np.hypot(*center)) + radius)
            numbers[row].append(self._shape(center.round(7)[None], radius, bool(packed.circle_sensor[k])))
        return [(tuple(shapes), float(far)) for shapes, far in zip(numbers, reach, strict=True)]

    def _shape(self, points: FloatArray, radius: float, is_sensor: bool) -> int:
        key = tuple(map(tuple, points.tolist())), radius, is_sensor
        return self._shapes.setdefault(key, len(self._shapes))

    def _take_points(self, number: int, chunk: _Chunk, contacts: StepContacts, positions: FloatArray, rows: IntArray) -> None:
        row, which = np.nonzero((contacts.state >= 0) & (rows.min(axis=0) >= 0)[:, None])
        fixtures = np.stack((contacts.fixture_a, contacts.fixture_b))[:, row]
        self._points.append(
            _Points(
                key=np.stack((np.full(len(row), number), *fixtures, contacts.feature_id[row, which])),
                step=np.full(len(row), self.steps),
                is_new=contacts.state[row, which] == PointState.ADD,
                bodies=chunk.bodies[rows[:, row]],
                position=positions[row, which].T,
                normal=contacts.normal[row].T,
                separation=contacts.separation[row, which],
                impulse=np.stack((contacts.normal_impulse[row, which], contacts.tangent_impulse[row, which])),
            )
        )

    def _take_joints(self, number: int, chunk: _Chunk) -> None:
        world = chunk.world
        for joint_id in world.joint_ids:
            ends = zip(world.joint_bodies(joint_id), world.joint_anchors(joint_id), strict=True)
            (a, at_a), (b, at_b) = (self._local(chunk, body, anchor) for body, anchor in ends)
            new = {"stage": number, "a": a, "b": b, "at_a": [], "at_b": at_b, "first": self.steps}
            joint = self._joints.setdefault((number, joint_id, a, b), new)
            joint["last"] = self.steps
            if joint is new or (a < 0 and joint["at_a"][-1][1:] != at_a):
                joint["at_a"].append([self.steps, *at_a])

    def _local(self, chunk: _Chunk, body: int | None, point: tuple[float, float]) -> tuple[int, list[float]]:
        """Return the number of a body, and a world point relative to its center, in its frame; -1 and the point itself without a body."""
        if body is None:
            return -1, list(point)
        row = chunk.world.row_of(body)
        x, y, angle, _ = chunk.states[-1][row].tolist()
        dx, dy, cos, sin = point[0] - x, point[1] - y, np.cos(angle), np.sin(angle)
        return int(chunk.bodies[row]), [round(float(cos * dx + sin * dy), 6), round(float(cos * dy - sin * dx), 6)]

    def _take_differences(self, number: int, stage: Stage) -> None:
        """Note the referee's differences; one that lasts is noted once, with its largest size and the evidence for that."""
        for difference in stage.agreement.differences if self.steps else ():
            key = (number, difference.fixture_a, difference.fixture_b, difference.reason)
            run = self._differences.get(key)
            if run is None or run["first"] + run["steps"] != self.steps:
                run = {"stage": number, "pair": key[:3], "at": difference.position, "reason": difference.reason, "first": self.steps}
                run |= {"steps": 0, "size": -1.0}
                self._differences[key] = run
                self._runs.append(run)
            run["steps"] += 1
            if difference.size > run["size"]:
                run |= {"size": difference.size, "worst": self.steps, "evidence": readable(difference.evidence)}
                run |= {"box2d": difference.box2d_normal, "ours": difference.ours_normal}

    def _parting(self, beside: Comparison) -> dict[str, Any]:
        """Return the text about a copy: its solver, and where and when it first diverged."""
        parted = beside.distances.run(beside.now).parted
        text = "" if parted is None else f"{beside.name(parted.stage, parted.body)} {1000.0 * parted.meters:.2g} mm apart"
        return {"solver": " ".join(beside.demo.sim.solvers), "step": None if parted is None else parted.step, "text": text}

    # -- the recording ------------------------------------------------------------------------------------------------

    def packed(self) -> str:
        """Return everything captured so far, in the form that `engine.player.encoding` packs; any thread may call it if there are no
        copies.
        """
        bodies, streams, motion = self._packed_bodies()
        points, pairs, tracks = self._packed_points(motion)
        streams |= tracks
        drawing = self._book.as_json(lambda color: self._color(palette.packed(palette.now(color)))) if self._book is not None else {}
        reasons = {run["reason"] for run in self._runs}
        header = {
            **self._facts,
            "steps": self.steps,
            "stages": [self._stages[number] for number in sorted(self._stages)],
            "besides": [] if self._beside is None else [self._parting(self._beside)],
            "shapes": [{"points": points, "radius": radius, "sensor": is_sensor} for points, radius, is_sensor in self._shapes],
            "bodies": bodies,
            "pitch": motion.pitch,
            "max_error": self._max_error,
            "points": points,
            "joints": list(self._joints.values()),
            "events": self._events,
            "colors": [[f"#{palette.packed(color):06x}" for color in palette.in_both(palette.unpacked(number))] for number in self._colors],
            "notes": self.notes,
            "differences": [{**run, "pair": pairs.get(run["pair"], 0)} for run in self._runs],
            "reasons": {name: [REASONS[name].name, REASONS[name].sentence] for name in sorted(reasons)},
            "bends": self._bends,
            "drawing": drawing,
            "lines": list(self._lines),
            "readouts": self._readouts,
        }
        return packed_recording(header, streams)

    def _packed_bodies(self) -> tuple[list[dict[str, Any]], dict[str, IntArray], _Motion]:
        """Return the bodies, the streams of their motion and looks, and the motion as a reader decodes it."""
        chunks = {id(chunk): np.stack(chunk.states) for body in self._bodies for chunk, _ in body.parts}
        parts = [[chunks[id(chunk)][:, row] for chunk, row in body.parts] for body in self._bodies]
        lengths = np.array([sum(map(len, part)) for part in parts], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        pitch = 2.0**0.5 * _FOR_CENTER * self._max_error
        turns = np.array([2.0 * (1.0 - _FOR_CENTER) * self._max_error / max(body.reach, self._max_error) for body in self._bodies])
        flat = np.concatenate([np.zeros((0, 4)), *(piece for part in parts for piece in part)])
        pitches = np.column_stack((np.full((len(flat), 2), pitch), np.repeat(turns, lengths), np.ones(len(flat))))
        grid = np.clip(np.rint(flat / pitches), -_MAX_GRID, _MAX_GRID).astype(np.int64)
        streams = {name: second_differences(grid[:, k], starts) for k, name in enumerate(("x", "y", "angle"))}
        streams["look"] = first_differences(grid[:, 3], starts)
        bodies = [
            {**body.facts, "first": body.first, "steps": length, "turn": turn}
            for body, length, turn in zip(self._bodies, lengths.tolist(), turns.tolist(), strict=True)
        ]
        firsts = np.array([body.first for body in self._bodies], dtype=np.int64)
        return bodies, streams, _Motion(pitch, starts - firsts, pitch * grid[:, :2])

    def _packed_points(self, motion: _Motion) -> tuple[dict[str, float], dict[tuple[int, ...], int], dict[str, IntArray]]:
        """Return the pitches of contact points, the numbers of pairs of fixtures, from 1, by stage and fixtures, and the streams of the
        points: a track for each point of a pair, from its first step to its last."""
        points = _Points._make(np.concatenate(columns, axis=-1) for columns in zip(*self._points, strict=True))
        order = np.lexsort((points.step, *points.key[::-1]))
        points = _Points._make(column[..., order] for column in points)
        same = np.concatenate((points.key, points.bodies))
        begins = points.is_new | (np.diff(points.step, prepend=-2) != 1) | (np.diff(same, prepend=-1) != 0).any(axis=0)
        starts = np.flatnonzero(begins)
        is_moving = np.array([body.facts["kind"] != "static" for body in self._bodies])
        carrier = np.where(is_moving[points.bodies[1]], points.bodies[1], points.bodies[0])  # the body that a point rides on
        pitch, gap_pitch = 2.0**0.5 * _POINT_ERROR * self._max_error, 2.0 * self._max_error
        at = points.position - motion.centers[motion.offsets[carrier] + points.step].T
        largest = float(np.abs(points.impulse).max(initial=0.0))
        least = max(_MIN_IMPULSE * largest, 1e-300)
        turn = np.rint(np.arctan2(points.normal[1], points.normal[0]) * (_NORMAL_TURN / (2.0 * np.pi)))
        impulse = np.sign(points.impulse) * np.rint(_IMPULSE_STEPS * np.log2(1.0 + np.abs(points.impulse) / least))
        columns = np.rint(np.vstack((at / pitch, points.separation / gap_pitch, impulse, turn))).astype(np.int64)
        names = ("x", "y", "separation", "impulse", "tangent", "normal")
        streams = {f"point_{name}": first_differences(column, starts) for name, column in zip(names, columns, strict=True)}
        half = _NORMAL_TURN // 2
        streams["point_normal"] = (streams["point_normal"] + half) % _NORMAL_TURN - half
        tracks = {
            "track_first": points.step[starts],
            "track_a": points.bodies[0, starts],
            "track_b": points.bodies[1, starts],
            "track_pair": np.cumsum((np.diff(points.key[:3, starts], prepend=-1) != 0).any(axis=0)),
        }
        pairs = dict(zip(map(tuple, points.key[:3, starts].T.tolist()), tracks["track_pair"].tolist(), strict=True))
        streams |= {name: first_differences(column, np.zeros(0, dtype=np.int64)) for name, column in tracks.items()}
        streams["track_steps"] = np.diff(starts, append=len(begins))
        pitches = {"pitch": pitch, "gap_pitch": gap_pitch, "turn": _NORMAL_TURN, "doubling": _IMPULSE_STEPS, "least_impulse": least}
        return pitches, pairs, streams


def _name(name: str, body: int, n_bodies: int) -> str:
    """Return a body's display name: its name, with its id if the name is not unique, or only its id."""
    known = called("body", body)
    return known if not name else name if n_bodies == 1 else f"{name} ({known})"
