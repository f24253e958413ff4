"""Draws Tuk, the bird of the demo `nonconvex_characters`: ``python -m sprites.draw_figure``.

Writes `figure.png`, a strip of five frames (standing, then a walk of four), `figure.json`, the scale and the true outline of
the standing frame, and `figure_body.json`, that frame traced from the picture and cut into convex pieces, all beside this
script. The bird is a handful of signed distance functions in meters, y up, the origin on the ground between the feet: the
picture is their color, the outline is the zero of their union, so the two cannot drift apart.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.decompose import BodyFile, body_of_file, save_body

PIXELS_PER_METRE = 240
LEFT, RIGHT, BOTTOM, TOP = -0.70, 1.00, -0.05, 1.75  # meters; what one frame shows
LINE = 0.016  # meters; the dark line around everything belongs to the figure
OUTLINE_TOLERANCE = 0.002  # meters between the outline's polygon and the curve: half a pixel

Point = tuple[float, float]
Color = tuple[float, float, float]


class Grid:
    """Pixel centers of one frame in meters, and the signed distances of plain shapes at them (negative inside)."""

    def __init__(self, pixels_per_metre: float) -> None:
        self.n_columns = round((RIGHT - LEFT) * pixels_per_metre)
        self.n_rows = round((TOP - BOTTOM) * pixels_per_metre)
        self.pixel = 1.0 / pixels_per_metre
        x = LEFT + (np.arange(self.n_columns) + 0.5) * self.pixel
        y = TOP - (np.arange(self.n_rows) + 0.5) * self.pixel
        self.x, self.y = np.meshgrid(x, y)

    def circle(self, center: Point, radius: float) -> FloatArray:
        return np.hypot(self.x - center[0], self.y - center[1]) - radius

    def ellipse(self, center: Point, radii: Point, angle: float = 0.0) -> FloatArray:
        """Distance to first order: exact on the curve, which is where it is used."""
        x, y = self.x - center[0], self.y - center[1]
        c, s = np.cos(angle), np.sin(angle)
        u, v = (c * x + s * y) / radii[0], (-s * x + c * y) / radii[1]
        value = np.hypot(u, v)
        slope = np.hypot(u / radii[0], v / radii[1])
        return value * (value - 1.0) / np.maximum(slope, 1e-9)

    def stroke(self, a: Point, b: Point, radius_a: float, radius_b: float) -> FloatArray:
        """A line whose thickness changes from one end to the other."""
        ax, ay = self.x - a[0], self.y - a[1]
        bx, by = b[0] - a[0], b[1] - a[1]
        along = np.clip((ax * bx + ay * by) / (bx * bx + by * by), 0.0, 1.0)
        return np.hypot(ax - along * bx, ay - along * by) - (radius_a + along * (radius_b - radius_a))

    def polygon(self, corners: list[Point], rounding: float) -> FloatArray:
        """A polygon with rounded corners; `corners` are those of its core."""
        nearest_sq = np.full(self.x.shape, np.inf)
        inside = np.zeros(self.x.shape, dtype=bool)
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            ex, ey = bx - ax, by - ay
            px, py = self.x - ax, self.y - ay
            along = np.clip((px * ex + py * ey) / (ex * ex + ey * ey), 0.0, 1.0)
            nearest_sq = np.minimum(nearest_sq, (px - along * ex) ** 2 + (py - along * ey) ** 2)
            if ey != 0.0:
                crosses = (ay > self.y) != (by > self.y)
                inside ^= crosses & (self.x < ax + (self.y - ay) * ex / ey)
        return np.where(inside, -1.0, 1.0) * np.sqrt(nearest_sq) - rounding


def blend(a: FloatArray, b: FloatArray, softness: float) -> FloatArray:
    """Union with a fillet of about `softness` meters where the two meet."""
    h = np.clip(0.5 + 0.5 * (b - a) / softness, 0.0, 1.0)
    return b + (a - b) * h - softness * h * (1.0 - h)


# Strides. For the far and the near foot its shift forward and its lift, then the lift of the whole bird, meters.
FRAMES: tuple[tuple[tuple[float, float], tuple[float, float], float], ...] = (
    ((0.0, 0.0), (0.0, 0.0), 0.0),  # standing
    ((-0.09, 0.05), (0.11, 0.0), 0.0),
    ((0.10, 0.09), (-0.06, 0.0), 0.02),
    ((0.27, 0.0), (-0.25, 0.05), 0.0),
    ((0.10, 0.0), (-0.06, 0.09), 0.02),
)


class Tuk:
    """The parts of the bird at one stride, as signed distances over a grid."""

    def __init__(self, grid: Grid, frame: int) -> None:
        far, near, bob = FRAMES[frame]
        g = grid
        self.bob = bob
        self.far_leg, self.far_foot = self._leg(g, -0.085, far)
        self.near_leg, self.near_foot = self._leg(g, 0.105, near)
        torso = g.ellipse((-0.03, 0.58 + bob), (0.27, 0.33), 0.18)
        self.head = g.circle((0.10, 1.17 + bob), 0.34)
        self.body = blend(torso, self.head, 0.10)
        self.tail = np.minimum(
            g.stroke((-0.22, 0.50 + bob), (-0.43, 0.53 + bob), 0.07, 0.045),
            g.stroke((-0.22, 0.54 + bob), (-0.40, 0.63 + bob), 0.07, 0.040),
        )
        self.crest = np.minimum.reduce(
            [
                g.stroke((0.06, 1.46 + bob), (-0.10, 1.64 + bob), 0.055, 0.018),
                g.stroke((0.09, 1.47 + bob), (0.00, 1.68 + bob), 0.055, 0.018),
                g.stroke((0.12, 1.47 + bob), (0.10, 1.66 + bob), 0.055, 0.018),
            ]
        )
        self.beak = g.polygon(
            [(0.36, 1.27 + bob), (0.55, 1.30 + bob), (0.76, 1.25 + bob), (0.88, 1.13 + bob), (0.86, 1.04 + bob), (0.74, 1.07 + bob),
             (0.56, 1.04 + bob), (0.36, 1.03 + bob)],
            0.035,
        )  # fmt: skip
        self.mouth = g.polygon([(0.42, 1.125 + bob), (0.60, 1.130 + bob), (0.78, 1.115 + bob), (0.60, 1.136 + bob)], 0.004)
        self.wing = blend(
            g.ellipse((-0.10, 0.62 + bob), (0.16, 0.22), 0.35), g.stroke((-0.14, 0.52 + bob), (-0.27, 0.37 + bob), 0.09, 0.02), 0.06
        )
        self.belly = g.ellipse((0.075, 0.54 + bob), (0.19, 0.26), 0.12)
        self.face = blend(g.circle((0.22, 1.21 + bob), 0.185), g.circle((0.20, 1.02 + bob), 0.12), 0.08)

    @staticmethod
    def _leg(g: Grid, x: float, stride: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        ahead, lift = stride
        ankle = (x + ahead, 0.075 + lift)
        leg = g.stroke((x + 0.25 * ahead, 0.34), ankle, 0.042, 0.036)
        heel, toe = x + ahead - 0.085, x + ahead + 0.125
        foot = g.polygon([(heel, 0.040 + lift), (toe, 0.040 + lift), (toe - 0.03, 0.052 + lift), (heel + 0.07, 0.085 + lift)], 0.040 - LINE)
        return leg, foot

    def parts(self) -> list[FloatArray]:
        legs = [self.far_leg, self.far_foot, self.near_leg, self.near_foot]
        return [*legs, self.tail, self.crest, self.body, self.beak, self.wing]

    def silhouette(self) -> FloatArray:
        """Signed distance of the whole bird, its dark line included."""
        return np.minimum.reduce(self.parts()) - LINE


INK: Color = (0.10, 0.09, 0.20)
PLUM: Color = (0.36, 0.42, 0.86)
PLUM_LIGHT: Color = (0.55, 0.64, 0.98)
PLUM_DARK: Color = (0.25, 0.27, 0.66)
CREAM: Color = (1.00, 0.95, 0.84)
CREAM_SHADE: Color = (0.93, 0.82, 0.70)
AMBER: Color = (1.00, 0.77, 0.22)
CORAL: Color = (0.96, 0.40, 0.26)
FOOT: Color = (0.98, 0.62, 0.20)
FOOT_FAR: Color = (0.82, 0.47, 0.16)


class Painting:
    """Colors in layers, the later over the earlier, edges covered by the share of the pixel that they cover."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.rgb = np.zeros((*grid.x.shape, 3))
        self.alpha = np.zeros(grid.x.shape)

    def cover(self, distance: FloatArray, softness: float = 0.0) -> FloatArray:
        width = max(self.grid.pixel, softness)
        return np.clip(0.5 - distance / width, 0.0, 1.0)

    def lay(self, coverage: FloatArray, color: Color | FloatArray) -> None:
        weight = coverage[..., None]
        paint = np.asarray(color) * np.ones_like(self.rgb)
        self.rgb = np.where(self.alpha[..., None] > 0.0, self.rgb * (1.0 - weight) + paint * weight, paint)
        self.alpha = coverage + self.alpha * (1.0 - coverage)

    def part(self, distance: FloatArray, color: Color | FloatArray) -> None:
        """A part with its dark line around it."""
        self.lay(self.cover(distance - LINE), INK)
        self.lay(self.cover(distance), color)

    def between(self, low: Color, high: Color, share: FloatArray) -> FloatArray:
        s = np.clip(share, 0.0, 1.0)[..., None]
        return np.asarray(low) * (1.0 - s) + np.asarray(high) * s


