import pytest

from engine.common.errors import InvalidInputError
from engine.demo import Parameter
from engine.sim.parameters import parameter_values

SPEED = Parameter("speed", 110.0, 0.0, 400.0, "m/s", "muzzle speed")
COUNT = Parameter("count", 40, 1, 5000, whole=True, slider_high=400)


@pytest.mark.parametrize("value", ["fast", "nan", "inf", -1, 401, True, None, "", [1.0]])
def test_bad_values_are_rejected_by_name(value):
    with pytest.raises(InvalidInputError, match=r"speed must be a number from 0 to 400 m/s, got"):
        SPEED.checked(value)


def test_text_and_numbers_are_accepted():
    assert SPEED.checked("12.5") == SPEED.checked(12.5) == 12.5
    assert COUNT.checked("1000") == 1000.0


def test_a_value_has_one_text_form():
    # a state's digest is of the text: a demo started from the list has defaults, one that is played again has numbers out of a file
    values = [{}, {"count": 40}, {"count": 40.0}, {"count": "40"}]
    assert {repr(parameter_values((COUNT,), each)) for each in values} == {"{'count': 40.0}"}


def test_integer_parameters_reject_fractions():
    with pytest.raises(InvalidInputError, match="a whole number"):
        COUNT.checked(1.5)


def test_unknown_names_are_rejected_with_the_known_ones():
    with pytest.raises(InvalidInputError, match="one of speed, count"):
        parameter_values((SPEED, COUNT), {"sped": 1})
    with pytest.raises(InvalidInputError, match="this demo has none"):
        parameter_values((), {"speed": 1})


def test_defaults_fill_the_rest():
    assert parameter_values((SPEED, COUNT), {"count": "7"}) == {"speed": 110.0, "count": 7.0}


def test_a_default_outside_its_range_is_a_mistake():
    with pytest.raises(InvalidInputError):
        Parameter("x", 2.0, 0.0, 1.0)


def test_sliders_stop_early_and_snap():
    assert COUNT.slider_range == (1, 400)
    assert COUNT.snapped(17.4) == 17.0
    assert SPEED.snapped(110.4) == 110.0
    assert Parameter("friction", 0.4, 0.0, 1.0).snapped(0.12345) == pytest.approx(0.123)
    assert SPEED.shown(110.0) == "110 m/s" and COUNT.shown(40.0) == "40"


def test_a_choice_accepts_names_and_indices():
    target = Parameter.choice("target", ("each", "wall"), also=("", "static"))
    assert [target.checked(value) for value in ("each", "Wall", "static", "1", 0, 1.0)] == [0.0, 1.0, 1.0, 1.0, 0.0, 1.0]
    assert target.shown(1.0) == "wall" and target.default == 0
    for bad in ("moon", "", 2, 0.5, True, None):
        with pytest.raises(InvalidInputError, match="target must be one of each, wall"):
            target.checked(bad)


def test_several_choices_at_once():
    lanes = Parameter.some("lanes", ("a", "b", "c"), ("a", "c"))
    assert lanes.default == 5 and lanes.shown(5.0) == "a+c" and lanes.shown(2.0) == "b"
    assert [lanes.checked(value) for value in ("a+c", "C+A", "all", "b", 6, "6", 3.0)] == [5.0, 5.0, 7.0, 2.0, 6.0, 6.0, 3.0]
    clicked = [lanes.chosen(5.0, 0), lanes.chosen(5.0, 1), lanes.chosen(1.0, 0)]
    assert clicked == [4.0, 7.0, 1.0], "a click adds or takes away, never the last"
    assert [lanes.has(5.0, k) for k in range(3)] == [True, False, True]
    for bad in ("", "a+", "d", "a,b", 0, 8, 1.5, True, None, "0", "8"):
        with pytest.raises(InvalidInputError, match=r"lanes must be one or more of a\+b\+c"):
            lanes.checked(bad)
