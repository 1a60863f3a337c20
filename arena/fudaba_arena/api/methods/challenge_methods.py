"""The methods of ArenaService that are about challenges: see arena.proto."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.checks import challenge_checks
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages import challenge_messages
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.play.challenges.challenge_play import challenge_state
from fudaba_arena.play.challenges.challenge_scheduler import ChallengeScheduler
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.schedule.entrants import with_entries
from fudaba_arena.store.challenges.challenge_store import ChallengeEnd, StoredChallenge
from fudaba_arena.store.tournaments.entries import LEFT
from fudaba_arena.tournament.challenge_definition import Challenge, Invited, challenge_name
from fudaba_arena.tournament.definition import BotEntry
from fudaba_serving.grpc.pages import Pages

__all__ = ["ChallengeLimits", "ChallengeMethods"]

_PAGES: Final = Pages("challenges")
_QUOTA: Final = "blocks of challenges a day"


@final
@dataclass(frozen=True, slots=True)
class ChallengeLimits:
    """The limits on challenges that an operator may set."""

    blocks_per_day: int = 200
    """The number of blocks that an account may ask for in 24 hours."""
    hours: int = 24
    """The number of hours after which a challenge expires."""


@final
class ChallengeMethods:
    """The methods about challenges. arena.proto describes each of them."""

    def __init__(
        self,
        registry: TournamentRegistry,
        door: Doorkeeper,
        finder: Finder,
        challenges: ChallengeScheduler,
        limits: ChallengeLimits,
        frozen: FrozenSeasons,
    ) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder
        self._challenges = challenges
        self._kept = registry.store.challenges
        self._limits = limits
        self._frozen = frozen

    async def CreateChallenge(
        self, request: arena_pb2.CreateChallengeRequest, context: Context
    ) -> arena_pb2.CreateChallengeResponse:
        """See arena.proto."""
        challenge_checks.check_request(request)
        caller = await self._door.caller(context)
        fingerprint = challenge_checks.fingerprint(request, caller)
        challenge_id = request.challenge_id or secrets.token_hex(8)
        known = await self._kept.get(challenge_id) if request.challenge_id else None
        if known is None:
            await self._store_new(request, challenge_id, caller, fingerprint)
            known = await self._kept.get(challenge_id)
        if known is None or known.fingerprint != fingerprint:
            raise Refused(
                errors_pb2.REASON_CHALLENGE_EXISTS, f"there is another challenge {challenge_id}; take another id"
            )
        self._challenges.wake()
        return arena_pb2.CreateChallengeResponse(challenge=await self._challenge(known, caller))

    async def _store_new(
        self, request: arena_pb2.CreateChallengeRequest, challenge_id: str, caller: TokenOwner, fingerprint: bytes
    ) -> None:
        """Stores the requested challenge. Refuses a challenge that is not allowed."""
        arena_tournament, invited, owners = await self._invited(request, caller)
        ladder = season_of(arena_tournament).ladder
        name = challenge_name(challenge_id)
        if await self._registry.find(name) is not None:
            raise Refused(errors_pb2.REASON_CHALLENGE_EXISTS, f"a tournament is called {name}; take another id")
        now_ms = int(time.time() * 1000)
        account = "" if caller.organiser else caller.account
        test = challenge_checks.sequential_test(request)
        challenge = Challenge.from_tournament(
            invited.tournament(name, arena_tournament.state.tournament),
            challenge_id=challenge_id,
            ladder=ladder,
            challenger=invited.challenger.name,
            challenged=invited.challenged.name,
            account=account,
            owners=owners,
            created_ms=now_ms,
            expires_ms=now_ms + self._limits.hours * 3_600_000,
            bounds=None if test is None else (test.low, test.high),
        )
        most = self._limits.blocks_per_day
        asked = await self._kept.create(
            challenge_id,
            challenge.line(),
            fingerprint,
            sorted(challenge.accounts),
            now_ms,
            blocks=request.blocks,
            account=account,
            most=-1 if caller.organiser else most,
        )
        if not asked.stored:
            seconds = max(1.0, (asked.retry_ms - now_ms) / 1000) if asked.retry_ms else 0.0
            advice = "come back later, or ask for fewer" if asked.retry_ms else "ask for fewer"
            raise Refused.quota(_QUOTA, most, f"account {account}", advice, seconds)

    async def GetChallenge(
        self, request: arena_pb2.GetChallengeRequest, context: Context
    ) -> arena_pb2.GetChallengeResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        kept = await self._kept_for(request.challenge_id, caller)
        return arena_pb2.GetChallengeResponse(challenge=await self._challenge(kept, caller))

    async def ListChallenges(
        self, request: arena_pb2.ListChallengesRequest, context: Context
    ) -> arena_pb2.ListChallengesResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        ids = await self._kept.ids(None if caller.organiser else caller.account)
        names = sorted(f"{2**53 - created_ms:020d}:{challenge_id}" for created_ms, challenge_id in ids)
        page, following = _PAGES.page(names, request.page_size, request.page_token)
        listed = [await self._listed(name.partition(":")[2], caller) for name in page]
        found = [challenge for challenge in listed if challenge is not None]
        return arena_pb2.ListChallengesResponse(challenges=found, next_page_token=following)

    async def CancelChallenge(
        self, request: arena_pb2.CancelChallengeRequest, context: Context
    ) -> arena_pb2.CancelChallengeResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        kept = await self._kept_for(request.challenge_id, caller)
        if kept.ended is None:
            ended_by = challenge_checks.who_ends(caller, Challenge.read(kept.challenge_line))
            ended = ChallengeEnd("cancelled", "cancelled", f"{ended_by} has ended it", int(time.time() * 1000))
            await self._kept.end(request.challenge_id, ended, over=False)
            await self._challenges.over(request.challenge_id)
            kept = await self._kept_for(request.challenge_id, caller)
        return arena_pb2.CancelChallengeResponse(challenge=await self._challenge(kept, caller))

    async def _kept_for(self, challenge_id: str, caller: TokenOwner) -> StoredChallenge:
        """Returns a challenge if the caller may see it."""
        kept = await self._kept.get(challenge_id)
        if kept is None or not (caller.organiser or caller.account in Challenge.read(kept.challenge_line).accounts):
            raise Refused(
                errors_pb2.REASON_CHALLENGE_NOT_FOUND, f"there is no challenge {challenge_id!r} in which your bots play"
            )
        return kept

    async def _listed(self, challenge_id: str, caller: TokenOwner) -> arena_pb2.Challenge | None:
        """Returns the row of a challenge, or None if there is no such challenge.

        If a challenge cannot be read, its row says so.
        """
        try:
            with readable(f"challenge {challenge_id}"):
                kept = await self._kept.get(challenge_id)
                return None if kept is None else await self._challenge(kept, caller)
        except BadStored as error:
            state = arena_pb2.CHALLENGE_STATE_FAILED
            return arena_pb2.Challenge(challenge_id=challenge_id, state=state, message=str(error))

    async def _challenge(self, kept: StoredChallenge, caller: TokenOwner) -> arena_pb2.Challenge:
        challenge = Challenge.read(kept.challenge_line)
        state = await challenge_state(challenge, self._registry.store)
        return challenge_messages.challenge(challenge, state, kept.ended, self._challenges, organiser=caller.organiser)

    async def _invited(
        self, request: arena_pb2.CreateChallengeRequest, caller: TokenOwner
    ) -> tuple[ArenaTournament, Invited, tuple[str, str]]:
        """Resolves a request to a season, the players and their owners. Refuses what is not allowed."""
        arena_tournament = (
            await self._finder.newest_season(request.ladder) if request.ladder else await self._ladder_of(request.bot)
        )
        if arena_tournament.state_name == "closed" or arena_tournament.source is None:
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_CLOSED, f"season {arena_tournament.name} is over; the next has not begun"
            )
        stored, season = arena_tournament.state.stored, season_of(arena_tournament)
        entry = challenge_checks.challenged(stored.entries.by_bot.get(request.bot), request, season.ladder)
        policies = await self._kept.policies(season.ladder)
        challenge_checks.check_policy(entry, caller, challenge_messages.policy_of(season, policies.get(entry.bot)))
        frozen = await self._frozen.state(arena_tournament, organiser=caller.organiser)
        # While the standings are frozen, an author learns only of the account's own bots that they are withdrawn.
        shown = stored if frozen is None or caller.account == entry.account else frozen.stored
        challenge_checks.check_playing(entry, shown.withdrawn)
        game = challenge_checks.game_of(entry, arena_tournament.state.tournament, request.game)
        entrants = with_entries(arena_tournament.source.read(), stored.entries)
        known = {bot.name: bot for bot in entrants.bots}
        version = request.version or entry.version
        challenged = known[f"{entry.bot}@{version}"]
        challenger, account = await self._challenger(request, caller, arena_tournament, known, challenged.name)
        if request.HasField("sequential"):
            challenge_checks.check_plays(challenger, game.game)
        house = await self._house_bot(game.game) if game.seats > 2 else ""
        game = replace(game, blocks=request.blocks)
        return arena_tournament, Invited(game, challenger, challenged, house), (account, entry.account)

    async def _challenger(
        self,
        request: arena_pb2.CreateChallengeRequest,
        caller: TokenOwner,
        arena_tournament: ArenaTournament,
        known: Mapping[str, BotEntry],
        challenged: str,
    ) -> tuple[BotEntry, str]:
        """Returns the challenging bot and its account."""
        entries, season = arena_tournament.state.stored.entries.by_bot, season_of(arena_tournament)
        name, version = request.with_bot, request.with_version
        if not name:
            name = challenge_checks.only_entry([*entries.values()], caller, season.ladder).bot
        bot = await self._finder.bot(name)
        if not version:
            version = entries[name].version if name in entries else await self._finder.version(bot, "")
        challenger = challenge_checks.challenger(bot, version, caller, known, challenged)
        if challenger.remote:  # its author runs it, or it was submitted and is not entered
            submitted = await self._finder.submitted(challenger.bot, version, ())
            if submitted.submission_id:
                submitted.check_memory(season)
                challenger = challenger.submitted(
                    submitted.submission_id,
                    stateless=submitted.stateless,
                    ladder=season.keeps_in,
                    needs=submitted.needs,
                )
        return challenger, bot.account

    async def _ladder_of(self, bot: str) -> ArenaTournament:
        """Returns the only ladder in which a bot is entered now. Refuses if there is none, or more than one."""
        found = []
        for ladder in await self._registry.ladders():
            arena_tournament = await self._registry.season(ladder)
            if arena_tournament is None or arena_tournament.state_name == "closed":
                continue
            entry = arena_tournament.state.stored.entries.by_bot.get(bot)
            if entry is not None and entry.state != LEFT:
                found.append(arena_tournament)
        if not found:
            for ladder in await self._registry.ladders():  # the bot may be entered in a ladder that cannot be read
                await self._registry.check_season_readable(ladder)
            raise Refused(errors_pb2.REASON_ENTRY_NOT_FOUND, f"bot {bot!r} is not entered in any ladder")
        if len(found) > 1:
            names = ", ".join(season_of(candidate).ladder for candidate in found)
            raise Refused.malformed(f"ladder is empty, and {bot} is entered in several; name one of: {names}")
        return found[0]

    async def _house_bot(self, game: str) -> str:
        try:
            found = await self._registry.house_bot(game)
        except ServiceError as error:
            raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{error}; nothing was changed, try again") from error
        if not found:
            raise Refused(
                errors_pb2.REASON_GAME_NOT_FOUND, f"the service has no house bot for {game} to fill the other seats"
            )
        return found
