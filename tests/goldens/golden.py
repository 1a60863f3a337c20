"""Golden records: whole matches that are played as they always were, so that no change of the rules goes unseen.

Of every game there are a few records that can be read, a file each: what a match is made of (game, rules version,
seats, options, seed), then every decision that was answered with what was shown to whom, and a short hash of all views
and legal moves. The moves in the file are what is replayed: the way in which they were once drawn does not matter. A
line `referee` and a name is a timer that fires.

Of all other matches only digests are kept, one after each move, in the game's `digests.txt`. Their moves are drawn from
the lists of legal moves, kind first, by a seed. A digest is one of the whole record so far, so that the first that
differs names the first move after which something is different. The rules version is beside that, so that a new one
does not hide where matches change.

`python -m tests.goldens [GAME ...]` compares all of it, and writes what is missing; with `--rewrite` it writes all,
which is right after an intended change. The readable records are then played again with the moves that they have,
where these are still legal; otherwise new ones are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from fudaba_games.game import Game, GameError, OptionValue, Shown
from fudaba_games.match import Match
from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import REFEREE, Case, all_cases, is_long, usual_options
from tests.support.conformance.dump import dump

FOLDER: Final = Path(__file__).parent
RECORDS_PER_CASE: Final = 2
"""The number of records that have the usual options, for each number of seats."""
_MOVE: Final = re.compile(r"(?:(\d+)\.\d+|referee) (.+)")
_ENTRY: Final = re.compile(r"^(\S+): (\d+) moves\n((?:  [0-9a-f ]+\n)+)", re.MULTILINE)
_DIGEST_DIGITS: Final = 4
"""This many hexadecimal digits stand for a record up to a move."""
_DIGESTS_PER_LINE: Final = 20
_EMPTY_LINES: Final = 2
"""This many empty lines stand in a record before its end: one before the deal, one with which the end begins."""

AnyMatch = Match[Any, Any, Any, Any]
Chooser = Callable[[AnyMatch], tuple[int, Any]]


class Step(NamedTuple):
    """A part of a record: what the match is made of, the deal, one move, or the end."""

    title: str
    """One of those; a move as its line has it."""
    lines: list[str]

    @property
    def text(self) -> str:
        """As the record has it."""
        return "".join(f"{line}\n" for line in self.lines)


@cache
def golden_cases(game: AnyGame) -> Sequence[Case]:
    """Returns the matches of a game that have a golden record.

    Where matches are long the options beside the usual ones have a record with the fewest seats only.
    """
    usual = usual_options(game)
    found = all_cases(game, each=RECORDS_PER_CASE)
    return [case for case in found if not is_long(game) or case.seats == game.min_seats or case.options == usual]


@cache
def readable(game: AnyGame) -> Sequence[Case]:
    """Returns those of them that are kept as a text: the first and the last with the fewest seats.

    The last one has another option than the usual ones, if the game has options. What more seats show is thousands of
    lines, and proven by digests as well.
    """
    fewest = [case for case in golden_cases(game) if case.seats == game.min_seats]
    return [fewest[0], fewest[-1]]


def record_file(game: AnyGame, case: Case) -> Path:
    """Returns where a record that can be read is kept."""
    return FOLDER / game.id / f"{case.label}.txt"


def digests_file(game: AnyGame) -> Path:
    """Returns where the digests of a game's other records are kept."""
    return FOLDER / game.id / "digests.txt"


# ---- playing -------------------------------------------------------------------------------------------------------


def drawn(game: AnyGame, case: Case, parts: int | None = None) -> list[Step]:
    """Returns the record of a match by moves drawn from the lists of legal moves, or its first so many parts."""
    chance = case.chance

    def choose(match: AnyMatch) -> tuple[int, Any]:
        due, timers = match.open_decisions(), match.timers()
        if timers and (not due or chance.randrange(4) == 0):
            return REFEREE, timers[chance.randrange(len(timers))].name
        seat = due[chance.randrange(len(due))].seat
        return seat, Game.random_move(game, match.state, seat, chance)

    return list(islice(record(game, case.seats, case.options, case.seed, choose), parts))


class NoLongerPlayed(Exception):
    """A record has a move that cannot be made any more. `str()` says which."""


def replayed(game: AnyGame, case: Case, text: str) -> list[Step]:
    """Returns the record of the match that another record has, played again: the same text, unless something has
    changed.
    """
    found = [_MOVE.fullmatch(line) for line in text.splitlines()]
    moves = iter([(int(parsed[1]) if parsed[1] else REFEREE, parsed[2]) for parsed in found if parsed])

    def choose(match: AnyMatch) -> tuple[int, Any]:
        recorded = next(moves, None)
        if recorded is None:
            raise NoLongerPlayed("the record is over, and the match goes on")
        seat, words = recorded
        if seat == REFEREE:
            return seat, words
        due = match.open(seat)
        if due is None:
            raise NoLongerPlayed(f"seat {seat} is no longer asked where the record has `{words}`")
        try:
            move = game.text.parse_move(words)
            match.check(seat, due.id, move)
        except GameError as error:
            raise NoLongerPlayed(f"the record has `{words}` for seat {seat}, and that is refused: {error}") from error
        return seat, move

    return list(record(game, case.seats, case.options, case.seed, choose))


