"""From when until when a certificate is valid."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

__all__ = ["BadCertificate", "Validity", "validity_of_der", "validity_of_pem"]


class BadCertificate(ValueError):
    """A certificate cannot be read. The text says why."""


class Validity(NamedTuple):
    """The time in which a certificate is valid."""

    begin: datetime
    end: datetime


def validity_of_pem(content: bytes) -> Validity:
    """Returns the validity of the first certificate in the content of a PEM file, the server's own.

    Raises `BadCertificate`.
    """
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415 - 8 MB that a server without TLS does not need

    return _validity(load_pem_x509_certificate, content)


def validity_of_der(content: bytes) -> Validity:
    """Returns the validity of a certificate in DER form. Raises `BadCertificate`."""
    from cryptography.x509 import load_der_x509_certificate  # noqa: PLC0415 - as above

    return _validity(load_der_x509_certificate, content)


def _validity(load: Callable[[bytes], Certificate], content: bytes) -> Validity:
    from cryptography.x509 import InvalidVersion  # noqa: PLC0415 - as above

    try:
        certificate = load(content)
        return Validity(certificate.not_valid_before_utc, certificate.not_valid_after_utc)
    except (InvalidVersion, ValueError) as error:
        raise BadCertificate(f"it is not a certificate that can be read: {error}") from error
