"""Checks who may challenge which entry with which bot, and refuses all other challenges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from fudaba.refusals import Refused
from fudaba.sequential import BadBounds, SequentialTest
from fudaba.v1 import arena_pb2, bots_pb2, errors_pb2
from fudaba_arena.api.messages.challenge_messages import POLICIES
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.store.challenges.challenge_store import ChallengePolicy
from fudaba_arena.store.tournaments.entries import DISQUALIFIED, LEFT, PLAYING, Entry
from fudaba_arena.tournament.challenge_definition import MAX_BLOCKS, MAX_SEQUENTIAL_BLOCKS, Challenge
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import LISTED, OFF

__all__ = [
    "challenged",
    "challenger",
    "check_playing",
    "check_plays",
    "check_policy",
    "check_request",
    "fingerprint",
    "game_of",
    "only_entry",
    "sequential_test",
    "wanted_policy",
    "who_ends",
]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,24}")
_MAX_CHALLENGERS: Final = 100
_MAX_NAME_CHARS: Final = 100


def check_request(request: arena_pb2.CreateChallengeRequest) -> None:
    """Refuses a request that contradicts itself."""
    if request.challenge_id and not _ID.fullmatch(request.challenge_id):
        raise Refused.malformed("challenge_id is 1 to 24 of a-z, A-Z, 0-9, '_' and '-'; leave it empty to get one")
    if not request.bot:
        raise Refused.malformed("bot is empty; name the bot to challenge")
    test = sequential_test(request)
    kind, most = ("a challenge has", MAX_BLOCKS) if test is None else ("a sequential test has", MAX_SEQUENTIAL_BLOCKS)
    if not 1 <= request.blocks <= most:
        raise Refused.malformed(f"blocks is {request.blocks}; {kind} 1 to {most}")


def sequential_test(request: arena_pb2.CreateChallengeRequest) -> SequentialTest | None:
    """Returns the sequential test that is asked for; None for another challenge. Refuses invalid bounds."""
    if not request.HasField("sequential"):
        return None
    try:
        return SequentialTest(request.sequential.low, request.sequential.high)
    except BadBounds as error:
        raise Refused.malformed(f"sequential: {error}") from None


def check_plays(bot: BotEntry, game: str) -> None:
    """Refuses to test a bot in a game that it is not entered for."""
    if not bot.plays(game):
        raise Refused(
            errors_pb2.REASON_GAME_NOT_FOUND, f"{bot.name} does not play {game!r} there, only: {', '.join(bot.games)}"
        )


def fingerprint(request: arena_pb2.CreateChallengeRequest, caller: TokenOwner) -> bytes:
    """Returns a digest of 32 bytes, equal for requests of one caller for the same thing."""
    meant = arena_pb2.CreateChallengeRequest()
    meant.CopyFrom(request)
    meant.DiscardUnknownFields()
    requester = "" if caller.organiser else caller.account
    return sha256(f"{requester}\n".encode() + meant.SerializeToString(deterministic=True)).digest()


def challenged(entry: Entry | None, request: arena_pb2.CreateChallengeRequest, ladder: str) -> Entry:
    """Returns the entry that is challenged. Refuses a bot, or a version, that is not entered."""
    if entry is None or entry.state == LEFT:
        raise Refused(
            errors_pb2.REASON_ENTRY_NOT_FOUND,
            f"bot {request.bot} is not entered in {ladder}; `fudaba ladder entries {ladder}` lists the entries",
        )
    if request.version and request.version not in entry.versions:
        raise Refused(
            errors_pb2.REASON_ENTRY_NOT_FOUND,
            f"version {request.version!r} of {entry.bot} is not entered this season, only {', '.join(entry.versions)}",
        )
    return entry


def check_playing(entry: Entry, withdrawn: Mapping[str, str]) -> None:
    """Refuses an entry that is paused, withdrawn or disqualified."""
    if entry.state == PLAYING and entry.entrant not in withdrawn:
        return
    condition = {PLAYING: "withdrawn", DISQUALIFIED: "disqualified"}.get(entry.state, "paused")
    again = "" if entry.state == DISQUALIFIED else " until it is resumed"
    raise Refused(errors_pb2.REASON_ENTRY_NOT_PLAYING, f"{entry.bot} is {condition}, and takes no challenges{again}")


def check_policy(entry: Entry, caller: TokenOwner, policy: ChallengePolicy) -> None:
    """Refuses a caller who may not challenge an entry."""
    if caller.organiser or (caller.account and caller.account == entry.account):
        return
    if policy.challenges == OFF:
        raise Refused(errors_pb2.REASON_CHALLENGE_REFUSED, f"{entry.bot} takes no challenges; ask its author")
    if policy.challenges == LISTED and caller.account not in policy.challengers:
        raise Refused(
            errors_pb2.REASON_CHALLENGE_REFUSED,
            f"{entry.bot} takes challenges of some accounts only, and yours is not among them; ask its author",
        )


def game_of(entry: Entry, ladder: Tournament, wanted: str) -> TournamentGame:
    """Returns the game to play. Refuses a game that the ladder or the entry does not play."""
    plays = [game.game for game in ladder.games if not entry.games or game.game in entry.games]
    if wanted and wanted not in plays:
        raise Refused(
            errors_pb2.REASON_GAME_NOT_FOUND, f"{entry.bot} does not play {wanted!r} there, only: {', '.join(plays)}"
        )
    if not wanted and len(plays) != 1:
        raise Refused.malformed(f"game is empty, and {entry.bot} plays several; name one of: {', '.join(plays)}")
    return ladder.game(wanted or plays[0])


def only_entry(entries: Sequence[Entry], caller: TokenOwner, ladder: str) -> Entry:
    """Returns the only entry of the caller's account in a ladder. Refuses if there is none, or more than one."""
    own = [entry for entry in entries if entry.state != LEFT and caller.account and entry.account == caller.account]
    if len(own) != 1:
        have = f"your account has {' and '.join(entry.bot for entry in own)}" if own else "your account has none"
        raise Refused.malformed(f"with_bot is empty, and {have} in {ladder}; name the bot that challenges")
    return own[0]


