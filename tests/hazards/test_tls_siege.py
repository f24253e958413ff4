"""A TLS host besieged by thousands of strangers holds as much memory as before. More: ``python -m tests.hazards.tls_siege``.

A small siege, in one process, stands in `tests/unit/net/test_bad_sockets.py`.
"""

import shutil

import pytest

from tests.hazards import tls_siege
from tests.hazards.resident import resident


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here to make a certificate with")
def test_a_siege_of_thousands_leaves_the_memory_as_it_was_and_the_guests_agree():
    """Issue 29: 5,664 connections with junk brought the host from 89 to 538 MB."""
    report = tls_siege.main(6_000)
    assert report["guests"] == 2 and report["compared"] > 0 and report["differing"] == report["adopted"] == 0 and report["failure"] == ""
    if resident() > 0:
        assert report["grown"] < tls_siege.MAX_GROWTH, report
