"""Reports a server's TLS certificate: how long it is still valid, and whether renewed files can be used."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Final, final

from grpc_health.v1 import health_pb2
from grpc_health.v1._async import HealthServicer
from prometheus_client import CollectorRegistry, Gauge

from fudaba_serving.grpc.certificate import CHECK_INTERVAL_SECONDS, Certificate

__all__ = ["CERTIFICATE", "CertificateGauges", "tell_certificate"]

CERTIFICATE: Final = "fudaba.certificate"
"""The health service's name for the certificate: NOT_SERVING if it has expired, or if the files on disk cannot be used.
`fudaba health` asks for it. A server without TLS is SERVING.
"""


@final
class CertificateGauges:
    """The metrics of a certificate, which are 0 for a server without TLS."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._expiry = Gauge(
            "fudaba_tls_certificate_expiry_timestamp_seconds",
            "When the TLS certificate that new connections are shown expires; 0 without TLS.",
            registry=registry,
        )
        self._unusable = Gauge(
            "fudaba_tls_certificate_unusable",
            "1 while the TLS certificate and key on disk cannot be used, so that an earlier one is shown.",
            registry=registry,
        )

    def follow(self, certificate: Certificate | None) -> None:
        """Exports the metrics of this certificate."""
        if certificate is not None:
            self._expiry.set_function(lambda: 0.0 if certificate.end is None else certificate.end.timestamp())
            self._unusable.set_function(lambda: float(bool(certificate.unusable)))


async def tell_certificate(health: HealthServicer, certificate: Certificate | None) -> None:
    """Checks the certificate's files every few seconds, and reports its health until cancelled."""
    status = health_pb2.HealthCheckResponse
    while True:
        fine = True
        if certificate is not None:
            certificate.check()
            fine = not certificate.unusable and (certificate.end is None or certificate.end > datetime.now(UTC))
        await health.set(CERTIFICATE, status.SERVING if fine else status.NOT_SERVING)
        await asyncio.sleep(CHECK_INTERVAL_SECONDS)
