"""Why a mutant survives: the first matching rule, by query, fate and place.

The rules come from reading the survivors, one by one if answers changed and by place otherwise; they do not prove equivalence.
Update this list when a gap in the referee is found or closed.
"""

import re

__all__ = ["UNEXPLAINED", "reason_of"]

UNEXPLAINED = "no answer changed on these pairs; not shown to be equivalent"

_RULES = (
    # query, outcome, name, reason; regular expressions
    ("", "aside", "", "feature ids only: `compare` does not judge them, tests/agreement does"),
    ("", "shared", r"rotation", "sine and cosine of a pose within the step, the same for judge and judged; the other queries ask Box2D's"),
    ("", "absorbed", r"rotation", "sine and cosine off by less than float32 rounding may move the answer, at worst"),
    ("toi", "absorbed", "", "another time, at which the shapes are as near as Box2D aims for, within its 1.25 mm: proved"),
    (
        "",
        "absorbed",
        r"_ray_kernel|_swept_kernel",
        "another digit of a normal or a place, or an edge's normal at a corner of it: proved to be ties",
    ),
    ("", "absorbed", r"_rounding|rounding_of|EPSILON|touch\b", "a bound of rounding, of which exact ties depend: proved to be ties"),
    ("", "unchanged", r": (swapped|sign|extreme): .*hypot", "the same number: a length does not depend on order or sign"),
    ("", "unchanged", r": boundary: ", "differs where two numbers are exactly equal: no case is, or either outcome is right"),
    (
        "",
        "unchanged",
        r"rotation",
        "sine and cosine: a digit beyond float64's, the way for huge angles, or which of two equal ways",
    ),
    ("", "unchanged", r"rounding|touch\b|EPSILON|ROUNDING|prepare_|MARGIN", "a bound of rounding or a tolerance, with room to spare"),
    (
        "",
        "unchanged",
        r"is_few|FEW",
        "which of two loops with equal answers runs",
    ),
    ("", "unchanged", r"geometry\.mass|packing\.", "a column of the packed shapes that this query does not use"),
    (
        "distance",
        "(unchanged|absorbed)",
        r"_epa_kernel|_gjk_kernel|_distance_kernel|_extent|_closest",
        "depths, witness points, or a shortcut on the way: `compare` asks for the gap alone; tests/agreement asks for the rest",
    ),
    (
        "",
        "unchanged",
        r"axis\[[3-5]\]|reference\[|INCIDENT|REFERENCE|TRIED|cosine|found_on|: amplif",
        "what is reported about the search besides the answer",
    ),
    (
        "manifold",
        "unchanged",
        r"_edge_kernel",
        "an arrangement of neighboring edges that is in none of these pairs, or steps for a viewer",
    ),
    (
        "manifold",
        "unchanged",
        r"_manifold_kernel|_clip_kernel|_sat_kernel",
        "steps for a viewer, or a branch for an exact touch at the very end of an edge",
    ),
    (
        "(ray_cast|contains|toi)",
        "unchanged",
        r"_(core|ray|swept|motion|impact|step|advancement)_kernel",
        "a start value, a shortcut, or a branch for shapes that these pairs do not hold",
    ),
    ("overlap", "unchanged", r"_overlap_kernel|_gjk_kernel|_sat_kernel", "a start value or a shortcut"),
)


def reason_of(query, name, outcome):
    """Return the reason."""
    for of_query, of_outcome, of_name, reason in _RULES:
        if re.match(of_query, query) and re.match(of_outcome, outcome) and re.search(of_name, name):
            return reason
    return UNEXPLAINED
