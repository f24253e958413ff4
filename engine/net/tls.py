"""TLS contexts for a server with a certificate, and for a client that verifies it."""

from __future__ import annotations

import ssl
from pathlib import Path

from engine.common.errors import InvalidInputError

__all__ = ["client_tls", "own_tls", "server_tls"]


def server_tls(certificate: str, key: str | None = None) -> ssl.SSLContext:
    """Return the TLS context of a server.

    Parameters
    ----------
    certificate : str
        PEM file with the certificate chain, and with the private key unless `key` is given.
    key : str, optional
        PEM file with the private key, without a password.

    Raises
    ------
    InvalidInputError
        A file does not exist, or does not contain a certificate or key.
    """
    _check_file("--tls-certificate", certificate)
    if key is not None:
        _check_file("--tls-key", key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:  # the base classes of errors in ssl
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            requirement = "the certificate that matches the private key"
        else:
            requirement = "a PEM file with a certificate and its private key, without a password" + (
                "" if key else "; use --tls-key if the key is in another file"
            )
        raise InvalidInputError("--tls-certificate", requirement, certificate) from None
    return context


def client_tls(authority: str | None = None) -> ssl.SSLContext:
    """Return the TLS context of a client, which requires that the server's certificate is valid and matches the server's host name.

    Parameters
    ----------
    authority : str, optional
        PEM file with trusted certificates, possibly the server's own; None for those of the system.

    Raises
    ------
    InvalidInputError
        The file does not exist or contains no certificate.
    """
    if authority is not None:
        _check_file("--tls-ca", authority)
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ValueError):
        raise InvalidInputError("--tls-ca", "a PEM file with a certificate", authority) from None


def own_tls() -> ssl.SSLContext:
    """Return an unverified TLS context for a client of a server in the same process."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _check_file(option: str, path: str) -> None:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except (OSError, ValueError) as error:
        raise InvalidInputError(option, f"a file that can be read ({getattr(error, 'strerror', None) or error})", path) from None


def _no_password() -> str:
    raise ValueError("the key has a password")
