"""Bodies dropped into a demo from body files."""

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
"""Maximum number of destroyed bodies whose appearance is kept in case undo recreates them."""


class NoWorldError(LabError):
    """The demo has no world to drop a body into."""


@dataclass(frozen=True, slots=True, eq=False)
class DroppedBody:
    """A body that was dropped into a demo, or has a picture from a scene file.

    Attributes
    ----------
    stage : Stage
    world : World
        World of the stage when the body was created; if the stage has another world now, the body no longer exists.
    body : int
        Id of the body.
    file : BodyFile or None
        Pieces, outline and picture of a dropped body, in its frame, meters.
    picture : BodyPicture or None
        Picture from a scene file.
    """

    stage: Stage
    world: World
    body: int
    file: BodyFile | None
    picture: BodyPicture | None = None

    @property
    def has_picture(self) -> bool:
        """True if a picture shows the body."""
        return self.picture is not None or (self.file is not None and self.file.picture is not None)

    @property
    def is_there(self) -> bool:
        """True if the body still exists."""
        return self.stage.world is self.world and self.world.is_body(self.body)


def drop_body(stages: Sequence[Stage], dropped: list[DroppedBody], file: BodyFile, point: tuple[float, float]) -> DroppedBody:
    """Create a body from a file at a point in the view, in the world at or nearest to that point, and add the body to `dropped`.

    Raises
    ------
    LabError
        The world rejects the body; `NoWorldError` if the demo has no world.
    """
    if not (math.isfinite(point[0]) and math.isfinite(point[1])):
        raise InvalidInputError("point", "finite", point)
    if not stages:
        raise NoWorldError("this demo has no world to drop a body into")
    stage = stages[stage_under(stages, point)]
    fixtures = tuple(FixtureSpec(piece, density=1.0, friction=_FRICTION, restitution=_RESTITUTION) for piece in file.pieces)
    body = stage.world.create_body(BodySpec(fixtures, position=stage.local(point), name=file.name[:MAX_NAME]))
    dropped.append(DroppedBody(stage, stage.world, body, file))
    forget_gone(dropped)
    return dropped[-1]


def forget_gone(dropped: list[DroppedBody]) -> None:
    """Discard all but the last `_MAX_GONE` destroyed bodies, to bound memory use."""
    gone = [body for body in dropped if not body.is_there]
    if len(gone) > _MAX_GONE:
        old = set(gone[:-_MAX_GONE])
        dropped[:] = [body for body in dropped if body not in old]


def without_outside_pictures(dropped: Sequence[DroppedBody], folder: Path | None) -> list[DroppedBody]:
    """Return dropped bodies without pictures whose files are outside `folder`; None removes all pictures."""
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
    """Return dropped bodies with body files rebuilt by their constructors, which validates files decoded from a state.

    Raises
    ------
    InvalidInputError
        A body file is invalid. Fields of the wrong type may raise any exception.
    """
    files = {id(body.file): _rebuilt(body.file) for body in dropped if body.file is not None}
    return [replace(body, file=files.get(id(body.file))) for body in dropped]


def _rebuilt(file: BodyFile) -> BodyFile:
    from engine.decompose.outline import Outline, Part

    outline = Outline(Part(part.outer, part.holes) for part in file.outline.parts)
    return replace(file, outline=outline, picture=None if file.picture is None else replace(file.picture))
