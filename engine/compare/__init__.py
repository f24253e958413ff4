"""The referee: our answers against Box2D's, each difference explained by proof or counted as unexplained.

Read in this order, which is also that of the imports (checked by tests/architecture/test_layers.py):

    allowances   allowed errors of Box2D's float32; the only place with such numbers
    cases/       seeded shapes, pairs, motions, rays and point sets, both random and adversarial
    queries      input for both sides in columns, and their answers in one form: manifolds, times of impact, rays
    proofs/      proofs that rounding caused a difference: exact margins (`engine.geometry.exact`), replayed decisions, cleared intervals
    questions/   one module per query: its cases, both answers, and the verdict: agree, explained with a proof, or unexplained
    pair/        a single pair: its file, both answers to it, and the shrinker
    processes/   tasks run by several processes, or by a cluster
    bulk/        millions of pairs, counted: the command `compare`
    report/      the HTML report of such a run
    live/        the same for a running world, after each step
    motion/      why the two engines end a step with different velocities
"""
