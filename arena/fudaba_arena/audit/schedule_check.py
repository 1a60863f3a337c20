"""Recomputes the schedule of an export's definition, and each drawn round from the results before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from fudaba_arena.audit.faults import ExportFault
from fudaba_arena.audit.rebuilt import LADDER, chosen_of, games_of
from fudaba_arena.audit.season_faults import season_faults
from fudaba_arena.schedule.blocks import Entrant
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.drawn_schedule import DrawnGame, DrawnSchedule, Played, RoundFacts
from fudaba_arena.schedule.planning import drawn_schedule
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from fudaba_arena.schedule.schedule import BadSchedule, Schedule
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.tournament.definition import APART, FRESH, SITTINGS
from fudaba_arena.tournament.formats import DRAWN, GAUNTLET, ROUND_ROBIN, Format

__all__ = ["scheduled"]

_ROUND_FIELDS: Final = ("blocks", "byes", "out", "unplayed", "bracket_round", "annulled")
_MAX_BLOCKS: Final = 10_000_000
"""The number of blocks above which a definition is taken to be made up. Checking so large a schedule would take
hours.
"""


def scheduled(
    head: Mapping[str, Any], lines: Mapping[str, Sequence[Mapping[str, Any]]], played: Callable[[int], Played]
) -> tuple[Schedule | None, list[ExportFault]]:
    """Returns the schedule, if there is one, and the faults of the definition and of the drawn or chosen blocks.

    `head` is the export's first line, `lines` are the others by kind, and `played` has for each slot the matches that
    counted when its block was closed.
    """
    definition, rounds = head["definition"], lines.get("round", ())
    if definition.get("sittings", APART) not in SITTINGS:
        unknown = f"its sittings are {definition['sittings']}, which this release does not know"
        return None, [ExportFault("DEFINITION", unknown)]
    if definition["format"] == LADDER:
        return _season(head, lines.get("entry", ()), lines.get("chosen", ()))
    try:
        schedule = _schedule(head["id"], definition)
    except BadSchedule as error:
        return None, [ExportFault("DEFINITION", f"it cannot be scheduled: {error}")]
    if schedule is None:
        return None, [
            ExportFault("DEFINITION", f"its format is {definition['format']}, which this release does not know")
        ]
    blocks = sum(schedule.part(game).blocks for game in schedule.games)
    if not 0 < blocks <= _MAX_BLOCKS:
        return None, [ExportFault("DEFINITION", f"it leads to {blocks} blocks, which nobody has played")]
    if isinstance(schedule, DrawnSchedule):
        faults = [*_round_faults(schedule, rounds, played), *_annulled_faults(schedule, rounds, lines)]
    else:
        faults = [ExportFault("ROUND", "its format has no rounds that are drawn, and it has some")] if rounds else []
    return schedule, [*faults, *_number_faults(head, schedule)]


def _number_faults(head: Mapping[str, Any], schedule: Schedule) -> list[ExportFault]:
    """Checks the numbers of planned blocks and matches."""
    return [
        ExportFault("DEFINITION", f"it leads to {number} {unit}, not {head[planned]}")
        for planned, unit, number in (
            ("planned_matches", "matches", schedule.matches),
            ("planned_blocks", "blocks", len(schedule)),
        )
        if number != head[planned]
    ]


def _season(
    head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], chosen: Sequence[Mapping[str, Any]]
) -> tuple[Schedule | None, list[ExportFault]]:
    """Returns the schedule of a season of a ladder, or None if it cannot have been played."""
    definition = head["definition"]
    if definition.get("season") is None:
        return None, [ExportFault("DEFINITION", "it is a season of a ladder, and does not say which")]
    faults = season_faults(definition, entries, chosen)
    if faults:
        return None, faults
    schedule = ChosenSchedule(head["id"], games_of(definition), map(chosen_of, chosen), fresh=_fresh(definition))
    return schedule, _number_faults(head, schedule)


def _schedule(tournament_id: str, definition: Mapping[str, Any]) -> Schedule | None:
    """Returns the schedule, without drawn rounds.

    Returns None for an unknown format. Raises `BadSchedule`.
    """
    games = [(game, _entrants(definition, game["game"])) for game in definition["games"]]
    form = Format.from_definition(definition)
    if form.kind in DRAWN:
        return drawn_schedule(
            tournament_id,
            [
                DrawnGame(
                    entrants,
                    game["seats"],
                    game["game"],
                    game["deals"],
                    definition["same_author"],
                    game["win_margin"],
                    _fresh(definition),
                )
                for game, entrants in games
            ],
            next((game["blocks"] for game in definition["games"]), 0),
            form,
        )
    if form.kind not in {ROUND_ROBIN, GAUNTLET}:
        return None
    return FixedSchedule(
        *(
            RoundRobin(
                tournament_id,
                entrants,
                game["blocks"],
                game["deals"],
                definition["same_author"],
                seats=game["seats"],
                game=game["game"],
                challengers=form.challengers,
                fresh=_fresh(definition),
            )
            for game, entrants in games
        )
    )


def _fresh(definition: Mapping[str, Any]) -> bool:
    """Returns whether no deal is played twice. In exports of earlier releases, deals always repeat."""
    return bool(definition.get("sittings", APART) == FRESH)


def _entrants(definition: Mapping[str, Any], game: str) -> tuple[Entrant, ...]:
    return tuple(
        Entrant(bot["bot"], bot["author"], bot["stateless"], f"{bot['owner']}" if "owner" in bot else "")
        for bot in definition["bots"]
        if not bot["games"] or game in bot["games"]
    )


def _round_faults(
    schedule: DrawnSchedule, rounds: Sequence[Mapping[str, Any]], played: Callable[[int], Played]
) -> list[ExportFault]:
    """Checks the rounds, and adds each correct round to the schedule."""
    faults: list[ExportFault] = []
    for number, line in enumerate(rounds):
        if line["round"] != number:
            faults.append(ExportFault("ROUND", f"round {line['round']} stands where round {number} should"))
        drawn = schedule.next_round(RoundFacts(line["out"], line["unplayed"], played, line.get("annulled", ())))
        if drawn is None:
            why = "there were no more rounds" if schedule.whole else "there were too few bots for a group"
            return [*faults, ExportFault("ROUND", f"round {number} was not to be played: {why}")]
        if DrawnRound.from_values({name: line[name] for name in _ROUND_FIELDS if name in line}) != drawn:
            text = "it has other groups or byes than the results before it lead to"
            faults.append(ExportFault("ROUND", f"round {number}: {text}"))
        schedule.add(drawn)
    return faults


def _annulled_faults(
    schedule: DrawnSchedule, rounds: Sequence[Mapping[str, Any]], lines: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[ExportFault]:
    """Checks that annulments have taken back the blocks that a round was drawn without."""
    taken_back = {
        schedule.numbers.slot(number)
        for line in lines.get("annulment", ())
        if not line["undoes"]
        for number in line["blocks"]
    }
    for number, line in enumerate(rounds):
        for slot in sorted(set(line.get("annulled", ())) - taken_back):
            text = f"round {number} leaves out the block of slot {slot} as annulled, and no annulment is of it"
            yield ExportFault("ROUND", text)
