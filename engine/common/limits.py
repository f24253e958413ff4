"""Limits compiled into Box2D 2.3 (`b2Settings.h`), as measured through the wheel; and what a file from anywhere may ask for at the most.

The second sort bounds work and memory, not size: a file of some kilobytes can stand for hours. With them whatever a command is given ends
within ten seconds of processor time and 500 MB, or is refused in a line that names the limit (`python -m tests.hazards.hostile_files`).
"""

from __future__ import annotations

import math

MAX_POLYGON_VERTICES = 16
"""Vertices of one polygon. The wheel is built with 16; plain Box2D 2.3 has 8."""

MAX_TRANSLATION_PER_STEP = 2.0
"""Meters a body moves in one step at the most, `b2_maxTranslation`: 120 m/s at 60 Hz."""

MAX_ROTATION_PER_STEP = math.pi / 2.0
"""Radians a body turns in one step at the most, `b2_maxRotation`."""

VELOCITY_THRESHOLD = 1.0
"""Meters a second of approach below which nothing bounces, `b2_velocityThreshold`."""

MAX_COORDINATE = 1.0e6
"""Meters from the origin that the wrapper lets a body be placed at: float32 is spaced 6 cm apart there already."""

MAX_REACH = 1.0e4
"""Meters from its body's origin that a shape may reach along either axis, and a circle's greatest radius. Box2D's time of impact aims at a
gap to within a quarter of its slop of 5 mm, and float32 is spaced 1 mm here. A shape of 100 km or more never gets there: each of hundreds
of times of impact in one step then runs through all its iterations, 1 ms instead of 5 us, and a step takes seconds."""

MAX_IMPACTS_PER_STEP = 5000
"""Manifolds that Box2D may evaluate at impacts inside one step, some 35 us each with their callbacks. It stops at 8 impacts a contact,
but each asks again for all contacts of the two bodies: fifty bullets of 10 km in one heap asked 33,000 times, and a step took 1 to 3 s.
Beyond this number a pair is no longer stopped at its impact in this step. A demo has a few hundred at the most."""

MAX_NUMBER = 1.0e9
"""Largest magnitude of any number handed to Box2D: its square times a mass stays far inside float32."""

MAX_ITERATIONS = 1000
"""Solver iterations a step that the wrapper lets through; Box2D itself has no limit, and 10 is usual."""

MAX_SPEED = 1.0e6
"""Meters or radians a second that the wrapper hands over, and that a body may reach before it is taken out. Box2D moves nothing
farther than 2 m a step in any case; faster bodies only push its solver over the edge of float32."""

MIN_MASS = 1.0e-9
"""Kilograms of a dynamic body, a cube of water of a tenth of a millimeter: below, impulses underflow and inverses overflow float32."""

MAX_MASS = 1.0e12
"""Kilograms of a dynamic body, a mountain: above, an impulse's square leaves float32."""

MAX_IMPULSE = 2.0 * MAX_MASS * MAX_SPEED * MAX_NUMBER
"""Newton seconds, newtons or newton meters that Box2D may remember between two steps: the heaviest body, thrown back at its highest speed
by the greatest restitution. What a world may come to, a state of it must carry; float32 goes on to 3e38."""

LOOSE_SPRING = 1.0e-6
"""Hertz handed to Box2D for a wheel joint's spring of frequency 0. With 0 itself `b2WheelJoint` never computes the spring's two arms and
multiplies whatever memory held by 0, so that now and then a body becomes NaN. At this frequency a wheel a meter off is drawn back by
4e-11 m/s^2, which float32 does not see."""

MIN_MOUSE_STIFFNESS = 1.0e-6
"""Newton seconds a meter. Box2D asserts, in the middle of a step, that a mouse joint's ``d + h k`` exceeds 1.2e-7."""

MAX_CROSSINGS = 50_000
"""Pairs of edges of one drawing that meet without being neighbors, a count. What they bound is as many corners and faces."""

MAX_NEAR_EDGES = 10_000_000
"""Pairs of edges of one drawing whose boxes overlap, a count: a search for crossings looks at each, a second in all. Drawn by hand
they are a few for each edge; ten thousand parallel lines aslant have them all."""

MAX_FACE_EDGES = 200_000_000
"""Pairs of a face of one shape and an edge that a ray from there may cross, a count: a second. Rings within rings have them all."""

MAX_CONTOUR_CORNERS = 300_000
"""Corners of a picture's contour, a count, which are counted before one is made. A photographed tree of 4096 x 4096 has 200,000;
a picture of noise has one for each pixel."""

MAX_RING_CORNERS = 300_000_000
"""Corners of an outline times its parts and holes: GEOS, to leave corners out, looks at every ring for each of them, two seconds in all. A
page of 1,500 letters drawn by 200 corners each has it; the noise of a picture of 350 x 350 pixels too."""

MAX_CONVEX_PIECES = 3_000
"""Convex pieces of one outline, a count: each costs `trace` two milliseconds to find, build and measure, another one to draw, and each step
of a world pays for all. 4,000 squares that touch in corners took 11 s and, drawn, 19 s on a busy machine."""

MAX_PART_CORNERS = 8_000
"""Corners of one part that is decomposed exactly, a count: triangulation takes a spiral of them seconds, with their square."""

MAX_SEARCHED = 12_000_000
"""Subproblems of Keil's method that one outline or one drawing may take, a count (the square of the corners of each part, for each try):
five seconds. Whatever is beyond has Hertel and Mehlhorn's pieces."""

MAX_JSON_VALUES = 1_000_000
"""Lists, objects and members of one JSON text, a count, taken from its brackets and commas before it is read: 100 to 200 MB. The largest
scene of ten thousand boxes has two fifths of it."""

MAX_NAME = 200
"""Characters of the name of a body or a fixture: each is part of every state that is sent."""

MAX_JSON_NAMES = 1_000
"""Names in one object of a JSON file, a count. No format of ours has more than some twenty, R.U.B.E. some forty and what a user adds; the
validator records each unknown name."""

MAX_RECORDED_STEPS = 1_000_000
"""Steps of a recording, a count: more than four hours at 60 Hz."""

MAX_RECORDED_MEMORY = 2_000_000_000
"""Bytes, an upper bound of what all records of a recording take once decoded; inputs take a tenth of what is counted for them."""

MAX_RECORDED_INPUTS = 400_000
"""Inputs of a recording, a count: drags of four hands at 60 Hz, without a pause, for half an hour; 170 MB. Dropped or created things also
count by their size (`MAX_RECORDED_MEMORY`)."""

MAX_UNPACKED = 150_000_000
"""Bytes of all that a recording has packed: digests of 200 bodies over an hour and a half."""
