"""Fills, sizes, names and notes of drawings, and drawings as editors export them, by areas known from the specifications.

tests/agreement/test_svg_against_resvg.py compares random drawings with resvg, pixel by pixel.
"""

import math

import pytest

from engine.common.errors import InvalidInputError
from engine.decompose.svg import read_drawing
from tests.unit.decompose.test_svg import SPACE, TOLERANCE, drawn

BOX = '<rect width="50" height="50" {}/><rect x="60" y="60" width="20" height="20" style="fill:black"/>'
"""2,500 and 400 square units: 400 are left where the first is not seen."""


def read(folder, content, attributes='width="100" height="100"'):
    return read_drawing(drawn(folder, content, attributes), 1.0, TOLERANCE)


def bounds(drawing):
    return (*drawing.outline.aabb.lower, *drawing.outline.aabb.upper)


@pytest.mark.parametrize(
    "attributes",
    [
        *('fill="none"', 'fill="transparent"', 'fill="rgba(1,2,3,0)"', 'fill="#0000"', 'fill-opacity="0"', 'opacity="0"', 'display="none"'),
        *('visibility="hidden"', 'fill="url(#missing)"', 'style="fill:none"', 'color="#0000" fill="currentColor"', 'fill="url(#clear)"'),
        *('fill="url(#heir)"', 'fill="url(#empty)"', 'style="opacity:0" opacity="1"', 'class="no"', 'class="a no"', 'id="gone"'),
        # of less than half a 255th of the light nothing is left, whatever it is the product of
        *('opacity="1e-9"', 'fill-opacity="0.1%"', 'opacity=".04" fill-opacity=".04"', 'fill="url(#half)" opacity=".002"'),
    ],
)  # fmt: skip
def test_invisible_paint_draws_nothing(tmp_path, attributes):
    servers = (
        "<style>#gone,.no{fill:none}</style>"
        '<linearGradient id="clear"><stop stop-color="red" stop-opacity="0"/><stop offset="1" stop-opacity="0"/></linearGradient>'
        '<radialGradient id="heir" xlink:href="#clear"/><linearGradient id="empty"/>'
        '<linearGradient id="half"><stop stop-opacity=".5"/></linearGradient>'
    )
    assert read(tmp_path, servers + BOX.format(attributes)).outline.area == pytest.approx(400.0)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("<style>rect:has(g){fill:none}</style>", "Not understood: ':has' is not supported. Selector skipped."),
        ("<style>@media print{rect{fill:none}}</style>", "Not understood: The @media rule is not supported. Skipped."),
        ("<style>rect{x:5px}</style>", "Not applied: x (1)."),
        ('<rect width="1" height="1" style="transform-origin:5px 5px"/>', "Not applied: transform-origin (1)."),
        ('<rect width="1" height="1" transform="rotate(9)" transform-origin="50% 1"/>', "Not applied: transform-origin (1)."),
        ('<rect transform="rotate(45deg)" width="1" height="1"/>', "Not understood: Failed to parse transform value: 'rotate(45deg)'."),
        ('<rect width="5" height="5" clip-path="url(#no)"/>', "Not understood: Failed to parse clip-path value: 'url(#no)'."),
        ('<mask id="m"><rect width="1" height="1"/></mask><rect width="1" height="1" mask="url(#m)"/>', "Not applied: mask (1)."),
        ('<pattern id="p" width="9" height="9"><rect width="9" height="9"/></pattern><rect width="1" height="1" fill="url(#p)"/>',
         "Not applied: pattern (1)."),
        ("<text>x</text>", "Not traced: text (1)."),
        ('<image href="a.png" width="9" height="9"/>', "Not traced: image (1)."),
        ('<g id="a"><use xlink:href="#a"/><rect width="1" height="1"/></g>',
         "Not understood: Recursive 'use' detected. '' will be skipped."),
    ],
)  # fmt: skip
def test_unsupported_features_are_named(tmp_path, content, note):
    drawing = read(tmp_path, content + '<rect x="60" y="60" width="20" height="20"/>')
    assert note in drawing.notes
    assert drawing.outline.area == pytest.approx(400.0, abs=26.0)  # and at most what stands in the row itself


