"""What the tests of faults share: folders and a real Redis."""

from __future__ import annotations

from tests.support.service.fault_logs import folder, redis

__all__ = ["folder", "redis"]
