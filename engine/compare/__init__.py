"""The referee: our answers against Box2D's, each difference explained by proof or counted as unexplained.

Read in this order, which is also that of the imports (tests/architecture/test_layers.py holds it):

    allowances   how far Box2D's float32 may stray; the only place with such numbers
    cases/       seeded shapes, pairs, motions, rays and point sets, random ones and those on which collision code goes wrong
    queries      what is put to both sides, and the answers in one form for all: manifolds, times of impact, rays
    proofs/      what shows that rounding caused a difference: exact margins (`engine.exact`), replayed decisions, cleared intervals
    questions/   one module a query: its cases, both answers, and the verdict: agree, explained with a proof, or unexplained
    pair/        one pair: as a file, asked of both sides, made small
    processes/   tasks shared among processes, or handed to a cluster
    bulk/        millions of pairs, counted: what `compare` does
    report/      the HTML report of such a run
    live/        the same for a running world, after each step
    motion/      why both engines leave a step with other velocities
"""
