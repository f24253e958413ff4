"""Box2D's own answers to single questions, for those who judge it: nothing is computed here, and only shapes are the solver's."""
