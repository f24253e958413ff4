"""Prints the table of pieces, or checks random polygons; see the package."""

import argparse
import statistics
import sys
import time

import numpy as np

from engine.common.errors import InvalidShapeError
from engine.decompose.decompose import EXACT_SHARE, METHODS, decompose
from engine.decompose.outline import Outline
from tests.outlines import KEPT, OUTLINES, REFUSED, outline_of, shapes

REPEATS = 3


def timed(outline, method, max_pieces=None):
    """Return the pieces and the median processor time of a few runs, milliseconds."""
    spent = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = decompose(outline, method, max_pieces)
        spent.append(1e3 * (time.process_time() - start))
    return result, statistics.median(spent)


def table():
    print(f"{'outline':27} {'corners':>7}  " + "  ".join(f"{method:>16}" for method in METHODS) + f"  {'exact to 4':>16}")
    totals = np.zeros((len(METHODS) + 1, 2))
    for name in KEPT:
        outline = outline_of(name)
        cells = []
        for column, (method, most) in enumerate([*((method, None) for method in METHODS), ("exact", 4)]):
            try:
                result, ms = timed(outline, method, most)
            except InvalidShapeError:  # a circle in a splinter
                cells.append("too small".rjust(16))
                continue
            totals[column] += len(result.pieces), ms
            wrong = "" if method == "exact" and most is None else f" {100.0 * result.cover.area_error:3.0f}%"
            cells.append(f"{len(result.pieces):3d}{wrong} {ms:6.1f} ms".rjust(16))
        print(f"{name:27} {outline.n_vertices:7d}  " + "  ".join(cells))
    print(f"{'all together':27} {'':7}  " + "  ".join(f"{int(count):3d} {ms:6.0f} ms".rjust(16) for count, ms in totals))
    print("\nPieces; area covered too much or missed, in per cent of the outline; milliseconds of processor time.")
    for name in REFUSED:
        try:
            decompose(OUTLINES[name].build())
        except InvalidShapeError as error:
            print(f"{name:27} refused: {error}")
        else:
            print(f"{name:27} NOT REFUSED")
            return 1
    return 0


def random_polygons(count):
    """Cut random polygons of 4 to 500 corners, and print the worst; return whether all were complete."""
    makers = [
        ("grown", shapes.grown),
        ("jagged", shapes.jagged),
        ("untangled", shapes.untangled),
    ]
    draw = np.random.default_rng(0)
    worst, slowest, n_cut, n_wrong = 0.0, 0.0, 0, 0
    for seed in range(count):
        name, make = makers[seed % 3]
        n = int(draw.integers(4, 60 if name == "untangled" else 500))
        try:
            outline = Outline.of_polygon(make(n, seed))
        except InvalidShapeError:  # two corners of a tour on one line: no polygon
            continue
        start = time.process_time()
        exact = decompose(outline)
        slowest = max(slowest, time.process_time() - start)
        worst, n_cut = max(worst, exact.cover.area_error), n_cut + 1
        if exact.cover.area_error > EXACT_SHARE:
            n_wrong += 1
            print(f"wrong: shapes.{name}({n}, {seed})")
    print(f"{n_cut} polygons, {n_wrong} wrong; area lost at most {worst:.1e}; slowest {1e3 * slowest:.0f} ms")
    return 1 if n_wrong else 0


def main(words):
    parser = argparse.ArgumentParser(prog="python -m tests.outlines", description=__doc__)
    parser.add_argument("--random", type=int, metavar="N", help="cut N random polygons instead")
    options = parser.parse_args(words)
    return table() if options.random is None else random_polygons(options.random)


sys.exit(main(sys.argv[1:]))
