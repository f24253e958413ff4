"""Hostile drawings are processed within limits, or rejected at once in a line that names the limit. All of them, at full size:
``python -m tests.hazards.hostile_files``."""

import math

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.decompose import Outline, _usvg, repair, simplified, simplify, trace_file
from engine.decompose.decompose import decompose
from engine.decompose.measures import Cover, boundary_distance, differences
from engine.decompose.repair import check_tangle, edges_of, filled, without_specks
from tests.hazards import hostile


def written(folder, content):
    path = folder / "hostile.svg"
    path.write_bytes(content)
    return str(path)


def comb(n, width=20.0):
    """n pointed teeth, each 16 m long."""
    step = width / n
    teeth = [(step * (k + 0.5 * side), 16.0 * side) for k in range(n) for side in (0, 1)]
    return Outline.of_polygon([*teeth, (width, -2.0), (0.0, -2.0)])


@pytest.mark.parametrize(
    ("kind", "size", "words"),
    [
        ("crossed_combs", 2_000, "lines with at most 50000 crossings"),
        ("slivers", 400, "lines with at most 50000 crossings"),
        ("thrown_slivers", 500, "lines with at most 50000 crossings"),
        ("lattice", 400, "lines with at most 50000 crossings"),
        ("curves", 3_000, "at most 100000 vertices"),
        ("words", 500, "labels of at most 1000 letters, including those of groups"),
        ("deep", 100, "nested at most 64 deep"),
        ("comb", 12_000, "at most 8000 corners, for an exact cut"),
        ("nested", 1_001, "nested at most 1000 deep"),
    ],
)
def test_is_rejected_by_one_line_that_names_the_limit(tmp_path, kind, size, words):
    with pytest.raises(InvalidInputError, match=words):
        decompose(trace_file(written(tmp_path, hostile.KINDS[kind].make(size))).outline)


@pytest.mark.parametrize(
    "kind", ["comb", "square_comb", "two_combs", "rectangles", "spiral", "nested", "holes", "jagged", "lattice", "rules"]
)
def test_a_tenth_of_it_is_accepted(tmp_path, kind):
    tracing = trace_file(written(tmp_path, hostile.KINDS[kind].make(60)))
    cut = decompose(tracing.outline, max_lost=0.01)
    assert cut.cover.area_error < 0.01
    assert boundary_distance(tracing.outline, tracing.contour, 0.001) <= 0.0055


def test_work_of_usvg_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(_usvg, "_MAX_FUEL", 1_000_000)
    with pytest.raises(InvalidInputError, match="a drawing that usvg reads within two seconds and 256 MB"):
        trace_file(written(tmp_path, hostile.KINDS["rectangles"].make(300)))


def test_work_on_slanted_lines_is_limited_by_pairs_of_boxes(monkeypatch):
    """Ten thousand parallel lines never cross, but all their boxes overlap."""
    monkeypatch.setattr(repair, "MAX_NEAR_EDGES", 10_000)
    along = np.arange(400.0)[:, None, None] * [[[0.0, 0.001]]]
    parallels = along + [[[0.0, 0.0], [1.0, 1.0]]]
    with pytest.raises(InvalidShapeError, match="at most 10000 pairs whose bounding boxes overlap"):
        check_tangle(parallels, "rings")
    check_tangle(along + [[[0.0, 0.0], [1.0, 0.0]]], "rings")


def test_rings_within_rings_are_bounded(monkeypatch):
    rings = [np.array([(-k, -k), (k, -k), (k, k), (-k, k)]) for k in np.arange(1.0, 61.0)]
    assert filled(rings, "evenodd").area == pytest.approx(sum((-1) ** k * 4 * k**2 for k in range(1, 61)))
    monkeypatch.setattr(repair, "MAX_FACE_EDGES", 1_000)
    with pytest.raises(InvalidShapeError, match="at most 1000 neighboring pairs of a face and an edge"):
        filled(rings, "evenodd")


