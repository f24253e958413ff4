"""Adversarial geometry: former failures and samples of every family, judged in fractions (`slivers`).

More: ``python -m tests.hazards.slivers 10000 7``.
"""

import math
from dataclasses import replace

import pytest

from engine import query
from engine.common.errors import InvalidShapeError
from engine.contracts import Status
from engine.geometry import Circle, Polygon, Segment, Transform
from tests.hazards.slivers import FAMILIES, Case, Judge, WrongError, judge_family

TIP = Polygon([(0.0, 0.0), (1.0, -5e-10), (1.0, 5e-10)])
"""A sliver 1e-9 as high as long, its tip at the origin, pointing left."""

BEFORE = [
    pytest.param(1e6, 1.0, id="1,000 km from the origin, 1 m before"),
    pytest.param(0.0, 1e-6, id="at the origin, 1 micrometer before"),
]


def judged(name, a, xf_a, b, xf_b):
    """One query's answer, which the judge must accept."""
    case = Case(a, xf_a, b, xf_b, (0.0, 0.0), (1.0, 0.0), (1.0, 0.0), 0.0, xf_b)
    result = getattr(query, name)(a, xf_a, b, xf_b)
    getattr(Judge(case), name)(result)
    return result


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_samples(family):
    tallies = judge_family(family, 30, 3)
    assert len(tallies) == 9
    for name, tally in tallies.items():
        assert tally.n_queries == 30
        assert not tally.wrong, (name, tally.wrong, tally.example)
        assert name in ("contains", "contact_set") or tally.positive > 5


@pytest.mark.parametrize(("place", "before"), BEFORE)
def test_a_point_in_front_of_a_tip_is_outside(place, before):
    xf = Transform((place, 0.0))
    assert query.ray_cast(TIP, xf, (place - before, -1.0), (0.0, 2.0)).status is Status.MISS
    assert not query.contains(TIP, xf, (place - before, 0.0))
    assert query.ray_cast(TIP, xf, (place - before, 0.0), (0.0, 2.0)).status is Status.MISS


@pytest.mark.parametrize(("place", "before"), BEFORE)
def test_a_ray_at_a_tip_is_a_hit(place, before):
    xf = Transform((place, 0.0))
    assert query.contains(TIP, xf, (place, 0.0))
    across, along = query.ray_cast(TIP, xf, (place, -1.0), (0.0, 2.0)), query.ray_cast(TIP, xf, (place - 2.0, 0.0), (4.0, 0.0))
    assert (across.status, along.status) == (Status.HIT, Status.HIT)
    assert abs(across.fraction - 0.5) < 1e-7 and abs(along.fraction - 0.5) < 1e-7


@pytest.mark.parametrize(("place", "before"), BEFORE)
def test_two_tips_facing_each_other_are_apart(place, before):
    here, there = Transform((place, 0.0)), Transform((place - before, 0.0), math.pi)
    assert not query.overlap(TIP, here, TIP, there)
    assert query.manifold(TIP, here, TIP, there).points == ()
    assert query.distance(TIP, here, TIP, there).separation == pytest.approx(before, rel=1e-7)
    assert query.overlap(TIP, here, TIP, Transform((place + before, 0.0), math.pi))


def test_a_disc_on_a_sliver_that_is_thinner_than_rounding_touches_it():
    """All edges of the upper side tie; the disc is past the end of the first, and its corner is out of the disc's reach."""
    sliver = Polygon(
        [
            (-0.9996722424243651, -3.5155699721909214e-13), (0.9605273175401302, -3.8201000503299125e-12),
            (-0.4350540700287399, 1.2364528002111772e-11), (-0.8012228634834915, 8.216878950549109e-12),
            (-0.8835332369105456, 6.43172718759573e-12), (-0.9832643798608325, 2.5017918811365455e-12),
        ]
    )  # fmt: skip
    disc = Circle(0.16148036968610593, (-0.349761203211693, 0.10309531079279877))
    xf_a = Transform((-5558.133960825612, 8636.579772249162), 0.02937581742040729)
    xf_b = Transform((-5558.69382991147, 8636.470500901913), -0.3628646534942983)
    for a, at, b, there in ((sliver, xf_a, disc, xf_b), (disc, xf_b, sliver, xf_a)):
        assert judged("manifold", a, at, b, there).points[0].separation == pytest.approx(-0.025295, abs=1e-6)