def test_there_are_no_more_than_twenty_notes_of_that_kind_and_none_is_long(tmp_path):
    rules = "".join(f"rect:nosuch{k}{{fill:none}}" for k in range(50)) + f"rect:{'x' * 500}{{fill:none}}"
    notes = read(tmp_path, f'<style>{rules}</style><rect width="9" height="9"/>').notes
    assert len(notes) == 20 and notes[-1] == "Not understood: 32 more." and max(map(len, notes)) < 110


@pytest.mark.parametrize("length", ["3vw", "2rem", "40Q", "calc(1px + 2px)"])
def test_a_length_with_an_unknown_unit_is_refused_by_name(tmp_path, length):
    with pytest.raises(InvalidInputError, match=r"width must be a length in px, in, cm, mm, pt, pc, em, ex or %, got") as refusal:
        read(tmp_path, f'<rect width="{length}" height="9"/>')
    assert repr(length) in str(refusal.value)


def test_words_of_groups_and_of_referenced_elements_reach_a_shape(tmp_path):
    content = (
        '<defs><rect id="brick" class="heavy" width="9" height="9"/></defs><g id="wall" class="static">'
        '<use id="left" xlink:href="#brick"/><g><path class="Light" d="M20 0H30V10z"/></g></g><circle cx="50" cy="50" r="3"/>'
    )
    shapes = list(read(tmp_path, content).shapes)
    assert [shape.words for shape in shapes] == [("wall", "static", "left", "brick", "heavy"), ("wall", "static", "light"), ()]
    assert [shape.name for shape in shapes] == ["left", "", ""]


def test_an_outline_stays_valid_at_any_position(tmp_path):
    """This one is valid in doubles, but not after translation by the height of the drawing."""
    d = "M12.7,25.4034 C78.2 66.7 33.2,49.6 76.8952,46.8 a25.8346 17 -45.9 0,1,.0102,16.0 l9 6.89919z t-17.7 -4.29366Z"
    outline = read(tmp_path, f'<path d="{d}"/>', 'width="100" height="80"').outline
    for k in range(20):
        assert outline.translated(31.0 * k / 16.0, -1000.0 * k).as_shapely().is_valid


INKSCAPE = (
    f'{SPACE} xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"'
    ' xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
)
LAYER = '<sodipodi:namedview id="base" pagecolor="#ffffff"/><g inkscape:groupmode="layer" inkscape:label="Layer 1" id="layer1" {}>{}</g>'
PAGE = 'width="210mm" height="297mm" viewBox="0 0 210 297" version="1.1" inkscape:version="1.3"'
WEB = 'id="Layer_1" data-name="Layer 1" viewBox="0 0 100 100"'
MM = 96.0 / 25.4


