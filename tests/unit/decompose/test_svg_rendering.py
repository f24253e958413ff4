"""Style sheets, lengths, viewports, transforms, clipping and broken values of drawings, by areas known from the specifications.

tests/agreement/test_svg_against_resvg.py compares with resvg; this file tests the rest and the notes.
"""

import math
import re

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.decompose import _svg_style
from engine.decompose.svg import read_drawing
from tests.unit.decompose.test_svg import TOLERANCE, drawn

DIGITS = 5_000 * "1"
"""More than Python reads as a number."""
BOX = '<rect width="50" height="50" {}/><rect x="60" y="60" width="20" height="20" style="fill:black !important"/>'
"""2,500 and 400 square units: 400 are left where the first is not seen."""


def read(folder, content, attributes='width="100" height="100"'):
    return read_drawing(drawn(folder, content, attributes), 1.0, TOLERANCE)


def bounds(drawing):
    return (*drawing.outline.aabb.lower, *drawing.outline.aabb.upper)


@pytest.mark.parametrize(
    "attributes",
    [
        *('fill="none"', 'fill="NONE"', 'fill="transparent"', 'fill="rgba(1,2,3,0)"', 'fill="rgb(1 2 3 / 0%)"', 'fill="#0000"'),
        *('fill="#00000000"', 'fill="hsla(9,9%,9%,0)"', 'fill="hsl(9deg 9% 9% / 0)"', 'fill="color(srgb 1 0 0 / 0)"'),
        *('fill-opacity="0"', 'fill-opacity="0%"', 'fill-opacity="-1"', 'opacity="0"', 'opacity="0.0%"', 'display="none"'),
        *('visibility="hidden"', 'visibility="collapse"', 'fill="url(#missing)"', "fill=\"url('#missing') none\"", 'fill="url(#a) #0000"'),
        *('style="fill:none"', 'style="FILL : None "', 'style="fill:/* no */none"', 'style="fill:no\\6e e"'),
        'style="fill:none;fill:nonsense"',
        *('style="fill:none!important;fill:red"', 'color="#0000" fill="currentColor"', 'style="color:transparent;fill:currentcolor"'),
        *('fill="context-fill"', 'fill="url(#clear)"', 'fill="url(#heir)"', 'fill="url(#empty)"', 'fill="url(#bare)"'),
        *('fill="url(#flat)"', 'fill="url(#unsized)"', 'fill="url(#beside)"'),
        *('style="opacity:0 !important" opacity="1"', 'style="all:initial;display:none"', 'display="contents"'),
        # of less than half a 255th of the light nothing is left, whatever it is the product of
        *('opacity="1e-9"', 'fill-opacity="0.1%"', 'fill="rgb(0 0 0 / .0015)"', 'opacity=".04" fill-opacity=".04"'),
        *('fill="url(#faint)"', 'fill="url(#half)" opacity=".002"', 'style="color:rgb(0 0 0/.04);opacity:.04" fill="currentColor"'),
    ],
)  # fmt: skip
def test_invisible_paint_in_any_spelling_draws_nothing(tmp_path, attributes):
    servers = (
        '<linearGradient id="clear"><stop stop-color="red" stop-opacity="0"/><stop offset="1" style="stop-color:#fff0"/></linearGradient>'
        '<radialGradient id="heir" href="#clear"/><linearGradient id="empty"/><pattern id="bare" width="9" height="9"/>'
        '<pattern id="flat" width="9" height="0"><rect width="9" height="9"/></pattern><pattern id="beside" href="#flat" width="5"/>'
        '<pattern id="unsized"><rect width="9" height="9"/></pattern>'
        '<linearGradient id="faint"><stop stop-opacity=".001"/></linearGradient>'
        '<linearGradient id="half"><stop stop-opacity=".5"/></linearGradient>'
    )
    assert read(tmp_path, servers + BOX.format(attributes)).outline.area == pytest.approx(400.0)


