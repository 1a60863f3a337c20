"""A tournament file: what is played, by whom, and how often. `docs/tournament.md` describes its keys.

A file is parsed, checked as a whole, and only then used. All mistakes are reported together, each with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

from fudaba.address import is_host_port
from fudaba.safe_text import fault_of
from fudaba.text_files import NotText, text_of
from fudaba.toml_lines import Path as KeyPath
from fudaba.toml_reading import Mistake, Mistakes, TableReader, shown, syntax_mistake
from fudaba.zoned_time import ZonedTime
from fudaba_arena.tournament.absence_rule import read_absence
from fudaba_arena.tournament.bots import read_bots
from fudaba_arena.tournament.contradictions import note_contradictions
from fudaba_arena.tournament.definition import APART, HIDDEN, PUBLIC, SITTINGS, Tournament, with_panel
from fudaba_arena.tournament.formats import read_format
from fudaba_arena.tournament.games import read_games
from fudaba_arena.tournament.ladder_seeds import read_seed_source, written_lines
from fudaba_arena.tournament.limits import read_limits
from fudaba_arena.tournament.panel import panel_for
from fudaba_arena.tournament.season import (
    ANYONE,
    CHALLENGES,
    FINAL_APART_BLOCKS,
    LISTED,
    MEMORY,
    NAMES,
    NAMES_HIDDEN,
    NAMES_SHOWN,
    NOTHING,
    OFF,
    WHO,
    ZERO_FIELD,
    ZERO_PANEL,
    ZEROS,
    Season,
    Span,
)
from fudaba_arena.tournament.seed_source import FROM_LADDER
from fudaba_arena.tournament.terms import Clock

__all__ = ["BadTournament", "Source", "read_source", "read_tournament"]

_LADDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,38}")
_ONLY_LADDERS: Final = frozenset(
    {"season", "enter", "accounts", "entries_per_author", "provisional_blocks", "narrow", "challenges", "memory"}
    | {"absence", "rank_half", "idle_days", "overall", "pair_share", "author_share", "names", "description", "zero"}
)
_MAX_DESCRIPTION_CHARS: Final = 500
_SHARES: Final = "shares"
_RATINGS: Final = "ratings"
_HOUR_MS: Final = 3_600_000
_RANK_HALF_POINTS: Final = 50.0
_PAIR_SHARE: Final = 0.25
_AUTHOR_SHARE: Final = 0.4
_MIN_MOVE_MS: Final = 20
"""The shortest time for a decision on a clock without a bank, in milliseconds."""


@final
class BadTournament(Exception):
    """A tournament file has mistakes. `str()` has a line for each: `file:line: what is wrong; what to write`."""

    def __init__(self, file: str, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        super().__init__("\n".join(f"{file}:{mistake.line}: {mistake.text}" for mistake in self.mistakes))


@final
@dataclass(frozen=True, slots=True)
class Source:
    """The text of a tournament file. Mistakes in it are reported with their lines."""

    text: str
    file: str
    """The name of the file in messages."""
    folder: Path | None
    """The folder in which its commands start; None if no commands may start."""
    hosted: bool = False
    """Whether a standing arena plays it, instead of a run."""
    span: Span | None = None
    """The season to read from a ladder's file; None for a tournament's file."""

    def read(self) -> Tournament:
        """Reads the tournament. Raises `BadTournament`."""
        return self._read(None)

    def read_new(self, now_ms: int) -> Tournament:
        """Reads a tournament that begins now: contradictions are mistakes, too. Raises `BadTournament`."""
        return self._read(now_ms)

    @property
    def describes_ladder(self) -> bool:
        """Returns whether it has a key that only a ladder's file has; False if it is not TOML."""
        try:
            return not _ONLY_LADDERS.isdisjoint(tomllib.loads(self.text))
        except tomllib.TOMLDecodeError:
            return False

    def _read(self, now_ms: int | None) -> Tournament:
        try:
            content = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise BadTournament(self.file, [syntax_mistake(error, self.text)]) from None
        mistakes = Mistakes(written_lines(self.text), "a tournament" if self.span is None else "a ladder")
        top = TableReader(content, (), mistakes)
        tournament = _tournament(top, self) if self.span is None else _season(top, self, self.span)
        if now_ms is not None and not mistakes.found:
            note_contradictions(top, tournament, now_ms)
        if mistakes.found:
            raise BadTournament(self.file, mistakes.found)
        return tournament

    def mistake(self, keys: Sequence[KeyPath], text: str) -> Mistake:
        """Makes a mistake that was found after reading the text, at the first of these keys in it."""
        lines = written_lines(self.text)
        return Mistake(next((lines[key] for key in keys if key in lines), 1), text)


def read_source(path: Path) -> Source:
    """Reads the text of a file. Raises `BadTournament` if it is not text, and `OSError` if it cannot be read."""
    raw = path.read_bytes()
    try:
        text = text_of(raw)
    except NotText as error:
        raise BadTournament(str(path), [Mistake(error.line, str(error))]) from None
    return Source(text, str(path), path.resolve().parent)


