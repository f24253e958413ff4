"""Damaged pictures, drawings, bodies, scenes: ``python -m tests.hazards.fuzz_files N [SEED] [KIND]`` prints a line of JSON for each kind.

Valid files are damaged, N of each kind: bytes are flipped, inserted, removed, doubled or truncated; in drawings and body files, whole words
are also replaced by others. A file is then loaded, or rejected with one of the project's own errors in one line; anything else ends the run
with the seed and the bytes. Nothing may take longer than `LONGEST` seconds. A loaded scene is saved over another, loaded again, and must be
the same; a rejected one leaves the other untouched.
"""

import faulthandler
import io
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from engine.app.files.opening import load_any_scene
from engine.common.errors import LabError
from engine.common.json_file import json_text
from engine.decompose import BodyFile, Outline, Picture, body_as_json, load_body, trace_file
from engine.geometry import Circle, Polygon
from engine.scenes import Scene, load_scene, save_scene, scene_of
from engine.scenes.pictures import BodyPicture
from engine.scenes.scene_file import scene_as_json
from tests.unit.scenes import samples

LONGEST = 10.0
"""Seconds for one file; on a busy machine they take less than a tenth of it."""
KINDS = ("picture", "drawing", "body", "scene", "rube", "level")

NUMBERS = "0|-1|1e-300|1e300|1e999|nan|inf|-0||1e6|0.0000001|1e-9|12e|99999999999999999999|50%|3em"
SVG_WORDS = (
    "path|rect|circle|ellipse|polygon|polyline|g|use|symbol|svg|defs|style|switch|mask|text|image|fill|fill-rule|transform|viewBox|width|"
    "height|d|points|r|rx|x|y|id|href|class|display|none|evenodd|nonzero|#a|url(#a)|rotate(30)|skewX(90)|scale(0)|matrix(1 0 0 0 0 0)|"
    "scale(1e200)|currentColor|M0 0|Z|A 1 1 0 0 0 0 0|a0 0 0 1 1 9 9|C|q|t5 5|H|v-3|10mm|xMidYMid slice|&lt;|<g>|</g>|<!--|<![CDATA["
)
JSON_WORDS = 'null|true|[]|{}|""|-1|0|1e400|NaN|1e-320|"kind"|"polygon"|"circle"|[[0,0],[1,0],[0,1]]|[0,0]|1e9|"outer"|"holes"'
"""Put in the place of numbers and words, between bars."""
SCENE_WORDS = (
    JSON_WORDS + '|"static"|"dynamic"|"bodies"|"joints"|"body_a"|"revolute"|"pulley"|"arm 1"|"segment"|{"x":0,"y":0}'
    '|"7F800000"|"bodyB"|"chain"|"gear"|"motor"|"friction"|{"vertices":0}|0.5|16|[0,0,0]|"type"|2|65536'
)


def pictures():
    """Small valid pictures of many formats and modes."""
    rgba = Image.new("RGBA", (24, 20))
    pen = ImageDraw.Draw(rgba)
    pen.ellipse((2, 1, 20, 18), fill=(200, 80, 40, 255))
    pen.ellipse((8, 6, 13, 11), fill=(0, 0, 0, 0))
    gray = Image.fromarray((np.outer(np.arange(20), np.arange(24)) * 100).astype(np.uint16))
    files = []

    def keep(image, suffix, **how):
        content = io.BytesIO()
        image.save(content, {".jpg": "JPEG"}.get(suffix, suffix[1:].upper()), **how)
        files.append((suffix, content.getvalue()))

    keep(rgba, ".png")
    keep(rgba.quantize(8), ".png")
    keep(rgba.convert("LA"), ".png")
    keep(rgba.convert("1"), ".png")
    keep(gray, ".png")
    keep(rgba.convert("RGB"), ".jpg")
    keep(rgba.quantize(8), ".gif", save_all=True, append_images=[rgba.rotate(90).quantize(8)])
    keep(rgba.convert("RGB"), ".bmp")
    keep(rgba, ".webp", lossless=True)
    keep(rgba, ".tga")
    keep(rgba, ".ico")
    keep(rgba.convert("RGB"), ".ppm")
    return files