@pytest.mark.parametrize(
    ("sheet", "attributes", "is_seen"),
    [
        # specificity, then order; never the order in `class`
        (".a{fill:red} .b{fill:none}", 'class="b a"', False),
        (".b{fill:none} .a{fill:red}", 'class="a b"', True),
        ("#i{fill:none} .a.a.a{fill:red}", 'id="i" class="a"', False),
        ("rect.a{fill:none} .a{fill:red}", 'class="a"', False),
        ("rect{fill:none} *{fill:red}", "", False),
        (".a{fill:none}", 'class="a" fill="red"', False),
        (".a{fill:none}", 'class="a" style="fill:red"', True),
        (".a{fill:none !important}", 'class="a" style="fill:red"', False),
        (".a{fill:none !important}", 'class="a" style="fill:red !important"', True),
        (".a{fill:red !important} #i{fill:none !important}", 'id="i" class="a"', False),
        ("svg > rect{fill:none} rect{fill:red}", "", False),
        ("g > rect{fill:none}", "", True),
        ("g rect, rect:first-of-type{fill:none}", "", False),
        ("rect + rect{fill:red} rect:not(.q){fill:none} rect:not(.q, .r)+rect{fill:blue}", "", False),
        ("desc ~ rect{fill:none} rect ~ rect{fill:red}", "", False),
        ("rect:nth-child(3){fill:none}", "", False),
        ('[data-k="1" i]{fill:none}', 'data-k="1"', False),
        ("[data-k^='ab'][data-k$=cd]{fill:none}", 'data-k="abxcd"', False),
        (":is(.x, .a):where(rect){fill:none} rect{fill:red}", 'class="a"', False),
        (":where(.a){fill:none} rect{fill:red}", 'class="a"', True),
        (".A{fill:none} RECT{fill:none}", 'class="a"', True),
        (".a{fill:none", 'class="a"', False),
        ("@namespace s url(http://www.w3.org/2000/svg); s|rect.a{fill:none}", 'class="a"', False),
        ("@media screen{.a{fill:none}} @media print{.b{fill:none}}", 'class="a"', False),
        ("@media print{.a{fill:none}}", 'class="a"', True),
        ("<!-- .a{fill:none} -->", 'class="a"', True),
        ("<![CDATA[ svg>.a{fill:none} ]]>", 'class="a"', False),
        (".\\61 {fill:none}", 'class="a"', False),
        (".a{fill:initial} svg{fill:none} .b{fill:red}", 'class="a"', True),
        (".a{fill:unset}", 'class="a" fill="none"', True),
        (".a{fill:revert}", 'class="a" fill="none"', True),
        (".a::before{fill:none} .a:hover{fill:none} .a:focus{fill:none}", 'class="a"', True),
    ],
)
def test_the_cascade(tmp_path, sheet, attributes, is_seen):
    drawing = read(tmp_path, f"<desc/><style>{sheet}</style>" + BOX.format(attributes))
    assert drawing.outline.area == pytest.approx(2_900.0 if is_seen else 400.0)
    assert not [note for note in drawing.notes if note.startswith("Not")]


@pytest.mark.parametrize(
    ("content", "area"),
    [
        ('<g fill="none"><rect width="50" height="50"/></g>{}', 400.0),
        ('<g fill="none"><rect width="50" height="50" fill="inherit"/></g>{}', 400.0),
        ('<g style="fill:none"><g fill="inherit"><rect width="50" height="50"/></g></g>{}', 400.0),
        ('<g opacity="0"><rect width="50" height="50" opacity="1"/></g>{}', 400.0),
        ('<g opacity=".04"><rect width="50" height="50" opacity=".04"/><rect width="10" height="10" opacity=".05"/></g>{}', 500.0),
        ('<g style="opacity:inherit"><g opacity="0"><rect width="9" height="9"/></g></g>{}', 400.0),
        ('<g visibility="hidden"><rect width="50" height="50"/><rect width="10" height="10" visibility="visible"/></g>{}', 500.0),
        ('<g display="none"><rect id="r" width="10" height="10" display="inline"/></g><use href="#r"/>{}', 500.0),
        ('<g color="#0000"><rect width="50" height="50" fill="currentColor"/></g>{}', 400.0),
        ('<defs><rect id="r" width="50" height="50"/></defs><use href="#r" fill="none"/>{}', 400.0),
        ('<defs><rect id="r" width="50" height="50" style="fill:red"/></defs><use href="#r" fill="none"/>{}', 2_900.0),
        ("<style>use rect{{fill:none}} defs rect{{fill:none}}</style><defs><rect id='r' width='50' height='50'/></defs>"
         '<use href="#r"/>{}', 400.0),
        ('<switch><text>t</text><rect width="50" height="50"/></switch>{}', 400.0),
        ('<switch><foreignObject requiredExtensions="http://ns.adobe.com/x"/><rect width="10" height="10"/></switch>{}', 500.0),
        ('<switch><rect systemLanguage="xx" width="50" height="50"/><rect systemLanguage="de, en-GB" width="10" height="10"/></switch>{}',
         500.0),
        ('<rect systemLanguage="xx" width="50" height="50"/>{}', 400.0),
        ('<other:rect xmlns:other="http://example.org/" width="50" height="50"/>{}', 400.0),
        ('<rect xmlns="" width="50" height="50"/>{}', 400.0),
        ("<style type='text/plain'>rect{{fill:none}}</style>{}", 400.0),
        ("<style type='text/css' media='print'>rect{{fill:none}}</style>{}", 400.0),
        ("<style>g{{fill:none}}</style><style>.x{{fill:red}}</style><g><rect class='x' width='10' height='10'/></g>{}", 500.0),
    ],
)  # fmt: skip
def test_inheritance_and_structure(tmp_path, content, area):
    assert read(tmp_path, content.format('<rect x="60" y="60" width="20" height="20"/>')).outline.area == pytest.approx(area)


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        *(
            ("12", 12.0),
            ("12px", 12.0),
            ("9pt", 12.0),
            ("2pc", 32.0),
            ("1in", 96.0),
            ("2.54cm", 96.0),
            ("25.4MM", 96.0),
            ("40q", 96.0 / 2.54),
        ),
        *(("2em", 20.0), ("2rem", 32.0), ("2ex", 10.0), ("2ch", 10.0), ("+1.5e1", 15.0), (" .5e+2px ", 50.0), ("12.", 12.0), ("10%", 20.0)),
    ],
)
def test_units(tmp_path, text, pixels):
    content = f'<g font-size="10"><rect x="{text}" width="9" height="9"/></g>'
    assert bounds(read(tmp_path, content, 'width="200" height="100"'))[0] == pytest.approx(pixels)


