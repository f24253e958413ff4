"""Rigid bodies of our own: the solvers that drive a world beside Box2D, on the collisions of this library.

A step, in the order of its chapters::

    tables      what the truth is made of, as columns: bodies with mass and inertia, fixtures with shapes and materials, joints
    contacts    broad phase, filter, manifolds; the points of the last step found again, for their impulses
    impacts     bodies that bounce, pair by pair
    soft_step   sub-steps: velocities, soft constraints, positions, relaxation
    islands     bodies that hang together, and sleep together

All state is arrays of float64: a snapshot is a copy of them, and a restore is exact at every step.
"""
