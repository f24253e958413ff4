"""Box2D's results for single queries, as a reference. They are computed by Box2D only, with shapes converted as in the solver."""