def test_a_long_ring_is_simplified_in_chains(monkeypatch):
    """A comb of equal teeth would be scanned once per tooth; the work grows with the longest chain, not with the ring."""
    lengths = []
    kept_apart = []
    real_simplify = shapely.simplify

    def counted(geometry, tolerance, *, preserve_topology):
        lengths.append(max(shapely.get_num_points(shapely.get_parts(geometry)).max(), 0))
        kept_apart.append(preserve_topology)
        return real_simplify(geometry, tolerance, preserve_topology=preserve_topology)

    monkeypatch.setattr(shapely, "simplify", counted)
    monkeypatch.setattr(simplify, "_LONGEST_CHAIN", 200)
    outline = comb(1_000)
    simple = simplified(outline, 0.005)
    assert lengths
    assert max(lengths) <= 202
    assert boundary_distance(outline, simple, 0.001) <= 0.0055
    turn = 2.0 * math.pi * np.arange(900) / 900
    disc = Outline.of_polygon(np.column_stack((np.cos(turn), np.sin(turn))), [0.5 * np.column_stack((np.cos(turn), np.sin(turn)))])
    thin = simplified(disc, 0.01)
    assert thin.n_vertices < 120
    assert len(thin.parts[0].holes) == 1
    assert boundary_distance(disc, thin, 0.001) <= 0.0105
    assert not any(kept_apart)
    turn = 2.0 * math.pi * np.arange(700) / 700
    beside = 0.999 * np.column_stack((np.cos(turn), np.sin(turn)))
    near = simplified(Outline.of_polygon(disc.parts[0].outer, [beside]), 0.01)  # shortcuts of the two rings would cross
    assert kept_apart[-2:] == [False, True]
    assert near.n_vertices < 900
    assert len(near.parts[0].holes) == 1


def test_a_speck_of_many_corners_is_recognized_by_its_deepest_point(monkeypatch):
    monkeypatch.setattr(repair, "_MAX_OFFSET", 100)
    monkeypatch.setattr(shapely.Polygon, "buffer", None)
    thick = comb(4_000)
    assert without_specks(thick, 0.005) == (thick, 0, 0)
    step = 1e-3
    zigzag = [(step * k, 0.5 * (k % 2)) for k in range(400)]
    thread = Outline.of_polygon([*zigzag, *((x, y - 0.2) for x, y in reversed(zigzag))])
    assert without_specks(thread, 0.005) == (None, 1, 0)


def test_pieces_are_subtracted_part_by_part():
    rings = [
        shapely.Polygon(shapely.box(-k, -k, k, k).exterior, [shapely.box(0.5 - k, 0.5 - k, k - 0.5, k - 0.5).exterior])
        for k in range(1, 40)
    ]
    union = shapely.MultiPolygon(rings)
    halves = shapely.union_all([shapely.intersection(union, shapely.box(-50, -50, 0, 50)), shapely.box(60, 0, 61, 1)])
    missed, excess = differences(union, halves)
    assert missed.area == pytest.approx(0.5 * union.area)
    assert excess.area == pytest.approx(1.0)
    assert differences(union, shapely.MultiPolygon())[0] is union


def test_touching_pieces_are_merged_in_groups(monkeypatch):
    """Issue 29: the union of 5,000 pieces of nested rings took seconds."""
    sizes = []
    as_a_whole = shapely.union_all

    def counted(polygons, **options):
        sizes.append(len(polygons))
        return as_a_whole(polygons, **options)

    rings = [np.array([(-k, -k), (k, -k), (k, k), (-k, k)], dtype=float) for k in range(1, 13)]
    outline = repair.repaired(rings)
    pieces = decompose(outline).pieces
    monkeypatch.setattr(shapely, "union_all", counted)
    cover = Cover(outline, pieces)
    assert cover.area_error < 1e-9 and cover.covered == pytest.approx(outline.area)
    assert len(sizes) == 6 and max(sizes) <= 4


def test_a_part_with_too_many_corners_is_not_cut_exactly():
    turn = 2.0 * math.pi * np.arange(9_000) / 9_000
    disc = Outline.of_polygon(np.column_stack((np.cos(turn), np.sin(turn))))
    with pytest.raises(InvalidShapeError, match="at most 8000 corners, for an exact cut"):
        decompose(disc)
    assert len(decompose(disc, "box").pieces) == 1


def test_edges_of_rings_are_closed():
    assert edges_of([np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])]).tolist()[2] == [[0.0, 1.0], [0.0, 0.0]]