def record(game: AnyGame, seats: int, options: dict[str, OptionValue], seed: bytes, choose: Chooser) -> Iterator[Step]:
    """Yields a whole match, part by part."""
    match: AnyMatch = Match(game, seats, options, seed)
    _, opening = game.new_match(seats, options, seed)
    yield Step(
        "what the match is made of",
        [
            f"game {game.id}",
            _version(game),
            f"seats {seats}",
            *(f"option {name} = {value}" for name, value in options.items()),
            f"seed {seed.hex()}",
        ],
    )
    yield Step("the deal", ["", *_shown(game, opening), f"  {_picture(match)}"])
    while not match.over:
        seat, move = choose(match)
        if seat == REFEREE:
            line = f"referee {move}"
            events = match.fire(move)
        else:
            due = match.open(seat)
            assert due is not None
            line = f"{due.id} {game.text.format_move(move)}"
            events = match.play(seat, move)
        yield Step(f"`{line}`", [line, *_shown(game, events), f"  {_picture(match)}"])
    assert match.outcome is not None
    scores, placements = match.outcome.scores, match.outcome.placements
    yield Step(
        "the end",
        [
            "",
            *game.text.render_view(match.view(None)).splitlines(),
            "",
            f"scores {' '.join(map(str, scores))}",
            f"placements {' '.join(map(str, placements))}",
        ],
    )


def _version(game: AnyGame) -> str:
    return f"rules version {game.rules_version}"


def _shown(game: AnyGame, events: list[Shown[Any]]) -> Iterator[str]:
    for shown in events:
        to = "all" if shown.to < 0 else "seat " + " ".join(str(seat) for seat in range(64) if shown.to >> seat & 1)
        yield f"  {to}: {game.text.describe_event(shown.event)}"


def _picture(match: AnyMatch) -> str:
    """Returns who is asked, and a short hash of all that everybody sees and may do."""
    due = match.open_decisions()
    views = [match.view(seat) for seat in (None, *range(match.seats))]
    asked = [
        (decision.id, decision.required, [match.game.text.format_move(move) for move in decision.legal])
        for decision in due
    ]
    asked_ids = " ".join(decision.id for decision in due) or "nobody"
    return f"asked {asked_ids}, seen {sha256(dump([views, asked])).hexdigest()[:12]}"


# ---- digests -------------------------------------------------------------------------------------------------------


def text_of(steps: Sequence[Step]) -> str:
    """Returns a record as a text."""
    return "".join(step.text for step in steps)


def digests_of(steps: Sequence[Step]) -> list[str]:
    """Returns a digest for each part of a record from the deal on: of the record up to there."""
    found, so_far = [], sha256()
    for step in steps[1:]:
        so_far.update(step.text.encode())
        found.append(so_far.hexdigest()[:_DIGEST_DIGITS])
    return found


def read_digests(text: str) -> dict[str, list[str]]:
    """Returns the digests of a game's file, by the labels of the matches."""
    return {label: digests.split() for label, _, digests in _ENTRY.findall(text)}


def write_digests(game: AnyGame, found: dict[str, list[str]]) -> str:
    """Returns a game's file of digests."""
    parts = [f"{_version(game)}\n\n"]
    for label, digests in found.items():
        lines = [digests[start : start + _DIGESTS_PER_LINE] for start in range(0, len(digests), _DIGESTS_PER_LINE)]
        parts.append(f"{label}: {len(digests) - 2} moves\n" + "".join(f"  {' '.join(line)}\n" for line in lines))
    return "".join(parts)


# ---- comparing -----------------------------------------------------------------------------------------------------


def difference(game: AnyGame, case: Case) -> str | None:
    """Returns what is different from a match's golden record, from its first move on that is; None if nothing is."""
    if case in readable(game):
        text = record_file(game, case).read_text(encoding="utf-8")
        try:
            return differing_text(replayed(game, case, text), text)
        except NoLongerPlayed as error:
            return str(error)
    text = digests_file(game).read_text(encoding="utf-8")
    found = differing_digests(drawn(game, case), read_digests(text)[case.label])
    if found or text.startswith(f"{_version(game)}\n"):
        return found
    return f"the first difference is the rules version: it is {game.rules_version}, and the matches are as they were"


def differing_text(steps: Sequence[Step], text: str) -> str | None:
    """Returns where a match is not what its record says."""
    (made_of, kept), *others = zip_longest(steps, _parts(text))
    for number, (step, part) in enumerate(others):
        if step is None:
            return f"the match is over; its record goes on with\n{part}"
        if step.text != part:
            return _differs(step, number, f"instead of\n{part or 'nothing'}")
    return None if made_of.text == kept else _differs(made_of, 0, f"instead of\n{kept}and the match is as it was")


def _parts(text: str) -> list[str]:
    """Returns the parts of a record that can be read: what the match is made of, the deal, each move, the end."""
    parts, empty = [""], 0
    for line in text.splitlines(keepends=True):
        if empty < _EMPTY_LINES and (line == "\n" or _MOVE.fullmatch(line.rstrip("\n"))):
            parts.append("")
            empty += line == "\n"
        parts[-1] += line
    return parts


def differing_digests(steps: Sequence[Step], known: Sequence[str]) -> str | None:
    """Returns where a match is not what the digests of its record say."""
    found = digests_of(steps)
    for number, (step, digest, other) in enumerate(zip(steps[1:], found, known, strict=False)):
        if digest != other:
            return _differs(step, number, "where its record has something else")
    if len(found) != len(known):  # the digests of the ends are the same by accident
        return f"the match has {len(found) - 2} moves, its record {len(known) - 2}"
    return None


def _differs(step: Step, number: int, instead: str) -> str:
    return f"the first difference is at {step.title}, move {number}:\n{step.text}{instead}"