def paint(frame: int, pixels_per_metre: float) -> FloatArray:
    """Return one frame as RGBA rows, float64 (rows, columns, 4), 0 to 1."""
    g = Grid(pixels_per_metre)
    tuk = Tuk(g, frame)
    p = Painting(g)
    bob = tuk.bob
    plumage = p.between(PLUM_DARK, PLUM_LIGHT, 0.25 + 0.42 * (g.y - 0.3) - 0.25 * g.x)

    p.part(tuk.far_leg, FOOT_FAR)
    p.part(tuk.far_foot, FOOT_FAR)
    p.part(tuk.tail, p.between(PLUM_DARK, PLUM, (g.x + 0.45) / 0.25))
    p.part(tuk.crest, p.between(PLUM, CORAL, (g.y - 1.48 - bob) / 0.16))
    p.part(tuk.near_leg, FOOT)
    p.part(tuk.body, plumage)
    inside = p.cover(tuk.body)
    p.lay(inside * p.cover(tuk.body + 0.030, 0.05) * 0.25, p.between(PLUM, (0.80, 0.86, 1.0), (g.y - 1.0) / 0.5))
    p.lay(inside * p.cover(tuk.belly, 0.008), p.between(CREAM_SHADE, CREAM, (g.y - 0.32) / 0.35))
    for row, offset in enumerate((0.0, 0.045, 0.0)):  # three rows of feather ticks on the belly
        for column in range(3):
            x, y = 0.02 + 0.09 * column + offset - 0.02, 0.62 - 0.09 * row + bob
            down, up = g.stroke((x - 0.018, y + 0.010), (x, y), 0.006, 0.006), g.stroke((x, y), (x + 0.018, y + 0.010), 0.006, 0.006)
            tick = np.minimum(down, up)
            p.lay(inside * p.cover(tuk.belly + 0.03) * p.cover(tick) * 0.55, CREAM_SHADE)
    p.lay(inside * p.cover(tuk.face, 0.008), p.between(CREAM_SHADE, CREAM, (g.y - 0.92 - bob) / 0.25))
    p.lay(p.cover(g.ellipse((0.255, 1.045 + bob), (0.062, 0.042)), 0.05) * 0.75, (0.98, 0.58, 0.52))
    p.part(tuk.near_foot, FOOT)
    ahead, lift = FRAMES[frame][1]
    p.lay(p.cover(g.stroke((0.205 + ahead, 0.062 + lift), (0.155 + ahead, 0.072 + lift), 0.010, 0.006)) * 0.6, AMBER)

    p.part(tuk.wing, p.between(PLUM_DARK, PLUM, (g.y - 0.30 - bob) / 0.5))
    for k in range(3):
        a, b = (-0.05 - 0.055 * k, 0.60 + bob - 0.02 * k), (-0.15 - 0.045 * k, 0.46 + bob)
        p.lay(p.cover(tuk.wing + 0.02) * p.cover(g.stroke(a, b, 0.004, 0.008)) * 0.5, INK)

    p.part(tuk.beak, p.between(AMBER, CORAL, (g.x - 0.44) / 0.36 + (1.14 + bob - g.y) * 0.9))
    p.lay(p.cover(tuk.beak) * p.cover(g.ellipse((0.56, 1.265 + bob), (0.16, 0.022), -0.05), 0.03) * 0.7, (1.0, 0.93, 0.66))
    p.lay(p.cover(tuk.beak - 0.5 * LINE) * p.cover(g.circle((0.93, 1.07 + bob), 0.115)), INK)
    p.lay(p.cover(tuk.mouth), INK)
    p.lay(p.cover(g.ellipse((0.455, 1.225 + bob), (0.020, 0.010), -0.2)), (0.55, 0.24, 0.12))

    eye = (0.225, 1.235 + bob)
    p.part(g.circle(eye, 0.092), (1.0, 1.0, 1.0))
    p.lay(p.cover(g.circle((eye[0] + 0.022, eye[1] - 0.004), 0.060)), (0.30, 0.20, 0.14))
    p.lay(p.cover(g.circle((eye[0] + 0.026, eye[1] - 0.004), 0.043)), INK)
    p.lay(p.cover(g.circle((eye[0] + 0.000, eye[1] + 0.028), 0.021)), (1.0, 1.0, 1.0))
    p.lay(p.cover(g.circle((eye[0] + 0.046, eye[1] - 0.030), 0.009)), (1.0, 1.0, 1.0))
    brow = g.stroke((0.14, 1.375 + bob), (0.26, 1.385 + bob), 0.010, 0.016)
    p.lay(inside * p.cover(brow), INK)
    return np.dstack((p.rgb, p.cover(tuk.silhouette())))


