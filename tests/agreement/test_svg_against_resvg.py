"""Compares outlines of small drawings with resvg's renderings, pixel by pixel, except for pixels that the outline crosses."""

import io
import random

import numpy as np
import pytest
import resvg_py
import shapely
from PIL import Image

from engine.common.errors import InvalidShapeError
from engine.decompose.svg import read_drawing

N_BATCHES, N_DRAWINGS = 4, 50
REACH = 0.8
"""Pixels from the outline within which half a pixel's coverage may be on either side of its center: half its diagonal, and resvg's
rounding of coverage to a 16th of a pixel."""
INVISIBLE = (
    *('fill="none"', 'fill="transparent"', 'fill="rgba(10,20,30,0)"', 'fill="#0000"', 'fill="#12345600"', 'fill="hsla(90,50%,50%,0)"'),
    *('fill-opacity="0"', 'fill-opacity="0%"', 'opacity="0"', 'visibility="hidden"', 'visibility="collapse"', 'display="none"'),
    *('fill="url(#missing)"', 'fill="url(#missing) none"', 'fill="url(#empty)"', 'style="fill:none"'),
    *('class="out"', 'class="in out"', 'id="gone"', 'style="visibility:hidden"', 'fill="red" style="display:none"', 'class="hard"'),
)
VISIBLE = (
    *("", 'fill="red"', 'fill="url(#shade)"', 'fill="url(#missing) blue"', 'fill="#123"', 'fill="currentColor"', 'class="out in"'),
    *('class="in"', 'style="fill:rgb(1 2 3)"', 'class="out" style="fill:teal"', 'visibility="visible"', 'fill="none" class="in"'),
    *('fill="inherit"', 'fill-opacity="100%"', 'class="soft" style="fill:red"'),
)
SHEET = (
    "<style>/* .in{fill:none} */ .soft{fill:none} .out{fill:none} .in{fill:green} .out.in{fill:black} rect.out, .in.out#gone{fill:none}"
    " #gone{display:none} .hard{fill:none !important} g g > .out{fill:none}</style>"
)
SERVERS = (
    '<linearGradient id="shade"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>'
    '<linearGradient id="empty"/>'
)


