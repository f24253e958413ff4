"""The bench of methods: results in scenes with known outcomes, and costs.

To be read in this order: `scenes` (the scenes and their criteria), `measures` (measurements from poses alone), `trial` (one method in one
scene), `bench` (all of them).
"""
