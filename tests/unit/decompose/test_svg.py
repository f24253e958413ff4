"""Drawings to outlines: areas known by formula, comparison with a rasterizer, curves within the tolerance, and rejected drawings."""

import math

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.decompose import outline_of_svg, trace_file
from engine.decompose.curves import cubic_points, ellipse_points
from engine.decompose.image import contour_of_opacity
from engine.decompose.svg import read_drawing

SPACE = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
TOLERANCE = 1e-4


def drawn(folder, content, attributes='width="100" height="100"'):
    path = folder / "drawing.svg"
    path.write_text(f"<svg {SPACE} {attributes}>{content}</svg>", encoding="utf-8")
    return path


def outline_of(folder, content, attributes='width="100" height="100"'):
    """Return the outline at one meter per user unit, not centered."""
    return read_drawing(drawn(folder, content, attributes), 1.0, TOLERANCE).outline


@pytest.mark.parametrize(
    ("content", "area"),
    [
        ('<rect x="1" y="2" width="10" height="20"/>', 200.0),
        ('<rect width="10" height="20" rx="3"/>', 200.0 - (4.0 - math.pi) * 9.0),
        ('<rect width="10" height="20" rx="3" ry="5"/>', 200.0 - (4.0 - math.pi) * 15.0),
        ('<rect width="10" height="20" rx="30"/>', 200.0 - (4.0 - math.pi) * 50.0),
        ('<circle cx="50" cy="50" r="10"/>', 100.0 * math.pi),
        ('<ellipse cx="50" cy="50" rx="10" ry="4"/>', 40.0 * math.pi),
        ('<polygon points="0,0 10,0 10,10"/>', 50.0),
        ('<polyline points="0 0 10 0 10 10"/>', 50.0),
        ('<path d="M0 0h10v10h-10z"/>', 100.0),
        ('<path d="M0 0h10v10h-10"/>', 100.0),
        ('<path d="M0 10 A10 10 0 0 1 10 0 V10z"/>', 25.0 * math.pi),
        ('<path d="M0 0 Q10 0 10 10z"/>', 100.0 / 3.0),
        ('<path d="M0 0 Q 5 0 5 5 T 10 10 V0z"/>', 50.0),
        ('<path d="M0 0 C0 10 10 10 10 0z"/>', 60.0),
        ('<path fill-rule="evenodd" d="M0 0h10v10h-10z M2 2h6v6h-6z"/>', 64.0),
        ('<path d="M0 0h10v10h-10z M2 2h6v6h-6z"/>', 100.0),
        ('<path d="M0 0h10v10h-10z M2 2v6h6v-6z"/>', 64.0),
        ('<g fill-rule="evenodd"><path d="M0 0h10v10h-10z M2 2h6v6h-6z"/></g>', 64.0),
        ('<g transform="translate(20 20)"><g transform="rotate(30)"><rect width="4" height="5" transform="scale(2)"/></g></g>', 80.0),
        ('<circle cx="20" cy="20" r="5" transform="skewX(40)"/>', 25.0 * math.pi),
        ('<circle cx="20" cy="20" r="5" transform="matrix(2 1 0 -3 50 60)"/>', 150.0 * math.pi),
        ('<defs><rect id="a" width="5" height="4"/></defs><use href="#a"/><use xlink:href="#a" x="10" transform="scale(2)"/>', 100.0),
        ('<symbol id="s" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></symbol><use href="#s" width="20" height="20"/>', 100.0 * math.pi),
        ('<rect id="a" width="5" height="4"/><g id="b"><use href="#a" y="10"/></g><use href="#b" y="10"/>', 60.0),
        ('<style>/* } */ .no, #x {display:none} rect.thin{fill:none}</style><rect class="no" width="9" height="9"/>'
         '<rect id="x" width="9" height="9"/><rect class="thin" width="50" height="50"/><rect width="2" height="2"/>', 4.0),
        ('<g display="none"><rect width="50" height="50"/></g><rect width="2" height="2" style="fill:#123"/>', 4.0),
        ('<g visibility="hidden"><rect width="50" height="50"/><rect width="2" height="2" visibility="visible"/></g>', 4.0),
        ('<rect width="50" height="50" fill="none" stroke="red"/><rect width="2" height="2"/>', 4.0),
        ('<linearGradient id="paint"><stop/></linearGradient><rect width="50" height="50" fill="url(#paint)"/>', 2500.0),
        ('<mask id="m"><rect width="50" height="50"/></mask><marker><rect width="60" height="60"/></marker>'
         '<rect width="2" height="2"/>', 4.0),
        ('<rect x="-10" y="90" width="30" height="30"/>', 200.0),
        ('<svg x="10" y="10" width="20" height="20" viewBox="0 0 10 10"><rect width="10" height="5"/></svg>', 200.0),
        ('<a><switch><rect width="2" height="2"/><rect width="50" height="50"/></switch></a>', 4.0),
        ('<rect width="10" height="10"/><rect x="5" width="10" height="10"/>', 150.0),
        ('<rect width="1in" height="25.4mm"/>', 96.0**2),
    ],
)  # fmt: skip
def test_areas_match_the_formula(tmp_path, content, area):
    outline = outline_of(tmp_path, content)
    length = outline.as_shapely().length
    assert outline.area == pytest.approx(area, abs=TOLERANCE * length + 1e-9)


