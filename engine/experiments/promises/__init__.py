"""What Box2D does not promise, as experiments: each a small world, a prediction derived from Box2D's rules, and a measurement.

Nothing here is a bug. Each is what a rule of Box2D 2.3.0 comes to where somebody expected more of it.
"""
