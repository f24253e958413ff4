"""Our own rigid bodies: solvers that simulate a world instead of Box2D, based on this library's collision detection.

A step, in the order of its chapters; docs/dynamics has a page, with the whole derivation and pictures, of each name in brackets::

    tables      what the model is made of, as columns: bodies with mass and inertia, fixtures with shapes and materials, joints
    contacts    broad phase, filter, manifolds; the points of the last step found again, for their impulses [contacts]
    impacts     bodies that bounce, pair by pair [restitution]
    soft_step   sub-steps: velocities, warm start, soft rows, positions, relaxation [equations_of_motion, soft_constraints]
    rows        of contacts and joints, solved one after the other [constraints, sequential_impulses, friction, joints]
    continuous  fast bodies back to where they first touch [continuous_collision]
    islands     bodies that hang together, and sleep together [islands]

Beside them `integrators`: Euler, midpoint, Verlet, Runge-Kutta, for methods that let one choose.

All state is arrays of float64: a snapshot is a copy of them, and a restore is exact at every step.
"""