def drawings():
    """Valid drawings with all supported features."""
    space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    texts = (
        f'<svg {space} width="40mm" height="30mm" viewBox="0 0 40 30"><rect x="2" y="3" width="20" height="10" rx="3"/>'
        '<g transform="translate(20 15) rotate(20) skewX(10)"><circle r="6"/><ellipse cx="9" rx="4" ry="2"/></g></svg>',
        f'<svg {space} width="100" height="100"><style>.a{{fill:none}} #b,.c{{fill-rule:evenodd}}</style><defs>'
        '<symbol id="s" viewBox="0 0 5 5"><path d="M0 0h5v5z"/></symbol><g id="a"><polygon points="0,0 10,0 5,9"/></g></defs>'
        '<use href="#a" x="20" y="20"/><use xlink:href="#s" x="50" y="50" width="20" height="20"/>'
        '<path id="b" d="M10 60C30 10 60 90 80 60S20 99 10 60z M30 60a9 5 20 1 0 9 9Q40 80 30 60"/></svg>',
        f'<svg {space} viewBox="0 0 64 64" preserveAspectRatio="xMinYMax slice"><switch><g display="none"/><path fill="red" '
        'stroke="black" d="m5 5 50 0 0 50-50 0z m10 10 0 30 30 0 0-30zT9 9"/></switch><polyline points="1 1 60 3 30 60"/>'
        "<text>x</text><image/></svg>",
    )
    return [(".svg", text.encode()) for text in texts]


def bodies():
    """Valid body files."""
    outline = Outline.of_polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], [[(0.2, 0.2), (0.2, 0.6), (0.6, 0.2)]])
    pieces = (Polygon([(0, 0), (2, 0), (2, 1), (0, 1)]), Polygon([(0, 1), (1, 1), (1, 2), (0, 2)]), Circle(0.25, (0.5, 0.5)))
    full = BodyFile(
        "corner", pieces, outline, "exact", 0.005, 100.0, 3, Picture("corner.png", (0, 0), (2, 2), (0, 0, 200, 200)), ("A note.",)
    )
    plain = BodyFile("triangle", pieces[:1], Outline.of_polygon([(0, 0), (1, 0), (0, 1)]), "", 1.0, 1.0)
    return [(".json", json.dumps(body_as_json(body)).encode()) for body in (full, plain)]


def scenes():
    """Valid scene files: one written by hand, a moving machine with every kind of joint and a picture, and three worlds."""
    world = samples.machine()
    for _ in range(40):
        world.step()
    content = io.BytesIO()
    Image.new("RGBA", (3, 2), (200, 30, 40, 128)).save(content, "PNG")
    machine = replace(scene_of(world, "A machine"), pictures=(BodyPicture((0, 1), content.getvalue(), (-1.0, -1.0), (1.0, 1.0)),))
    texts = json_text(scene_as_json(machine)), samples.EXAMPLE.encode(), json_text(scene_as_json(samples.three_worlds()))
    return [(".json", text) for text in texts]


def rubes():
    """Valid R.U.B.E. exports, with chains and joints."""
    vec = samples.vec
    kinds = "revolute prismatic wheel weld distance rope pulley mouse friction motor revolute gear"
    settings = {"anchorA": 0, "anchorB": vec(0.1, 0.2), "refAngle": "3F000000", "maxForce": 9, "maxTorque": 2, "localAxisA": vec(0, 1)}
    settings |= {"length": 2, "maxLength": 3, "lengthA": 1, "lengthB": 1, "ratio": 1, "springFrequency": 4, "correctionFactor": 0.3}
    joints = [{"type": kind, "bodyA": 0, "bodyB": 1, "joint1": 1, "joint2": 10, "frequency": 5, **settings} for kind in kinds.split()]
    joints[10]["bodyB"] = 3
    plain = samples.level(joint=joints)
    plain["body"].append({"type": 2, "position": samples.vec(3, 9), "fixture": [samples.box(0.3)]})
    chain = {"vertices": {"x": [0, 1, 2, 3], "y": [0, 1, 0, 0]}, "hasNextVertex": True, "nextVertex": samples.vec(4, 0)}
    plain["body"][0]["fixture"] += [{"chain": chain}, {"loop": {"vertices": {"x": [0, 1, 0], "y": [0, 0, 1]}}}]
    return [(".json", json.dumps(plain, indent=1).encode()), (".json", json.dumps(samples.level()).encode())]


