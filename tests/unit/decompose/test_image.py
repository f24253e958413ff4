"""Pictures to outlines: known shapes are recovered within a fraction of a pixel, for every kind of picture and broken file."""

import struct
import tracemalloc
import zlib

import numpy as np
import pytest
import shapely
from PIL import Image, ImageDraw

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.decompose import outline_of_image, trace_file
from engine.decompose.decompose import decompose
from engine.decompose.image import contour_of_opacity, read_opacity
from engine.decompose.measures import boundary_distance
from sprites.draw_figure import OUTLINE_TOLERANCE
from sprites.figure_outline import FRAME_LOWER, OUTLINE, PICTURE, PIXELS_PER_METRE
from tests.hazards import hostile

PIXEL = 1.0 / PIXELS_PER_METRE
FRAME = (0, 0, 408, 432)


def disc(side, radius, hole=0.0, finer=8):
    """The share of each pixel that a disc covers, uint8, from `finer`^2 samples per pixel."""
    at = (np.arange(side * finer) + 0.5) / finer - 0.5 * side
    away = np.hypot(at[:, None], at[None, :])
    inside = ((away <= radius) & (away >= hole)).astype(float)
    return np.round(255.0 * inside.reshape(side, finer, side, finer).mean(axis=(1, 3))).astype(np.uint8)


def saved(folder, alpha, name="shape.png", color=90):
    rgba = np.full((*alpha.shape, 4), color, dtype=np.uint8)
    rgba[:, :, 3] = alpha
    Image.fromarray(rgba).save(folder / name)
    return folder / name


def test_the_traced_figure_is_within_a_pixel_of_its_true_outline():
    """The picture is drawn from the same geometry as the outline, whose polygon is within half a pixel of the curve."""
    tracing = trace_file(PICTURE, PIXELS_PER_METRE, 0.001, crop=FRAME)
    offset = np.array(FRAME_LOWER) - tracing.picture.lower
    traced = shapely.Polygon(tracing.contour.parts[0].outer + offset)
    true = shapely.Polygon(OUTLINE)
    to_found, to_true = (
        shapely.distance(shapely.points(shapely.get_coordinates(shapely.segmentize(a.exterior, 0.2 * PIXEL))), b.exterior)
        for a, b in ((true, traced), (traced, true))
    )
    assert max(to_found.max(), to_true.max()) <= PIXEL + OUTLINE_TOLERANCE
    assert np.percentile(to_true, 95) <= 0.7 * PIXEL
    assert abs(traced.area - true.area) < OUTLINE_TOLERANCE * true.length
    assert len(tracing.contour.parts) == 1 and len(tracing.contour.parts[0].holes) == 1  # between the legs


@pytest.mark.parametrize("radius", [5.3, 20.0, 60.25])
def test_an_antialiased_disc_is_traced_to_a_tenth_of_a_pixel(radius):
    """The covered share of a pixel is not linear in the distance of a slanted edge: between two pixel centers, the crossing of one half is
    off by up to 0.05 at 45 degrees and 0.09 at 27; and a curve deviates by 1 / (8 radius) within a pixel.
    """
    side = int(2 * radius) + 8
    outline = contour_of_opacity(disc(side, radius) / 255.0, 1.0)
    away = np.hypot(*(outline.parts[0].outer - 0.5 * side).T)
    assert np.abs(away - radius).max() < 0.1 + 0.125 / radius


def test_holes_and_parts_are_kept_and_specks_counted(tmp_path):
    alpha = np.zeros((100, 200), dtype=np.uint8)
    alpha[:, :100] = disc(100, 45.0, 20.0)
    alpha[20:60, 120:180] = 255
    alpha[80, 150] = alpha[90, 160] = 255  # pixels of a centimeter
    alpha[40, 150] = 0
    tracing = trace_file(saved(tmp_path, alpha), 100.0, 0.002)
    assert [len(part.holes) for part in sorted(tracing.outline.parts, key=lambda part: -part.area)] == [1, 0]
    assert tracing.notes == (
        "Left out: 2 parts that are nowhere 0.01 m thick, which is less than Box2D's skin.",
        "Filled: 1 hole that is nowhere 0.01 m wide, which Box2D's skin would close.",
    )
    assert tracing.outline.area == pytest.approx(np.pi * (0.45**2 - 0.2**2) + 0.24, abs=2e-3)