def test_view_box_units_and_positions(tmp_path):
    box = outline_of(tmp_path, '<rect x="10" y="20" width="30" height="40"/>').aabb
    assert np.allclose((*box.lower, *box.upper), (10, 40, 40, 80))  # y is up from the lower edge
    outline = outline_of(tmp_path, '<rect x="10" y="20" width="30" height="40"/>', 'width="200" height="200" viewBox="10 20 100 100"')
    assert np.allclose((*outline.aabb.lower, *outline.aabb.upper), (0, 120, 60, 200))
    half = outline_of(tmp_path, '<rect width="10" height="10"/>', 'width="50" height="100" viewBox="0 0 10 10"')
    assert np.allclose((*half.aabb.lower, *half.aabb.upper), (0, 25, 50, 75))  # xMidYMid meet
    tracing = trace_file(drawn(tmp_path, '<rect x="10" y="20" width="30" height="40"/>'), 10.0)
    assert np.allclose((*tracing.outline.aabb.upper, *tracing.picture.lower, *tracing.picture.upper), (1.5, 2, -2.5, -6, 7.5, 4))


def test_a_rasterizer_gives_the_same_coverage(tmp_path):
    """nanosvg, which pygame brings: its picture of the drawing, traced, is the outline within a pixel."""
    pygame = pytest.importorskip("pygame")
    path = drawn(
        tmp_path,
        '<g transform="rotate(10) skewX(20)"><rect x="20" y="10" width="40" height="20" rx="5" ry="8"/>'
        '<ellipse cx="100" cy="30" rx="20" ry="10"/></g><path d="M20 60 A 20 10 30 1 1 40 80 Q 50 90 60 60 C 70 20 80 90 40 95" '
        'fill-rule="evenodd"/><g transform="translate(150 70) scale(-1 2)"><path d="M0 0a9 4 30 1 0 9 9s 4 5 -9 9z m3 3 l2 0 0 2z"/></g>',
        'width="200" height="100" viewBox="0 0 200 100"',
    )  # fmt: skip
    surface = pygame.image.load_sized_svg(str(path), (1600, 800))
    alpha = np.ascontiguousarray(pygame.surfarray.array_alpha(surface).T / 255.0)
    raster = contour_of_opacity(alpha, alpha.shape[1] / 200.0).as_shapely()
    ours = read_drawing(path, 1.0, 0.01).outline.as_shapely()
    assert ours.symmetric_difference(raster).area < 0.02 * ours.length  # a sixth of a pixel of an eighth of a unit, all round
    for a, b in ((ours, raster), (raster, ours)):
        away = shapely.distance(shapely.points(shapely.get_coordinates(shapely.segmentize(a, 1.0))), b.boundary)
        assert away.max() < 0.25  # the sharpest corner loses two pixels


@pytest.mark.parametrize("tolerance", [0.3, 0.01, 0.0001])
def test_curves_stay_within_the_tolerance_and_not_far_below(tolerance):
    t = np.linspace(0.0, 1.0, 20_001)
    s = 1.0 - t
    p0, p1, p2, p3 = 0.0 + 0.0j, 3.0 + 8.0j, 9.0 - 7.0j, 10.0 + 1.0j
    center, u, v, start, sweep = 1.0 + 2.0j, 5.0 + 1.0j, -1.0 + 3.0j, 0.3, 4.1
    angle = start + sweep * t
    arc = center + u * np.cos(angle) + v * np.sin(angle)
    for curve, points, least in (
        (s**3 * p0 + 3 * s**2 * t * p1 + 3 * s * t**2 * p2 + t**3 * p3, cubic_points(p0, p1, p2, p3, tolerance), 0.15),
        (arc, ellipse_points(center, u, v, start, sweep, arc[-1], tolerance), 0.1),
    ):
        line = shapely.LineString(np.concatenate(([[curve[0].real, curve[0].imag]], points)))
        away = shapely.distance(shapely.points(np.column_stack((curve.real, curve.imag))), line).max()
        back = shapely.distance(shapely.points(points), shapely.LineString(np.column_stack((curve.real, curve.imag)))).max()
        assert away <= tolerance and back <= 1e-6
        assert len(points) < 5 or away > least * tolerance
        assert (points[-1] == (curve[-1].real, curve[-1].imag)).all()


def test_a_curve_with_countless_steps_is_rejected():
    with pytest.raises(InvalidInputError, match="no curve needs more than 10000 points"):
        cubic_points(0j, 1e9 + 0j, 0j, 0j, 1e-3)
    with pytest.raises(InvalidInputError, match="no curve needs more than 10000 points, got nan"):
        cubic_points(0j, complex(math.nan, 0.0), 0j, 0j, 1e-3)


