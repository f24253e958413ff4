"""Many copies of a world, stepped together, for searches and training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, frozen, numbers_of_shape
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.common.interrupts import DeferredInterrupt
from engine.common.limits import MAX_NUMBER, MAX_SPEED
from engine.world.world import World

__all__ = ["Worlds"]

_MAX_WORLDS = 1_000_000


class Worlds:
    """`n` copies of a world in one set of arrays, stepped by one call; each copy's results are bit-identical to those of a single world.

    The world itself is not changed, and its hooks are not copied. Its solver must be ``"soft_step"``.

    Parameters
    ----------
    world : World
    n : int
        From 1.

    Raises
    ------
    InvalidInputError
        The world's solver does not support copies.

    Notes
    -----
    A world in which a body leaves the supported range, or a number is not finite, is *lost*: it is not stepped until it is reset.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> from engine.world import BodySpec, FixtureSpec
    >>> world = World(solver="soft_step")
    >>> ball = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),)))
    >>> worlds = Worlds(world, 3)
    >>> worlds.set_velocities([ball], [[[0.0, 5.0, 0.0]], [[0.0, 10.0, 0.0]], [[0.0, 15.0, 0.0]]])
    >>> worlds.step(60)
    >>> worlds.states[:, 0, 1].round(3).tolist()
    [0.0, 5.0, 10.0]
    """

    def __init__(self, world: World, n: int) -> None:
        if not isinstance(world, World):
            raise InvalidInputError("world", "a World", world)
        n = integer("n", n, 1, _MAX_WORLDS)
        self._bodies = {body: row for row, body in enumerate(world.body_ids)}
        self._types = {body: world.body(body).spec.type for body in world.body_ids}
        self._copies = world.copies(n)
        self._n, self._n_steps = n, 0

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        return f"<Worlds: {self._n} of {len(self._bodies)} bodies, {self._n_steps} steps>"

    @property
    def body_ids(self) -> tuple[int, ...]:
        """Ids of the bodies, ascending, in the order of their rows."""
        return tuple(self._bodies)

    @property
    def states(self) -> FloatArray:
        """x, y, angle, vx, vy, omega of every body, float64 (n, bodies, 6), read-only: world frame, meters, radians, seconds."""
        return frozen(self._copies.values.view())

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Whether each body is awake, bool (n, bodies), read-only."""
        return frozen(self._copies.awake.view())

    @property
    def is_lost(self) -> NDArray[np.bool_]:
        """Whether each world is lost because a body has left the supported range, or a number is not finite; bool (n,), read-only."""
        return frozen(self._copies.is_lost.view())

    def step(self, n_steps: int = 1) -> None:
        """Advance all worlds by `n_steps` steps of ``1 / hertz`` seconds."""
        for _ in range(integer("n_steps", n_steps, 1)):
            with DeferredInterrupt():
                self._copies.step()
            self._n_steps += 1

    def apply_forces(self, bodies: Sequence[int], forces: ArrayLike, worlds: Iterable[int] | None = None) -> None:
        """Apply forces at centers of mass, and torques, during the next step, and wake the bodies.

        Parameters
        ----------
        bodies : sequence of int
            Ids of k dynamic bodies.
        forces : float64 (n, k, 3)
            Fx, Fy, torque; N and N m, world frame.
        worlds : iterable of int, optional
            Numbers of the worlds of the first axis of `forces`, 0 to n - 1; all if omitted.
        """
        rows, which = self._rows(bodies, ("dynamic",)), self._which(worlds)
        self._copies.push(which, rows, _bounded("forces", forces, (len(which), len(rows), 3), MAX_NUMBER))

    def set_velocities(self, bodies: Sequence[int], velocities: ArrayLike, worlds: Iterable[int] | None = None) -> None:
        """Set velocities, and wake the bodies whose velocity is not 0.

        Parameters
        ----------
        bodies : sequence of int
            Ids of k dynamic or kinematic bodies.
        velocities : float64 (n, k, 3)
            vx, vy, m/s; angular velocity, rad/s.
        worlds : iterable of int, optional
            As in `apply_forces`.
        """
        rows, which = self._rows(bodies, ("dynamic", "kinematic")), self._which(worlds)
        self._copies.set_velocities(which, rows, _bounded("velocities", velocities, (len(which), len(rows), 3), MAX_SPEED))

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Reset worlds to the state in which the first world was copied; all if `worlds` is omitted.

        Parameters
        ----------
        worlds : iterable of int, optional
            Numbers, 0 to n - 1; or bool (n,), such as `is_lost`.
        """
        chosen = np.zeros(self._n, dtype=np.bool_)
        chosen[self._which(worlds)] = True
        self._copies.reset(chosen)

    def _which(self, worlds: Iterable[int] | None) -> IntArray:
        if worlds is None:
            return np.arange(self._n)
        chosen = np.asarray(worlds if isinstance(worlds, np.ndarray) else list(worlds))
        if chosen.dtype == np.bool_ and chosen.shape == (self._n,):
            return np.flatnonzero(chosen)
        is_valid = chosen.ndim == 1 and (chosen.size == 0 or (chosen.dtype.kind in "iu" and chosen.min() >= 0 and chosen.max() < self._n))
        if not is_valid or len(np.unique(chosen)) < len(chosen):
            raise InvalidInputError("worlds", f"different whole numbers from 0 to {self._n - 1}, or {self._n} booleans", worlds)
        return chosen.astype(np.int64)

    def _rows(self, bodies: Sequence[int], types: tuple[str, ...]) -> IntArray:
        listed = list(bodies)
        for body in listed:
            if self._types.get(body) not in types or listed.count(body) > 1:
                raise InvalidInputError("bodies", f"different ids of {' or '.join(types)} bodies", body)
        return np.array([self._bodies[body] for body in listed], dtype=np.int64)


def _bounded(field: str, value: ArrayLike, shape: tuple[int, ...], limit: float) -> FloatArray:
    array = numbers_of_shape(field, value, shape)
    if not (np.abs(array) <= limit).all():
        raise InvalidInputError(field, f"finite numbers from {-limit:g} to {limit:g}", array[~(np.abs(array) <= limit)][0].item())
    return array