def outline(pixels_per_metre: float = 960.0) -> list[Point]:
    """Return the outer outline of the standing bird: a simple polygon, counter-clockwise, meters.

    The zero of the signed distance is followed along the edges of a fine grid (marching squares), then thinned so that
    no point of the curve lies farther than `OUTLINE_TOLERANCE` from the polygon.
    """
    grid = Grid(pixels_per_metre)
    curve = _follow_zero(grid, Tuk(grid, 0).silhouette())
    far = int(np.argmax(np.hypot(*(curve - curve[0]).T)))
    ring = np.vstack((_thin(curve[: far + 1])[:-1], _thin(np.vstack((curve[far:], curve[:1])))[:-1]))
    return [(round(float(x), 4), round(float(y), 4)) for x, y in ring]


def _follow_zero(grid: Grid, value: FloatArray) -> FloatArray:
    """Join the crossings of the grid's edges, cell by cell, into the longest closed curve."""
    inside = value < 0.0
    links: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
    rows, columns = np.nonzero(
        (inside[:-1, :-1] != inside[1:, :-1]) | (inside[:-1, :-1] != inside[:-1, 1:]) | (inside[:-1, :-1] != inside[1:, 1:])
    )
    for r, c in zip(rows.tolist(), columns.tolist(), strict=True):
        edges = [(0, r, c), (1, r, c + 1), (0, r + 1, c), (1, r, c)]  # top, right, bottom, left; 0 runs along x, 1 along y
        corners = [inside[r, c], inside[r, c + 1], inside[r + 1, c + 1], inside[r + 1, c]]
        crossed = [edges[k] for k in range(4) if corners[k] != corners[(k + 1) % 4]]
        for a, b in zip(crossed[::2], crossed[1::2], strict=True):
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)

    def crossing(edge: tuple[int, int, int]) -> Point:
        kind, r, c = edge
        r2, c2 = (r, c + 1) if kind == 0 else (r + 1, c)
        t = value[r, c] / (value[r, c] - value[r2, c2])
        x = grid.x[r, c] + t * (grid.x[r2, c2] - grid.x[r, c])
        return float(x), float(grid.y[r, c] + t * (grid.y[r2, c2] - grid.y[r, c]))

    loops: list[list[Point]] = []
    unseen = dict.fromkeys(links)
    while unseen:
        start = at = next(iter(unseen))
        loop = []
        while at in unseen:
            del unseen[at]
            loop.append(crossing(at))
            at = next((edge for edge in links[at] if edge in unseen), start)
        loops.append(loop)
    curve = np.array(max(loops, key=len))
    x, y = curve.T
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return curve if area > 0.0 else curve[::-1]


