"""Methods that solve a step of a world, one per file and found by its name; `engine.world.solvers` lists them.

A new one is one more file with a class of its own and ``METHOD``, one instance of it; see `protocol`.
"""
