"""Immutable results and status codes that all packages share."""

from engine.contracts.agreement import Difference, PairAgreement, StepAgreement
from engine.contracts.contact import ContactPoint, LazyContacts, PairEvent, PointState, StepContacts, no_contacts
from engine.contracts.results import (
    ContactSet,
    DistanceResult,
    Manifold,
    ManifoldPoint,
    PenetrationResult,
    RayHit,
    SweptContact,
    TimeOfImpact,
)
from engine.contracts.status import Status

__all__ = [
    "ContactPoint",
    "ContactSet",
    "Difference",
    "DistanceResult",
    "LazyContacts",
    "Manifold",
    "ManifoldPoint",
    "PairAgreement",
    "PairEvent",
    "PenetrationResult",
    "PointState",
    "RayHit",
    "Status",
    "StepAgreement",
    "StepContacts",
    "SweptContact",
    "TimeOfImpact",
    "no_contacts",
]
