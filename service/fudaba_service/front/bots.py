"""BotService: bots, versions, tokens."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import bots_pb2, bots_pb2_grpc
from fudaba_service.accounts import Accounts
from fudaba_service.front.guard import Context, Doorkeeper
from fudaba_service.front.pages import Pages
from fudaba_service.sessions.host import Host

__all__ = ["BotServicer"]

_PAGES: Final = Pages("bots")


@final
class BotServicer(bots_pb2_grpc.BotServiceServicer):
    """See bots.proto."""

    def __init__(self, host: Host, accounts: Accounts, door: Doorkeeper) -> None:
        self._host = host
        self._accounts = accounts
        self._door = door

    async def CreateBot(self, request: bots_pb2.CreateBotRequest, context: Context) -> bots_pb2.CreateBotResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        now = self._host.now_ms()
        bot = await self._accounts.create_bot(request.name, request.author, request.version, now)
        return bots_pb2.CreateBotResponse(bot=bot)

    async def CreateVersion(
        self, request: bots_pb2.CreateVersionRequest, context: Context
    ) -> bots_pb2.CreateVersionResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        bot = await self._accounts.create_version(request.bot, request.version, self._host.now_ms())
        return bots_pb2.CreateVersionResponse(bot=bot)

    async def GetBot(self, request: bots_pb2.GetBotRequest, context: Context) -> bots_pb2.GetBotResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        return bots_pb2.GetBotResponse(bot=await self._accounts.bot(request.bot))

    async def ListBots(self, request: bots_pb2.ListBotsRequest, context: Context) -> bots_pb2.ListBotsResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        bots = {bot.name: bot for bot in await self._accounts.bots()}
        names, following = _PAGES.page(list(bots), request.page_size, request.page_token)
        return bots_pb2.ListBotsResponse(bots=[bots[name] for name in names], next_page_token=following)

    async def CreateToken(self, request: bots_pb2.CreateTokenRequest, context: Context) -> bots_pb2.CreateTokenResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        token, owner = await self._accounts.create_token(request.bot, request.version)
        return bots_pb2.CreateTokenResponse(token=token, version=owner.version)

    async def RevokeTokens(
        self, request: bots_pb2.RevokeTokensRequest, context: Context
    ) -> bots_pb2.RevokeTokensResponse:
        """See bots.proto."""
        await self._door.organiser(context)
        revoked = await self._accounts.revoke_tokens(request.bot, request.version)
        await self._host.roster.revoked(f"{request.bot}/{request.version}" if request.version else request.bot)
        return bots_pb2.RevokeTokensResponse(revoked=revoked)
