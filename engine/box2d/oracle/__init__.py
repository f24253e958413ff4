"""Box2D's own answers to single questions, for its judges: nothing is computed here, and only shapes are the solver's."""
