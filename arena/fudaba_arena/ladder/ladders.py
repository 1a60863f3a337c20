"""The ladders of a tournament: one for each game, and one over all of them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean
from typing import final

from fudaba_arena.ladder.finals import (
    FINAL_BLOCKS,
    MIXED_BLOCKS,
    SEASON_BLOCKS,
    BlockResults,
    block_results,
    enough_in_final,
    rated_on_together,
)
from fudaba_arena.ladder.ratings import Fit, FixedStrengths, Results, Rows, overall, rate
from fudaba_arena.ladder.standings import Standing, ends_of, shares_of, standings
from fudaba_arena.schedule.fault_counts import void_counts
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import DISQUALIFIED, LEFT
from fudaba_arena.store.usage.time_use import entry_of
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.panel import PANEL_ZERO_POINTS
from fudaba_arena.tournament.season import Season

__all__ = ["OVERALL", "Ladder", "Ladders", "block_results", "ladders_of"]

_KINDS_PER_BATCH = 1_000
"""The number of kinds of blocks that are read together."""
_DAY_MS = 86_400_000
OVERALL = "overall"
"""The name of the ladder over all games."""


@final
@dataclass(frozen=True, slots=True)
class Ladder:
    """Ratings and their rows, best first."""

    fit: Fit
    rows: tuple[Standing, ...]
    rated_on: str = ""
    """The blocks on which a season with a final is rated: `SEASON_BLOCKS`, `FINAL_BLOCKS`, or for several games
    `MIXED_BLOCKS`. Empty before the final, and in a season that counts all blocks alike.
    """


@final
@dataclass(frozen=True, slots=True)
class Ladders:
    """All ladders of a tournament."""

    overall: Ladder
    """The overall standings; with a single game, that game's standings."""
    games: Mapping[str, Ladder]
    """The standings, by game, in the order of the tournament."""
    blocks: int = 0
    """The number of blocks on which they are based."""
    point: int = 0
    """The point of the sequence from which they follow, see `ClosedBlocks.point`; 0 for earlier ladders."""

    def named(self) -> dict[str, Ladder]:
        """Returns the different ladders by name. If there are several games, the overall ladder comes first."""
        first = {OVERALL: self.overall} if len(self.games) > 1 else {}
        return first | dict(self.games)


def ladders_of(state: ScheduledTournament, results: BlockResults) -> Ladders:
    """Returns the ladders of `block_results`. Any thread may call it."""
    tournament, voids = state.tournament, void_counts(state)
    of_game, rated_on = _rated_results(state, results)
    versions = {bot.name: bot.version for bot in tournament.bots}
    rated = {
        played.game: rate(
            of_game[played.game], win_margin=played.win_margin, fixed=_fixed(state, of_game[played.game], played.game)
        )
        for played in tournament.games
    }
    ends = {game: ends_of(game_results) for game, game_results in of_game.items()}
    shares = {played.game: shares_of(of_game[played.game], played.win_margin) for played in tournament.games}
    fits = {game: rated_game.fit() for game, rated_game in rated.items()}
    enough = {game: _enough(state, game_fit, rated_on[game]) for game, game_fit in fits.items()}
    games: dict[str, Ladder] = {}
    for game, fit in fits.items():
        rows = standings(fit, ends[game], shares=shares[game], voids=voids[game], versions=versions)
        games[game] = Ladder(fit, _ranked(state, rows, enough[game], rated_on[game]), rated_on[game])
    blocks = sum(results.every.values())
    if len(games) == 1:
        (only,) = games.values()
        return Ladders(only, games, blocks, results.point)
    in_all = set.intersection(*map(set, enough.values()))
    everywhere_enough = {bot: all(in_game[bot] for in_game in enough.values()) for bot in in_all}
    season = tournament.season
    all_in_all = overall(rated, shares=season is not None and season.overall_shares)
    every = {
        bot.name: tuple(
            map(sum, zip(*(game_ends[bot.name] for game_ends in ends.values() if bot.name in game_ends), strict=True))
        )
        for bot in tournament.bots
    }
    together = {bot.name: sum(game_voids.get(bot.name, 0) for game_voids in voids.values()) for bot in tournament.bots}
    everywhere = {
        bot.name: fmean(of_bot)
        for bot in tournament.bots
        if (of_bot := [game_shares[bot.name] for game_shares in shares.values() if bot.name in game_shares])
    }
    rows = standings(all_in_all, every, shares=everywhere, voids=together, versions=versions)
    together_on = rated_on_together(rated_on.values())
    ranked = _ranked(state, rows, everywhere_enough, together_on)
    return Ladders(Ladder(all_in_all, ranked, together_on), games, blocks, results.point)


