"""How long tests wait for what has to come."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 300.0
"""Seconds after which what is waited for counts as what never comes, also where many others use the machine.

No test waits so long for something that does not come: of that it has another sign.
"""
