"""Experiments on Box2D: a question, a world that asks it, our prediction, and what came of it.

To be read in this order: `spec` (a shot), `range` (its world), `lookahead` and `rules` (how time goes on), `first_contact`, `tracker` (what
happened), `tunneling`, `impact` (what should), `shot` and `shot_batch` (firing one, and many), `atlas` (a map of shots), `step_curve`
(one step under the microscope), `limitations` (what else Box2D does not do). By themselves: `references` (any solver against exact
solutions), `solvers` (all methods in all scenes).
"""
