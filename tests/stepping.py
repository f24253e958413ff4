"""Steps of whatever can be stepped."""


def steps(world, n):
    """Step a world, a simulation or a history n times."""
    for _ in range(n):
        world.step()
