"""Known limitations of Box2D 2.3.0, as experiments: each a small world, a prediction derived from its rules, and a measurement.

None is a bug: each is the consequence of one of Box2D's rules where a user may expect more.
"""