def test_the_whole_tolerance_holds_from_the_curve_to_the_simplified_outline(tmp_path):
    outline = outline_of_svg(drawn(tmp_path, '<circle cx="50" cy="50" r="40"/>'), 100.0, 0.005)
    dense = shapely.get_coordinates(shapely.segmentize(outline.as_shapely(), 1e-4))
    middle = np.mean((outline.aabb.lower, outline.aabb.upper), axis=0)
    assert np.abs(middle).max() < 1e-12
    radii = np.hypot(*(dense - np.median([(ring.min(axis=0) + ring.max(axis=0)) / 2 for ring in outline.rings()], axis=0)).T)
    assert radii.max() - radii.min() <= 0.01 and 12 <= outline.n_vertices <= 40


def test_omissions_are_reported(tmp_path):
    content = (
        '<rect width="50" height="50" fill="none"/><line x1="0" y1="0" x2="9" y2="9"/><text>x</text><image href="a.png"/>'
        '<circle r="9" stroke="red"/><rect width="5" height="5" mask="url(#m)"/><rect width="5" height="5" opacity="0"/>'
        '<mask id="m"><rect width="9" height="9"/></mask>'
    )  # fmt: skip
    assert trace_file(drawn(tmp_path, content)).notes == (
        "Left out: 1 shape without fill. A stroke encloses no area.",
        "1 shape with a stroke; the outline is that of the fill.",
        "Left out: 2 shapes hidden or without an area.",
        "Not applied: mask (1).",
        "Not traced: image (1).",
        "Not traced: text (1).",
        "Cut off: everything beyond the drawing's width and height.",
    )


BOMB = '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
DOUBLES = (
    "".join(f'<g id="g{k}"><use href="#g{k + 1}"/><use href="#g{k + 1}"/></g>' for k in range(40)) + '<rect id="g40" width="1" height="1"/>'
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"line 1 must be XML \(no element found\), got an empty file"),
        ("hello", r"line 1 must be XML \(syntax error\), got 'hello'"),
        ("<svg>\n", "must be XML .*, got the end of the file"),
        (f"<svg {SPACE}><rect></svg>", r"line 1 must be XML \(mismatched tag\), got '<svg xmlns"),
        ("\x89PNG\x1a\x00", "must be XML .*, got bytes that are not text"),
        ("<html><svg/></html>", "must be an SVG, got an XML file of <html>"),
        (f"{BOMB}<svg {SPACE}><text>&b;</text></svg>", "an SVG without entities, got a declaration of one"),
        (f'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg {SPACE}>&a;</svg>', "an SVG without entities"),
        (f'<svg {SPACE}><use href="other.svg#a"/></svg>', "the id of an element in the same file"),
        (f'<svg {SPACE}><use href="http://example.org/a.svg"/></svg>', "the id of an element in the same file"),
        (f'<svg {SPACE}><g id="a"><use href="#a"/></g></svg>', "Recursive 'use' detected"),
        (f'<svg {SPACE}><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>', "nodes limit reached"),
        (f'<svg {SPACE}><use id="a" href="#a"/></svg>', "Recursive 'use' detected"),
        (f"<svg {SPACE}>" + "<g>" * 500 + "</g>" * 500 + "</svg>", "an SVG nested at most 64 deep"),
        (f"<svg {SPACE}>" + "<g/>" * 30_000 + "</svg>", "an SVG of at most 20000 elements"),
        (f"<svg {SPACE}>{DOUBLES}</svg>", "that usvg reads within two seconds and 256 MB"),
        (f'<svg {SPACE}><path d="M0 0h1e999v9z"/></svg>', "a drawing with filled shapes, got none"),
        (f'<svg {SPACE}><rect width="9" height="9" transform="scale(1e300) scale(1e300)"/></svg>', r"all points within 1e\+06 m"),
        (" " * 2_100_000, "an SVG of at most 2 MB"),
    ],
)
def test_bad_drawings_are_rejected_in_one_line(tmp_path, text, words):
    path = tmp_path / "bad.svg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((InvalidInputError, InvalidShapeError), match=words) as refusal:
        trace_file(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "a drawing with filled shapes, got none"),
        ('<rect width="50" height="50" fill="none" stroke="red"/>', "got 1 shape without fill"),
        ("<text>x</text>", "got only text"),
        ('<path d="M0 0L9 9"/>', "got none"),
        ('<path d="M0 0 L1"/>', "got none"),
        ('<rect width="9" height="9" clip-path="url(#c)"/><clipPath id="c"/>', "got none"),
        ('<g display="none"><rect width="50" height="50"/></g>', "got none"),
    ],
)
def test_drawings_that_fill_nothing_are_rejected(tmp_path, content, words):
    with pytest.raises(InvalidShapeError, match=words):
        trace_file(drawn(tmp_path, content))


def test_drawings_cannot_be_cropped_and_need_an_svg_extension(tmp_path):
    with pytest.raises(InvalidInputError, match="crop must be omitted for a drawing"):
        trace_file(drawn(tmp_path, '<rect width="9" height="9"/>'), crop=(0, 0, 1, 1))
    with pytest.raises(InvalidInputError, match="a drawing that ends in"):
        outline_of_svg(tmp_path / "a.png")
