"""Proofs that a difference is caused by rounding or by Box2D's rule, and by nothing else."""
