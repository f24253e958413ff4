"""The referee of motion: why Box2D's bodies and ours leave one step with different velocities, from equal states.

`states` puts one moment of a world into both engines, `judge` takes one cause after the other away, `verdict` is what comes of it.
"""

from engine.compare.motion.judge import judge_step
from engine.compare.motion.verdict import CAUSES, BodyVerdict, MotionVerdict

__all__ = ["CAUSES", "BodyVerdict", "MotionVerdict", "judge_step"]
