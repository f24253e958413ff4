"""What shows a difference to be the doing of rounding or of Box2D's rule, and of nothing else."""
