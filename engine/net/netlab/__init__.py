"""An experiment on a shared world: a server and clients behind simulated links, hands that do anything, and what came of it.

To be read in this order: `hands`, `plan` (what an experiment is), `watching` (what is noted), `finding` (what the notes come to),
`experiment` (which runs it).
"""
