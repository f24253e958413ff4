"""Steps of worlds, demos and histories."""


def steps(steppable, n):
    """Step a world, a simulation or a history n times."""
    for _ in range(n):
        steppable.step()
