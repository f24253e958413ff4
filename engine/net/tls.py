"""TLS of a server with a certificate, and of a client that makes sure of it."""

from __future__ import annotations

import ssl
from pathlib import Path

from engine.common.errors import InvalidInputError

__all__ = ["client_tls", "own_tls", "server_tls"]


def server_tls(certificate: str, key: str | None = None) -> ssl.SSLContext:
    """Return what a server needs.

    Parameters
    ----------
    certificate : str
        PEM file with the certificate, those that vouch for it behind it, and the private key unless that is in a file of its own.
    key : str, optional
        PEM file with the private key, without a password.

    Raises
    ------
    InvalidInputError
        A file is not there, or no such thing is in it.
    """
    _check_file("--tls-certificate", certificate)
    if key is not None:
        _check_file("--tls-key", key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:  # of which those of ssl are some
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            requirement = "the certificate of the private key"
        else:
            requirement = "a PEM file with a certificate and its private key, without a password" + (
                "" if key else "; --tls-key has the key"
            )
        raise InvalidInputError("--tls-certificate", requirement, certificate) from None
    return context


def client_tls(authority: str | None = None) -> ssl.SSLContext:
    """Return what a client needs: the server's certificate must be of its name, and valid.

    Parameters
    ----------
    authority : str, optional
        PEM file with the certificates that are trusted, a server's own too; without it those of the system.

    Raises
    ------
    InvalidInputError
        The file is not there, or no certificate is in it.
    """
    if authority is not None:
        _check_file("--tls-ca", authority)
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ValueError):
        raise InvalidInputError("--tls-ca", "a PEM file with a certificate", authority) from None


def own_tls() -> ssl.SSLContext:
    """Return what a client needs of a server in the same process: there is nobody between the two, and any name will do."""
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
