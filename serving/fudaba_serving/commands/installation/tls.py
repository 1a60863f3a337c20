"""The checks of certificates: of the files that servers show, and of what an address shows."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fudaba.address import parse_host_port
from fudaba_serving.commands.installation.finding import Finding, State
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.grpc.certificate import Certificate
from fudaba_serving.grpc.certificate_dates import BadCertificate, Validity, validity_of_der, validity_of_pem

__all__ = ["certificate_of_address", "certificate_of_files"]

_SOON_DAYS: Final = 14
"""The days before its end within which a certificate should have been renewed, as the alert has it."""
_RENEW: Final = "renew it, and write the new files into the same places: servers take them up within five seconds"


def certificate_of_files(certificate: Path, key: Path | None) -> Finding:
    """Returns whether a certificate's file can be used, with its key if that is named, and until when it is valid."""
    name = f"certificate {certificate}"
    try:
        found = validity_of_pem(certificate.read_bytes())
        if key is not None:
            Certificate(certificate, key)
    except OSError as error:
        remedy = "write it there, and let the user of the server read it"
        return Finding(name, State.FAILED, f"it cannot be read: {error.strerror or error}", remedy)
    except (BadCertificate, CannotStart) as error:
        return Finding(name, State.FAILED, str(error), "write certificate and key anew, as PEM")
    return _by_date(name, found)


def certificate_of_address(address: str, seconds: float) -> Finding:
    """Returns until when the certificate that an address shows is valid. Whom it names and who signed it is left to
    `fudaba doctor --tls`.
    """
    name = f"certificate of {address}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    host, port = parse_host_port(address)
    try:
        with (
            socket.create_connection((host, port), seconds) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            return _by_date(name, validity_of_der(secured.getpeercert(binary_form=True) or b""))
    except (OSError, BadCertificate) as error:
        remedy = f"`fudaba doctor --server {address} --tls` says which step fails"
        return Finding(name, State.FAILED, f"no certificate came from there: {error}", remedy)


def _by_date(name: str, found: Validity) -> Finding:
    now = datetime.now(UTC)
    days = (found.end - now).total_seconds() / 86_400
    text = f"valid from {found.begin:%Y-%m-%d} to {found.end:%Y-%m-%d %H:%M} UTC, {days:.0f} days from now"
    if now < found.begin:
        return Finding(
            name, State.FAILED, f"not valid yet: {text}", "check the clocks of this machine and of its issuer"
        )
    if days <= 0:
        return Finding(name, State.FAILED, f"expired: {text}", _RENEW)
    state = State.WARNING if days < _SOON_DAYS else State.OK
    return Finding(name, state, text, "" if state == State.OK else _RENEW)