def _thin(chain: FloatArray) -> FloatArray:
    """Douglas and Peucker: keep the point farthest from the chord while it is too far, and try again on both sides."""
    a, b = chain[0], chain[-1]
    chord = b - a
    offset = np.abs(chord[0] * (chain[:, 1] - a[1]) - chord[1] * (chain[:, 0] - a[0])) / max(float(np.hypot(*chord)), 1e-12)
    worst = int(np.argmax(offset))
    if len(chain) <= 2 or offset[worst] <= OUTLINE_TOLERANCE:
        return np.vstack((a, b))
    return np.vstack((_thin(chain[: worst + 1])[:-1], _thin(chain[worst:])))


def picture(pixels_per_metre: float) -> pygame.Surface:
    """Return all frames side by side, with transparency."""
    strip = np.hstack([paint(frame, pixels_per_metre) for frame in range(len(FRAMES))])
    rgba = np.ascontiguousarray((np.clip(strip, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8))
    return pygame.image.frombuffer(rgba.tobytes(), (rgba.shape[1], rgba.shape[0]), "RGBA")


def main(folder: Path = Path(__file__).parent) -> None:
    """Write the picture and the outline into `folder`."""
    pygame.image.save(picture(PIXELS_PER_METRE), folder / "figure.png")
    points = ",\n    ".join(json.dumps(point) for point in outline())
    text = (
        "{\n"
        f'  "pixels_per_metre": {PIXELS_PER_METRE},\n  "frames": {len(FRAMES)},\n'
        f'  "lower": {json.dumps([LEFT, BOTTOM])},\n  "upper": {json.dumps([RIGHT, TOP])},\n'
        f'  "outline": [\n    {points}\n  ]\n'
        "}\n"
    )
    (folder / "figure.json").write_text(text, encoding="utf-8")
    save_body(folder / "figure_body.json", traced(folder / "figure.png"))


def traced(strip: Path) -> BodyFile:
    """Return the body that tracing the standing frame of the picture gives."""
    width, height = round((RIGHT - LEFT) * PIXELS_PER_METRE), round((TOP - BOTTOM) * PIXELS_PER_METRE)
    return body_of_file(strip, pixels_per_metre=PIXELS_PER_METRE, crop=(0, 0, width, height))


if __name__ == "__main__":
    main()