@pytest.mark.parametrize(
    ("style", "size"),
    [
        *(("font-size:20px", 20.0), ("font-size:150%", 12.0), ("font-size:2em", 16.0), ("font-size:x-large", 24.0)),
        *(("font-size:smaller", 8.0 / 1.2), ("font:italic 12px/1.5 serif", 12.0), ("font-size:2rem", 64.0), ("", 8.0)),
    ],
)
def test_an_em_is_the_size_of_the_font(tmp_path, style, size):
    content = f'<g style="font-size:8px"><g style="{style}"><rect width="1em" height="1em"/></g></g>'
    assert read(tmp_path, content, 'width="200" height="100" font-size="32"').outline.area == pytest.approx(size**2)


@pytest.mark.parametrize(
    ("attributes", "size", "box"),
    [
        ('width="400" viewBox="0 0 200 100"', (400, 200), (20, 80, 120, 180)),
        ('height="50" viewBox="0 0 200 100"', (100, 50), (5, 20, 30, 45)),
        ('width="auto" height="50px" viewBox="0 0 200 100"', (100, 50), (5, 20, 30, 45)),
        ('style="width:400px" viewBox="0 0 200 100"', (400, 200), (20, 80, 120, 180)),
        ('viewBox="0 0 200 100"', (200, 100), (10, 40, 60, 90)),
        ('width="50%" height="50%" viewBox="0 0 200 100"', (100, 50), (5, 20, 30, 45)),
        ('width="2em" viewBox="0,0,200,100"', (32, 16), (1.6, 6.4, 9.6, 14.4)),
        ('width="100" height="100" viewBox="0 0 200 100"', (100, 100), (5, 45, 30, 70)),
        ('width="100" height="100" viewBox="0 0 200 100" preserveAspectRatio="xMinYMax"', (100, 100), (5, 20, 30, 45)),
        ('width="100" height="100" viewBox="0 0 200 100" preserveAspectRatio="xMinYMin slice"', (100, 100), (10, 40, 60, 90)),
        ('width="100" height="100" viewBox="0 0 200 100" preserveAspectRatio="none"', (100, 100), (5, 40, 30, 90)),
        ('width="200" height="100" viewBox="5 5 200 100"', (200, 100), (5, 45, 55, 95)),
        ('width="200" height="100" viewBox="0 0 0"', (200, 100), (10, 40, 60, 90)),
        ('width="200" height="100" viewBox="0 0 -1 5"', (200, 100), (10, 40, 60, 90)),
        ('width="-200" viewBox="0 0 200 100"', (200, 100), (10, 40, 60, 90)),
        ("", None, (10, -60, 60, -10)),
        ('width="200"', None, (10, -60, 60, -10)),
        ('width="100%" height="100%"', None, (10, -60, 60, -10)),
    ],
)
def test_the_size_of_the_drawing(tmp_path, attributes, size, box):
    drawing = read(tmp_path, '<rect x="10" y="10" width="50" height="50"/>', attributes)
    assert drawing.size == (None if size is None else pytest.approx(size))
    assert bounds(drawing) == pytest.approx(box)


