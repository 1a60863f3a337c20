"""Bots of two accounts whose names look alike, as there are where bots have been given away."""

from __future__ import annotations

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.commands.tournaments import bot, head
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE


def ladder_of_lookalikes(organiser: Client, arena: Arena, ladder: str) -> tuple[str, str]:
    """Creates a ladder of which nothing is played yet, and enters `carol`, `car0l`, `dora` and `d0ra` in it, each with
    the ladder's name behind. Returns the names of the first two, which are of two accounts; the others are of one.
    """
    tokens = {}
    for account in (f"ann-{ladder}", f"ben-{ladder}"):
        made = organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=account), timeout=PATIENCE)
        tokens[account] = made.token
    owners = dict(zip(("carol", "car0l", "dora", "d0ra"), (*tokens, *2 * list(tokens)[:1]), strict=True))
    several = WAITING.replace("entries_per_author = 1", "entries_per_author = 3")
    create(arena, several.format(name=ladder, narrow=60))
    bots = {f"{name}-{ladder}": owner for name, owner in owners.items()}
    for entered in bots:
        organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=entered), timeout=PATIENCE)
    for entered, owner in bots.items():
        organiser.accounts.AssignBot(accounts_pb2.AssignBotRequest(bot=entered, account=owner), timeout=PATIENCE)
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=entered), tokens[owner])
    first, second, *_ = bots
    return first, second


def tournament_of_lookalikes(name: str) -> tuple[str, dict[str, str]]:
    """Returns the definition of a tournament of two built-in bots whose names look alike, and each bot's look-alike."""
    bots = ("carol", "car0l")
    definition = head(name, blocks=1) + "".join(bot(alike, 'builtin = "first"') for alike in bots)
    return definition, dict(zip(bots, reversed(bots), strict=True))
