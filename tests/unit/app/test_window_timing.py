"""The timing of a complete window: its parts are measured and do not exceed the total."""

from benchmarks.frame import time_window
from engine.sim.registry import find_demo


def test_the_parts_do_not_exceed_the_total():
    costs = time_window(find_demo("simple_shapes")(1, {"count": 5}), frames=12, warm_up=4)
    assert {"whole", "processor", "step", "check", "past", "drawing", "Plots", "Camera"} <= costs.keys()
    assert all(cost >= 0.0 for cost in costs.values())
    assert costs["drawing"] <= costs["drawing, 95 %"] and costs["whole"] <= costs["whole, 95 %"]
    assert costs["drawing"] < costs["whole"] and costs["Plots"] < costs["whole"]
    assert costs["Plots"] > 0.01
