"""Hostile files, which are small but take extremely long to process. `KINDS` names each kind with a maker and the largest size within the
limits.

A maker takes a size and returns the content; with a tenth of the size, the file is harmless. All random content is seeded.
"""

from __future__ import annotations

import io
import json
import math
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from PIL import Image

from engine.sim.recordings.records import HASH_BYTES, Back, End, Header, Part, encode_record, frame, start_of_file

__all__ = ["KINDS", "NASTY_NAME", "SURROGATE", "Hostile", "recording"]

NASTY_NAME = "a\x1b[31mb\x1b]0;owned\x07c\x08\x9bd\u202ee\u2066f\u200bg\u2028h\r\nk"
"""Escape sequences of seven and eight bits, a bell, a backspace, marks that turn the direction of writing, ends of lines."""
SURROGATE = "half \ud83d of a pair"
"""Half of a pair of UTF-16, which JSON lets through and no encoding can write."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A kind of file: its suffix, its maker, and the size for the full test battery."""

    suffix: str
    make: Callable[[int], bytes]
    size: int


# -- drawings ---------------------------------------------------------------------------------------------------------


def _svg(body, size=2000.0, more=""):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size:g} {size:g}"{more}>{body}</svg>'.encode()


def _path(points, more=""):
    return f'<path {more} d="M{"L".join(f"{x:.6g} {y:.6g}" for x, y in points)}z"/>'


