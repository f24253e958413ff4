"""The memory of a TLS host stays constant under attack by thousands of unknown clients. More: ``python -m tests.hazards.tls_siege``.

`tests/unit/net/test_bad_sockets.py` has a small attack in one process.
"""

import shutil

import pytest

from tests.hazards import tls_siege
from tests.hazards.resident import resident


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here to make a certificate with")
def test_thousands_of_attackers_leave_memory_constant_and_guests_in_agreement():
    """Issue 29: 5,664 junk connections increased the host's memory from 89 to 538 MB."""
    report = tls_siege.main(6_000)
    assert report["guests"] == 2 and report["compared"] > 0 and report["differing"] == report["adopted"] == 0 and report["failure"] == ""
    if resident() > 0:
        assert report["grown"] < tls_siege.MAX_GROWTH, report