def levels():
    """A valid drawing of a level."""
    return [(".svg", samples.DRAWING.encode())]


def load_and_keep(path):
    """Load a scene and save it over another, which must not be lost if the first is rejected."""
    kept = path.with_name("kept.json")
    if not kept.exists():
        save_scene(kept, Scene(title="kept"))
    before = kept.read_bytes()
    try:
        scene = load_any_scene(str(path))
    except LabError:
        assert kept.read_bytes() == before
        raise
    save_scene(kept, scene)
    assert repr(load_scene(kept)) == repr(scene)
    assert sorted(entry.name for entry in path.parent.iterdir()) == sorted((path.name, "kept.json"))


def damaged(content, dice, words):
    """Return the content with one to eight faults."""
    held = bytearray(content)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        at = dice.randrange(max(1, len(held)))
        fault = dice.choice((0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 7, 7) if words else (0, 1, 2, 3, 4, 5))
        if fault == 0 and at < len(held):
            held[at] ^= 1 << dice.randrange(8)
        elif fault == 1:
            held[at:at] = dice.randbytes(dice.choice((1, 2, 4)))
        elif fault == 2:
            del held[at : at + dice.choice((1, 2, 4, 16, 64))]
        elif fault == 3:
            del held[at : at + dice.choice((1, 256, len(held)))]
        elif fault == 4:
            held[at : at + 4] = dice.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\1"))
        elif fault == 5:
            end = min(len(held), at + dice.randrange(1, 64))
            held[at:at] = held[at:end]
        elif fault >= 6:
            pattern = rb"-?\d+\.?\d*" if fault == 6 else rb"[A-Za-z#][\w-]*"
            places = list(re.finditer(pattern, held))
            if places:
                place = dice.choice(places)
                held[place.start() : place.end()] = dice.choice((NUMBERS if fault == 6 else words).split("|")).encode()
    return bytes(held)


def fuzz(kind, count, seed=0):
    """Damage `count` files of a kind; return how many were loaded and rejected, and the slowest."""
    good, words, load = _KINDS[kind]
    originals, seen, slowest = good(), Counter(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            dice = random.Random(f"{kind} {seed} {number}")
            suffix, content = dice.choice(originals)
            broken = damaged(content, dice, words)
            path = Path(folder) / f"broken{suffix}"
            path.write_bytes(broken)
            faulthandler.dump_traceback_later(6.0 * LONGEST, exit=True)
            started = time.process_time()
            try:
                load(path)
                seen["loaded"] += 1
            except LabError as error:
                assert "\n" not in str(error).strip(), (kind, seed, number, str(error))
                seen["refused"] += 1
            except BaseException as error:
                raise AssertionError(f"{kind} {seed} {number}: {type(error).__name__}: {error}; the file: {broken!r}") from error
            finally:
                faulthandler.cancel_dump_traceback_later()
            slowest = max(slowest, time.process_time() - started)
            assert slowest < LONGEST, (kind, seed, number, slowest)
    return {"kind": kind, "seed": seed, "files": count, **seen, "slowest_ms": round(1e3 * slowest)}


_KINDS = {
    "picture": (pictures, "", trace_file),
    "drawing": (drawings, SVG_WORDS, trace_file),
    "body": (bodies, JSON_WORDS, load_body),
    "scene": (scenes, SCENE_WORDS, load_and_keep),
    "rube": (rubes, SCENE_WORDS, load_and_keep),
    "level": (levels, SVG_WORDS, load_and_keep),
}


if __name__ == "__main__":
    for kind in sys.argv[3:] or KINDS:
        print(json.dumps(fuzz(kind, int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)), flush=True)