class Drawer:
    """Writes random drawings."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.n = 0
        self.defs = []
        self.is_symbol = False
        """resvg takes percentages in and on a symbol of another viewport than the specification."""

    def pick(self, *choices):
        return self.dice.choice(choices)

    def number(self, low, high):
        return self.pick("{:.1f}", "{:.2e}", "{:g}").format(self.dice.uniform(low, high))

    def length(self, low, high, viewport_size=100.0):
        value = self.dice.uniform(low, high)
        units = (("", 1.0), ("px", 1.0), ("mm", 96 / 25.4), ("pt", 4 / 3), ("em", 16.0), ("in", 96.0), ("%", 0.01 * viewport_size))
        unit, size = self.dice.choice(units[:-1] if self.is_symbol else units)
        return f"{value / size:.3f}{unit}"

    def drawing(self):
        self.defs = []
        size = self.pick(
            *('width="100" height="80"', 'width="80" viewBox="0 0 100 80"', 'height="60" viewBox="10 -5 90 90"', 'viewBox="0 0 90 70"'),
            *(f'width="60pt" height="5em" viewBox="0 0 90 90" preserveAspectRatio="{self.aspect()}"', 'width="100" height="80"'),
        )
        content = "".join(self.element(0) for _ in range(self.dice.randint(1, 4)))
        space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        return f"<svg {space} {size}>{SHEET}<defs>{SERVERS}{''.join(self.defs)}</defs>{content}</svg>"

    def aspect(self):
        align = "x" + self.pick("Min", "Mid", "Max") + "Y" + self.pick("Min", "Mid", "Max")
        return self.pick("none", align, f"{align} meet", f"{align} slice")

    def paint(self):
        return self.dice.choice(INVISIBLE if self.dice.random() < 0.3 else VISIBLE)

    def transform(self):
        functions = (
            lambda: f"translate({self.number(-20, 30)},{self.number(-20, 30)})",
            lambda: f"translate({self.number(-20, 30)})",
            lambda: f"rotate({self.number(-90, 90)})",
            lambda: f"rotate({self.number(-90, 90)} {self.number(0, 80)} {self.number(0, 80)})",
            lambda: f"scale({self.number(0.5, 1.5)})",
            lambda: f"scale({self.number(-1.5, 1.5)} {self.number(0.4, 1.5)})",
            lambda: f"skewX({self.number(-40, 40)})",
            lambda: f"skewY({self.number(-40, 40)})",
            lambda: f"matrix({self.number(0.5, 1)} 0.2,-0.3 {self.number(0.5, 1)} {self.number(0, 9)} 5)",
        )
        text = self.pick(" ", ", ", "").join(self.dice.choice(functions)() for _ in range(self.dice.randint(1, 2)))
        both = f"scale({self.number(0.5, 1.5)}, {self.number(-1.5, 1.5)}) matrix(0.9, 0.2, -0.3, {self.number(0.5, 1)}, 9, 5)"
        return self.pick(f' transform="{text}"', f' style="transform:{both}"')

    def attributes(self, has_style, kind):
        attributes = "" if has_style or self.dice.random() < 0.5 else self.transform()
        if kind != 9 and self.dice.random() < 0.2:  # resvg clips the <use> of a symbol without its x and y
            self.n += 1
            units = self.pick("", ' clipPathUnits="userSpaceOnUse"')
            rule = self.pick("", 'clip-rule="evenodd"')
            inner = "".join(self.shape("", rule) for _ in range(self.dice.randint(1, 2)))
            if kind < 6 and self.dice.random() < 0.3:  # of groups resvg takes a box that is not the tightest
                units = ' clipPathUnits="objectBoundingBox"'
                inner = f'<circle cx=".5" cy=".4" r=".45"/><rect x=".6" width=".4" height="{self.number(0.2, 1)}"/>'
            self.defs.append(f'<clipPath id="c{self.n}"{units}{self.transform() if self.n % 3 == 0 else ""}>{inner}</clipPath>')
            attributes += f' clip-path="url(#c{self.n})"'
        return attributes

    def shape(self, paint, more):
        rule = self.pick("", "", ' fill-rule="evenodd"')
        x, y = self.length(0, 60), self.length(0, 50, 80.0)
        kind = self.dice.randrange(7)
        if kind == 0:
            radii = self.pick("", f' rx="{self.length(0, 20)}"', f' rx="{self.number(1, 40)}" ry="{self.number(1, 30)}"', ' ry="5"')
            geometry = f'rect x="{x}" y="{y}" width="{self.length(5, 60)}" height="{self.length(5, 50, 80.0)}"{radii}'
        elif kind == 1:
            geometry = f'circle cx="{x}" cy="{y}" r="{self.length(3, 30, 90.55)}"'
        elif kind == 2:
            radii = self.pick(f' rx="{self.number(3, 30)}"', f' rx="{self.length(3, 30)}" ry="{self.length(3, 30, 80.0)}"')
            geometry = f'ellipse cx="{x}" cy="{y}"{radii}'
        elif kind == 3:
            points = " ".join(f"{self.number(0, 90)}{self.pick(',', ' ')}{self.number(0, 70)}" for _ in range(self.dice.randint(3, 6)))
            geometry = f'{self.pick("polygon", "polyline")} points="{points}{self.pick("", "", " 7")}"'
        else:
            geometry = f'path d="{self.path()}"'
        return f"<{geometry}{rule} {paint} {more}/>"

    def path(self):
        def p(low=0.0, high=80.0):
            return f"{self.number(low, high)}{self.pick(' ', ',')}{self.number(low, high)}"

        def arc():
            flags = self.pick("0 0 ", "0,1,", "1 0 ", "1 1 ", "01", "10")
            return f"{self.number(5, 30)} {self.number(5, 30)} {self.number(-90, 90)} {flags}"

        parts = [f"M{p()}"]
        for _ in range(self.dice.randint(2, 6)):
            parts.append(
                self.pick(
                    *(f"L{p()}", f"l{p(-30, 30)} {p(-30, 30)}", f"H{self.number(0, 90)}", f"v{self.number(-30, 30)}", f"Q{p()} {p()}"),
                    *(f"t{p(-30, 30)}", f"T{p()}", f"C{p()} {p()} {p()}", f"s{p(-30, 30)} {p(-30, 30)}", f"S{p()} {p()}"),
                    *(f"A{arc()}{p()}", f"a{arc()}{p(-30, 30)}", f"l9 {self.number(-30, 30)}z", f"L{p()}zm{p(-20, 20)}h5"),
                )
            )
        return " ".join(parts) + self.pick("", "Z", "", " L5", " A5 5 0 2 0 9 9 L 0 0", " X 3")

    def element(self, depth):
        paint = self.paint()
        kind = self.dice.randrange(12 if depth < 3 else 6)
        more = self.attributes("style" in paint, kind)
        if kind < 6:
            return self.shape(paint, more)
        was_symbol, self.is_symbol = self.is_symbol, self.is_symbol or kind == 9
        inside = "".join(self.element(depth + 1) for _ in range(self.dice.randint(1, 2)))
        place = f'x="{self.length(0, 40)}" y="{self.length(0, 30, 80.0)}"'
        size = f'width="{self.length(20, 90)}" height="{self.length(20, 70, 80.0)}"'
        self.is_symbol = was_symbol
        if kind < 8:
            return f"<g {paint} {more}>{inside}</g>"
        box = self.pick("", 'viewBox="0 0 90 70"', f'viewBox="5 5 60 90" preserveAspectRatio="{self.aspect()}"')
        overflow = self.pick("", "", 'overflow="visible"', 'overflow="hidden"')
        if kind == 8:
            return f"<svg {place} {size} {box} {overflow} {paint}>{inside}</svg>"
        self.n += 1
        if kind == 9:
            self.defs.append(f'<symbol id="s{self.n}" {box} {overflow}>{inside}</symbol>')
            return f'<use href="#s{self.n}" {place} {size if was_symbol else self.pick("", size)} {paint} {more}/>'
        if kind == 10:
            self.defs.append(f'<g id="s{self.n}">{inside}</g>')
            return f'<use xlink:href="#s{self.n}" {place} {paint} {more}/>'
        none = self.pick('requiredExtensions="http://example.org/x"', 'systemLanguage="xx"')
        return f"<switch {more}><rect {none} width='99' height='99'/>{inside}<circle r='70'/></switch>"


def mismatch(folder, text):
    """Return the largest distance from our outline of a pixel that only one of the two covers, in pixels."""
    picture = Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=text, skip_system_fonts=True, dpi=96.0)))
    covered = np.asarray(picture.convert("RGBA"))[:, :, 3] > 127
    path = folder / "drawing.svg"
    path.write_text(text, encoding="utf-8")
    try:
        drawing = read_drawing(path, 1.0, 0.01)
    except InvalidShapeError:
        return float(np.count_nonzero(covered))
    assert drawing.size == pytest.approx(picture.size, abs=0.5)
    region = drawing.outline.as_shapely()
    shapely.prepare(region)
    x, y = np.meshgrid(np.arange(picture.width) + 0.5, drawing.size[1] - np.arange(picture.height) - 0.5)
    wrong = shapely.contains_xy(region, x, y) != covered
    return float(shapely.distance(shapely.points(x[wrong], y[wrong]), region.boundary).max()) if wrong.any() else 0.0


@pytest.mark.parametrize("batch", range(N_BATCHES))
def test_resvg_covers_the_same_pixels(tmp_path, batch):
    drawer = Drawer(batch)
    for _ in range(N_DRAWINGS):
        text = drawer.drawing()
        assert mismatch(tmp_path, text) <= REACH, text