def test_percentages_of_a_drawing_without_a_size_are_reported(tmp_path):
    """CSS 2.1, 10.3.2: 300 x 150 if nothing else is known."""
    drawing = read(tmp_path, '<rect width="10%" height="10%"/>', "")
    assert drawing.outline.area == pytest.approx(30.0 * 15.0)
    assert drawing.notes == ("The drawing does not specify its width and height, so percentages refer to 300 x 150 pixels.",)


@pytest.mark.parametrize(
    ("content", "box"),
    [
        ('<svg x="10" y="10" width="50" height="50"><rect width="500" height="50%"/></svg>', (10, 65, 60, 90)),
        ('<svg x="10" y="10" width="50" height="50" overflow="visible"><rect width="70" height="50%"/></svg>', (10, 65, 80, 90)),
        ('<svg x="10" width="50" viewBox="0 0 10 20" preserveAspectRatio="none"><rect width="50%" height="50%"/></svg>', (10, 50, 35, 100)),
        ('<svg x="10"><rect width="50" height="50"/></svg>', (10, 50, 60, 100)),
        ('<svg width="20" height="20" transform="translate(30)"><circle r="50"/></svg>', (30, 80, 50, 100)),
        ('<symbol id="s" viewBox="0 0 10 10"><rect width="50%" height="20"/></symbol><use href="#s" width="40" height="40"/>',
         (0, 60, 20, 100)),
        ('<symbol id="s" overflow="visible"><rect width="60" height="5"/></symbol><use href="#s" x="5" width="40" height="40"/>',
         (5, 95, 65, 100)),
        ('<symbol id="s" width="20" height="30"><rect width="100%" height="100%"/></symbol><use href="#s" width="40"/>', (0, 70, 40, 100)),
        ('<defs><svg id="s" width="20" height="30"><rect width="100%" height="100%"/></svg></defs><use href="#s" x="5%" height="40"/>',
         (5, 60, 25, 100)),
        ('<symbol id="s" style="display:none"><rect width="6" height="5"/></symbol><use href="#s"/>', (0, 95, 6, 100)),
        ('<rect width="50%" height="50%" style="width:30px;height:20%"/>', (0, 80, 30, 100)),
        ('<circle cx="50" cy="50" style="r:10%"/>', (40, 40, 60, 60)),
        ('<path d="M0 0H9V9z" style="d:path(\'M0 0H20V20z\')"/>', (0, 80, 20, 100)),
        ('<rect width="20" height="20" rx="5%" ry="auto"/>', (0, 80, 20, 100)),
        ('<ellipse cx="50" cy="50" rx="20"/>', (30, 30, 70, 70)),
    ],
)  # fmt: skip
def test_viewports_and_geometry(tmp_path, content, box):
    assert bounds(read(tmp_path, content)) == pytest.approx(box, abs=2e-4)


@pytest.mark.parametrize(
    ("attributes", "box"),
    [
        ('transform="translate(10)"', (30, 60, 50, 70)),
        ('transform="translate(10,20) , scale(2 , 1)"', (50, 40, 90, 50)),
        ('transform="rotate(90 30 40)"', (30, 50, 40, 70)),
        ('transform="matrix(1,0,0,1,5,5)scale(1)"', (25, 55, 45, 65)),
        ('style="transform: translate(10px, 1em)"', (30, 44, 50, 54)),
        ('style="transform: translate(10%, 50%)"', (40, 10, 60, 20)),
        ('style="transform: translateX(10px) translateY(-10px)"', (30, 70, 50, 80)),
        ('style="transform: rotate(90deg); transform-origin: 30px 40px"', (30, 50, 40, 70)),
        ('style="transform: rotate(.25turn); transform-origin: 15% 40%"', (30, 50, 40, 70)),
        ('style="transform: rotate(100grad); transform-origin: 30px 40px 0"', (30, 50, 40, 70)),
        ('style="transform: rotate(1.5707963267948966rad); transform-origin: 30px 40px"', (30, 50, 40, 70)),
        ('style="transform: scale(-1, 1); transform-origin: center"', (160, 60, 180, 70)),
        ('style="transform: scale(50%); transform-origin: left bottom"', (10, 30, 20, 35)),
        ('style="transform: scaleX(2); transform-origin: right"', (-160, 60, -120, 70)),
        ('style="transform: scaleY(2); transform-origin: top"', (20, 20, 40, 40)),
        ('style="transform: skewX(45deg)"', (50, 60, 80, 70)),
        ('style="transform: skew(0, 45deg)"', (20, 20, 40, 50)),
        ('style="transform: matrix(1, 0, 0, 1, 5, 5)"', (25, 55, 45, 65)),
        ('style="transform: none" transform="scale(3)"', (20, 60, 40, 70)),
        ('style="transform: rotate(90deg); transform-box: fill-box; transform-origin: center"', (25, 55, 35, 75)),
        ('transform="scale(2)" transform-origin="100% 0"', (-160, 20, -120, 40)),
        ('transform="scale(2)" transform-origin="top 5"', None),
    ],
)
def test_transforms(tmp_path, attributes, box):
    """A rectangle of 20 x 10 whose upper left corner is (20, 30)."""
    content = f'<g {attributes}><rect x="20" y="30" width="20" height="10"/></g>'
    drawing = read(tmp_path, f'<svg width="200" overflow="visible">{content}</svg>', 'viewBox="-200 0 500 100"')
    assert np.array(bounds(drawing)) - (200, 0, 200, 0) == pytest.approx(box or (40, 20, 80, 40))
    assert len(drawing.notes) == (box is None)


