"""Input checks of queries about one or two shapes, done before a kernel is loaded."""

from __future__ import annotations

from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.geometry import Transform, check_shape

__all__ = ["check_pair", "check_posed", "check_t_max"]


def check_pair(a: object, xf_a: object, b: object, xf_b: object) -> None:
    """Reject invalid shapes or poses of a pair.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid; the message names `a`, `b`, `xf_a` or `xf_b`.
    """
    check_posed(a, xf_a, "a", "xf_a")
    check_posed(b, xf_b, "b", "xf_b")


def check_posed(shape: object, xf: object, field: str = "shape", field_xf: str = "xf") -> None:
    """Reject an invalid shape or pose."""
    check_shape(field, shape)
    if not isinstance(xf, Transform):
        raise InvalidInputError(field_xf, "a Transform", xf)


def check_t_max(t_max: object) -> float:
    """Return a fraction of a sweep, 0 to 1."""
    end = finite("t_max", t_max)
    if not 0.0 <= end <= 1.0:
        raise InvalidInputError("t_max", "from 0 to 1", t_max)
    return end
