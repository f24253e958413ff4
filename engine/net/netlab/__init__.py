"""An experiment on a shared world: a server and clients behind simulated links, users that act at random, and the result.

random_user   acts as a user would, from seeded random numbers
experiment    the scene, clients, links and users
run           runs an experiment
result        what was measured: differing states, corrections, latencies, cost
"""
