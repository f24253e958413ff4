"""Makers of rings: arrays (n, 2) in meters, deterministic for given arguments."""

import math

import numpy as np

from engine.decompose.outline import Outline, Part


def polar(radii, turns=None):
    angles = np.arange(len(radii)) * (2.0 * math.pi / len(radii)) if turns is None else turns
    return np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))


def regular(n, radius=1.0, center=(0.0, 0.0)):
    return polar(np.full(n, radius)) + center


def star(arms, inner=0.4):
    return polar(np.tile([1.0, inner], arms))


def box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=float)


def gear(teeth, inner=0.8):
    return polar(np.tile([1.0, 1.0, inner, inner], teeth))


def comb(teeth, length=1.0):
    """A comb with upward teeth as wide as the gaps."""
    ring = [(0.0, 0.0), (2.0 * teeth - 1.0, 0.0)]
    for k in reversed(range(teeth)):
        ring += [(2.0 * k + 1.0, 1.0 + length), (2.0 * k, 1.0 + length)]
        if k:
            ring += [(2.0 * k, 1.0), (2.0 * k - 1.0, 1.0)]
    return np.array(ring) * (0.5 / teeth)


def ribbon(middle, width):
    """A band along a polyline that keeps a distance of at least the width from itself."""
    ahead = np.gradient(middle, axis=0)
    normal = np.column_stack((-ahead[:, 1], ahead[:, 0])) / np.hypot(*ahead.T)[:, None]
    return np.concatenate((middle - 0.5 * width * normal, (middle + 0.5 * width * normal)[::-1]))


def spiral(turns, n, width=0.08):
    angle = np.linspace(0.5 * math.pi, 2.0 * math.pi * turns, n)
    radius = 0.15 * angle / math.pi
    return ribbon(np.column_stack((radius * np.cos(angle), radius * np.sin(angle))), width)


def square_spiral(turns):
    """Corridors of unit width and unit spacing."""
    import shapely

    way = [(0, 0)]
    step = 2
    for k in range(4 * turns):
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[k % 4]
        way.append((way[-1][0] + dx * step, way[-1][1] + dy * step))
        step += 2 * (k % 2)
    return np.array(shapely.LineString(way).buffer(0.5, cap_style="flat", join_style="mitre").exterior.coords)[:-1] * 0.1


def koch(depth):
    ring = regular(3)
    turn = np.array([(math.cos(math.pi / 3.0), math.sin(math.pi / 3.0)), (-math.sin(math.pi / 3.0), math.cos(math.pi / 3.0))])
    for _ in range(depth):
        step = (np.roll(ring, -1, axis=0) - ring) / 3.0
        # outwards is to the right of a counter-clockwise edge
        ring = np.stack((ring, ring + step, ring + step + step @ turn.T, ring + 2.0 * step), axis=1).reshape(-1, 2)
    return ring


def hilbert(order):
    """The band around a Hilbert curve."""
    import shapely

    path = [(0.0, 0.0)]
    x = y = 0
    heading = 0

    def forward():
        nonlocal x, y
        x, y = x + (1, 0, -1, 0)[heading], y + (0, 1, 0, -1)[heading]
        path.append((x, y))

    def walk(depth, side):
        nonlocal heading
        if depth == 0:
            return
        heading = (heading + side) % 4
        walk(depth - 1, -side)
        forward()
        heading = (heading - side) % 4
        walk(depth - 1, side)
        forward()
        walk(depth - 1, side)
        heading = (heading - side) % 4
        forward()
        walk(depth - 1, -side)
        heading = (heading + side) % 4

    walk(order, 1)
    return np.array(shapely.LineString(path).buffer(0.3, cap_style="flat", join_style="mitre").exterior.coords)[:-1] * 0.2


def letter(text):
    """Glyphs of matplotlib's font DejaVu Sans, about a meter high, with the even-odd rule."""
    import shapely
    from matplotlib.textpath import TextPath

    rings = [np.asarray(ring) * 0.01 for ring in TextPath((0, 0), text, size=100).to_polygons(closed_only=True)]
    total = shapely.Polygon()
    for ring in rings:
        total = total.symmetric_difference(shapely.Polygon(ring))
    return Outline.from_shapely(total)


