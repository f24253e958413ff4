"""Frozen results and the one enum of statuses: what the layers hand to each other."""

from engine.contracts.agreement import Difference, StepAgreement
from engine.contracts.contact import ContactPoint, PairEvent, PointState, StepContacts
from engine.contracts.results import Manifold, ManifoldPoint, SweptContact
from engine.contracts.status import Status

__all__ = [
    "ContactPoint",
    "Difference",
    "Manifold",
    "ManifoldPoint",
    "PairEvent",
    "PointState",
    "Status",
    "StepAgreement",
    "StepContacts",
    "SweptContact",
]