def test_y_points_up_and_the_picture_matches_its_outline(tmp_path):
    alpha = np.zeros((40, 60), dtype=np.uint8)
    alpha[30:40, 0:20] = 255  # the lower left corner of the picture
    tracing = trace_file(saved(tmp_path, alpha), 10.0)
    box = tracing.outline.aabb
    assert np.allclose(box.lower, np.negative(box.upper))
    assert np.allclose(tracing.picture.lower, box.lower, atol=1e-12)  # solid up to the edge: closed just there
    assert np.allclose(np.subtract(tracing.picture.upper, tracing.picture.lower), (6.0, 4.0))
    # the corners are cut by an eighth of a square pixel each
    assert tracing.outline.area == pytest.approx(2.0, abs=4 * 0.125 * 0.01 + 1e-9)


def test_the_threshold_moves_the_edge(tmp_path):
    ramp = np.tile(np.linspace(0, 255, 101).astype(np.uint8), (50, 1))
    path = saved(tmp_path, ramp)
    widths = [
        np.subtract(*(outline_of_image(path, 100.0, share).aabb.upper, outline_of_image(path, 100.0, share).aabb.lower))[0]
        for share in (0.2, 0.8)
    ]
    assert widths == pytest.approx([0.805, 0.205], abs=0.01)


def test_a_drawing_on_paper_keeps_its_holes(tmp_path):
    ink = disc(80, 30.0, 12.0)[:, :, None] / 255.0
    page = (255 - ink * (255 - np.array([30, 60, 120]))).astype(np.uint8)
    for name, how in (("page.png", {}), ("page.jpg", {"quality": 80}), ("page.bmp", {})):
        Image.fromarray(page).save(tmp_path / name, **how)
        tracing = trace_file(tmp_path / name)
        assert "the color of its border, #fffff" in tracing.notes[0]
        # a fifth of a pixel all round: simplified by up to half of one, and compressed
        assert tracing.outline.area == pytest.approx(np.pi * (0.3**2 - 0.12**2), abs=0.002 * 2 * np.pi * 0.42)
        assert len(tracing.outline.parts[0].holes) == 1


@pytest.mark.parametrize("ink", [(0, 0, 0), (255, 160, 60), (205, 215, 225)], ids=["black", "orange", "light"])
def test_a_letter_on_paper_is_as_smooth_as_one_with_transparency(tmp_path, ink):
    """If every non-background pixel counts as solid, an "A" has 136 vertices along its slanted strokes; with transparency, 17."""
    letter = Image.new("L", (1200, 1200))  # an A of strokes aslant, six times as large
    draw = ImageDraw.Draw(letter)
    for line in ([(150, 1100), (600, 100)], [(600, 100), (1050, 1100)], [(330, 740), (870, 740)]):
        draw.line(line, fill=255, width=120)
    cover = np.asarray(letter.resize((200, 200), Image.Resampling.BOX)) / 255.0
    page = np.rint(255.0 - cover[:, :, None] * (255.0 - np.array(ink))).astype(np.uint8)
    Image.fromarray(page).save(tmp_path / "page.png")
    on_paper = trace_file(tmp_path / "page.png")
    transparent = trace_file(saved(tmp_path, np.rint(255.0 * cover).astype(np.uint8)))
    assert abs(on_paper.outline.n_vertices - transparent.outline.n_vertices) <= 2 and on_paper.outline.n_vertices < 30
    both = [tracing.contour.as_shapely() for tracing in (on_paper, transparent)]
    assert shapely.hausdorff_distance(*both) < 0.005  # half a pixel
    assert both[0].area == pytest.approx(both[1].area, rel=2e-3)
    assert [len(part.holes) for part in on_paper.outline.parts] == [1]


