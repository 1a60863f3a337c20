"""`fudaba arena standings` and `fudaba arena matches`: what is stored of a tournament, for people and programs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fudaba.cli._output import print_json, say, say_text, table
from fudaba.safe_text import safe_quoting
from fudaba_arena.display import ladder_tables
from fudaba_arena.errors import ArenaError
from fudaba_arena.home import open_to_read
from fudaba_arena.ladders import Ladders
from fudaba_arena.standings import as_csv, as_json
from fudaba_arena.state import TournamentState
from fudaba_arena.store import MatchResult, Store, VoidBlock
from fudaba_arena.tournament import read_tournament, stored_tournament
from fudaba_arena.wording import counted, is_are, span, void_cause

__all__ = ["show_matches", "show_standings", "show_voids"]


async def show_standings(
    data: Path, redis: str | None, file: Path | None, name: str | None, game: str, form: str
) -> int:
    """Prints the ladders, or the one of a game, as `table`, `json` or `csv`. Raises `ArenaError`."""
    async with _stored(data, redis, file, name) as state:
        ladders = state.ladders(state.block_results())
        named = ladders.named()
        if game and game not in named:
            raise ArenaError(f"the tournament has no ladder {game}; it has: {', '.join(named)}")
        if form == "csv":
            chosen = {game: named[game]} if game else named
            say_text(as_csv({one: ladder.rows for one, ladder in chosen.items()}))
        elif form == "json":
            print_json(_about(state) | _ladders_json(ladders, game))
        else:
            say_text(ladder_tables(ladders, game))
            _tell_about(state)
    return 0


def _ladders_json(ladders: Ladders, game: str) -> dict[str, Any]:
    """One game's ladder, or the overall one with all games' under `ladders`."""
    if game:
        ladder = ladders.named()[game]
        return {"ladder": game} | as_json(ladder.fit, ladder.rows)
    name, *_ = ladders.named()
    games = {one: as_json(ladder.fit, ladder.rows) for one, ladder in ladders.games.items()}
    return {"ladder": name} | as_json(ladders.overall.fit, ladders.overall.rows) | {"ladders": games}


def _tell_about(state: TournamentState) -> None:
    """Prints how far the tournament is."""
    about = _about(state)
    say(f"{about['matches']} of {counted(about['planned'], 'match')}; commitment {about['commitment']}")
    if about["master"]:
        say(f"the deals are open: master {about['master']}")
    if about["parked"]:
        number = len(about["parked"])
        blocks = f"{number} of {counted(len(state.schedule), 'block')} {is_are(number)} parked"
        say(f"{blocks}{span(state.schedule)}; see fudaba arena matches --void")
    for bot, why in about["withdrawn"].items():
        say_text(safe_quoting(f"bot {bot} is withdrawn: {why}"))


async def show_matches(data: Path, redis: str | None, file: Path | None, name: str | None, *, as_json: bool) -> int:
    """Prints the matches that have a result."""
    async with _stored(data, redis, file, name) as state:
        results = sorted(state.stored.results.values(), key=lambda result: (result.block, result.match_id))
        if as_json:
            print_json([_with_game(state, result) | {"counts": _counts(state, result)} for result in results])
            return 0
        rows = [
            [
                result.match_id,
                state.schedule.game_of(result.block),
                str(result.block),
                str(result.deal),
                _counts(state, result),
                " ".join(f"{bot} {score:+d}" for bot, score in zip(result.bots, result.scores, strict=True)),
                f"{result.forfeited} ({result.forfeit_cause})" if result.forfeited else "",
                _moment(result.ended_ms),
            ]
            for result in results
        ]
        head = ("match", "game", "block", "deal", "counts", "scores", "forfeited by", "ended (UTC)")
        say_text(table(head, rows, "llrr") or "no matches yet")
    return 0


async def show_voids(data: Path, redis: str | None, file: Path | None, name: str | None, *, as_json: bool) -> int:
    """Prints the void blocks and the parked ones."""
    async with _stored(data, redis, file, name) as state:
        voids = sorted(state.stored.void.values(), key=lambda void: (void.slot, void.block))
        parked = {block.slot for block in state.parked_blocks}
        if as_json:
            print_json([_with_game(state, void) | {"parked": void.slot in parked} for void in voids])
            return 0
        rows = [
            [
                str(void.block),
                str(void.slot) if void.block != void.slot else "",
                void_cause(void.cause),
                " ".join(void.bots),
                void.match_id,
                "no, parked" if void.slot in parked else "yes",
                _moment(void.at_ms),
            ]
            for void in voids
        ]
        head = ("block", "played for", "why it is void", "absent", "match", "again", "since (UTC)")
        say_text(table(head, rows, "rr") or "no void blocks")
        left_out = sorted(parked - {void.slot for void in voids})
        if left_out:
            say(f"parked because the bots are withdrawn: blocks {', '.join(map(str, left_out))}")
    return 0


@asynccontextmanager
async def _stored(data: Path, redis: str | None, file: Path | None, name: str | None) -> AsyncIterator[TournamentState]:
    """The tournament that is meant. Raises `ArenaError`."""
    if file is not None:
        name = read_tournament(file).name
    async with open_to_read(data, redis) as store:
        chosen = name or await _only(store)
        stored = await store.load(chosen)
        if stored is None:
            names = ", ".join(await store.tournaments()) or "none yet"
            raise ArenaError(f"there is no tournament {chosen} in this store; it has: {names}")
        yield TournamentState(stored_tournament(chosen, stored.definition, stored.attempts), stored)


async def _only(store: Store) -> str:
    names = await store.tournaments()
    if len(names) != 1:
        raise ArenaError(
            f"say which tournament, with its FILE or --tournament: {', '.join(names) or 'there is none yet'}"
        )
    return names[0]


def _about(state: TournamentState) -> dict[str, Any]:
    """What a follower is told of the tournament beside the ladder. The master only when the deals are open."""
    return {
        "tournament": state.tournament.name,
        "id": state.id,
        "games": list(state.schedule.games),
        "commitment": state.commitment,
        "master": state.stored.master.hex() if state.stored.closed else None,
        "matches": state.matches_counted,
        "planned": state.schedule.matches,
        "complete": state.complete,
        "parked": [block.number for block in state.parked_blocks],
        "withdrawn": dict(sorted(state.stored.withdrawn.items())),
        "forfeits": dict(sorted(state.forfeits().items())),
    }


def _with_game(state: TournamentState, of_block: MatchResult | VoidBlock) -> dict[str, Any]:
    return {"game": state.schedule.game_of(of_block.block)} | asdict(of_block)


def _counts(state: TournamentState, result: MatchResult) -> str:
    """Whether a result counts: `yes`, `void`, `left out` (its bot was withdrawn) or `not yet`."""
    if result.block in state.stored.void:
        return "void"
    counted = state.stored.finished.get(result.block)
    if counted is None:
        return "not yet"
    return "yes" if result.match_id in counted else "left out"


def _moment(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S}" if milliseconds else "-"
