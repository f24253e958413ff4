"""The referee of motion: why Box2D's bodies and ours leave one step with different velocities, from equal states.

Read in this order: `states` puts one moment of a world into both engines; `verdict` is what is said of its next step; `bodies` and
`ladder` take one cause after the other away; `judge` puts it together, and says what else moved the bodies.
"""

from engine.compare.motion.judge import judge_step
from engine.compare.motion.verdict import CAUSES, BodyVerdict, MotionVerdict

__all__ = ["CAUSES", "BodyVerdict", "MotionVerdict", "judge_step"]