@pytest.mark.parametrize(
    ("attributes", "content", "area"),
    [
        # Inkscape: styles as attributes, millimeters, layers, clones, clips, text beside
        (PAGE, LAYER.format("", '<rect style="fill:#00f;stroke-width:0.26" id="rect1" width="20" height="10" x="30" y="4"/>'), 200 * MM**2),
        (PAGE, LAYER.format('transform="translate(5,5)"', '<path style="fill:red" d="m 10,10 h 20 v 20 h -20 z" id="p2"/>'), 400 * MM**2),
        (PAGE, LAYER.format("", '<circle style="fill:#0f0" id="path3" cx="50" cy="60" r="10"/>'), 100 * math.pi * MM**2),
        (PAGE, LAYER.format("", '<path style="fill:#000" sodipodi:type="arc" d="m 60,60 a 10,10 0 0 1 -10,10 10,10 0 0 1 -10,-10 '
                                '10,10 0 0 1 10,-10 10,10 0 0 1 10,10 z"/>'), 100 * math.pi * MM**2),
        (PAGE, LAYER.format("", '<rect id="r4" width="10" height="10"/><use x="0" y="0" xlink:href="#r4" id="use5" '
                                'transform="translate(30,0) rotate(30)" width="100%" height="100%"/>'), 200 * MM**2),
        (PAGE, '<defs id="defs2"><clipPath clipPathUnits="userSpaceOnUse" id="clipPath9"><rect id="r8" width="10" height="5"/></clipPath>'
               "</defs>" + LAYER.format("", '<rect clip-path="url(#clipPath9)" width="20" height="20" style="fill:#f00"/>'), 50 * MM**2),
        (PAGE, LAYER.format("", '<text xml:space="preserve" style="font-size:10px" x="9" y="9"><tspan>word</tspan></text>'
                                '<path style="fill-rule:evenodd" d="M 0,0 H 30 V 30 H 0 Z M 10,10 H 20 V 20 H 10 Z"/>'), 800 * MM**2),
        (PAGE, LAYER.format('style="display:none"', '<rect width="90" height="90"/>') + '<rect width="3" height="3"/>', 9 * MM**2),
        (PAGE, LAYER.format("", '<image width="50" height="50" xlink:href="data:image/png;base64,AAAA"/><ellipse cx="50" cy="50" rx="8" '
                                'ry="4" transform="matrix(0.8,0.6,-0.6,0.8,0,0)"/>'), 32 * math.pi * MM**2),
        ('width="4in" height="3in" viewBox="0 0 288 216"', LAYER.format("", '<g id="g1"><g id="g2" transform="scale(2)">'
         '<polygon points="10,10 30,10 30,30"/></g></g>'), 800 * (4.0 / 3.0) ** 2),
        # Illustrator: classes in a style sheet, viewBox without a size, <switch>, symbols, rounded numbers
        (WEB, "<defs><style>.cls-1{fill:none;stroke:#000}.cls-2{fill:#ed1c24;}</style></defs><title>a</title>"
              '<rect class="cls-1" width="90" height="90"/><rect class="cls-2" x="5" y="5" width="20" height="10"/>', 200.0),
        (WEB, '<style type="text/css">.st0{fill:#FFF;} .st1{clip-path:url(#SVGID_2_);} .st2{opacity:0.5;enable-background:new;}</style>'
              '<g><defs><rect id="SVGID_1_" width="20" height="20"/></defs><clipPath id="SVGID_2_"><use xlink:href="#SVGID_1_" '
              'style="overflow:visible;"/></clipPath><g class="st1"><rect class="st0 st2" width="50" height="50"/></g></g>', 400.0),
        (WEB, '<switch><foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/" x="0" y="0" width="1" height="1"/>'
              '<g><path d="M50,60c-5.5,0-10-4.5-10-10s4.5-10,10-10s10,4.5,10,10S55.5,60,50,60z"/></g></switch>', 99.88 * math.pi),
        (WEB, '<symbol id="a" viewBox="-5 -5 10 10"><circle r="5"/></symbol><use xlink:href="#a" width="10" height="10" x="-5" y="-5" '
              'transform="matrix(2 0 0 -2 50 50)" style="overflow:visible;"/>', 100 * math.pi),
        (WEB, '<linearGradient id="SVGID_1_" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="9" y2="9"><stop offset="0" '
              'style="stop-color:#FFFFFF"/><stop offset="1" style="stop-color:#000000"/></linearGradient>'
              '<path style="fill:url(#SVGID_1_);" d="M0,0h40v40H0V0z"/>', 1600.0),
        (WEB, '<g id="Layer_2"><g id="icon"><polyline class="x" points="0 0 40 0 40 40 0 40"/><line x1="3" x2="9" y1="1" y2="2"/></g></g>',
         1600.0),
        (WEB, '<g id="hidden" style="display:none;"><rect width="99" height="99"/></g><rect x="10" y="10" width="20" height="20" rx="5"/>',
         400.0 - (4.0 - math.pi) * 25.0),
        (WEB, '<path fill-rule="evenodd" clip-rule="evenodd" d="M10,10h30v30H10V10z M20,20v10h10V20H20z"/>', 800.0),
        (WEB, '<rect x="20" y="20" transform="matrix(0.7071 -0.7071 0.7071 0.7071 -12.4264 30)" width="20" height="20"/>', 400.0),
        (WEB, '<g transform="translate(50 50)"><g transform="rotate(45)"><rect width="10" height="10"/></g><rect x="-20" width="10" '
              'height="10" fill="#FFF" fill-opacity="0"/></g>', 100.0),
    ],
)  # fmt: skip
def test_drawings_of_editors(tmp_path, attributes, content, area):
    path = tmp_path / "export.svg"
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<svg {INKSCAPE} {attributes}>{content}</svg>', encoding="utf-8")
    drawing = read_drawing(path, 1.0, TOLERANCE)
    assert drawing.outline.area == pytest.approx(area, abs=max(0.1, 2e-3 * area if "4.5-10" in content else 1e-4 * area))