def _rated_results(state: ScheduledTournament, results: BlockResults) -> tuple[dict[str, Results], dict[str, str]]:
    """Chooses for each game the results that it is rated on, and names the choice: see `Ladder.rated_on`."""
    names, season = [played.game for played in state.tournament.games], state.tournament.season
    if season is None or not results.of_final:
        return _results(state.tournament, results.every, results.early), dict.fromkeys(names, "")
    finals = _results(state.tournament, results.of_final, results.early_of_final)
    apart = {
        game for game in names if enough_in_final(finals[game], season.final_apart_blocks, _panel(season, finals[game]))
    }
    every = _results(state.tournament, results.every, results.early) if len(apart) < len(names) else {}
    of_game = {game: finals[game] if game in apart else every[game] for game in names}
    return of_game, {game: FINAL_BLOCKS if game in apart else SEASON_BLOCKS for game in names}


def _fixed(state: ScheduledTournament, results: Results, game: str) -> FixedStrengths | None:
    """Returns the strengths of the bots of a game's panel; None if 1500 is the mean of the field."""
    season = state.tournament.season
    panel = season.panel(game) if season is not None else None
    if panel is None:
        return None
    members = {bot.name: bot for bot in panel.bots}
    playing = {name: members[entry_of(name)] for name in results.names if entry_of(name) in members}
    return FixedStrengths(
        {name: bot.rating - PANEL_ZERO_POINTS for name, bot in playing.items()},
        {name: bot.half for name, bot in playing.items()},
        panel.spread,
    )


def _panel(season: Season, results: Results) -> set[str]:
    """Returns the bots of the panel among those of a game."""
    return {name for name in results.names if season.on_panel(entry_of(name))}


def _enough(state: ScheduledTournament, game_fit: Fit, rated_on: str) -> dict[str, bool]:
    """Returns whether each version has played enough blocks of a game for a rank."""
    season = state.tournament.season
    if season is None:
        return {rating.bot: True for rating in game_fit.ratings}
    if rated_on == FINAL_BLOCKS:  # every bot of it has; whoever has not played it is not waited for
        return {rating.bot: True for rating in game_fit.ratings if rating.blocks}
    return {rating.bot: rating.blocks >= season.provisional_blocks for rating in game_fit.ratings}


def _results(tournament: Tournament, kinds: Mapping[bytes, int], early: Mapping[bytes, int]) -> dict[str, Results]:
    """Collects the stored results of each game for a fit. `early` of them are in the first half of their game's
    blocks.
    """
    rows = {played.game: Rows() for played in tournament.games}
    some = iter(kinds.items())
    while part := list(islice(some, _KINDS_PER_BATCH)):
        fields = [kind.decode().split(" ", 3) for kind, _ in part]
        read = json.loads(f"[{','.join(of_matches for *_, of_matches in fields)}]")
        for (_, game, counting, _), (kind, times), matches in zip(fields, part, read, strict=True):
            rows[game].add(matches[: int(counting)], times, min(times, early.get(kind, 0)))
    return {
        game: game_rows.results(bot.name for bot in tournament.bots if bot.plays(game))
        for game, game_rows in rows.items()
    }


