"""Programs in a sandbox with a folder that lives on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.sandbox import Job
from tests.support.arena.sandbox.sandboxes import python

STAY = """
import time
open("/kept/new", "w").write("new")
print("written", flush=True)
time.sleep(100_000)
"""
"""Writes something, says so, and stays."""


def job(kept: KeptFiles, code: str, /, **limits: Any) -> Job:
    """Returns a program with a folder that lives on."""
    return replace(python(code, limits=limits), kept=kept)
