"""Experiments on shared worlds: a server and clients over simulated links, with random users.

random_user   a user that acts at random, from a seed
experiment    settings of an experiment: scene, clients, links and users
run           runs an experiment
result        results: differing states, corrections, latencies, cost
"""