@pytest.mark.parametrize(
    ("content", "area"),
    [
        ('<clipPath id="c"><rect width="20" height="20"/></clipPath><rect width="50" height="50" clip-path="url(#c)"/>', 400.0),
        ('<clipPath id="c"><rect width="20" height="20"/></clipPath><g clip-path="url(#c)" transform="scale(2)">'
         '<rect width="50" height="50"/></g>',
         1_600.0),
        ('<clipPath id="c" transform="scale(2)"><rect width="10" height="20"/></clipPath>'
         '<rect width="50" height="50" style="clip-path:url(#c)"/>',
         800.0),
        ('<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height="50%"/></clipPath>'
         '<g clip-path="url(#c)"><rect x="20" width="40" height="40"/></g>', 400.0),
        ('<clipPath id="c" clip-path="url(#d)"><rect width="20" height="20"/></clipPath>'
         '<clipPath id="d"><rect width="5" height="50"/></clipPath>'
         '<rect width="50" height="50" clip-path="url(#c)"/>', 100.0),
        ('<clipPath id="c" clip-path="url(#d)"><rect width="50" height="50"/></clipPath>'  # of the box around what is clipped
         '<clipPath id="d" clipPathUnits="objectBoundingBox"><rect width="1" height=".5"/></clipPath>'
         '<rect x="10" y="10" width="40" height="40" clip-path="url(#c)"/>', 800.0),
        ('<clipPath id="c" clip-path="url(#d)" clipPathUnits="objectBoundingBox"><rect width="1" height="1"/></clipPath>'
         '<clipPath id="d"><rect width="30" height="30"/></clipPath>'
         '<rect x="10" y="10" width="40" height="40" clip-path="url(#c)"/>', 400.0),
        ('<clipPath id="c" clip-path="url(#d)" transform="translate(20)"><rect width="40" height="40"/></clipPath>'
         '<clipPath id="d"><rect width="30" height="30"/></clipPath>'
         '<rect x="10" y="10" width="40" height="40" clip-path="url(#c)"/>', 200.0),
        ('<clipPath id="c"><rect width="25" height="15"/></clipPath>'  # in the units of its viewBox
         '<svg x="10" y="10" width="50" height="50" viewBox="0 0 25 25" clip-path="url(#c)"><rect width="30" height="30"/></svg>', 1_500.0),
        ('<clipPath id="c"><rect width="50%" height="15"/></clipPath>'
         '<symbol id="s" viewBox="0 0 25 25" clip-path="url(#c)"><rect width="30" height="30"/></symbol>'
         '<use href="#s" x="10" y="10" width="50" height="50"/>', 750.0),
        ('<clipPath id="c"><path clip-rule="evenodd" d="M0 0H40V40H0z M10 10H30V30H10z"/></clipPath>'
         '<rect width="50" height="50" clip-path="url(#c)"/>', 1_200.0),
        ('<clipPath id="c"><rect fill="none" width="20" height="20"/><rect x="30" width="9" height="9" display="none"/></clipPath>'
         '<rect width="50" height="50" clip-path="url(#c)"/>', 400.0),
        ('<clipPath id="c"><use href="#r" x="10"/></clipPath><defs><rect id="r" width="20" height="20"/></defs>'
         '<rect width="50" height="50" clip-path="url(#c)"/>', 400.0),
        ('<clipPath id="c"><g><rect width="50" height="50"/></g><rect width="20" height="20"/></clipPath>'
         '<rect width="50" height="50" clip-path="url(#c)"/>', 400.0),
        ('<clipPath id="c"><rect width="20" height="20"/></clipPath><g clip-path="url(#c)"><svg x="10" width="20" height="10">'
         '<rect width="50" height="50"/></svg></g>', 100.0),
    ],
)  # fmt: skip
def test_clipping(tmp_path, content, area):
    assert read(tmp_path, content).outline.area == pytest.approx(area)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        *((f"<style>{rule}</style>", f"Not understood: {note}.") for rule, note in [
            ("rect:has(g){fill:none}", "rect:has(g) {fill:none}"),
            ("rect:nosuch{fill:none}", "rect:nosuch {fill:none}"),
            ("a, rect:not(g rect){fill:none}", "a, rect:not(g rect) {fill:none}"),
            ("> rect{fill:none}", "> rect {fill:none}"),
            ("rect >{fill:none}", "rect > {fill:none}"),
            ("q|rect{fill:none}", "q|rect {fill:none}"),
            ("@import url(a.css);", "@import url(a.css)"),
            ("@supports (fill: none){rect{fill:none}}", "@supports (fill: none)"),
            ("@media (min-width: 5px){rect{fill:none}}", "@media (min-width: 5px)"),
            ("rect{fill:var(--a)}", "fill: var(--a)"),
            ("rect{x:5}", "x: 5"),
            ("rect{transform:rotate(45)}", "transform: rotate(45)"),
            ("rect{transform:rotateX(45deg)}", "transform: rotateX(45deg)"),
            ("rect{rotate:45deg}", "rotate: 45deg"),
            ("rect{clip-path:circle(5px)}", "clip-path: circle(5px)"),
            ("g{fill:none; rect{fill:red}}", "rect{fill:red}"),
            ("rect{x:calc(1px + 2px)}", "x: calc(1px + 2px)"),
        ]),
        ("<style media='(width: 5px)'>rect{fill:none}</style>", "Not understood: <style media=\"(width: 5px)\">."),
        ("<style type='text/less'>rect{fill:none}</style>", "Not understood: <style type=\"text/less\">."),
        ('<rect x="3vw"/>', "Not understood: x: 3vw."),
        ('<rect fill="nosuch"/>', "Not understood: fill: nosuch."),
        ('<rect transform="rotate(45deg)"/>', "Not understood: transform: rotate(45deg)."),
        ('<rect width="-5" height="5"/>', "Not understood: width: -5."),
        ('<circle r="-5"/>', "Not understood: r: -5."),
        ('<rect width="5" height="5" x="80" clip-path="url(#no)"/>', "Not understood: clip-path: url(#no)."),
        ('<rect width="5" height="5" x="80" fill="url(a.svg#p)"/>', "Not understood: url(a.svg#p)."),
        ('<use href="#no"/>', 'Not understood: <use href="#no">, which does not exist.'),
        ('<svg viewBox="a"/>', 'Not understood: viewBox="a".'),
        ('<svg viewBox="0 0 9 9" preserveAspectRatio="xMid"/>', 'Not understood: preserveAspectRatio="xMid".'),
        ('<rect width="1" height="1" filter="url(#f)"/>', "Not applied: filter (1)."),
        ('<rect width="1" height="1" style="mask:url(#m)"/>', "Not applied: mask (1)."),
        ('<marker id="m"/><path d="M0 0H1V1z" style="marker:url(#m)"/>', "Not applied: marker (1)."),
        ('<pattern id="p" href="#q" width="9"/><pattern id="q" height="5%"><path/></pattern><rect width="1" height="1" fill="url(#p)"/>',
         "Not applied: pattern (1)."),
        ('<clipPath id="c"><text>x</text><rect width="9" height="9"/></clipPath><rect width="1" height="1" clip-path="url(#c)"/>',
         "Not traced: text in a clipPath (1)."),
        ("<animate/>", "Not traced: animate (1)."),
        ('<path id="wing" d="M0 0H1V1z M3 3 a1 1 0 2 0 5 5 z"/>',
         'Drawn up to its first error: path "wing", letter 22 of 31, " 2 0 5 5 z".'),
        ('<path d="M0 0H1V1h "/>', "Drawn up to its first error: path, a number is missing at its end."),
        ('<path d="M0 0H1V1z nan"/>', 'Drawn up to its first error: path, letter 10 of 13, " nan".'),
        ('<polygon points="0 0 1 0 1 1 5"/>', "Drawn up to its first error: polygon, after 3 points."),
        ('<polyline points="0 0 1 0 1 1 x"/>', "Drawn up to its first error: polyline, after 3 points."),
        (f'<rect width="1" height="1" fill="rgb({DIGITS}, 0, 0)"/>', f"Not understood: fill: rgb({DIGITS[:67]}...."),
        (f'<rect width="1" height="1" style="fill: rgb({DIGITS}, 0, 0)"/>', f"Not understood: style: fill: rgb({DIGITS[:60]}...."),
        (f"<style>rect{{x: {DIGITS}px}}</style>", f"Not understood: style: rect{{x: {DIGITS[:62]}...."),
        (f"<style>g:nth-child({DIGITS}n){{x: 0}}</style>", f"Not understood: style: g:nth-child({DIGITS[:58]}...."),
        ('<rect width="\x80\u202e5"/>', "Not understood: width: \\x80\\u202e5."),
    ],
)  # fmt: skip
def test_unsupported_features_are_named_and_change_nothing(tmp_path, content, note):
    drawing = read(tmp_path, content + '<rect x="60" y="60" width="20" height="20"/>')
    assert note in drawing.notes
    assert drawing.outline.area == pytest.approx(400.0, abs=26.0)  # and at most what stands in the row itself


