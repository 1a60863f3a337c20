"""A gateway as a process, before a real service and a real arena."""

from __future__ import annotations

from tests.support.web.gateways import arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]
