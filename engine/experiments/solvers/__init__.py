"""The bench of methods: their results in scenes with known outcome, and their cost.

To be read in this order: `scenes` (what is built, what counts as standing), `measures` (what is measured, from poses alone), `trial` (one
method in one scene), `bench` (all of them).
"""
