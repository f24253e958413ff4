"""Worlds shared by the tests of the soft step."""

from engine.experiments.references import Lab


def make_world(n_steps=8, **settings):
    """Return an empty soft-step world with `n_steps` sub-steps, without sleeping unless requested."""
    return Lab(sub_steps=n_steps).world(**settings)