def test_there_are_no_more_than_twenty_notes_of_that_kind_and_none_is_long(tmp_path):
    rules = "".join(f"rect:nosuch{k}{{fill:none}}" for k in range(50)) + "x" * 500 + ":nosuch{fill:none}"
    notes = read(tmp_path, f'<style>{rules}</style><rect x="3vw" width="9" height="9"/>').notes
    assert len(notes) == 20 and notes[-1] == "Not understood: 33 more."
    notes = read(tmp_path, f'<style>{"x" * 500}:nosuch{{fill:none}}</style><rect width="9" height="9"/>').notes
    assert len(notes) == 1 and len(notes[0]) < 110


@pytest.mark.parametrize(
    ("d", "area"),
    [
        ("M0 0H10V10z L30 0V30", 450.0),
        ("M0 0H10V10z M20 0h10v10 a5 5 0 2 0 3 3 z", 100.0),
        ("M0 0H10V10 C 0 0 1", 50.0),
        ("M0 0H10V10 , L0 50", 50.0),
        ("M0 0H10V10z M20 0 30 0 30 10 20", 100.0),
        ("L0 0 M0 0H10V10z", 0.0),
        ("m5 5 10 0 0 10 z", 50.0),
        ("M0,0L10,0,10,10Z", 50.0),
        ("M0-0L10-0 10.0.10e2Z", 50.0),
        ("M0 10A10 10 0 0110 0V10z", 25.0 * math.pi),
        ("M0 10A10 10 0 0,110,0V10z", 25.0 * math.pi),
        ("M0 0a0 5 0 1 1 10 0v10z", 50.0),
        ("M0 0A-5-5 0 1 0 10 0z", 12.5 * math.pi),
        ("M0 0A1 1 0 1 0 10 0z", 12.5 * math.pi),
        ("", 0.0),
        ("M0 0H10V10zm20 0h10v10zh-10z", 100.0),
    ],
)
def test_path_data_is_drawn_up_to_the_first_error(tmp_path, d, area):
    drawing = read(tmp_path, f'<path d="{d}"/><rect x="60" y="60" width="20" height="20"/>')
    assert drawing.outline.area == pytest.approx(400.0 + area, abs=0.02)