def read_tournament(path: Path) -> Tournament:
    """Reads the tournament of a file. Raises `BadTournament`, and `OSError` if the file cannot be read."""
    return read_source(path).read()


def _tournament(top: TableReader, source: Source) -> Tournament:
    name = top.text(
        "name", None, pattern=_NAME, rule="1 to 39 of A-Z, a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
    )
    games = read_games(top)
    seeded_from = read_seed_source(top, hosted=source.hosted)
    lacks_bots = seeded_from is None and top.has(FROM_LADDER)
    bots = read_bots(top, source.folder, games, fewest=0 if lacks_bots else None, submitted=seeded_from is not None)
    tournament = Tournament(
        name=name,
        games=games,
        bots=bots,
        format=read_format(
            top,
            [bot.name for bot in bots if bot.name],
            [(game, [bot.name for bot in bots if bot.plays(game.game)]) for game in games],
            seeded_from,
        ),
        same_author=top.flag("same_author", default=False),
        clock=_clock(top.table("clock")),
        connect_seconds=top.whole("connect_seconds", 60, 1, 3_600),
        concurrency=top.whole("concurrency", 8, 1, 10_000),
        attempts=top.whole("attempts", 3, 1, 100),
        no_shows=top.whole("no_shows", 3, 1, 100),
        metrics=_address(top, hosted=source.hosted),
        limits=read_limits(top.table("limits")),
        queue_hidden=_queue_hidden(top),
        sittings=top.one_of("sittings", APART, SITTINGS, "choice of sittings"),
        premiere_seconds=top.whole("premiere_seconds", 60, 0, 86_400),
    )
    top.finish()
    return tournament


def _season(top: TableReader, source: Source, span: Span) -> Tournament:
    """Reads a season of a ladder from the ladder's file."""
    name = top.text(
        "name", None, pattern=_LADDER, rule="1 to 32 of A-Z, a-z, 0-9, '_' and '-', beginning with a letter or digit"
    )
    games = read_games(top)
    for table in top.tables("games") or [top]:
        if table.has("blocks"):
            table.wrong("blocks", "a ladder goes on until its season ends; leave blocks out")
    season = _rules(top, name, span)
    if top.one_of("zero", ZERO_FIELD, ZEROS, "choice of zero") == ZERO_PANEL:
        season = replace(season, panels=tuple(panel for game in games if (panel := panel_for(game)) is not None))
    names = span.names or (NAMES_HIDDEN if season.enter == ANYONE else NAMES_SHOWN)
    tournament = Tournament(
        name=season.name,
        games=games,
        bots=read_bots(top, source.folder, games, fewest=0),
        same_author=top.flag("same_author", default=False),
        clock=_clock(top.table("clock")),
        connect_seconds=top.whole("connect_seconds", 60, 1, 3_600),
        concurrency=top.whole("concurrency", 8, 1, 10_000),
        attempts=top.whole("attempts", 3, 1, 100),
        no_shows=top.whole("no_shows", 3, 1, 100),
        season=season,
        limits=read_limits(top.table("limits"), strangers=season.enter == ANYONE),
        queue_hidden=_queue_hidden(top),
        names_hidden=top.one_of("names", names, NAMES, "choice of names") == NAMES_HIDDEN,
        sittings=top.one_of("sittings", APART, SITTINGS, "choice of sittings"),
        premiere_seconds=top.whole("premiere_seconds", 60, 0, 86_400),
    )
    for table, bot in zip(top.tables("bots"), tournament.bots, strict=False):
        if bot.remote and table.has("remote"):
            table.wrong("remote", f"remote bots are not written here; enter it: fudaba ladder enter {name} {bot.name}")
    top.finish()
    return with_panel(tournament)


