"""`fudaba arena status`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, final

from fudaba.cli.output import print_json, say, say_text, table
from fudaba.safe_text import safe_line
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service.restored import restored_text
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.arenas.arenas import KnownArena, named_arena
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.store import Store

__all__ = ["show_status"]

UNREADABLE: Final = "unreadable"


@final
@dataclass(frozen=True, slots=True)
class _ArenaRow:
    """An arena that runs on the store; None if it does not say where it runs."""

    known: KnownArena | None
    plays: list[str]

    def text(self, *, others_play: bool) -> str:
        """Returns the arena as a line of text."""
        name = named_arena(self.known).removeprefix("another ") if self.known is not None else named_arena(None)
        if self.plays:
            return f"{name} plays {', '.join(self.plays)}"
        if not others_play:
            return f"{name} plays nothing now"
        return f"{name} stands by: stop it, or give it another store, if no second arena is wanted"

    def as_dict(self) -> dict[str, object]:
        """Returns the same as JSON values."""
        return (asdict(self.known) if self.known is not None else {}) | {"plays": self.plays}


async def _arenas(store: Store, tournaments: list[str]) -> list[_ArenaRow]:
    """Returns every arena that runs on the store, the playing ones first."""
    known, players = await store.arenas.all(), await store.arenas.players(tournaments)
    owners = sorted(known.keys() | players.values(), key=lambda owner: (owner not in players.values(), owner))
    return [
        _ArenaRow(known.get(owner), [name for name, player in players.items() if player == owner]) for owner in owners
    ]


async def show_status(data: Path, redis: str | None, *, as_json: bool) -> int:
    """Prints the tournaments of an arena's folder or Redis, the restored backups, and the running arenas.

    Raises `ArenaError`.
    """
    rows: list[tuple[str, str, ScheduledTournament | None]] = []
    arenas: list[_ArenaRow] = []
    async with open_to_read(data, redis) as store:
        for name in await store.listing.names():
            try:
                state = await stored_state(store, name)
            except ArenaError:
                rows.append((name, UNREADABLE, None))
                continue
            if state is not None:
                wanted = await store.steering.wanted(name) or "playing"
                rows.append((name, "closed" if state.stored.closed else wanted, state))
        arenas = await _arenas(store, [name for name, _, _ in rows])
    if as_json:
        print_json(
            {"tournaments": [_tournament_json(*row) for row in rows], "arenas": [row.as_dict() for row in arenas]}
        )
        return 0
    columns = ["tournament", "state", "blocks", "void"]
    cells = [[safe_line(name), word, *_blocks(state)] for name, word, state in rows]
    say_text(table(columns, cells, "llrr"))
    for name, word, state in rows:
        for generation in state.stored.generations if state is not None else ():
            at = datetime.fromtimestamp(generation.at_ms / 1000, UTC)
            say(f"{safe_line(name)}: on {at:%Y-%m-%d %H:%M:%S} UTC {restored_text(generation)}")
        if word == UNREADABLE:
            say(f"{safe_line(name)} cannot be read; `fudaba arena unreadable` says why")
    for row in arenas:
        say(safe_line(row.text(others_play=any(other.plays for other in arenas))))
    if not rows:
        say("no tournaments", err=True)
    return 0


def _blocks(state: ScheduledTournament | None) -> list[str]:
    return ["-", "-"] if state is None else [str(state.stored.blocks.counted), str(len(state.stored.blocks.void))]


def _tournament_json(name: str, word: str, state: ScheduledTournament | None) -> dict[str, object]:
    if state is None:
        return {"name": name, "state": word}
    restored = [
        {
            "at_ms": generation.at_ms,
            "generation": generation.name,
            "unknown_matches": generation.matches,
            "newest_ms": generation.newest_ms,
        }
        for generation in state.stored.generations
    ]
    blocks = state.stored.blocks
    return {"name": name, "state": word, "blocks": blocks.counted, "void": len(blocks.void), "restored": restored}