def test_a_shape_flattened_to_a_slanted_line_is_omitted(tmp_path):
    """GEOS cannot node such lines in doubles: "Iterated noding failed to converge"."""
    flat = (
        '<g transform="scale(1.22991, 0.4) matrix(0.9 0.2 -0.3 0.7 9 5)">'
        '<path transform="scale(0.826816 0) matrix(0.9 0.2 -0.3 0.827056 9 5)"'
        ' d="M15.2 9.36 H55.0302 S0.5,41.6709 8.94,40.9 v1.5 H78.0"/></g>'
    )
    drawing = read(tmp_path, flat + '<rect x="60" y="60" width="20" height="20"/>')
    assert drawing.outline.area == pytest.approx(400.0)
    assert drawing.notes == ("Left out: 1 shape hidden or without an area.",)


def test_an_outline_stays_valid_at_any_position(tmp_path):
    """This one is valid in doubles, but not after translation by the height of the drawing."""
    d = "M12.7,25.4034 C78.2 66.7 33.2,49.6 76.8952,46.8 a25.8346 17 -45.9 0,1,.0102,16.0 l9 6.89919z t-17.7 -4.29366Z"
    outline = read(tmp_path, f'<path d="{d}"/>', 'width="100" height="80"').outline
    for k in range(20):
        assert outline.translated(31.0 * k / 16.0, -1000.0 * k).as_shapely().is_valid


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"<style>{'a,' * 300}a{{fill:red}}</style>", "style sheets have at most 300 selectors"),
        (f"<style>{'*{fill:red}' * 60}</style>{'<g/>' * 60}", "at most 2000 pairs of an element and a selector"),
        (f"<style>g:first-of-type{{fill:red}}</style>{'<g/>' * 60}", "at most 2000 pairs of an element and a selector"),
        (f"<style>{'a,' * 610_000}a{{fill:red}}</style>", "at most 600000 punctuation marks"),
        (f"<style>{'[d*=q]{fill:red}' * 50}</style><path d='{' ' * 5_000}'/>", "at most 2000 pairs of an element and a selector"),
        ("".join(f"<clipPath id='c{k}' clip-path='url(#c{k + 1})'/>" for k in range(2_000)) + "<g clip-path='url(#c0)'/>",
         "nested at most 64 deep"),
        (f"<style>{'a{' * 50_000}</style>", "nested at most 32 deep"),
        (f"<rect style='x:{'(' * 50_000}'/>", "nested at most 32 deep"),
        (f"<clipPath id='c'>{'<path/>' * 900}</clipPath>" + "".join(f"<g transform='scale({k})' clip-path='url(#c)'/>" for k in range(50)),
         "at most 20000 elements, including copies by <use>"),
    ],
    ids=["selectors", "matches", "siblings", "marks", "letters", "clips of clips", "nested rules", "nested values", "clips"],
)  # fmt: skip
def test_endless_style_sheets_and_clips_are_rejected(tmp_path, monkeypatch, content, words):
    monkeypatch.setattr(_svg_style, "_MAX_SELECTORS", 300)
    monkeypatch.setattr(_svg_style, "_MAX_MATCHES", 2_000)
    with pytest.raises(InvalidInputError, match=re.escape(words)):
        read(tmp_path, content + '<rect width="9" height="9"/>')