def _rules(top: TableReader, name: str, span: Span) -> Season:
    """Reads the rules that make a tournament a season."""
    enter = top.one_of("enter", ANYONE, WHO, "choice of enter")
    accounts = _listed(top, "enter", enter, "accounts", '["alice", "bob"]', "enter bots")
    challenges = top.one_of("challenges", OFF, CHALLENGES, "choice of challenges")
    challengers = _listed(top, "challenges", challenges, "challengers", '["sensible"]', "challenge")
    table = top.table("season")
    begins, ends = table.moment("begins"), table.moment("ends")
    if begins is not None and ends is not None and ends.at <= begins.at:
        table.wrong("ends", "the season ends before it begins; write a later date")
    freeze, opens = table.moment("standings_freeze"), table.moment("standings_open")
    if opens is not None and (freeze is None or opens.at <= freeze.at):
        missing = "the standings open at standings_open, and are not frozen before; write an earlier standings_freeze"
        table.wrong("standings_open", missing)
    narrow = top.number("narrow", 25.0, 0.0, 1_000.0)
    rank_half = top.number("rank_half", max(_RANK_HALF_POINTS, narrow), 0.0, 10_000.0)
    if 0 < rank_half < narrow:
        top.wrong(
            "rank_half",
            f"an entry within ± {narrow:g} plays only as others need it, and may never come within ± {rank_half:g};"
            f" write {narrow:g} or more, or a smaller narrow",
        )
    pair_share, author_share = _shares(top)
    season = Season(
        ladder=name,
        number=span.number,
        description=_description(top),
        enter=enter,
        accounts=accounts,
        entries_per_author=top.whole("entries_per_author", 1, 1, 1_000),
        provisional_blocks=top.whole("provisional_blocks", 10, 1, 10_000),
        narrow=narrow,
        rank_half=rank_half,
        idle_days=top.whole("idle_days", 7, 0, 10_000),
        final_blocks=table.whole("final_blocks", 10, 0, 10_000),
        final_apart_blocks=FINAL_APART_BLOCKS,
        overall_shares=top.one_of("overall", _SHARES, (_SHARES, _RATINGS), "way to rank over all games") == _SHARES,
        pair_share=pair_share,
        author_share=author_share,
        final_wait_seconds=table.whole("final_wait_seconds", 3_600, 0, 604_800),
        **_times(span, begins=begins, ends=ends, standings_freeze=freeze, standings_open=opens),
        challenges=challenges,
        challengers=challengers,
        memory=top.one_of("memory", NOTHING, MEMORY, "choice of memory"),
        absence=read_absence(top.table("absence")),
    )
    table.finish()
    return season


def _listed(top: TableReader, key: str, choice: str, names: str, example: str, action: str) -> tuple[str, ...]:
    """Reads the accounts that a choice of `list` needs, and every other choice forbids. They may do the `action`."""
    accounts = top.texts(names, example)
    if (choice == LISTED) != top.has(names):
        missing = f'{key} = "list" needs the accounts that may {action}; write {names} = ["…"]'
        top.wrong(key, missing if choice == LISTED else f'{names} are for {key} = "list" only; leave them out')
    return accounts


def _times(span: Span, **by_file: ZonedTime | None) -> dict[str, Any]:
    """Returns the times of a season, by the fields of `Season`: by its span, or else by its file."""
    found: dict[str, Any] = {}
    for key, written in by_file.items():
        at_ms, zone = getattr(span, f"{key}_ms"), getattr(span, f"{key}_zone")
        if at_ms is None:
            at_ms, zone = (written.ms, written.zone) if written is not None else (0, "")
        found |= {f"{key}_ms": at_ms, f"{key}_zone": zone}
    return found


def _description(top: TableReader) -> str:
    """Reads what a ladder is for: lines of plain text."""
    description = top.text("description", "", longest=_MAX_DESCRIPTION_CHARS).strip()
    for number, line in enumerate(description.split("\n"), 1):
        if fault := fault_of(line):
            top.wrong("description", f"description is lines of plain text, and in line {number} {fault}")
    return description


def _shares(top: TableReader) -> tuple[float, float]:
    """Reads the caps on the shares of one opponent, and of the bots of one author."""
    pair = top.number("pair_share", _PAIR_SHARE, 0.0, 1.0)
    author = top.number("author_share", max(_AUTHOR_SHARE, pair), 0.0, 1.0)
    if 0 < author < pair:
        top.wrong(
            "author_share",
            f"a bot has an author, so {author:g} would cap one opponent, too, below pair_share, {pair:g}; write"
            f" {pair:g} or more, or a smaller pair_share",
        )
    return pair, author


def _clock(table: TableReader) -> Clock:
    default = Clock()
    clock = Clock(
        move_ms=table.whole("move_ms", default.move_ms, 1, _HOUR_MS),
        increment_ms=table.whole("increment_ms", default.increment_ms, 0, _HOUR_MS),
        bank_ms=table.whole("bank_ms", default.bank_ms, 0, _HOUR_MS),
        max_timeouts=table.whole("max_timeouts", default.max_timeouts, 0, 1_000_000),
        max_illegal=table.whole("max_illegal", default.max_illegal, 0, 1_000_000),
        network_credit=table.flag("network_credit", default=default.network_credit),
    )
    if not clock.bank_ms and clock.move_ms + clock.increment_ms < _MIN_MOVE_MS:
        table.wrong(
            "move_ms",
            f"nobody can keep this clock: an answer takes some milliseconds on its way alone; give {_MIN_MOVE_MS} or "
            "more, or a bank",
        )
    table.finish()
    return clock


def _queue_hidden(top: TableReader) -> bool:
    return top.one_of("queue", PUBLIC, (PUBLIC, HIDDEN), "choice of queue") == HIDDEN


def _address(top: TableReader, *, hosted: bool) -> str:
    address = top.text("metrics", "")
    if address and hosted:
        top.wrong("metrics", "this arena has metrics of its own, for all tournaments; leave metrics out")
    elif address and not is_host_port(address):
        top.wrong("metrics", f"metrics is {shown(address)}; write HOST:PORT, for example 127.0.0.1:9091")
    return address
