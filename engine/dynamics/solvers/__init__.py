"""The methods by which a step of a world is solved, a file each, found by its name: `engine.world.solvers` lists them.

A new one is one more file with a class of its own and ``METHOD``, one instance of it; see `protocol`.
"""
