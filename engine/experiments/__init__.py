"""Experiments on Box2D: a question, a world that tests it, our prediction, and the result.

To be read in this order: `spec` (a shot), `range` (its world), `lookahead` and `rules` (how time advances), `tracker` (the
result), `tunneling`, `impact` (the prediction), `shot` and `shot_batch` (firing one, and many), `atlas` (a map of shots), `step_curve` (one
step in detail), `limitations` (other limitations of Box2D). By themselves: `scenes` (builders that all share), `references` (any solver
against exact solutions), `solvers` (all methods in all scenes), `studies` (published comparisons repeated).
"""
