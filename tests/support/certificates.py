"""Certificates for TLS."""

from __future__ import annotations

import subprocess
from pathlib import Path


def certify(openssl: Path, cert: Path, key: Path) -> None:
    """Makes a certificate for this machine, and for that alone: rustls takes none of an authority as a server's own."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    name += ["-addext", "basicConstraints=critical,CA:FALSE"]
    command = [str(openssl), "req", "-x509", *curve, *name, "-days", "2", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