def grown(n, seed):
    """Return a random simple polygon of n vertices: a tree of Delaunay triangles, each with one new vertex."""
    import shapely

    draw = np.random.default_rng([n, seed])
    points = draw.uniform(-1.0, 1.0, (n, 2))
    index = {tuple(point): k for k, point in enumerate(points.tolist())}
    made = shapely.get_coordinates(shapely.delaunay_triangles(shapely.MultiPoint(points))).reshape(-1, 4, 2)[:, :3].tolist()
    thirds = {}
    for corner in made:
        a, b, c = (index[tuple(point)] for point in corner)
        for u, v, w in ((a, b, c), (b, c, a), (c, a, b)):
            thirds.setdefault((min(u, v), max(u, v)), []).append(w)
    ring = [index[tuple(point)] for point in made[0]]
    inside = set(ring)
    while len(ring) < n:
        places = []
        for k, u in enumerate(ring):
            v = ring[(k + 1) % len(ring)]
            places += [(k, w) for w in thirds[min(u, v), max(u, v)] if w not in inside]
        if not places:
            break
        k, w = places[draw.integers(len(places))]
        ring.insert(k + 1, w)
        inside.add(w)
    return points[ring]


def untangled(n, seed):
    """A random simple polygon: a random tour whose crossings are undone by reversing what lies between (2-opt)."""
    draw = np.random.default_rng([n, seed])
    ring = draw.uniform(-1.0, 1.0, (n, 2))

    def side(p, q, r):
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    crossed = True
    while crossed:  # each turn makes the tour shorter, so that it ends
        crossed = False
        for i in range(n - 2):
            for j in range(i + 2, n - (i == 0)):
                a, b, c, d = ring[i], ring[i + 1], ring[j], ring[(j + 1) % n]
                if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
                    ring[i + 1 : j + 1] = ring[i + 1 : j + 1][::-1].copy()
                    crossed = True
    return ring


def jagged(n, seed):
    """A random star-shaped polygon."""
    draw = np.random.default_rng([n, seed])
    return polar(draw.uniform(0.3, 1.0, n), np.sort(draw.uniform(0.0, 2.0 * math.pi, n)))


def cheese(holes, seed, corners=9):
    """A disc with disjoint round holes at random places."""
    draw = np.random.default_rng([holes, seed])
    circles = []
    while len(circles) < holes:
        x, y, r = draw.uniform(-0.9, 0.9), draw.uniform(-0.9, 0.9), draw.uniform(0.05, 0.16)
        if math.hypot(x, y) + r < 0.95 and all(math.hypot(x - u, y - v) > r + s + 0.02 for u, v, s in circles):
            circles.append((x, y, r))
    return Outline.of_polygon(regular(48), [regular(corners, r, (x, y)) for x, y, r in circles])


def window(panes):
    """A frame with panes x panes square holes."""
    holes = [box(2 * i + 1, 2 * j + 1, 2 * i + 2, 2 * j + 2) * 0.2 for i in range(panes) for j in range(panes)]
    return Outline.of_polygon(box(0, 0, 2 * panes + 1, 2 * panes + 1) * 0.2, holes)


def rings_in_rings(n):
    """Concentric rings, each a separate part."""
    return Outline(Part(regular(24, 0.2 * (2 * k + 2)), [regular(24, 0.2 * (2 * k + 1))]) for k in range(n))


def blot(size, seed):
    """The alpha channel of a picture: a soft blob with holes, (size, size), 0 to 1."""
    draw = np.random.default_rng([size, seed])
    y, x = np.mgrid[-1.0 : 1.0 : complex(size), -1.0 : 1.0 : complex(size)]
    angle, reach = np.arctan2(y, x), np.hypot(x, y)
    edge = 0.65 + sum(draw.uniform(0.02, 0.09) * np.cos(k * angle + draw.uniform(0.0, 6.0)) for k in range(2, 9))
    alpha = np.clip((edge - reach) * size * 0.5 + 0.5, 0.0, 1.0)
    for _ in range(3):
        u, v, r = draw.uniform(-0.35, 0.35), draw.uniform(-0.35, 0.35), draw.uniform(0.06, 0.12)
        alpha *= np.clip((np.hypot(x - u, y - v) - r) * size * 0.5 + 0.5, 0.0, 1.0)
    return alpha
