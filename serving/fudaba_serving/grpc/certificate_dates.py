"""From when until when a certificate is valid, read from its DER form without a library for that."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["BadCertificate", "Validity", "validity", "validity_of_file", "validity_of_pem"]

_SEQUENCE: Final = b"\x30"
_VERSION: Final = b"\xa0"
_SHORT_TIME: Final = b"\x17"
"""The tag of a time whose year has two digits, from 1950 to 2049."""
_LONG_TIME: Final = b"\x18"
_FORMAT: Final = "%Y%m%d%H%M%SZ"
_LONG_BIT: Final = 0x80
_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"
_MIN_TWENTIETH_YEAR: Final = 50
"""The two digits of a year from which on it is one of the twentieth century (RFC 5280)."""


class BadCertificate(ValueError):
    """A certificate cannot be read. The text says why."""


class Validity(NamedTuple):
    """The time in which a certificate is valid."""

    begin: datetime
    end: datetime


def validity_of_file(path: Path) -> Validity:
    """Returns the validity of the first certificate in a PEM file, the server's own. Raises `BadCertificate` and
    OSError.
    """
    return validity_of_pem(path.read_bytes())


def validity_of_pem(content: bytes) -> Validity:
    """Returns the validity of the first certificate in the content of a PEM file. Raises `BadCertificate`."""
    text = content.decode("ascii", "replace")
    begin = text.find(_BEGIN)
    end = text.find(_END, begin)
    if begin < 0 or end < 0:
        raise BadCertificate("there is no whole certificate in PEM form in it")
    try:
        return validity(ssl.PEM_cert_to_DER_cert(text[begin : end + len(_END)]))
    except ValueError as error:
        raise BadCertificate(str(error)) from error


def validity(der: bytes) -> Validity:
    """Returns the validity of a certificate in DER form. Raises `BadCertificate`."""
    try:
        _, certificate, _ = _element(der, _SEQUENCE)
        _, signed, _ = _element(certificate, _SEQUENCE)
        tag, _, rest = _element(signed)
        if tag == _VERSION:  # the serial number follows; without a version it came first
            _, _, rest = _element(rest)
        for _ in range(2):  # algorithm and issuer
            _, _, rest = _element(rest, _SEQUENCE)
        _, times, _ = _element(rest, _SEQUENCE)
        begin, content, rest = _element(times)
        end, later, _ = _element(rest)
        return Validity(_time(begin, content), _time(end, later))
    except (IndexError, KeyError, ValueError) as error:
        raise BadCertificate(f"it is not a certificate in DER form ({error})") from error


def _element(data: bytes, expected: bytes = b"") -> tuple[bytes, bytes, bytes]:
    """Returns the tag and the content of the first element, and what follows it."""
    tag, length, at = data[:1], data[1], 2
    if expected not in {b"", tag}:
        raise ValueError(f"tag {tag.hex()} instead of {expected.hex()}")
    if length & _LONG_BIT:
        size = length & ~_LONG_BIT
        length, at = int.from_bytes(data[at : at + size], "big"), at + size
    if at + length > len(data):
        raise ValueError("it is cut off")
    return tag, data[at : at + length], data[at + length :]


def _time(tag: bytes, content: bytes) -> datetime:
    text = content.decode("ascii")
    if tag == _SHORT_TIME:
        text = f"{'19' if int(text[:2]) >= _MIN_TWENTIETH_YEAR else '20'}{text}"
    elif tag != _LONG_TIME:
        raise ValueError(f"tag {tag.hex()} is no time")
    return datetime.strptime(text, _FORMAT).replace(tzinfo=UTC)