def challenger(
    bot: bots_pb2.Bot, version: str, caller: TokenOwner, entrants: Mapping[str, BotEntry], challenged: str
) -> BotEntry:
    """Returns the challenging bot by its name in a season.

    Refuses a bot that is not the caller's, and the challenged bot itself.
    """
    if not caller.organiser and (not caller.account or caller.account != bot.account):
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"bot {bot.name} is not one of your account's bots")
    labels = [bot_version.label for bot_version in bot.versions]
    if version not in labels:
        raise Refused(
            errors_pb2.REASON_BOT_NOT_FOUND, f"bot {bot.name} has no version {version!r}; it has: {', '.join(labels)}"
        )
    name = f"{bot.name}@{version}"
    if name == challenged:
        raise Refused.malformed(f"{name} cannot challenge itself; challenge with another version")
    return entrants.get(name) or BotEntry(name, author=bot.author, version=version)


def who_ends(caller: TokenOwner, challenge: Challenge) -> str:
    """Returns who ended a challenge. It leaves out the account's name, which may be deleted."""
    if caller.organiser:
        return "the organiser"
    _, challenged = challenge.owners
    return "the author of the challenged bot" if caller.account == challenged else "the author of the challenger"


def wanted_policy(request: arena_pb2.SetEntryChallengesRequest) -> ChallengePolicy | None:
    """Reads the policy that an author sets for an entry. Returns None for the ladder's own policy."""
    if request.challenges not in {0, *POLICIES.values()}:
        raise Refused.malformed(f"challenges is {request.challenges}, which is not a value of that enum")
    listed = request.challenges == arena_pb2.CHALLENGE_POLICY_LISTED
    if listed != bool(request.challengers):
        raise Refused.malformed("challengers belong to CHALLENGE_POLICY_LISTED, which needs one at least")
    if len(request.challengers) > _MAX_CHALLENGERS or any(
        not 0 < len(account_name) <= _MAX_NAME_CHARS for account_name in request.challengers
    ):
        raise Refused.malformed(f"challengers are at most {_MAX_CHALLENGERS} names of accounts")
    if not request.challenges:
        return None
    [word] = [word for word, value in POLICIES.items() if value == request.challenges]
    return ChallengePolicy(word, tuple(dict.fromkeys(request.challengers)))
