"""Methods that solve a step of a world, one per file, found by the file's name; `engine.world.solvers` lists them.

To add a method, add a file with its class and an instance named ``METHOD``; see `protocol`.
"""
