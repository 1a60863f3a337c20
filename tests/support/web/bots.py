"""Bots registered through the gateway."""

from __future__ import annotations

from pathlib import Path

from fudaba.client import Client
from fudaba.v1 import bots_pb2
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

BOT = Path(__file__).parents[3] / "docs" / "examples" / "json_bot.py"


def register(hosted: Service, bot: str) -> str:
    """Returns the token of a new bot of no account."""
    with Client(hosted.address, hosted.token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)
        return client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot), timeout=PATIENCE).token
