"""Constants of the solvers, each with its unit and cause; those of the collision algorithms are in `engine.common.tolerances`."""

from __future__ import annotations

from math import pi

__all__ = [
    "CONTACT_DAMPING_RATIO", "FIRM_RATE", "JOINT_DAMPING_RATIO", "MATCH_DISTANCE", "MAX_COLUMN_LOAD", "MAX_FIRMNESS", "MAX_LOADED_BODIES",
    "MAX_NEIGHBORS", "MAX_YIELD", "PUSH", "PUSH_BY_BIAS", "SINGULAR_PAIR", "STICK", "STIFFEST", "XPBD_STATIC_SHARE",
]  # fmt: skip

CONTACT_DAMPING_RATIO = 10.0
"""Damping ratio of soft contacts (Solver2D's): an overlap disappears without a bounce."""

JOINT_DAMPING_RATIO = 2.0
"""Damping ratio of soft joint rows (Box2D v3's): well beyond critical, so that chains do not ring."""

PUSH = 6.0
"""Limit, m/s, of the speed at which overlapping bodies are separated, however deep they are: a rate r becomes ``r / (1 + r / PUSH)``.

The limit is smooth: crammed bodies separate fastest where they are deepest, whereas a cut-off would push 20 cm and 80 cm alike (625 discs
in a box that is too small: 0.78 m of overlap with a cut-off at 3 m/s, 0.31 m with this), and a deep overlap does not explode."""

PUSH_BY_BIAS = 4.0
"""Maximum speed, m/s, at which a bias velocity corrects an overlap: the cut-off of Solver2D's PGS. It differs from `PUSH` because bodies
keep this speed, whereas relaxation removes that of `PUSH`."""

MATCH_DISTANCE = 0.02
"""Distance, m, within which a contact point with another feature counts as the same point: twice `tables.MARGIN`, the distance at which a
pair is detected before it touches."""

STICK = 100.0
"""The coefficient a (`_softness_kernel`) of friction in a direct solve. Friction has no position error from which to derive it; the value
is between those of contacts at the default firmness: 65 between two movable bodies, 136 against an immovable one."""

FIRM_RATE = 0.4
"""Fraction of its error that a directly solved joint corrects in a sub-step: more than in a sweep (0.28, from `JOINT_DAMPING_RATIO` and a
quarter of the sub-step's frequency), less than a hard constraint does (1)."""

MAX_YIELD = 0.01
"""Overlap, m, at which a soft contact balances its load, above which its island is solved directly (`direct=auto`): twice `LINEAR_SLOP`.
With eight sub-steps, a box of 1 m yields this much under about 100 times its mass. Without direct solving, all of 17 piles of boxes support
a load of 100 times a box's mass, 15 support 300 times, 8 support 1,000 times."""

MAX_COLUMN_LOAD = 0.125 * pi * pi
"""P L^2 / (E I) of a column of bodies, above which its island is solved directly: half of Euler's critical load, pi^2 / 4 on a fixed foot.
With its mean load as P, a column buckles under its own weight at 3.9 (half of Greenhill's 7.837)."""

MAX_LOADED_BODIES = 64
"""Maximum number of bodies in an island solved directly because of its load: with direct solving, the step of a pyramid of 55 boxes costs
1.8 times as much, that of 210 boxes 5.9 times."""

MAX_FIRMNESS = 1000.0
"""Maximum factor by which directly solved rows are stiffer: their coefficient a is then 1e4 to 1e5, and float64 keeps eleven digits of the
masses beside the stiffness."""

MAX_NEIGHBORS = 48
"""Maximum number of neighbors of a body when it is eliminated; an island with more, such as a net of joints, is solved by sweeps alone,
because the cost of eliminating a body grows with the square of this number."""

STIFFEST = 1.0e7
"""Maximum stiffness of an AVBD constraint, in effective masses per squared step: with more, float64 keeps too few digits of M / h^2 beside
the stiffness (1e-16 * 1e7 leaves nine)."""

SINGULAR_PAIR = 1.0e-6
"""Determinant of the matrix of two contact points, relative to the product of its diagonal, below which it counts as singular: the levers
of both normals are nearly equal. It is also the minimum fraction of a point's response that remains with friction."""

XPBD_STATIC_SHARE = 0.25
"""Factor of the compliance of a contact with an immovable body, as in Solver2D's solve_xpbd.c: a quarter, which is twice the frequency, as
for Solver2D's soft contacts."""
