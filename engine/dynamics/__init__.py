"""Our own rigid bodies: solvers that simulate a world instead of Box2D, based on this library's collision detection.

Read the modules in this order; docs/dynamics has a page, with the derivation and pictures, for each name in brackets::

    model                the data of a step: bodies, contacts and joints, their columns by name
    _row_kernel          the algebra of a constraint: its velocity, its response, applying its impulse [constraints]
    _softness_kernel     a constraint as a spring and a damper [soft_constraints]
    _contact_kernel      a contact point: soft push, relaxation, friction [sequential_impulses, friction]
    _joint_kernel        a joint as a few rows; `joints` lists the rows of each kind [joints]
    _impact_kernel       bodies that bounce, pair by pair [restitution]
    _integration_kernel  velocities and positions [equations_of_motion]
    methods/NAME         a method: soft_step is the default
    pipeline             a step: find contacts, solve, stop fast bodies, put islands to sleep [contacts, continuous_collision, islands]
    solver               the methods as solvers of `engine.world`

`tables` has the world's bodies, fixtures and joints as columns, `tolerances` the constants, and `integrators` Euler, midpoint, Verlet and
Runge-Kutta, for methods that let users choose.

All state is arrays of float64: a snapshot is a copy of them, and a restore is exact at every step.
"""
