"""Some rows of what is put to both sides in columns."""

from dataclasses import fields, replace

import numpy as np


def take(columns, rows):
    """Return these rows of rays or of moving pairs, whose motion is a dataclass of columns too."""
    values = {field.name: getattr(columns, field.name) for field in fields(columns)}
    changes = {name: value[rows] for name, value in values.items() if isinstance(value, np.ndarray) and len(value)}
    if "motion" in values:
        changes["motion"] = take(values["motion"], rows)
    return replace(columns, **changes)
