"""The referee: our answers against Box2D's, each difference explained by proof or counted as unexplained."""
