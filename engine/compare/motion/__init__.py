"""The referee of motion: why Box2D's bodies and ours have different velocities after one step from equal states.

Read in this order: `states` puts one state of a world into both engines; `verdict` has the verdicts on its next step; `bodies` and `ladder`
remove one cause after another; `judge` combines them, and finds other causes of the bodies' displacement.
"""

from engine.compare.motion.judge import judge_step
from engine.compare.motion.verdict import CAUSES, BodyVerdict, MotionVerdict

__all__ = ["CAUSES", "BodyVerdict", "MotionVerdict", "judge_step"]