def test_a_disc_smaller_than_the_corners_of_a_sliver():
    sliver = Polygon(
        [
            (-0.5511540299059074, -0.46057470852595417), (-0.07645463885033699, -0.06388971345157818),
            (-0.012335253698000289, -0.010308018459425014), (0.6968656601119618, 0.5823393839520141),
            (0.7659090362035433, 0.6400358374089488), (0.5712734582935319, 0.47738761265163077),
        ]
    )  # fmt: skip
    disc = Circle(8.384421694182279e-13, (0.49863119584788085, 0.1770389199830018))
    at, there = (
        Transform((-0.2408990744119328, 0.9549093695552349)),
        Transform((0.5319192453667877, 2.060896576142732), -2.0560035725255963),
    )
    judged("manifold", sliver, at, disc, there)


def test_the_contact_of_edges_end_to_end_is_at_their_ends():
    """Two parallel edges that meet only at their ends: clipping leaves nothing, and both corners of one edge are equally far forward."""
    a = Polygon(
        [
            (-0.3815853865615309, -0.4990498594965804),
            (-0.12432103148453055, -0.9993899590145447),
            (0.21932529080650479, -0.8471574538527805),
        ]
    )
    b = Polygon(
        [
            (-0.8454969559949204, -0.533980240648775), (-0.6874049262329066, -0.7262743747308811),
            (0.8610594255311625, -0.5085043418732472), (0.5159745023954277, 0.8566039416660366),
        ]
    )  # fmt: skip
    at, there = Transform((5608.932920367677, -40124.36785138692)), Transform((5610.109804881841, -40125.503245434156), 8.103741766707037)
    (point,) = judged("manifold", a, at, b, there).points
    assert math.dist(point.position, (5609.152, -40125.215)) < 0.01


def test_skinned_slivers_within_their_skins_touch():
    """The incident edge is one of five with indistinguishable cosines, and the first is a meter from the reference edge."""
    a = Polygon(
        [
            (-0.9505629250648733, 3.41250170674651e-10),
            (0.3287350989040496, -4.1690184181264906e-10),
            (0.02803545473177338, 6.326366959879898e-10),
        ],
        0.01,
    )
    b = Polygon(
        [
            (-0.929936805776009, 1.3107891047891338e-10), (-0.8543242285446236, -1.85269023183185e-10),
            (0.4248647451183123, -3.226919470516013e-10), (0.6821348175921615, -2.606562794473629e-10),
            (0.7626169515540243, -2.3057920347825823e-10), (0.85038653985759, -1.8755682652532887e-10),
        ],
        0.01,
    )  # fmt: skip
    at, there = (
        Transform((-0.9597871667694959, -0.5388868218662339)),
        Transform((-1.411352759868428, -0.5247866757000209), 6.28318530319909),
    )
    contact = judged("manifold", a, at, b, there)
    assert [point.separation for point in contact.points] == pytest.approx([0.0141, 0.0141], abs=1e-6)


def test_a_manifold_of_slivers_contains_the_deepest_point():
    a = Polygon(
        [
            (-0.10639539195859092, 0.9384692045807863), (-0.07101515343352176, 0.6263949342067929),
            (0.012896883701357767, -0.113758011279283), (0.07140530200517092, -0.6298362714017621),
            (0.06354950040273732, -0.5605435346981416),
        ]
    )  # fmt: skip
    b = Polygon(
        [
            (-0.6676898920196513, 2.999842324441695e-11), (0.7960336271128527, -2.438964744320725e-11),
            (0.8958792828564232, -1.790370527433891e-11), (0.9998757194008352, 6.352902311174336e-13),
            (0.9683641290247723, 1.005568413530956e-11), (0.6769826717595908, 2.9658296465505864e-11),
            (0.5210487044022214, 3.439428144104759e-11), (-0.2361455292915236, 3.9156973565321643e-11),
        ]
    )  # fmt: skip
    at, there = (
        Transform((-0.2993018468533042, -0.8476197933491978), 0.5048199715816173),
        Transform((-1.2252611758757133, 0.455710718098703), -0.9530871520010749),
    )
    contact = judged("manifold", a, at, b, there)
    assert min(point.separation for point in contact.points) == pytest.approx(-3.15e-11, abs=5e-13)


