"""Known limitations of Box2D 2.3.0, as experiments: each a small world, a prediction derived from its rules, and a measurement.

None is a bug: each is what a rule of Box2D comes to where a user may expect more of it.
"""
