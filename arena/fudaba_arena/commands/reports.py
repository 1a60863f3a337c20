"""`fudaba arena standings`, `matches` and `blocks`: the state of a tournament, for people and programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fudaba.cli.assign import lookalike_lines
from fudaba.cli.bracket import bracket_text
from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba.pace_words import network_credit_lines
from fudaba.safe_text import safe_quoting
from fudaba.v1 import arena_pb2
from fudaba_arena.commands.display import ladder_tables, swiss_table
from fudaba_arena.commands.reading import Reading
from fudaba_arena.commands.tournament_reports import TournamentReport
from fudaba_arena.errors import ArenaError
from fudaba_arena.ladder.ladders import Ladders
from fudaba_arena.ladder.standings import as_csv, as_json
from fudaba_arena.schedule.wording import is_are, void_cause
from fudaba_arena.store.usage.seat_use import UNSAFE
from fudaba_games.wording import counted

__all__ = ["show_blocks", "show_matches", "show_standings", "show_voids"]


async def show_standings(reading: Reading, game: str, form: str) -> int:
    """Prints the overall standings, or those of one game, as `table`, `json` or `csv`. Raises `ArenaError`."""
    followed = await reading.followed()
    named = followed.ladders.named()
    if game and game not in named:
        raise ArenaError(f"the tournament has no standings of {game}; it has: {', '.join(named)}")
    if form == "csv":
        chosen = {game: named[game]} if game else named
        say_text(as_csv({game_name: ladder.rows for game_name, ladder in chosen.items()}))
    elif form == "json":
        swiss = {"swiss": [as_dict(standings) for standings in followed.swiss]} if followed.swiss else {}
        bracket = {"bracket": as_dict(followed.bracket)} if followed.bracket is not None else {}
        print_json(followed.about | swiss | bracket | _ladders_json(followed.ladders, game))
    else:
        for swiss_standings in followed.swiss:
            if game in {"", swiss_standings.game}:
                say_text(f"{swiss_table(swiss_standings)}\n")
        if followed.bracket is not None and game in {"", followed.bracket.game}:
            say_text(f"{bracket_text(followed.bracket)}\n")
        say_text(ladder_tables(followed.ladders, game))
        _tell_about(followed)
    return 0


def _ladders_json(ladders: Ladders, game: str) -> dict[str, Any]:
    """Returns one game's standings, or the overall standings with all games under `ladders`."""
    if game:
        ladder = ladders.named()[game]
        return {"ladder": game, "point": ladders.point} | as_json(ladder.fit, ladder.rows, ladder.rated_on)
    name, *_ = ladders.named()
    games = {
        game_name: as_json(ladder.fit, ladder.rows, ladder.rated_on) for game_name, ladder in ladders.games.items()
    }
    first = ladders.overall
    head = {"ladder": name, "point": ladders.point}
    return head | as_json(first.fit, first.rows, first.rated_on) | {"ladders": games}


def _tell_about(followed: TournamentReport) -> None:
    """Prints the progress of the tournament."""
    about = followed.about
    ends = about["planned"] is not None  # a season of a ladder has no planned number of blocks
    matches = (
        f"{about['matches']} of {counted(about['planned'], 'match')}" if ends else counted(about["matches"], "match")
    )
    say(f"{matches}; commitment {about['commitment']}")
    if about["master"]:
        say(f"the deals are open: master {about['master']}")
    if about["parked"]:
        number = len(about["parked"])
        of_all = f"{number} of {counted(followed.blocks, 'block')}" if ends else counted(number, "block")
        blocks = f"{of_all} {is_are(number)} parked"
        say(f"{blocks}{followed.span}; see fudaba arena matches --void")
    if about["annulled"]:
        say(f"{counted(len(about['annulled']), 'block')} {is_are(len(about['annulled']))} annulled, and not rated")
    say(
        *network_credit_lines(
            arena_pb2.NetworkCredit(bot=bot, **credit) for bot, credit in about["network_credits"].items()
        )
    )
    for bot, why in about["withdrawn"].items():
        say_text(safe_quoting(f"bot {bot} is withdrawn: {why}"))


async def show_matches(reading: Reading, *, as_json: bool) -> int:
    """Prints the matches that have a result."""
    lists = await reading.lists()
    matches = lists.matches
    if as_json:
        print_json(matches)
        return 0
    rows = [
        [
            match["match_id"],
            match["game"],
            str(match["block"]),
            str(match["deal"]),
            match["counts"],
            " ".join(f"{bot} {score:+d}" for bot, score in zip(match["bots"], match["scores"], strict=True)),
            f"{match['forfeited']} ({match['forfeit_cause']})" if match["forfeited"] else "",
            _moment(match["ended_ms"]),
        ]
        for match in matches
    ]
    head = ("match", "game", "block", "deal", "counts", "scores", "forfeited by", "ended (UTC)")
    say_text(table(head, rows, "llrr") or "no matches yet")
    unsafe = sum(any(seat_use["sandbox"] == UNSAFE for seat_use in match["used"]) for match in matches)
    if unsafe:
        say(f"WITHOUT A SANDBOX: in {counted(unsafe, 'match')} submitted bots ran unprotected, and without most limits")
    say(*lookalike_lines(lists.looks_like))
    return 0


async def show_voids(reading: Reading, *, as_json: bool) -> int:
    """Prints the void blocks and the parked ones."""
    lists = await reading.lists()
    voids = lists.voids
    if as_json:
        print_json(voids)
        return 0
    rows = [
        [
            str(void["block"]),
            str(void["slot"]) if void["block"] != void["slot"] else "",
            void_cause(void["cause"]),
            " ".join(void["bots"]),
            void["match_id"],
            "no, parked" if void["parked"] else "yes",
            _moment(void["at_ms"]),
        ]
        for void in voids
    ]
    head = ("block", "played for", "why it is void", "absent", "match", "again", "since (UTC)")
    say_text(table(head, rows, "rr") or "no void blocks")
    left_out = sorted(lists.parked - {void["slot"] for void in voids})
    if left_out:
        say(f"parked because the bots are withdrawn: blocks {', '.join(map(str, left_out))}")
    say(*lookalike_lines(lists.looks_like))
    return 0


async def show_blocks(reading: Reading, *, as_json: bool) -> int:
    """Prints the blocks that have begun or are parked."""
    lists = await reading.lists()
    blocks = lists.blocks
    if as_json:
        print_json([as_dict(block) for block in blocks])
        return 0
    rows = [
        [
            str(block.number),
            str(block.slot) if block.number != block.slot else "",
            block.game,
            arena_pb2.BlockState.Name(block.state).removeprefix("BLOCK_STATE_").lower(),
            str(block.match_count),
            str(block.deal_count),
            " ".join(block.bots),
        ]
        for block in blocks
    ]
    head = ("block", "played for", "game", "state", "matches", "deals", "bots")
    say_text(table(head, rows, "rrllrr") or "no blocks yet")
    say(*lookalike_lines(lists.looks_like))
    return 0


def _moment(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S}" if milliseconds else "-"