def test_a_light_area_inside_a_dark_line_is_no_hole(tmp_path):
    for width in (1, 2, 3):
        page = Image.new("RGB", (100, 100), "white")
        ImageDraw.Draw(page).ellipse((20, 20, 80, 80), fill=(225, 225, 225), outline="black", width=width)
        page.save(tmp_path / "face.png")
        tracing = trace_file(tmp_path / "face.png")
        assert [len(part.holes) for part in tracing.outline.parts] == [0]
        assert tracing.outline.area == pytest.approx(np.pi * 0.305**2, rel=0.02)


def test_a_photograph_is_its_whole_frame(tmp_path):
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (30, 50, 3), dtype=np.uint8)).save(tmp_path / "photo.jpg")
    Image.new("RGB", (50, 30), (9, 9, 9)).save(tmp_path / "night.png")
    for name, words in (("photo.jpg", "neither transparency nor a border of one color"), ("night.png", "only one color")):
        tracing = trace_file(tmp_path / name)
        assert words in tracing.notes[0]
        assert np.allclose(tracing.outline.aabb.upper, (0.25, 0.15))
        assert tracing.outline.area == pytest.approx(0.15, abs=1e-12)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_every_kind_of_transparency_is_detected(tmp_path, mode):
    rgba = Image.open(saved(tmp_path, disc(60, 25.0)))
    image = rgba.quantize(16) if mode == "P" else rgba.convert(mode)
    assert image.mode == mode
    image.save(tmp_path / "kind.png")
    tracing = trace_file(tmp_path / "kind.png", 100.0, 0.002)
    assert tracing.outline.area == pytest.approx(np.pi * 0.25**2, rel=0.02)


def test_gray_of_sixteen_bits_one_bit_and_animations(tmp_path):
    gray = disc(60, 25.0).astype(np.uint16) * 257
    Image.fromarray(gray).save(tmp_path / "gray.png")
    Image.fromarray(disc(60, 25.0) > 127).save(tmp_path / "bits.png")
    frames = [Image.fromarray(disc(60, radius)) for radius in (25.0, 10.0)]
    frames[0].save(tmp_path / "move.gif", save_all=True, append_images=frames[1:])
    for name in ("gray.png", "bits.png", "move.gif"):
        tracing = trace_file(tmp_path / name)
        assert tracing.outline.area == pytest.approx(np.pi * 0.25**2, rel=0.05), name
    assert tracing.notes[0] == "It is an animation; the first of its 2 frames is used."


def test_sixteen_bit_gray_transparency_is_detected(tmp_path):
    """A gray PNG may name one gray that is transparent; Pillow's conversion compares only eight bits."""
    gray = (disc(60, 25.0).astype(np.uint16) * 257).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in gray)
    header = struct.pack(">IIBBBBB", 60, 60, 16, 0, 0, 0, 0)
    content = _chunk(b"IHDR", header) + _chunk(b"tRNS", struct.pack(">H", 0)) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    (tmp_path / "gray.png").write_bytes(b"\x89PNG\r\n\x1a\n" + content)
    tracing = trace_file(tmp_path / "gray.png")
    assert tracing.notes == () and tracing.outline.area == pytest.approx(np.pi * 0.25**2, rel=0.05)


