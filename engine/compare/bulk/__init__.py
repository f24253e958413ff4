"""Our answers against Box2D's over millions of seeded pairs, counted."""