def test_long_selectors_and_spaces_take_no_time(tmp_path):
    """Each part of a selector could match any of sixty ancestors, so backtracking takes forever."""
    chain = "g " * 30 + "rect.none"
    text = f"<style>{chain}{{fill:none}} {'g ' * 20}rect.a{{fill:none}} {' ' * 200_000}</style>" + "<g>" * 58
    text += '<rect class="a" width="50" height="50"/><rect width="20" height="20"/>' + "</g>" * 58
    assert read(tmp_path, text).outline.area == pytest.approx(400.0)


TURN = 'style="transform-box: fill-box; transform-origin: center; transform: rotate(90deg)"'


@pytest.mark.parametrize("n_levels", [1, 20, 60])
@pytest.mark.parametrize("is_copied", [False, True])
def test_boxes_of_nested_groups_are_measured_once(tmp_path, n_levels, is_copied):
    """Each was measured again by all enclosing groups, 2^20 times for twenty levels; `use` elements in between, and a note about a missing
    reference.
    """
    content = '<rect x="20" y="30" width="20" height="10"/><use href="#no"/>'
    levels = n_levels // 2 if is_copied else n_levels
    for k in range(levels):
        content = f"<g {TURN}>{content}</g>" if not is_copied else f'<defs><g id="g{k}" {TURN}>{content}</g></defs><use href="#g{k}"/>'
    drawing = read(tmp_path, content)
    assert bounds(drawing) == pytest.approx((25, 55, 35, 75) if levels % 2 else (20, 60, 40, 70))
    assert drawing.notes == ('Not understood: <use href="#no">, which does not exist.',)


def test_a_bounding_box_is_that_of_the_copy(tmp_path):
    """Two copies differ in size by an inherited style, and so do their boxes."""
    group = f'<defs><g id="g" {TURN}><rect width="2em" height="1em"/></g></defs>'
    drawing = read(tmp_path, f'{group}<use href="#g" font-size="10"/><use href="#g" x="50" font-size="20"/>')
    sizes = sorted(tuple(np.ptp(part.outer, axis=0)) for part in drawing.outline.parts)
    assert sizes == [pytest.approx((10.0, 15.0)), pytest.approx((20.0, 30.0))]


def test_a_group_that_is_measured_may_have_as_many_elements_as_any(tmp_path):
    drawing = read(tmp_path, f"<g {TURN}>" + 11_000 * "<line/>" + '<rect width="5" height="5"/></g>')
    assert drawing.outline.area == pytest.approx(25.0)


def test_transforms_that_depend_on_position_are_unsupported(tmp_path):
    text = f'<rect width="9" height="9" style="transform:{"translate(1%) " * 101}"/>'
    assert read(tmp_path, text).notes[0].startswith("Not understood: transform: translate(1%)")