def test_a_frame_of_a_strip(tmp_path):
    strip = np.concatenate((disc(40, 15.0), disc(40, 5.0)), axis=1)
    path = saved(tmp_path, strip)
    assert outline_of_image(path, crop=(0, 0, 40, 40), tolerance=0.001).area == pytest.approx(np.pi * 0.15**2, rel=0.02)
    assert outline_of_image(path, crop=(40, 0, 40, 40), tolerance=0.001).area == pytest.approx(np.pi * 0.05**2, rel=0.03)
    for crop, words in (
        ((0, 0, 81, 40), "crop must be left,top,width,height of a rectangle within the picture's 80 x 40 pixels, got 0,0,81,40"),
        ((80, 0, 1, 1), "within the picture's 80 x 40 pixels, got 80,0,1,1"),
        ((0, -1, 4, 4), "got 0,-1,4,4"),
        ((0, 0, 0, 4), "got 0,0,0,4"),
        ((0.5, 0, 4, 4), r"crop\[0\] must be a whole number, got 0.5"),
        ((0, 0, 4), "crop"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            outline_of_image(path, crop=crop)


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png_of_size(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(b"\0" * 100)) + _chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "a picture that can be read, got a file of another kind"),
        (b"not a picture", "got a file of another kind"),
        (png_of_size(60_000, 60_000), "a picture of 1 to 16 million pixels, got hundreds of millions"),
        (png_of_size(100_000_000, 1), "a picture of 1 to 16 million pixels, got 100000000 x 1"),
        (png_of_size(0, 0), "a picture"),
        (png_of_size(100, 100), "a picture that can be read, got a broken one"),
        (PICTURE.read_bytes()[:4000], "a picture that can be read, got a truncated one: its end is missing"),
        (PICTURE.read_bytes()[:40], "got a truncated one"),
        (PICTURE.read_bytes()[:20], "got a truncated one"),
        (PICTURE.read_bytes()[:5], "got a truncated one"),
    ],
    ids=["empty", "text", "a bomb", "too wide", "no pixels", "no data", "cut off", "in a chunk", "in the header", "in the signature"],
)
def test_broken_pictures_are_rejected_in_one_line(tmp_path, content, words):
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=words) as refusal:
        trace_file(path)
    assert "\n" not in str(refusal.value)


def test_a_large_webp_that_its_library_copies_four_times_is_rejected(tmp_path):
    """Issue 29: one of 4096 x 4096 took 535 MB."""
    path = tmp_path / "large.webp"
    Image.new("L", (4_000, 3_001)).save(path, quality=0, method=0)
    with pytest.raises(InvalidInputError, match=r"large\.webp must be a WebP of 1 to 12 million pixels, got 4000 x 3001"):
        trace_file(path)


def test_a_drawing_on_paper_takes_twelve_bytes_a_pixel(tmp_path):
    """NumPy uses this much for a picture of many bands: 500 MB are enough for the program with the largest picture."""
    side = 2_500
    pixels = np.full((side, side, 3), 255, dtype=np.uint8)
    pixels[100:-100, 100:-100] = 40
    path = tmp_path / "paper.ppm"
    Image.fromarray(pixels).save(path)
    del pixels
    read_opacity(PICTURE)  # whatever is imported for it
    tracemalloc.start()
    try:
        read_opacity(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 13 * side**2


def test_empty_pictures_are_rejected(tmp_path):
    with pytest.raises(InvalidShapeError, match=r"shape.png must be opaque somewhere \(alpha above 0.5\), got a fully transparent picture"):
        trace_file(saved(tmp_path, np.zeros((20, 20), dtype=np.uint8)))
    with pytest.raises(InvalidShapeError, match=r"at least 0.01 m thick at 100 pixels per meter, got specks in a box of 0.01 x 0.01 m"):
        trace_file(saved(tmp_path, np.array([[255]], dtype=np.uint8)))
    with pytest.raises(InvalidShapeError, match="at 100000 pixels per meter, got specks"):
        trace_file(saved(tmp_path, disc(60, 25.0)), 1e5)
    with pytest.raises(InvalidShapeError, match=r"shape.png must be at 1e-05 pixels per meter within 1e\+06 m of the origin"):
        trace_file(saved(tmp_path, disc(60, 25.0)), 1e-5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pixels_per_metre": 0.0}, "pixels_per_metre must be > 0"),
        ({"tolerance": float("nan")}, "tolerance must be a finite number in m"),
        ({"tolerance": 0.0}, "tolerance must be > 0 m"),
        ({"threshold": 1.0}, "threshold must be greater than 0 and less than 1"),
        ({"threshold": "half"}, "threshold must be a finite number"),
    ],
)
def test_settings_out_of_range_are_rejected(settings, words, tmp_path):
    Image.new("RGB", (50, 30), (9, 9, 9)).save(tmp_path / "whole.png")  # needs no threshold, and is asked for a right one all the same
    for path in (PICTURE, tmp_path / "whole.png"):
        with pytest.raises(InvalidInputError, match=words):
            trace_file(path, **settings)


