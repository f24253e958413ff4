"""The scratch of the times of impact in lanes: which number stands where, and the steps that polygons and circles share.

What lanes are and what keeps loops over them fast is told in `engine.narrowphase._manifold_lanes_kernel`. A row is one number of every
pair in the block, row r at r * STRIDE.

Polygons of unequal size are padded to the same number of slots with copies of their *first* corner and normal: a copy is no farther out
than the original, the first of equals is kept, and the edge of the last true corner leads to the first one, as it should.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.continuous._motion_kernel import MOTION_SIZE
from engine.geometry._rotation_kernel import cosine_and_sine_of_small

LANES = 32
"""Pairs side by side. One that has ended makes room for the next at once, so that fewer do than where a block ends together."""

STRIDE = LANES + 8
"""Numbers from one row to the next; not a power of two, or one lane's column would compete for the same few lines of the cache."""

MOST_SLOTS = 16
"""Vertices of the largest polygon that goes in lanes; a power of 2."""

SLOT_GROUP = 4
"""Slots come in groups of so many, which one pass over the lanes takes together."""

SLOT_MASK = MOST_SLOTS - 1
"""A slot's number masked with this cannot be negative, as the compiler sees as well: it then writes no code for counting from the end,
which would stop it from vectorising."""

# Rows of `v`: A's corners about its centre and its normals, and B's in its own frame, `OF_B` rows on; of `w`: B's in A's frame at the time.
X, Y, NX, NY = 0, MOST_SLOTS, 2 * MOST_SLOTS, 3 * MOST_SLOTS
OF_B = 4 * MOST_SLOTS
VERTEX_ROWS = 8 * MOST_SLOTS
MOVED_ROWS = 4 * MOST_SLOTS

# Rows of `g`: for each edge of A and of B where the nearest corner of the other lies; for each corner its line, at 0 and its slope.
NEAREST_TO_A, NEAREST_TO_B, LINE, SLOPE = 0, MOST_SLOTS, 2 * MOST_SLOTS, 3 * MOST_SLOTS
GAP_ROWS = 4 * MOST_SLOTS

# Rows of `s`. The first are those of `motion`; see `_motion_kernel`.
D_0, D_1, ANGLES_A, ANGLES_B, RHO_A, RHO_B, TOUCH, SPEED, REACH = 0, 2, 4, 6, 8, 9, 10, 11, 12
TARGET, TOLERANCE, OVERLAP, T, T_LAST = MOTION_SIZE, MOTION_SIZE + 1, MOTION_SIZE + 2, MOTION_SIZE + 3, MOTION_SIZE + 4
FRAME, D, V = MOTION_SIZE + 5, MOTION_SIZE + 7, MOTION_SIZE + 9  # cosine and sine from B's frame to A's; d and v in A's frame
GAP, SIGN, FACE, FACE_AT, FACE_TO = MOTION_SIZE + 11, MOTION_SIZE + 12, MOTION_SIZE + 13, MOTION_SIZE + 15, MOTION_SIZE + 17
BASE, SPIN, LEVEL, BEND, STEP = MOTION_SIZE + 19, MOTION_SIZE + 20, MOTION_SIZE + 21, MOTION_SIZE + 22, MOTION_SIZE + 23
LOWEST, LOWEST_AT, LOWEST_SLOPE = MOTION_SIZE + 24, MOTION_SIZE + 25, MOTION_SIZE + 26
NEAREST, CORNER, AFTER = MOTION_SIZE + 27, MOTION_SIZE + 28, MOTION_SIZE + 30
AXIS, POINT_AT, POINT_SLOPE, NEAREST_SQ = MOTION_SIZE + 31, MOTION_SIZE + 33, MOTION_SIZE + 34, MOTION_SIZE + 35
NUMBER_ROWS = MOTION_SIZE + 36

# Rows of `k`, whole numbers: the caller's row, or `IDLE`; corners of A and B; gaps measured; how the step ended; which case it is.
ROW, N_A, N_B, STEPS, ENDED, CASE = 0, 1, 2, 3, 4, 5
WHOLE_ROWS = 6

IDLE = -1


