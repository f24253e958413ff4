"""Worlds that the tests of the soft step share."""

from engine.experiments.references import Lab


def make_world(n_steps=8, **settings):
    """Return an empty world of the soft step with `n_steps` sub-steps, in which nothing sleeps unless said."""
    return Lab(sub_steps=n_steps).world(**settings)
