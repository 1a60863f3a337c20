"""BotService: bots, versions, tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba.v1 import bots_pb2, bots_pb2_grpc, errors_pb2
from fudaba_service.accounts.accounts import Accounts
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens, lifetime
from fudaba_service.api.casual_play import checked_casual_play, is_present
from fudaba_service.api.guard import Context, Doorkeeper
from fudaba_service.api.own_reach import account_of, check_own_bot
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.store import There
from fudaba_serving.grpc.pages import Pages

__all__ = ["BotServicer"]

_PAGES: Final = Pages("bots")
_CASUAL_BOTS: Final = Pages("casual bots")
_PRESENCES: Final = Pages("presences")
_DAY_MS: Final = 24 * 3_600_000
_MAX_BOTS_ASKED: Final = 1000


@final
class BotServicer(bots_pb2_grpc.BotServiceServicer):
    """See bots.proto."""

    def __init__(
        self, host: Host, limits: Limits, accounts: Accounts, bots: Bots, tokens: Tokens, door: Doorkeeper
    ) -> None:
        self._host = host
        self._limits = limits
        self._accounts = accounts
        self._bots = bots
        self._tokens = tokens
        self._door = door

    async def CreateBot(self, request: bots_pb2.CreateBotRequest, context: Context) -> bots_pb2.CreateBotResponse:
        """See bots.proto."""
        caller = await self._door.known(context)
        account, author = account_of(caller, request.account), request.author
        if account:
            if caller.scope == Scope.ARENA:
                raise Refused(errors_pb2.REASON_NOT_YOURS, "an arena registers bots of no account; leave account out")
            if author:
                raise Refused.malformed("author is the display name of the account; leave it out")
            await self._accounts.check_usable(account)
            author = (await self._accounts.get(account)).display_name
        now_ms = self._host.store.now_ms()
        if caller.scope == Scope.AUTHOR:
            await self._check_bots(account, more=1)
        bot = await self._bots.create(request.name, author, request.version, now_ms, account)
        if caller.scope == Scope.AUTHOR:
            try:
                await self._check_bots(account)  # others may have been as fast
            except Refused:
                await self._bots.withdraw(bot)
                raise
        return bots_pb2.CreateBotResponse(bot=bot)

    async def CreateVersion(
        self, request: bots_pb2.CreateVersionRequest, context: Context
    ) -> bots_pb2.CreateVersionResponse:
        """See bots.proto."""
        caller = await self._door.known(context)
        if caller.scope == Scope.ARENA:  # what an author submits to it becomes a version of the author's bot
            known = await self._bots.get(request.bot)
        else:
            known = await self._check_own(request.bot, context)
        if caller.scope == Scope.AUTHOR and all(version.label != request.version for version in known.versions):
            most = (await self._limits.for_account(caller.account)).versions_per_day
            wait_ms = await self._host.store.accounts.count("versions", caller.account, most, _DAY_MS)
            if wait_ms:
                raise Refused.quota(
                    "versions a day", most, f"account {caller.account}", "come back later", wait_ms / 1000
                )
        bot = await self._bots.add_version(request.bot, request.version, self._host.store.now_ms())
        return bots_pb2.CreateVersionResponse(bot=bot)

    async def GetBot(self, request: bots_pb2.GetBotRequest, context: Context) -> bots_pb2.GetBotResponse:
        """See bots.proto."""
        owner = await self._door.known(context)
        bot = await self._bots.get(request.bot or owner.bot)
        if not owner.organises:
            check_own_bot(owner, bot)
        await self._bots.lookalikes.mark([bot])
        return bots_pb2.GetBotResponse(bot=bot)

    async def ListBots(self, request: bots_pb2.ListBotsRequest, context: Context) -> bots_pb2.ListBotsResponse:
        """See bots.proto."""
        caller = await self._door.known(context)
        found = await (self._bots.all() if caller.organises else self._bots.of_account(caller.account))
        bots = {bot.name: bot for bot in found}
        names, following = _PAGES.page(list(bots), request.page_size, request.page_token)
        listed = [bots[name] for name in names]
        await self._bots.lookalikes.mark(listed)
        return bots_pb2.ListBotsResponse(bots=listed, next_page_token=following)

    async def CreateToken(self, request: bots_pb2.CreateTokenRequest, context: Context) -> bots_pb2.CreateTokenResponse:
        """See bots.proto."""
        caller = await self._door.known(context)
        account = (await self._check_own(request.bot, context)).account
        if account:
            await self._accounts.check_usable(account)
        bot, version = await self._bots.version(request.bot, request.version)
        expire_ms = lifetime(request.lifetime_ms, self._host.store.now_ms())
        token, owner = await self._tokens.create(
            Owner(scope=Scope.BOT, account=account, bot=bot, version=version, label=request.label, expire_ms=expire_ms)
        )
        await self._accounts.check_receivers(owner, caller.member)
        return bots_pb2.CreateTokenResponse(token=token, version=version, info=owner.message())

    async def RevokeTokens(
        self, request: bots_pb2.RevokeTokensRequest, context: Context
    ) -> bots_pb2.RevokeTokensResponse:
        """See bots.proto."""
        name, label = request.bot, request.version
        await self._check_own(name, context)
        await self._bots.version(name, label)
        news = f"revoked {name}/{label}" if label else f"revoked {name}"
        revoked = await self._tokens.revoke_all(lambda owner: owner.bot == name and label in {"", owner.version}, news)
        return bots_pb2.RevokeTokensResponse(revoked_count=revoked)

    async def ListPresence(
        self, request: bots_pb2.ListPresenceRequest, context: Context
    ) -> bots_pb2.ListPresenceResponse:
        """See bots.proto."""
        if len(request.bots) > _MAX_BOTS_ASKED:
            raise Refused.malformed(f"bots has {len(request.bots)} entries; at most {_MAX_BOTS_ASKED} are allowed")
        caller = await self._door.known(context)
        if request.bots:
            found = await self._bots.several(sorted(set(request.bots)))
        elif caller.plays:
            found = [await self._bots.get(caller.bot)]
        else:
            found = await (self._bots.all() if caller.organises else self._bots.of_account(caller.account))
        for bot in found if request.bots and not caller.organises else ():
            check_own_bot(caller, bot)
        bots = {bot.name: bot for bot in found}
        names, following = _PRESENCES.page(list(bots), request.page_size, request.page_token)
        versions = [(name, version.label) for name in names for version in bots[name].versions]
        presences = await self._presences(versions, {name: bots[name].account for name in names})
        return bots_pb2.ListPresenceResponse(presences=presences, next_page_token=following)

    async def PauseBot(self, request: bots_pb2.PauseBotRequest, context: Context) -> bots_pb2.PauseBotResponse:
        """See bots.proto."""
        return bots_pb2.PauseBotResponse(presence=await self._pause(request.bot, request.version, context, paused=True))

    async def ResumeBot(self, request: bots_pb2.ResumeBotRequest, context: Context) -> bots_pb2.ResumeBotResponse:
        """See bots.proto."""
        presence = await self._pause(request.bot, request.version, context, paused=False)
        return bots_pb2.ResumeBotResponse(presence=presence)

    async def SetCasualPlay(
        self, request: bots_pb2.SetCasualPlayRequest, context: Context
    ) -> bots_pb2.SetCasualPlayResponse:
        """See bots.proto."""
        caller = await self._door.known(context)
        allowed = checked_casual_play(request.casual_play) if request.HasField("casual_play") else None
        known = await self._check_own(request.bot or caller.bot, context)
        return bots_pb2.SetCasualPlayResponse(bot=await self._bots.set_casual_play(known.name, allowed))

    async def ListCasualBots(
        self, request: bots_pb2.ListCasualBotsRequest, context: Context
    ) -> bots_pb2.ListCasualBotsResponse:
        """See bots.proto."""
        known = (await self._bots.found([request.bot])).values() if request.bot else await self._bots.all()
        bots = {
            bot.name: bot
            for bot in known
            if bot.HasField("casual_play") and (not request.game or request.game in bot.casual_play.games)
        }
        names, following = _CASUAL_BOTS.page(list(bots), request.page_size, request.page_token)
        listed = [bots[name] for name in names]
        found = await self._host.store.places.there([f"{bot.name}/{bot.versions[-1].label}" for bot in listed])
        suspended = await self._accounts.suspended(bot.account for bot in listed)
        casual_bots = [
            bots_pb2.CasualBot(
                bot=bot.name,
                version=bot.versions[-1].label,
                author=bot.author,
                casual_play=bot.casual_play,
                present=is_present(there) and bot.account not in suspended,
            )
            for bot, there in zip(listed, found, strict=True)
        ]
        return bots_pb2.ListCasualBotsResponse(bots=casual_bots, next_page_token=following)

    async def _pause(self, name: str, label: str, context: Context, *, paused: bool) -> bots_pb2.Presence:
        caller = await self._door.known(context)
        bot = await self._check_own(name or caller.bot, context)
        version = await self._bots.version(name or caller.bot, label or caller.version)
        await self._host.roster.pause("/".join(version), paused=paused)
        [presence] = await self._presences([version], {bot.name: bot.account})
        return presence

    async def _presences(
        self, versions: Sequence[tuple[str, str]], accounts: Mapping[str, str]
    ) -> list[bots_pb2.Presence]:
        """Returns the messages about versions. `accounts` has the accounts of their bots, by name."""
        suspended = await self._accounts.suspended(accounts.values())
        players = ["/".join(version) for version in versions]
        found = await self._host.store.places.there(players)
        live = await self._host.store.index.counts_of(players)
        waiting = await self._waiting(dict(zip(players, found, strict=True)))
        return [
            _presence(*version, there, matches, waiting.get(player, 0), suspended=accounts[version[0]] in suspended)
            for version, player, there, matches in zip(versions, players, found, live, strict=True)
        ]

    async def _waiting(self, found: Mapping[str, There]) -> dict[str, int]:
        """Returns how many live matches wait for each player, for players with limited room.

        Places alone are not enough. A match in play notes its place a moment after its bot was paused, and frees it a
        moment before it leaves the store. If the bot was paused in that moment, the place stays.
        """
        limited = [player for player, there in found.items() if there.limited]
        live = await self._host.store.index.of_each(limited)
        placeless = {player: matches - found[player].taken for player, matches in zip(limited, live, strict=True)}
        waits = await self._host.store.matches.unbegun(sorted(set().union(*placeless.values())))
        return {player: len(matches & waits) for player, matches in placeless.items()}

    async def _check_own(self, name: str, context: Context) -> bots_pb2.Bot:
        """Returns a bot if the caller may change it. Refuses others."""
        bot = await self._bots.get(name)
        check_own_bot(await self._door.known(context), bot)
        return bot

    async def _check_bots(self, account: str, more: int = 0) -> None:
        """Refuses an account that has too many bots, or would have with this many more."""
        limit = (await self._limits.for_account(account)).bots
        if len(await self._bots.of_account(account)) + more > limit:
            raise Refused.quota("bots", limit, f"account {account}", "add versions to those, or ask the organiser")


def _presence(bot: str, version: str, there: There, live: int, waiting: int, *, suspended: bool) -> bots_pb2.Presence:
    """Returns the number of live matches in which a version has seats, and how many of them wait for it."""
    playing = live - min(waiting, live)
    if there.capacity:  # a match that is over has given its place to another one, and is live a moment longer
        playing = min(playing, max(there.capacity, len(there.taken)))
    message = bots_pb2.Presence(
        bot=bot,
        version=version,
        connected=there.connected,
        capacity=there.capacity,
        paused=there.paused,
        playing_matches=playing,
        waiting_matches=min(waiting, live),
        suspended=suspended,
    )
    if there.since_ms:
        message.change_time.FromMilliseconds(there.since_ms)
    return message