def _comb(n_corners, base, tips, shift=0.0):
    """Teeth from `base` to `tips`, over the whole width."""
    n_teeth = max(1, n_corners // 2)
    width = 2000.0 / n_teeth
    teeth = [((k + 0.5 * side + shift) * width, tips if side else base) for k in range(n_teeth) for side in (0, 1)]
    back = base + 0.2 * (base - tips)
    return [*teeth, (2000.0, back), (0.0, back)]


def comb(n):
    """A comb of n corners, with pointed teeth."""
    return _svg(_path(_comb(n, 1800.0, 200.0)))


def square_comb(n):
    """A comb of n corners with square teeth."""
    n_teeth = max(1, n // 4)
    width = 2000.0 / n_teeth
    points = [((k + at) * width, y) for k in range(n_teeth) for at, y in ((0.0, 1800.0), (0.0, 200.0), (0.5, 200.0), (0.5, 1800.0))]
    return _svg(_path([*points, (2000.0, 1900.0), (0.0, 1900.0)]))


def two_combs(n):
    """Two combs with interleaved teeth."""
    return _svg(_path(_comb(n // 2, 1800.0, 300.0)) + _path(_comb(n // 2, 200.0, 1700.0, 0.25)))


def crossed_combs(n):
    """Two combs, with each tooth of one crossing all teeth of the other."""
    comb = _comb(n // 2, 1800.0, 200.0)
    return _svg(_path(comb) + _path([(y, x) for x, y in comb]))


def rectangles(n):
    """n separate rectangles."""
    across = math.ceil(math.sqrt(n))
    step = 2000.0 / across
    return _svg("".join(_rect(k % across * step, k // across * step, 0.7 * step, 0.7 * step) for k in range(n)))


def overlapping_rectangles(n):
    """n random rectangles, each of which overlaps many others."""
    dice = random.Random(0)
    return _svg(
        "".join(_rect(dice.uniform(0, 1500), dice.uniform(0, 1500), dice.uniform(20, 500), dice.uniform(20, 500)) for _ in range(n))
    )


def _rect(x, y, width, height):
    return f'<rect x="{x:.5g}" y="{y:.5g}" width="{width:.5g}" height="{height:.5g}"/>'


def lattice(n):
    """n thin bars, half of which cross the other half: n^2 / 4 crossings and as many holes."""
    half = max(1, n // 2)
    step = 2000.0 / half
    return _svg("".join(_rect(k * step, 0, 0.4 * step, 2000) + _rect(0, k * step, 2000, 0.4 * step) for k in range(half)))


def slivers(n):
    """n slivers through one point, at all angles."""
    spokes = []
    for k in range(n):
        dx, dy = 900.0 * math.cos(math.pi * k / n), 900.0 * math.sin(math.pi * k / n)
        spokes.append(_path([(1000 - dx, 1000 - dy), (1000 + dx, 1000 + dy), (1000 - dx - 0.02 * dy, 1000 - dy + 0.02 * dx)]))
    return _svg("".join(spokes))


def thrown_slivers(n):
    """n random slivers, most of which cross most others."""
    dice = random.Random(0)
    thrown = []
    for _ in range(n):
        (x, y), (u, v) = ((dice.uniform(0, 2000), dice.uniform(0, 2000)) for _ in range(2))
        thrown.append(_path([(x, y), (u, v), (u + 3, v + 3)]))
    return _svg("".join(thrown))


def spiral(n):
    """A spiral of n corners."""
    turns = max(2.0, math.sqrt(n) / 4.0)
    there = [(1.0 - k / n, turns * 2.0 * math.pi * k / n) for k in range(n // 2)]
    way = [(1000 + 950 * r * math.cos(a), 1000 + 950 * r * math.sin(a)) for r, a in there]
    back = [(1000 + 950 * (r - 0.4 / turns) * math.cos(a), 1000 + 950 * (r - 0.4 / turns) * math.sin(a)) for r, a in reversed(there)]
    return _svg(_path([*way, *back]))


def nested(n):
    """n nested squares, every other one a hole."""
    rings = []
    for k in range(n):
        a, b = 990.0 * (k + 1) / n, 1000.0
        rings.append(f"M{b - a:.6g} {b - a:.6g}H{b + a:.6g}V{b + a:.6g}H{b - a:.6g}z")
    return _svg(f'<path fill-rule="evenodd" d="{"".join(rings)}"/>')


def holes(n):
    """A square with n triangular holes."""
    across = math.ceil(math.sqrt(n))
    step = 1960.0 / across
    rings = [
        f"M{20 + k % across * step:.6g} {20 + k // across * step:.6g}h{0.7 * step:.5g}l{-0.3 * step:.5g} {0.6 * step:.5g}z"
        for k in range(n)
    ]
    return _svg(f'<path fill-rule="evenodd" d="M0 0H2000V2000H0z{"".join(rings)}"/>')


def scribble(n):
    """A random line of n corners that crosses itself."""
    dice = random.Random(0)
    return _svg(_path([(dice.uniform(0, 2000), dice.uniform(0, 2000)) for _ in range(n)]))


def scribbles(n):
    """n lines, each with the maximum number of crossings."""
    dice = random.Random(0)
    return _svg("".join(_path([(dice.uniform(0, 2000), dice.uniform(0, 2000)) for _ in range(240)]) for _ in range(n)))


def jagged(n):
    """A disc with n random teeth."""
    dice = random.Random(0)
    at = ((2.0 * math.pi * k / n, dice.uniform(500, 950)) for k in range(n))
    return _svg(_path([(1000 + r * math.cos(a), 1000 + r * math.sin(a)) for a, r in at]))


def curves(n):
    """n curves that need many points each."""
    dice = random.Random(0)
    return _svg(
        f'<path d="M0 0{"".join(f"C{dice.randrange(9999)} 9 9 {dice.randrange(9999)} {dice.randrange(999)} 9" for _ in range(n))}z"/>'
    )


def copies(n):
    """A shape copied by nested copies, n elements in total."""
    levels = max(1, int(math.log2(n)) - 2)
    defs = "".join(f'<g id="g{k}"><use href="#g{k - 1}"/><use href="#g{k - 1}" x="{2**k}"/></g>' for k in range(1, levels))
    return _svg(f'<defs><rect id="g0" width="1" height="9"/>{defs}</defs><use href="#g{levels - 1}"/>')


def words(n):
    """A group with n words, around shapes that inherit all of them."""
    return _svg(f'<g class="{" ".join(f"w{k}" for k in range(n))}">{_rect(1, 1, 9, 9) * n}</g>')


def rules(n):
    """A style sheet of n rules, for n shapes with a class."""
    sheet = "".join(f".c{k}{{fill:red}}" for k in range(n))
    return _svg(f"<style>{sheet}</style>" + "".join(f'<rect class="c{k} c{n - k}" width="{k + 1}" height="9"/>' for k in range(n)))


def transforms(n):
    """n transforms of one shape."""
    return _svg(f'<rect transform="{"rotate(1)translate(1 1)" * n}" width="9" height="9"/>')


def long_number(n):
    """A number of n digits."""
    return _svg(f'<path d="M0 0H9{"0" * n}V9z"/><rect width="1{"1" * n}" height="3"/>')


def deep(n):
    """Groups within groups."""
    return _svg("<g>" * n + "</g>" * n)


def faces(n):
    """Shapes that share n corners and edges: a carpet of triangles without gaps."""
    across = max(1, math.isqrt(n // 2))
    step = 2000.0 / across
    cells = ((k % across * step, k // across * step) for k in range(across * across))
    return _svg(f'<path fill-rule="nonzero" d="{"".join(f"M{x:.5g} {y:.5g}h{step:.5g}v{step:.5g}z" for x, y in cells)}"/>')


def touching_squares(n):
    """The squares of one color of a checkerboard of n squares: each touches four others in its corners."""
    across = max(2, math.isqrt(n))
    step = 2000.0 / across
    return _svg("".join(_rect(i * step, j * step, step, step) for j in range(across) for i in range(across) if (i + j) % 2 == 0))


def touching_path(n):
    """The same as one path, whose numbers are rounded otherwise."""
    across = max(2, math.isqrt(n))
    step = 2000.0 / across
    cells = ((i * step, j * step) for j in range(across) for i in range(across) if (i + j) % 2 == 0)
    return _svg(f'<path d="{"".join(f"M{x:.6g} {y:.6g}h{step:.6g}v{step:.6g}h{-step:.6g}z" for x, y in cells)}"/>')


def concentric(n):
    """n nested polygons of twelve corners, every other one a hole."""

    def ring(radius):
        at = (2.0 * math.pi * k / 12 for k in range(12))
        return f"M{'L'.join(f'{1000 + radius * math.cos(a):.6g} {1000 + radius * math.sin(a):.6g}' for a in at)}z"

    return _svg(f'<path fill-rule="evenodd" d="{"".join(ring(10.0 + 980.0 * k / n) for k in range(n))}"/>')


def odd_points(n):
    """A polygon with an odd number of coordinates."""
    return _svg(f'<polygon points="{"7 " * (2 * n + 1)}"/>')


def long_words(n):
    """Names of n letters wherever names are allowed."""
    word = "k" * n
    return _svg(f'<{word}/><rect id="{word}" width="900" height="900"/>')


def endless_link(n):
    """An unterminated paint server address that begins with n spaces."""
    return _svg(f'<rect fill="url({" " * n}x y" width="900" height="900"/>')


# -- pictures ---------------------------------------------------------------------------------------------------------


def _png(alpha):
    """A gray picture with this alpha, 0 to 255."""
    height, width = alpha.shape
    pixels = np.zeros((height, width, 2), dtype=np.uint8)
    pixels[:, :, 1] = alpha
    content = io.BytesIO()
    Image.frombuffer("LA", (width, height), pixels.tobytes(), "raw", "LA", 0, 1).save(content, "PNG", compress_level=6)
    return content.getvalue()


def noise(n):
    """n x n pixels, each opaque or transparent."""
    return _png(np.random.default_rng(0).integers(0, 2, (n, n), dtype=np.uint8) * 255)


def soft_noise(n):
    """n x n pixels with random alpha."""
    return _png(np.random.default_rng(0).integers(0, 256, (n, n), dtype=np.uint8))


def noise_on_paper(n):
    """n x n pixels in all colors, without alpha, in a white border."""
    pixels = np.random.default_rng(0).integers(0, 256, (n, n, 3), dtype=np.uint8)
    pixels[[0, -1]] = pixels[:, [0, -1]] = 255
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "PNG", compress_level=1)
    return content.getvalue()


def checkerboard(n):
    """n x n pixels, every other opaque."""
    return _png(((np.indices((n, n)).sum(axis=0) & 1) * 255).astype(np.uint8))


def dots(n):
    """n x n pixels with a dot of 2 x 2 in each 4 x 4."""
    y, x = np.indices((n, n), dtype=np.uint16)
    return _png((((x & 3) < 2) & ((y & 3) < 2)).astype(np.uint8) * 255)


def wide_dots(n):
    """n x n pixels with a dot of 8 x 8 in each 16 x 16."""
    y, x = np.indices((n, n), dtype=np.uint16)
    return _png((((x & 15) < 8) & ((y & 15) < 8)).astype(np.uint8) * 255)


def disc(n):
    """A disc in n x n pixels: not an attack, but the largest realistic picture."""
    at = np.arange(n, dtype=np.float32) - 0.5 * n
    away = np.hypot(at[:, None], at[None])
    return _png(np.clip((0.45 * n - away) * 255 + 128, 0, 255).astype(np.uint8))


def disc_on_paper(n):
    """The same without alpha, black on white."""
    at = np.arange(n, dtype=np.float32) - 0.5 * n
    gray = np.where(np.hypot(at[:, None], at[None]) < 0.45 * n, 0, 255).astype(np.uint8)
    content = io.BytesIO()
    Image.fromarray(np.repeat(gray[:, :, None], 3, axis=2)).save(content, "PNG", compress_level=1)
    return content.getvalue()


def strip(n):
    """A dashed picture one pixel high and n wide."""
    return _png(((np.arange(n) & 3 < 2) * 255).astype(np.uint8)[None])


def column(n):
    """A picture one pixel wide and n high, opaque except for its ends."""
    alpha = np.full((n, 1), 255, dtype=np.uint8)
    alpha[[0, -1]] = 0
    return _png(alpha)


def deep_gray(n):
    """n x n grays of sixteen bits."""
    content = io.BytesIO()
    Image.fromarray((np.indices((n, n)).sum(axis=0) % 65536).astype(np.uint16)).save(content, "PNG", compress_level=1)
    return content.getvalue()


def claimed(n):
    """A PNG that declares n x n pixels but has no data."""

    def piece(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", n, n, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", zlib.compress(bytes(1000))) + piece(b"IEND", b"")


def tiles(n):
    """n x n pixels as a checkerboard of 64 x 64 squares."""
    side = max(1, n // 64)
    return _png((((np.indices((n, n)) // side).sum(axis=0) & 1) * 255).astype(np.uint8))


def half_clear_noise(n):
    """n x n pixels with alpha around one half in soft spots, so that contours nearly touch everywhere."""
    alpha = np.random.default_rng(0).integers(0, 256, (n, n)).astype(np.float64)
    for _ in range(3):
        alpha = (alpha + np.roll(alpha, 1, 0) + np.roll(alpha, 1, 1) + np.roll(alpha, (1, 1), (0, 1))) / 4.0
    return _png(np.clip((alpha - 127.0) * 6.0 + 128.0, 0, 255).astype(np.uint8))


def in_mode(mode, form):
    """Return a maker of n x n pixels in a Pillow mode."""

    def make(n):
        at = np.indices((n, n)).sum(axis=0) // 64
        gray = Image.fromarray((at % 7 * 36).astype(np.uint8))
        image = Image.fromarray((at % 7 * 9000).astype(np.uint16)) if mode == "I;16" else gray.convert(mode)
        content = io.BytesIO()
        image.save(content, form, **({"transparency": 3} if mode == "P" else {}))
        return content.getvalue()

    return make


def rings(n):
    """Concentric rings in n x n pixels, two pixels wide."""
    at = np.arange(n, dtype=np.float32) - 0.5 * n
    return _png((np.hypot(at[:, None], at[None]).astype(np.uint16) & 2).astype(np.uint8) * 127)


def frames(n):
    """An animation of n frames."""
    images = [Image.fromarray(np.full((8, 8), 9 * k % 256, dtype=np.uint8)) for k in range(n)]
    content = io.BytesIO()
    images[0].save(content, "GIF", save_all=True, append_images=images[1:])
    return content.getvalue()


# -- recordings -------------------------------------------------------------------------------------------------------


def recording(parts, **header):
    """A recording of `simple_shapes` with these parts."""
    first = {"demo": "simple_shapes", "seed": "0", "scene": None, "values": {}, "solver": "box2d", "chosen_solver": None}
    first |= {"chosen_settings": None, "keeps_solver_state": True, "step_seconds": 1 / 60, "begun": 0, "makers": {}, "state": b""}
    first |= {"hash": bytes(HASH_BYTES), "bodies": ((),), "digests": b""} | header
    return start_of_file() + b"".join(map(encode_record, (Header(**first), *parts, End())))


def _part(step, steps, inputs, bodies=0):
    ids = ((0, (tuple(range(bodies)),)),)
    return Part(step, 0, inputs, bytes(HASH_BYTES * steps), list(ids), bytes(2 * bodies * steps), {})


def many_inputs(n):
    """n inputs before the first step, in one part."""
    return recording([_part(0, 1, [(0, 0, {"type": "Release"})] * n)])


def many_parts_of_inputs(n):
    """n inputs in parts of ten thousand."""
    return recording(_part(at, 1, [(at, 0, {"type": "Release"})] * 10_000) for at in range(max(1, n // 10_000)))


def many_steps(n):
    """n steps of no bodies, in parts of a hundred thousand."""
    each = min(n, 100_000)
    return recording(_part(at * each, each, []) for at in range(n // each))


def many_bodies(n):
    """A step with n bodies, and a hundred further steps."""
    return recording([_part(0, 100, [], n)])


def many_ids(n):
    """n bodies with new ids after every step."""
    changes = [(k, (tuple(range(n)),)) for k in range(100)]
    return recording([Part(0, 0, [], bytes(HASH_BYTES * 100), changes, bytes(200 * n), {})])


def many_lists(n):
    """A part with n empty lists in place of an input."""
    return recording([_part(0, 1, [(0, 0, [[]] * n)])])


def many_ways_back(n):
    """n ways back."""
    content = recording([_part(0, 1000, [])])
    return content[: -len(encode_record(End()))] + encode_record(Back(0, 0)) * n


def bomb(n):
    """A header that decompresses to n bytes of spaces."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(n // 1_000_000)) + packer.flush()
    return start_of_file() + frame(packed) + encode_record(End())


# -- plain data -------------------------------------------------------------------------------------------------------


def _scene(**fields):
    return json.dumps({"format": "collision scene", "version": 1, "bodies": [], **fields}).encode()


def _box(size=0.5):
    return {"shape": {"kind": "polygon", "vertices": [[-size, -size], [size, -size], [size, size], [-size, size]]}}


def deep_json(n):
    """Lists nested n deep."""
    return b'{"format": "collision scene", "version": 1, "bodies": ' + b"[" * n + b"]" * n + b"}"


def wide_json(n):
    """n empty lists."""
    return b'{"format": "collision scene", "version": 1, "bodies": [' + b",".join([b"[]"] * n) + b"]}"


def keyed_json(n):
    """An object with n unknown fields."""
    return _scene(**{f"f{k}": 0 for k in range(n)})


def keyed_body(n):
    """A body of a scene with n unknown fields."""
    return _scene(bodies=[{f"f{k}": 0 for k in range(n)}])


def keyed_level(n):
    """A R.U.B.E. level with n of them."""
    return json.dumps({"gravity": 0, "body": [], **{f"f{k}": 0 for k in range(n)}}).encode()


def long_key(n):
    """A field whose name has n letters."""
    return _scene(**{"k" * n: 1})


def long_format(n):
    """A format of n letters."""
    return json.dumps({"format": "k" * n}).encode()


def odd_corners(n):
    """A body file with 2 n + 1 numbers in place of n corners."""
    fixtures = [{"kind": "polygon", "vertices": [0.5] * (2 * n + 1)}]
    return _body(outline=[{"outer": [0.5] * (2 * n + 1)}], fixtures=fixtures)


def digits_json(n):
    """A coordinate of n digits."""
    return b'{"format": "collision scene", "version": 1, "bodies": [{"position": [' + b"9" * n + b", 0]}]}"


def many_boxes(n):
    """n boxes in one place."""
    return _scene(bodies=[{"fixtures": [_box()], "position": [0.001 * k, 0]} for k in range(n)])


def far_scene(n):
    """n boxes at the maximum distance and speed."""
    bodies = [{"fixtures": [_box()], "position": [9.9e5 * (-1) ** k, 9.9e5], "linear_velocity": [-1e6, 1e6]} for k in range(n)]
    return _scene(bodies=bodies)


def nasty_scene(n):
    """Names and a title that are terminal commands, n times."""
    bodies = [{"name": f"{NASTY_NAME} {k}", "fixtures": [_box()]} for k in range(n)]
    return _scene(title=NASTY_NAME, watch=NASTY_NAME, bodies=bodies, notes=[NASTY_NAME])


def surrogate_scene(n):
    """The same with a lone surrogate."""
    return _scene(title=SURROGATE, watch=SURROGATE, bodies=[{"name": SURROGATE + str(k), "fixtures": [_box()]} for k in range(n)])


def nasty_rube(n):
    """A R.U.B.E. level with such names, in unknown fields, which are reported."""
    fixture = {"polygon": {"vertices": {"x": [0, 1, 0], "y": [0, 0, 1]}}, "name": NASTY_NAME}
    bodies = [{"type": 2, "name": f"{name} {k}", "fixture": [fixture]} for k in range(n) for name in (NASTY_NAME, SURROGATE)]
    joints = [{"type": NASTY_NAME, "name": NASTY_NAME, "bodyA": 0, "bodyB": 1}]
    images = [{"name": NASTY_NAME, "file": NASTY_NAME}]
    return json.dumps({"gravity": {"x": 0, "y": -10}, "body": bodies, "joint": joints, "image": images, NASTY_NAME: 1}).encode()


def body_of_circles(n):
    """A body file of n pieces."""
    fixtures = [{"kind": "circle", "radius": 0.1, "center": [0.001 * k, 0]} for k in range(n)]
    return _body(outline=[{"outer": [[0, 0], [1, 0], [0, 1]]}], fixtures=fixtures)


def body_of_corners(n):
    """A body file whose outline has n corners."""
    ring = [[math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)] for k in range(n)]
    return _body(outline=[{"outer": ring}], fixtures=[{"kind": "circle", "radius": 1, "center": [0, 0]}])


def body_of_parts(n):
    """A body file whose outline has n parts."""
    parts = [{"outer": [[k, 0], [k + 0.5, 0], [k, 0.5]]} for k in range(n)]
    return _body(outline=parts, fixtures=[{"kind": "circle", "radius": 1, "center": [0, 0]}])


def nasty_body(n):
    """A body file with such a name and picture name."""
    picture = {"file": NASTY_NAME, "lower": [0, 0], "upper": [1, 1]}
    fixtures = [{"kind": "circle", "radius": 1, "center": [0, 0]}] * n
    return _body(name=NASTY_NAME, outline=[{"outer": [[0, 0], [1, 0], [0, 1]]}], fixtures=fixtures, picture=picture, notes=[NASTY_NAME])


def _body(**fields):
    plain = {"format": "collision body", "version": 1, "name": "b", "method": "exact", "tolerance": 0.005, "pixels_per_metre": 100.0}
    return json.dumps(plain | fields).encode()


def deep_pair(n):
    """A pair file of nested lists."""
    return b'{"format": "collision pair", "version": 1, "query": "manifold", "a": ' + b"[" * n + b"]" * n + b"}"


def nasty_pair(n):
    """A pair of circles with such a note, of n letters."""
    side = {"shape": {"kind": "circle", "radius": 0.5, "center": [0, 0]}, "pose": [0, 0, 0]}
    plain = {"format": "collision pair", "version": 1, "query": "manifold", "a": side, "b": side | {"pose": [0.4, 0, 0]}}
    return json.dumps(
        plain | {"note": (NASTY_NAME + SURROGATE)[:n], "outsider": {"name": NASTY_NAME, "answer": None, "note": NASTY_NAME}}
    ).encode()


def wide_pair(n):
    """A pair whose first polygon has n corners."""
    ring = [[math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)] for k in range(n)]
    side = {"shape": {"kind": "polygon", "vertices": ring}, "pose": [0, 0, 0]}
    return json.dumps({"format": "collision pair", "version": 1, "query": "manifold", "a": side, "b": side}).encode()


KINDS = MappingProxyType(
    {
        "comb": Hostile(".svg", comb, 45_000),
        "square_comb": Hostile(".svg", square_comb, 90_000),
        "two_combs": Hostile(".svg", two_combs, 90_000),
        "crossed_combs": Hostile(".svg", crossed_combs, 2_000),
        "rectangles": Hostile(".svg", rectangles, 19_000),
        "overlapping_rectangles": Hostile(".svg", overlapping_rectangles, 19_000),
        "lattice": Hostile(".svg", lattice, 4_000),
        "slivers": Hostile(".svg", slivers, 10_000),
        "thrown_slivers": Hostile(".svg", thrown_slivers, 10_000),
        "spiral": Hostile(".svg", spiral, 90_000),
        "nested": Hostile(".svg", nested, 20_000),
        "holes": Hostile(".svg", holes, 30_000),
        "scribble": Hostile(".svg", scribble, 50_000),
        "scribbles": Hostile(".svg", scribbles, 400),
        "jagged": Hostile(".svg", jagged, 90_000),
        "curves": Hostile(".svg", curves, 50_000),
        "copies": Hostile(".svg", copies, 16_000),
        "words": Hostile(".svg", words, 19_000),
        "rules": Hostile(".svg", rules, 19_000),
        "transforms": Hostile(".svg", transforms, 80_000),
        "long_number": Hostile(".svg", long_number, 900_000),
        "deep": Hostile(".svg", deep, 200_000),
        "faces": Hostile(".svg", faces, 50_000),
        "touching_squares": Hostile(".svg", touching_squares, 9_600),
        "touching_path": Hostile(".svg", touching_path, 18_000),
        "touching_pieces": Hostile(".svg", touching_squares, 5_900),
        "concentric": Hostile(".svg", concentric, 400),
        "concentric_pieces": Hostile(".svg", concentric, 800),
        "odd_points": Hostile(".svg", odd_points, 450_000),
        "long_words": Hostile(".svg", long_words, 900_000),
        "endless_link": Hostile(".svg", endless_link, 1_900_000),
        "noise": Hostile(".png", noise, 4096),
        "small_noise": Hostile(".png", noise, 1024),
        "soft_noise": Hostile(".png", soft_noise, 4096),
        "noise_on_paper": Hostile(".png", noise_on_paper, 4096),
        "checkerboard": Hostile(".png", checkerboard, 4096),
        "dots": Hostile(".png", dots, 4096),
        "wide_dots": Hostile(".png", wide_dots, 4096),
        "disc": Hostile(".png", disc, 4096),
        "disc_on_paper": Hostile(".png", disc_on_paper, 4096),
        "strip": Hostile(".png", strip, 16_000_000),
        "column": Hostile(".png", column, 16_000_000),
        "deep_gray": Hostile(".png", deep_gray, 4096),
        "claimed": Hostile(".png", claimed, 4096),
        "claimed_too_large": Hostile(".png", claimed, 60_000),
        "rings": Hostile(".png", rings, 4096),
        "tiles": Hostile(".png", tiles, 1024),
        "half_clear_noise": Hostile(".png", half_clear_noise, 750),
        "mode_1": Hostile(".png", in_mode("1", "PNG"), 4096),
        "mode_P": Hostile(".png", in_mode("P", "PNG"), 4096),
        "mode_LA": Hostile(".png", in_mode("LA", "PNG"), 4096),
        "mode_I16": Hostile(".png", in_mode("I;16", "PNG"), 4096),
        "mode_CMYK": Hostile(".jpg", in_mode("CMYK", "JPEG"), 4096),
        "mode_RGBA": Hostile(".webp", in_mode("RGBA", "WEBP"), 4096),
        "largest_webp": Hostile(".webp", in_mode("RGBA", "WEBP"), 3464),
        "mode_RGB": Hostile(".jpg", in_mode("RGB", "JPEG"), 4096),
        "frames": Hostile(".gif", frames, 20_000),
        "many_inputs": Hostile(".rec", many_inputs, 3_000_000),
        "many_parts_of_inputs": Hostile(".rec", many_parts_of_inputs, 10_000_000),
        "many_steps": Hostile(".rec", many_steps, 10_000_000),
        "many_bodies": Hostile(".rec", many_bodies, 250_000),
        "many_ids": Hostile(".rec", many_ids, 100_000),
        "many_lists": Hostile(".rec", many_lists, 20_000_000),
        "many_ways_back": Hostile(".rec", many_ways_back, 30_000),
        "bomb": Hostile(".rec", bomb, 1_000_000_000),
        "deep_json": Hostile(".json", deep_json, 1_000_000),
        "wide_json": Hostile(".json", wide_json, 5_000_000),
        "keyed_json": Hostile(".json", keyed_json, 1_200_000),
        "keyed_body": Hostile(".json", keyed_body, 900_000),
        "keyed_level": Hostile(".json", keyed_level, 900_000),
        "long_key": Hostile(".json", long_key, 15_000_000),
        "long_format": Hostile(".json", long_format, 15_000_000),
        "odd_corners": Hostile(".json", odd_corners, 240_000),
        "digits_json": Hostile(".json", digits_json, 10_000_000),
        "many_boxes": Hostile(".json", many_boxes, 10_000),
        "far_scene": Hostile(".json", far_scene, 1_000),
        "nasty_scene": Hostile(".json", nasty_scene, 3),
        "surrogate_scene": Hostile(".json", surrogate_scene, 3),
        "nasty_rube": Hostile(".json", nasty_rube, 3),
        "body_of_circles": Hostile(".json", body_of_circles, 250_000),
        "body_of_corners": Hostile(".json", body_of_corners, 300_000),
        "body_of_parts": Hostile(".json", body_of_parts, 200_000),
        "nasty_body": Hostile(".json", nasty_body, 3),
        "deep_pair": Hostile(".json", deep_pair, 450_000),
        "nasty_pair": Hostile(".json", nasty_pair, 1_000),
        "wide_pair": Hostile(".json", wide_pair, 20_000),
    }
)
"""Cases of the battery. Sizes are those of the complaint, or the largest that the limit on the size of the file lets through."""
