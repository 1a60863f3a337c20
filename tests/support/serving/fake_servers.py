"""Programs that claim to be a server of Redis."""

from __future__ import annotations

from pathlib import Path


def fake_server(place: Path, script: str) -> Path:
    """Returns a program in place of a server: only for what a real one cannot be made to do."""
    program = place / "redis-server"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program