def test_the_contact_of_separated_slivers_lies_on_both():
    """EPA ends at a chord over a corner that protrudes by less than rounding, half a micrometer from the contact."""
    a = Polygon(
        [
            (-0.7273645137533168, 0.1030779474187058),
            (0.42310190852312385, -0.059959587600334985),
            (-0.6753643989379304, 0.0957087879408241),
        ],
        1.1320453948488793e-14,
    )
    b = Polygon(
        [
            (-0.7221420489789582, -0.6917433607049833), (-0.7221350312601078, -0.69173663840554),
            (-0.668785670928616, -0.6406330290221508), (0.6601116262314044, 0.6323241178687696),
            (0.7186285000111852, 0.6883777153812456), (0.5252072656793104, 0.5030985810554762),
            (-0.3234641727372436, -0.30984789315706357),
        ]
    )  # fmt: skip
    at, there = (
        Transform((-0.9201209106831727, 0.6029556159956091), 1.4001817738453592),
        Transform((-1.656148073949124, -0.8961869248502967), -2.889814117581891),
    )
    assert judged("penetration", a, at, b, there).depth == pytest.approx(1.14064547e-6)


def test_a_corner_on_two_nearly_collinear_edges_has_a_contact_set():
    """The 1 cm edge that ties with the 64 m line ends elsewhere, and the two nearest corners coincide."""
    line = Segment((12.848963837558545, 53.09929328766866), (-44.922440915443836, 25.768317637768053))
    dart = Polygon(
        [
            (0.0003520777475716789, -0.000224752720976278), (0.01046380925392869, 0.00023448568840493794),
            (0.0037126133671929146, 9.576894533546618e-05),
        ]
    )  # fmt: skip
    at, there = Transform((0.6820571595959217, -0.868564048423307)), Transform((-44.23845048352768, 24.900383705051603), 3.488389560006196)
    contact = judged("contact_set", line, at, dart, there)
    assert contact.status is Status.TOUCHING
    assert math.dist(contact.points[0], (-44.2403838, 24.8997536)) < 1e-6


def test_a_polygon_that_rounding_reduces_to_two_corners_is_rejected():
    """Two of these four corners are collinear with their neighbors within rounding; the rest had no area, and no query accepted it."""
    flat = [(-0.7508507612023833, -2.14e-15), (0.8633830679241631, -4e-16), (0.8662969075492094, -3.5e-16), (0.9632048738262554, 9.34e-15)]
    with pytest.raises(InvalidShapeError, match="vertices must be points that enclose an area, got points on one line"):
        Polygon(flat)
    assert len(Polygon([(x, 100.0 * y) for x, y in flat]).vertices) == 4


def test_the_judge_detects_faults():
    """Answers that exceed the bound are rejected, such as a hit just in front of a tip."""
    box, disc = Polygon.box(0.5, 0.5), Circle(0.5)
    here, there = Transform(), Transform((0.9, 0.0))
    case = Case(box, here, disc, there, (-2.0, 0.0), (4.0, 0.0), (0.0, 1.0), 0.0, there)
    judge, right = Judge(case), query.manifold(box, here, disc, there)
    judge.manifold(right)
    judge.ray_cast(query.ray_cast(box, here, case.origin, case.way))
    off = replace(right.points[0], separation=right.points[0].separation + 1e-12)
    for wrong in (replace(right, points=(off,)), replace(right, points=()), replace(right, normal=(0.0, 1.0))):
        with pytest.raises(WrongError):
            judge.manifold(wrong)
    for fraction in (0.3749, 0.3751, 0.625):
        with pytest.raises(WrongError):
            judge.ray_cast(replace(query.ray_cast(box, here, case.origin, case.way), fraction=fraction))
    with pytest.raises(WrongError):
        judge.overlap(False)