@inlined_kernel
def load_core(
    v: FloatArray, lane: int, beyond: int, slots: int, first: int, n: int, vertices: FloatArray, normals: FloatArray,
    center_x: float, center_y: float,
) -> None:  # fmt: skip
    """Load corners about the centre, and normals, into the lane; `beyond` is 0 for A and `OF_B` for B."""
    low, count, to_first = np.uint64(first), np.uint64(n), np.uint64(beyond * STRIDE + lane)
    for first_slot in range(0, slots, SLOT_GROUP):
        for of_group in range(SLOT_GROUP):
            slot = np.uint64(first_slot + of_group)
            at, to = low + (slot if slot < count else np.uint64(0)), to_first + slot * np.uint64(STRIDE)
            x, y, nx, ny = vertices[at, 0], vertices[at, 1], normals[at, 0], normals[at, 1]
            v[to + np.uint64(X * STRIDE)], v[to + np.uint64(Y * STRIDE)] = x - center_x, y - center_y
            v[to + np.uint64(NX * STRIDE)], v[to + np.uint64(NY * STRIDE)] = nx, ny


@inlined_kernel
def place_in_lanes(v: FloatArray, w: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Write B's core, and its normals if wanted, as A sees them at each lane's time; see `_motion_kernel.place`."""
    for lane in range(LANES):
        t = s[T * STRIDE + lane]
        angle_a = (1.0 - t) * s[ANGLES_A * STRIDE + lane] + t * s[(ANGLES_A + 1) * STRIDE + lane]
        angle = (1.0 - t) * s[ANGLES_B * STRIDE + lane] + t * s[(ANGLES_B + 1) * STRIDE + lane] - angle_a
        cos_a, sin_a = cosine_and_sine_of_small(angle_a)
        cos, sin = cosine_and_sine_of_small(angle)
        d_0x, d_0y, d_1x, d_1y = (
            s[D_0 * STRIDE + lane], s[(D_0 + 1) * STRIDE + lane], s[D_1 * STRIDE + lane], s[(D_1 + 1) * STRIDE + lane],
        )  # fmt: skip
        dx, dy, vx, vy = (1.0 - t) * d_0x + t * d_1x, (1.0 - t) * d_0y + t * d_1y, d_1x - d_0x, d_1y - d_0y
        s[FRAME * STRIDE + lane], s[(FRAME + 1) * STRIDE + lane] = cos, sin
        s[D * STRIDE + lane], s[(D + 1) * STRIDE + lane] = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
        s[V * STRIDE + lane], s[(V + 1) * STRIDE + lane] = cos_a * vx + sin_a * vy, cos_a * vy - sin_a * vx
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            cos, sin = s[FRAME * STRIDE + lane], s[(FRAME + 1) * STRIDE + lane]
            dx, dy = s[D * STRIDE + lane], s[(D + 1) * STRIDE + lane]
            rx, ry = v[(OF_B + X) * STRIDE + row + lane], v[(OF_B + Y) * STRIDE + row + lane]
            w[X * STRIDE + row + lane] = cos * rx - sin * ry + dx
            w[Y * STRIDE + row + lane] = sin * rx + cos * ry + dy
            if directions:
                px, py = v[(OF_B + NX) * STRIDE + row + lane], v[(OF_B + NY) * STRIDE + row + lane]
                w[NX * STRIDE + row + lane] = cos * px - sin * py
                w[NY * STRIDE + row + lane] = sin * px + cos * py


@inlined_kernel
def begin_faces(s: FloatArray) -> None:
    """Forget the faces of the last step."""
    for lane in range(LANES):
        s[GAP * STRIDE + lane] = -np.inf
        s[SIGN * STRIDE + lane] = 1.0


@inlined_kernel
def find_nearest(p: FloatArray, q: FloatArray, g: FloatArray, nearest: int, slots_p: int, slots_q: int) -> None:
    """Find for each edge of `p` where the nearest of `q`'s corners lies on its normal: four edges and four corners at a time."""
    for first_edge in range(0, slots_p, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        for first_corner in range(0, slots_q, SLOT_GROUP):
            corner_row = (first_corner & SLOT_MASK) * STRIDE
            is_first = first_corner == 0
            for lane in range(LANES):
                x_0, y_0 = q[X * STRIDE + corner_row + lane], q[Y * STRIDE + corner_row + lane]
                x_1, y_1 = q[(X + 1) * STRIDE + corner_row + lane], q[(Y + 1) * STRIDE + corner_row + lane]
                x_2, y_2 = q[(X + 2) * STRIDE + corner_row + lane], q[(Y + 2) * STRIDE + corner_row + lane]
                x_3, y_3 = q[(X + 3) * STRIDE + corner_row + lane], q[(Y + 3) * STRIDE + corner_row + lane]
                for edge in range(SLOT_GROUP):
                    nx, ny = p[(NX + edge) * STRIDE + row + lane], p[(NY + edge) * STRIDE + row + lane]
                    at_0, at_1, at_2, at_3 = nx * x_0 + ny * y_0, nx * x_1 + ny * y_1, nx * x_2 + ny * y_2, nx * x_3 + ny * y_3
                    low, high = (at_0 if at_0 < at_1 else at_1), (at_2 if at_2 < at_3 else at_3)
                    low = low if low < high else high
                    before = np.inf if is_first else g[(nearest + edge) * STRIDE + row + lane]
                    g[(nearest + edge) * STRIDE + row + lane] = low if low < before else before


@inlined_kernel
def choose_face(p: FloatArray, g: FloatArray, s: FloatArray, nearest: int, sign: float, slots: int) -> None:
    """Raise the lane's gap by those of the edges of `p`, and keep the face that has it: normal, corner, and the way to the next corner."""
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        last_row = ((first_edge + SLOT_GROUP if first_edge + SLOT_GROUP < slots else 0) & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            greatest, kept_sign = s[GAP * STRIDE + lane], s[SIGN * STRIDE + lane]
            fx, fy = s[FACE * STRIDE + lane], s[(FACE + 1) * STRIDE + lane]
            at_x, at_y = s[FACE_AT * STRIDE + lane], s[(FACE_AT + 1) * STRIDE + lane]
            next_x, next_y = s[FACE_TO * STRIDE + lane], s[(FACE_TO + 1) * STRIDE + lane]
            after_x, after_y = p[X * STRIDE + last_row + lane], p[Y * STRIDE + last_row + lane]
            for edge in range(SLOT_GROUP):
                nx, ny = p[(NX + edge) * STRIDE + row + lane], p[(NY + edge) * STRIDE + row + lane]
                x, y = p[(X + edge) * STRIDE + row + lane], p[(Y + edge) * STRIDE + row + lane]
                to_x, to_y = after_x, after_y
                if edge < SLOT_GROUP - 1:
                    to_x, to_y = p[(X + edge + 1) * STRIDE + row + lane], p[(Y + edge + 1) * STRIDE + row + lane]
                gap = g[(nearest + edge) * STRIDE + row + lane] - (nx * x + ny * y)
                takes = gap > greatest
                greatest, kept_sign = (gap if takes else greatest), (sign if takes else kept_sign)
                fx, fy, at_x, at_y = (nx if takes else fx), (ny if takes else fy), (x if takes else at_x), (y if takes else at_y)
                next_x, next_y = (to_x - x if takes else next_x), (to_y - y if takes else next_y)
            s[GAP * STRIDE + lane], s[SIGN * STRIDE + lane] = greatest, kept_sign
            s[FACE * STRIDE + lane], s[(FACE + 1) * STRIDE + lane] = fx, fy
            s[FACE_AT * STRIDE + lane], s[(FACE_AT + 1) * STRIDE + lane] = at_x, at_y
            s[FACE_TO * STRIDE + lane], s[(FACE_TO + 1) * STRIDE + lane] = next_x, next_y


@inlined_kernel
def read_lane(v: FloatArray, s: FloatArray, lane: int, cores: FloatArray, normals: FloatArray, motion: FloatArray) -> None:
    """Copy one lane's cores, normals (2, 16, 2) and motion out, for the scalar form."""
    for body in range(2):
        for slot in range(MOST_SLOTS):
            row = ((body * OF_B) + slot) * STRIDE + lane
            cores[body, slot, 0], cores[body, slot, 1] = v[X * STRIDE + row], v[Y * STRIDE + row]
            normals[body, slot, 0], normals[body, slot, 1] = v[NX * STRIDE + row], v[NY * STRIDE + row]
    for row in range(MOTION_SIZE):
        motion[row] = s[row * STRIDE + lane]