@final
@dataclass(frozen=True, slots=True)
class _Roles:
    """The roles of the versions in a season's standings. A version that has left has none."""

    ranked: set[str] = field(default_factory=set)
    provisional: set[str] = field(default_factory=set)
    """The newest versions that would be ranked if they had played more, or narrowed their intervals."""
    entered: dict[str, int] = field(default_factory=dict)
    """The versions of the entries that compete, each with the number of versions of its entry."""
    disqualified_ms: dict[str, int] = field(default_factory=dict)
    """The time of each disqualification."""
    panel: set[str] = field(default_factory=set)
    """The versions that measure others, and compete with nobody."""


def _roles(
    state: ScheduledTournament, season: Season, enough: Mapping[str, bool], certain: Container[str], idle: set[str]
) -> _Roles:
    """Returns the roles in a season. `enough` is as in `_ranked`. `certain` are the versions whose intervals are narrow
    enough for a rank, and `idle` are those that have not played for too long.
    """
    roles = _Roles()
    for entry in state.stored.entries.by_bot.values():
        versions = list(reversed(entry.entrants))
        if entry.state == DISQUALIFIED:
            roles.disqualified_ms.update(dict.fromkeys(versions, entry.disqualified_ms))
        if entry.state in {LEFT, DISQUALIFIED}:
            continue
        if season.on_panel(entry.bot):
            roles.panel.update(versions)
            continue
        roles.entered.update(dict.fromkeys(versions, len(versions)))
        ready = [name for name in versions if enough.get(name, False) and name in certain]
        roles.ranked.update(set(ready[:1]) - idle)
        if versions and versions[0] not in {*ready[:1], *idle} and versions[0] in enough:
            roles.provisional.add(versions[0])
    return roles


def _ranked(
    state: ScheduledTournament, rows: Sequence[Standing], enough: Mapping[str, bool], rated_on: str
) -> tuple[Standing, ...]:
    """Returns the ranked rows. In a season of a ladder, each bot that has not left has one ranked version.

    `enough` says of every version that can have a rank whether it has played enough blocks of the ladder's game.
    `rated_on` is as in `Ladder`. A final that is rated on its own blocks is decisive, however wide its intervals are,
    and however long ago a version played its last block.
    """
    season = state.tournament.season
    if season is None:
        return tuple(rows)
    decided = rated_on in {FINAL_BLOCKS, MIXED_BLOCKS}  # after a final no block is played that could give a rank
    rank_half, idle_days = (0.0, 0) if decided else (season.rank_half, season.idle_days)
    certain = {row.bot for row in rows if not rank_half or row.half <= rank_half}
    last_ms: Mapping[str, int] = state.stored.blocks.last_played_ms() if season.idle_days else {}
    latest_ms = max(last_ms.values(), default=0)
    idle = {name for name, at_ms in last_ms.items() if idle_days and latest_ms - at_ms > idle_days * _DAY_MS}
    roles = _roles(state, season, enough, certain, idle)
    best_first = sorted(-row.rating for row in rows if row.bot in roles.ranked and row.rank is not None)
    shown_rows = [
        replace(
            row,
            rank=1 + bisect_left(best_first, -row.rating) if row.bot in roles.ranked and row.rank else None,
            provisional=row.bot in roles.provisional,
            idle=row.bot in idle and row.bot in roles.entered,
            last_played_ms=last_ms.get(row.bot, 0),
            entered_versions=roles.entered.get(row.bot, 0),
            disqualified_ms=roles.disqualified_ms.get(row.bot, 0),
            panel=row.bot in roles.panel,
        )
        for row in rows
    ]
    # A version whose rating may be luck stands at the lower end of its interval.
    places = {row.bot: row.rating if row.bot in certain else row.low for row in rows}
    return tuple(sorted(shown_rows, key=lambda row: -places[row.bot])) if rank_half else tuple(shown_rows)
