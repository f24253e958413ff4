"""Experiments on shared worlds: a server and clients over simulated links, with random users.

random_user   a user that acts at random, from a seed
experiment    settings of an experiment, such as scene, clients, links and users
run           runs an experiment
result        results, such as differing states, corrections, latencies and cost
"""
