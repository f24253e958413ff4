"""Bodies that were dropped into a demo, with the file that each was made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.common.errors import InvalidInputError, LabError
from engine.common.files import name_beside
from engine.common.limits import MAX_NAME
from engine.sim.stage import Stage, stage_under
from engine.world import BodySpec, FixtureSpec, World

if TYPE_CHECKING:
    from engine.decompose import BodyFile
    from engine.scenes.pictures import BodyPicture

__all__ = [
    "DroppedBody",
    "NoWorldError",
    "drop_body",
    "forget_gone",
    "rebuilt",
    "without_outside_pictures",
]

_FRICTION, _RESTITUTION = 0.4, 0.1
_MAX_GONE = 100
"""Bodies that were dropped and are gone, of which is known what they looked like: as many as an undo may bring back."""


class NoWorldError(LabError):
    """The demo has no world that anything could fall in."""


@dataclass(frozen=True, slots=True, eq=False)
class DroppedBody:
    """A body with a picture, or of a file that was dropped, in a world of a demo.

    Attributes
    ----------
    stage : Stage
    world : World
        The stage's when it was dropped; a demo may give a stage another one, and then the body is gone.
    body : int
        Its id there.
    file : BodyFile or None
        Pieces, outline and picture in the body's frame, meters; of one that was dropped.
    picture : BodyPicture or None
        Of one that was in a scene file with its picture.
    """

    stage: Stage
    world: World
    body: int
    file: BodyFile | None
    picture: BodyPicture | None = None

    @property
    def is_there(self) -> bool:
        """True if it still exists."""
        return self.stage.world is self.world and self.world.is_body(self.body)


def drop_body(stages: Sequence[Stage], dropped: list[DroppedBody], file: BodyFile, point: tuple[float, float]) -> DroppedBody:
    """Create a body of a file with its middle at a point of the picture, in the world that lies there or nearest; list it in `dropped`.

    Raises
    ------
    LabError
        `NoWorldError` where there is no world; what the world refuses otherwise.
    """
    if not (math.isfinite(point[0]) and math.isfinite(point[1])):
        raise InvalidInputError("point", "finite", point)
    if not stages:
        raise NoWorldError("nothing can fall here: this demo has no world")
    stage = stages[stage_under(stages, point)]
    fixtures = tuple(FixtureSpec(piece, density=1.0, friction=_FRICTION, restitution=_RESTITUTION) for piece in file.pieces)
    body = stage.world.create_body(BodySpec(fixtures, position=stage.local(point), name=file.name[:MAX_NAME]))
    dropped.append(DroppedBody(stage, stage.world, body, file))
    forget_gone(dropped)
    return dropped[-1]


def forget_gone(dropped: list[DroppedBody]) -> None:
    """Forget those that are gone but for the last: who drops and deletes for hours must not fill the memory."""
    gone = [body for body in dropped if not body.is_there]
    if len(gone) > _MAX_GONE:
        old = set(gone[:-_MAX_GONE])
        dropped[:] = [body for body in dropped if body not in old]


def without_outside_pictures(dropped: Sequence[DroppedBody], folder: Path | None) -> list[DroppedBody]:
    """Return what was dropped without pictures whose files lie outside a folder; without any if the folder is None."""
    files: dict[int, BodyFile] = {}
    made = []
    for body in dropped:
        file = body.file
        if file is not None and file.picture is not None and (folder is None or name_beside(folder, file.picture.file) is None):
            file = files.setdefault(id(file), replace(file, picture=None))
            body = replace(body, file=file)
        made.append(body)
    return made


def rebuilt(dropped: Sequence[DroppedBody]) -> list[DroppedBody]:
    """Return what was dropped with body files made again by their constructors: those of a state come without their checks.

    Raises
    ------
    InvalidInputError
        A body file is not what it should be. Fields of other types can end in any error.
    """
    files = {id(body.file): _rebuilt(body.file) for body in dropped if body.file is not None}
    return [replace(body, file=files.get(id(body.file))) for body in dropped]


def _rebuilt(file: BodyFile) -> BodyFile:
    from engine.decompose.outline import Outline, Part

    outline = Outline(Part(part.outer, part.holes) for part in file.outline.parts)
    return replace(file, outline=outline, picture=None if file.picture is None else replace(file.picture))