def test_missing_files_and_extensions(tmp_path):
    for path, words in (
        (tmp_path / "none.png", r"a file that can be read \(No such file or directory\)"),
        (tmp_path, "a picture or a drawing, got a folder"),
        (tmp_path / "a.txt", "a file that ends in .png, .jpg"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            trace_file(path)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InvalidInputError, match="a picture or a drawing, got a folder"):
        trace_file(tmp_path / "folder.png")
    with pytest.raises(InvalidInputError, match="a picture that ends in"):
        outline_of_image(tmp_path / "a.svg")


def test_the_alpha_of_the_figure_is_read_once_for_all(tmp_path):
    opacity = read_opacity(PICTURE, FRAME)
    assert opacity.alpha.shape == (432, 408) and opacity.crop == FRAME and opacity.notes == ()
    assert 0.0 == opacity.alpha.min() < opacity.alpha.max() == 1.0


@pytest.mark.parametrize("kind", ["noise", "soft_noise", "checkerboard", "dots", "strip"])
def test_a_contour_with_too_many_corners_is_rejected_before_it_is_built(tmp_path, kind, monkeypatch):
    from engine.decompose import image
    from tests.hazards import hostile

    monkeypatch.setattr(image, "MAX_CONTOUR_CORNERS", 500)
    monkeypatch.setattr(image, "_contour", None)
    path = tmp_path / "hostile.png"
    path.write_bytes(hostile.KINDS[kind].make(900 if kind == "strip" else 48))
    with pytest.raises(InvalidShapeError, match=r"a picture whose contour has at most 500 corners, got \d+"):
        outline_of_image(path, pixels_per_metre=1.0)


@pytest.mark.parametrize("kind", ["disc", "disc_on_paper", "rings", "wide_dots", "deep_gray"])
def test_a_large_picture_is_processed_in_bands(tmp_path, kind, monkeypatch):
    """Processing in bands of some rows gives the same contour, corner by corner, and the same pixels."""
    from engine.decompose import image
    from tests.hazards import hostile

    path = tmp_path / "hostile.png"
    path.write_bytes(hostile.KINDS[kind].make(80))
    at_once, pixels = image.contour_of_opacity(image.read_opacity(path).alpha, 1.0), image.read_pixels(path)
    monkeypatch.setattr(image, "_BAND", 700)
    banded = image.contour_of_opacity(image.read_opacity(path).alpha, 1.0)
    assert np.array_equal(image.read_pixels(path), pixels)
    assert banded.area == pytest.approx(at_once.area, rel=1e-12)
    assert len(banded.parts) == len(at_once.parts)
    corners = [{(x, y) for ring in outline.rings() for x, y in ring.tolist()} for outline in (at_once, banded)]
    assert corners[0] <= corners[1]
    assert boundary_distance(at_once, banded, 1e-9) < 1e-8


def test_a_column_of_millions_of_pixels_is_rejected_before_it_is_decompressed(tmp_path):
    path = tmp_path / "column.png"
    path.write_bytes(hostile.KINDS["column"].make(65_536))
    with pytest.raises(InvalidInputError, match="at most 65535 pixels per side, got 1 x 65536"):
        trace_file(path)


def test_a_hard_edged_star_is_cut_like_a_smooth_one(tmp_path):
    """It became 33 pieces, for each edge was a staircase."""
    y, x = np.mgrid[0:400, 0:400] + 0.5
    radii = np.where(np.arange(10) % 2 == 0, 190.0, 75.0)
    turns = np.pi / 2 + np.arange(10) * np.pi / 5
    corners = np.column_stack((200.0 + radii * np.cos(turns), 200.0 - radii * np.sin(turns)))
    solid = shapely.contains_xy(shapely.Polygon(corners), x, y)
    for meters in (1.0, 4.0):
        outline = trace_file(saved(tmp_path, np.where(solid, 255, 0).astype(np.uint8)), 400.0 / meters).outline
        assert outline.n_vertices <= 14 and len(decompose(outline, "exact").pieces) <= 5
        exact = shapely.Polygon(corners).area * (meters / 400.0) ** 2
        assert outline.area == pytest.approx(exact, rel=0.01)
