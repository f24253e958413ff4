"""Constants of the solvers, each with its unit and cause; those of the collision algorithms are in `engine.common.tolerances`."""

from __future__ import annotations

__all__ = [
    "AVBD_PUSH", "CONTACT_DAMPING_RATIO", "FASTEST", "JOINT_DAMPING_RATIO", "JOINT_SHARE", "MATCH_DISTANCE", "PUSH",
    "PUSH_BY_BIAS", "SINGULAR_PAIR", "STIFFEST", "STILL_FACE", "XPBD_PUSH", "XPBD_STATIC_SHARE",
]  # fmt: skip

AVBD_PUSH = 1.0
"""Limit, m/s, of the speed at which AVBD pushes a body apart from all others that it overlaps; the speed remains."""

FASTEST = 100.0
"""Speed, m/s, that nothing at rest passes by an error of a method."""

CONTACT_DAMPING_RATIO = 10.0
"""Damping ratio of soft contacts (Solver2D's): an overlap disappears without a bounce."""

JOINT_DAMPING_RATIO = 2.0
"""Damping ratio of soft joint rows (Box2D v3's): well beyond critical, so that chains do not ring."""

JOINT_SHARE = 0.2
"""Fraction of a joint's error that a hard row corrects in a step, through velocities (Baumgarte)."""

PUSH = 3.0
"""Limit, m/s, of the speed at which overlapping bodies are separated, however deep they are: a rate r becomes ``r / (1 + r / PUSH)``.

The limit is smooth: crammed bodies separate fastest where they are deepest, whereas a cut-off would push 20 cm and 80 cm alike (625 discs
in a box that is too small: 0.78 m of overlap with a cut-off at 3 m/s, 0.31 m with this), and a deep overlap does not explode."""

PUSH_BY_BIAS = 4.0
"""Maximum speed, m/s, at which a bias velocity corrects an overlap: the cut-off of Solver2D's PGS. It differs from `PUSH` because bodies
keep this speed, whereas relaxation removes that of `PUSH`."""

MATCH_DISTANCE = 0.02
"""Distance, m, within which a contact point with another feature counts as the same point: twice `tables.MARGIN`, the distance at which a
pair is detected before it touches."""

STIFFEST = 1.0e7
"""Maximum stiffness of an AVBD constraint, in effective masses per squared step: with more, float64 keeps too few digits of M / h^2 beside
the stiffness (1e-16 * 1e7 leaves nine)."""

SINGULAR_PAIR = 1.0e-6
"""Determinant of the matrix of two contact points, relative to the product of its diagonal, below which it counts as singular: the levers
of both normals are nearly equal. It is also the minimum fraction of a point's response that remains with friction."""

STILL_FACE = 0.01
"""Slip, m/s, up to which static friction acts in shock propagation. Boxes that it holds with one point solved after the other still slip by
up to 6 mm/s at the end of a step."""

XPBD_PUSH = 3.0
"""Limit, m/s and rad/s, of the speed at which XPBD corrects what is wrong as a sub-step begins: Box2D v3's for overlaps."""

XPBD_STATIC_SHARE = 0.25
"""Factor of the compliance of a contact with an immovable body, as in Solver2D's solve_xpbd.c: a quarter, which is twice the frequency, as
for Solver2D's soft contacts."""
