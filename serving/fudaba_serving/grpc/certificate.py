"""The certificate that a server shows, as it is on disk: a renewed one serves new connections without a restart."""

from __future__ import annotations

import logging
import ssl
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, final

import grpc

from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.grpc.certificate_dates import BadCertificate, validity_of_pem

__all__ = ["CHECK_INTERVAL_SECONDS", "Certificate", "credentials"]

log = logging.getLogger(__name__)

CHECK_INTERVAL_SECONDS: Final = 5.0
"""The age that a check of the files may have. A sooner connection gets the certificate of the last check."""


class Pair(NamedTuple):
    """The contents of a key's file and of its certificate's file."""

    key: bytes
    certificate: bytes


_Stamps = tuple[tuple[int, int, int], ...]
"""Inode, size and time of change in ns of each file: any program that writes a file anew changes one of them."""


@final
class Certificate:
    """A certificate and its key in two PEM files, the chain's own certificate first, the key without a password."""

    def __init__(self, certificate: Path, key: Path) -> None:
        """Reads the files. Raises `CannotStart` for files that cannot be used."""
        self._certificate = certificate
        self._key = key
        try:
            self._stamps = self._look()
            self.pair = self._read()
        except OSError as error:
            raise CannotStart(
                f"the TLS certificate {certificate} and key {key} cannot be used: {error}; both are PEM "
                "files, the certificate first in its chain, the key without a password"
            ) from error
        self._taken = self.pair
        self._checking = threading.Lock()  # gRPC asks in a thread of its own
        self._next_look = time.monotonic() + CHECK_INTERVAL_SECONDS
        self.unusable = ""
        """Why the files on disk cannot be used now; empty if they can."""

    @property
    def end(self) -> datetime | None:
        """The end of the validity of the certificate that is shown; None if it cannot be read."""
        try:
            return validity_of_pem(self.pair.certificate).end
        except BadCertificate:
            return None

    @classmethod
    def of_files(cls, certificate: Path | None, key: Path | None) -> Certificate | None:
        """Returns the certificate of these files; None if there are none. Raises `CannotStart`."""
        if (certificate is None) != (key is None):
            raise CannotStart("TLS needs both a certificate and its key: give --tls-cert and --tls-key")
        return None if certificate is None or key is None else cls(certificate, key)

    def renewed(self) -> bool:
        """Checks the files, and returns whether their content is another one than after the last call."""
        self.check()
        before, self._taken = self._taken, self.pair
        return self._taken != before

    def check(self) -> None:
        """Checks whether the files have changed, and takes over their present content.

        Files that do not fit together, as between the two writes of a renewal, change nothing. They are read again
        after their next change.
        """
        now = time.monotonic()
        with self._checking:
            if now >= self._next_look:
                self._next_look = now + CHECK_INTERVAL_SECONDS
                self._read_again()

    def _read_again(self) -> None:
        before, self._stamps = self._stamps, ()
        try:
            self._stamps = self._look()
            if self._stamps == before:
                return
            pair = self._read()
        except OSError as error:
            self.unusable = str(error)
            if self._stamps != before:  # files that are still gone are not reported again
                unusable = "the renewed TLS certificate %s cannot be used, so the one before is shown: %s"
                log.warning(unusable, self._certificate, error)
            return
        self.unusable = ""
        if pair != self.pair:
            self.pair = pair
            log.info("new connections are shown the renewed TLS certificate %s", self._certificate)

    def load_into(self, context: ssl.SSLContext) -> None:
        """Makes further connections of this context show the certificate as it is on disk."""
        context.load_cert_chain(self._certificate, self._key, _no_password)

    def credentials(self) -> grpc.ServerCredentials:
        """Returns the credentials of a gRPC server, which checks at each handshake whether the files have changed."""
        # arg-type: the stubs lack the None by which a fetcher says that nothing has changed.
        return grpc.dynamic_ssl_server_credentials(self._configuration(), self._changed)  # type: ignore[arg-type]

    def _changed(self) -> grpc.ServerCertificateConfiguration | None:
        return self._configuration() if self.renewed() else None

    def _configuration(self) -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration([(self.pair.key, self.pair.certificate)])

    def _look(self) -> _Stamps:
        found = [path.stat() for path in (self._certificate, self._key)]
        return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in found)

    def _read(self) -> Pair:
        """Raises `OSError`, which `ssl.SSLError` is, too."""
        pair = Pair(self._key.read_bytes(), self._certificate.read_bytes())
        # About a bad file gRPC says only that it cannot listen.
        self.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        return pair


def credentials(certificate: Path | None, key: Path | None) -> grpc.ServerCredentials | None:
    """Returns the credentials of a gRPC server with these files, renewed ones included; None without files.

    Raises `CannotStart` for files that cannot be used.
    """
    shown = Certificate.of_files(certificate, key)
    return None if shown is None else shown.credentials()


def _no_password() -> str:
    """Takes the place of a prompt for the password of a key, since nobody is there to type it."""
    return ""
