"""Files written whole or not at all.

Content goes to a temporary file beside its target and takes the target's name only when it is complete, so that neither Ctrl-C nor a
full disk leaves half a file, nor costs the one that was there before.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

__all__ = ["is_special", "real_path", "temporary_beside", "write_atomically"]


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path`, whole or not at all.

    A symbolic link keeps pointing where it did. A device or pipe (``/dev/stdout``) is written to, not replaced.
    """
    target = Path(path)
    if is_special(target):
        target.write_bytes(content)
        return
    real = real_path(target)
    temporary = temporary_beside(real)
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        if real.exists():
            os.chmod(temporary, stat.S_IMODE(real.stat().st_mode))
        os.replace(temporary, real)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporary_beside(target: Path) -> Path:
    """Return a name in the same folder that nothing has."""
    return target.parent / f".{secrets.token_hex(8)}.part"


def real_path(target: Path) -> Path:
    """Return the file that a chain of symbolic links ends at."""
    return Path(os.path.realpath(target))


def is_special(target: Path) -> bool:
    """Tell whether this is there and no ordinary file, but a device or a pipe."""
    return target.exists() and not target.is_file()
