"""Limits compiled into Box2D 2.3 (`b2Settings.h`), as measured through the wheel, and limits on untrusted files.

The limits on files bound work and memory, not file size, because a file of a few kilobytes can demand hours of work. With them, every
command, whatever its input, either finishes within ten seconds of processor time and 500 MB, or rejects the input with a one-line error
that names the limit (`python -m tests.hazards.hostile_files`).
"""

from __future__ import annotations

import math

MAX_POLYGON_VERTICES = 16
"""Maximum number of vertices of a polygon. The wheel is built with 16; standard Box2D 2.3 has 8."""

MAX_TRANSLATION_PER_STEP = 2.0
"""Maximum displacement of a body in one step, m; `b2_maxTranslation`. At 60 Hz this is 120 m/s."""

MAX_ROTATION_PER_STEP = math.pi / 2.0
"""Maximum rotation of a body in one step, rad; `b2_maxRotation`."""

VELOCITY_THRESHOLD = 1.0
"""Approach speed below which a collision is inelastic, m/s; `b2_velocityThreshold`."""

MAX_COORDINATE = 1.0e6
"""Maximum coordinate of a body's position, m. The spacing of float32 is already 6 cm there."""

MAX_REACH = 1.0e4
"""Maximum extent of a shape from its body's origin along either axis, and maximum radius of a circle, m. Box2D's TOI solver must reach its
target gap to within a quarter of its 5 mm slop; the spacing of float32 here is 1 mm. For a shape of 100 km or more, it never converges:
each of hundreds of TOI queries in a step then uses all its iterations and takes 1 ms instead of 5 us, so that a step takes seconds."""

MAX_IMPACTS_PER_STEP = 5000
"""Maximum number of manifolds that Box2D may evaluate at impacts within one step; each takes some 35 us, callbacks included. Box2D stops
after 8 impacts per contact, but evaluates all contacts of both bodies again at each impact: fifty bullets of 10 km in one heap needed
33,000 evaluations, and a step took 1 to 3 s. Beyond the limit, pairs are no longer stopped at their impact in this step. A demo needs a few
hundred evaluations at most."""

MAX_NUMBER = 1.0e9
"""Maximum magnitude of any number passed to Box2D: the square of this limit times a mass is well within the range of float32."""

MAX_ITERATIONS = 1000
"""Maximum number of solver iterations per step that the wrapper accepts. Box2D itself has no limit; 10 is usual."""

MAX_SPEED = 1.0e6
"""Maximum linear or angular speed that the wrapper accepts, m/s or rad/s; a body that becomes faster is set inactive. Box2D moves no body
farther than 2 m per step in any case; a higher speed would only overflow float32 in its solver."""

MIN_MASS = 1.0e-9
"""Minimum mass of a dynamic body, kg: the mass of a 0.1 mm cube of water. Below it, impulses underflow and inverses overflow float32."""

MAX_MASS = 1.0e12
"""Maximum mass of a dynamic body, kg: the mass of a mountain. Above it, the square of an impulse overflows float32."""

MAX_IMPULSE = 2.0 * MAX_MASS * MAX_SPEED * MAX_NUMBER
"""Maximum impulse (N s), force (N) or torque (N m) that Box2D may store between two steps. It is reached when the heaviest body rebounds at
maximum speed with maximum restitution. A snapshot must accept every value that a world can reach; float32 extends to 3e38."""

LOOSE_SPRING = 1.0e-6
"""Frequency, Hz, passed to Box2D for a wheel joint whose spring frequency is 0. With 0 itself, `b2WheelJoint` never computes the spring's
two lever arms and multiplies uninitialized memory by 0, so that occasionally a body's pose becomes NaN. At this frequency a wheel displaced
by 1 m is accelerated back by 4e-11 m/s^2, which is below the resolution of float32."""

MIN_MOUSE_STIFFNESS = 1.0e-6
"""Minimum of ``d + h k`` of a mouse joint, N s/m. Box2D asserts in the middle of a step that this sum exceeds 1.2e-7."""

MAX_CROSSINGS = 50_000
"""Maximum number of intersecting pairs of non-adjacent edges in a drawing. Its arrangement has about as many vertices and faces."""

MAX_NEAR_EDGES = 10_000_000
"""Maximum number of edge pairs in a drawing whose bounding boxes overlap. The search for crossings tests each such pair, which takes about
a second in total. A drawing made by hand has a few such pairs per edge; in ten thousand parallel slanted lines every pair overlaps."""

MAX_FACE_EDGES = 200_000_000
"""Maximum number of pairs of one face of a shape and one edge that a ray from this face may cross; they take about a second. In nested
rings, every pair counts."""

MAX_CONTOUR_CORNERS = 300_000
"""Maximum number of vertices of an image's contour, counted before the contour is built. A 4096 x 4096 photograph of a tree has 200,000; an
image of noise has one per pixel."""

MAX_RING_CORNERS = 300_000_000
"""Maximum product of an outline's vertices and its rings (parts and holes): to simplify the outline, GEOS visits every ring for each
vertex, which takes about two seconds in total. A page of 1,500 letters with 200 vertices each reaches this limit, as does a 350 x 350 image
of noise."""

MAX_CONVEX_PIECES = 3_000
"""Maximum number of convex pieces of one outline: `trace` takes two milliseconds to find, build and measure each piece and another
millisecond to draw it, and every step of a world processes all of them. 4,000 squares touching at their corners took 11 s, and 19 s with
drawing, on a busy machine."""

MAX_PART_CORNERS = 8_000
"""Maximum number of vertices of a part that is decomposed exactly. Triangulation takes quadratic time, seconds for a spiral of this
size."""

MAX_JSON_VALUES = 1_000_000
"""Maximum number of values (lists, objects and members) in a JSON text, counted from brackets and commas before parsing. That many
values take 100 to 200 MB. The largest scene, ten thousand boxes, has two fifths of this number."""

MAX_PYTHON_BYTES = 1_000_000
"""Maximum size of a user's Python file, bytes: some 20,000 lines, which the compiler of Python reads in a second."""

MAX_NAME = 200
"""Maximum length of the name of a body or a fixture, characters. It is limited because names are part of every transmitted state."""

MAX_JSON_NAMES = 1_000
"""Maximum number of names in one object in a JSON file, needed because the validator records each unknown name. Objects in our formats have
about twenty names at most; those in R.U.B.E. files have about forty, plus those that a user adds."""

MAX_RECORDED_STEPS = 1_000_000
"""Maximum number of steps in a recording: more than four hours at 60 Hz."""

MAX_RECORDED_MEMORY = 2_000_000_000
"""Maximum size of all decoded records of a recording, bytes. The size is computed as an upper bound; inputs actually take a
tenth of it."""

MAX_RECORDED_INPUTS = 400_000
"""Maximum number of inputs in a recording: enough for four users who drag without pause at 60 Hz for half an hour (170 MB). Objects that
are dropped or created also count by their size (`MAX_RECORDED_MEMORY`)."""

MAX_UNPACKED = 150_000_000
"""Maximum size of a recording's decompressed data, bytes: enough for digests of 200 bodies over an hour and a half."""
