"""A ladder, its entries and its standings, in words and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from fudaba.cli import _tournament_words as of_tournaments
from fudaba.cli._challenge_words import policy
from fudaba.cli.assign import alike
from fudaba.cli.clock import NO_NETWORK_CREDIT
from fudaba.cli.frozen_standings import frozen_lines
from fudaba.cli.output import for_reader, moment, table
from fudaba.pace_words import clock_given, pace_taken
from fudaba.safe_text import safe_line
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = [
    "awaited",
    "change_lines",
    "entries_table",
    "entry_state",
    "ladder_lines",
    "ladders_table",
    "standings_notes",
    "standings_table",
    "state",
]

_MAX_NOTES: Final = 10
"""The number of unranked versions that are explained."""


def state(found: arena_pb2.Ladder) -> str:
    """Returns the state of its season in words: waiting, playing, final, paused, stalled or closed."""
    from fudaba.v1 import arena_pb2

    return arena_pb2.LadderState.Name(found.state).removeprefix("LADDER_STATE_").lower()


def entry_state(found: arena_pb2.Entry) -> str:
    """Returns the state of an entry in words, such as playing, paused or left."""
    from fudaba.v1 import arena_pb2

    return arena_pb2.EntryState.Name(found.state).removeprefix("ENTRY_STATE_").lower()


def awaited(found: arena_pb2.AwaitedEntry) -> str:
    """Returns the state of a submission that is to be entered."""
    if found.left_out_because:
        return f"not entered: {found.left_out_because}"
    if not found.HasField("complete_time"):
        by = f" by {moment(found.deadline_time)}" if found.HasField("deadline_time") else ""
        return f"being uploaded; once it is complete{by}, it is entered when its check has passed"
    if found.HasField("deadline_time"):
        until = moment(found.wait_until_time)
        return f"uploaded in time, being checked; it is entered when its check has passed, until {until}"
    return "being checked; it is entered when its check has passed"


def pace(found: arena_pb2.EnterLadderResponse) -> str:
    """Returns a version's time in its check, beside the ladder's clock."""
    start, slowest, cpu = (
        duration.ToMilliseconds() / 1000 for duration in (found.pace.start, found.pace.slowest_decision, found.pace.cpu)
    )
    took = pace_taken(start, slowest, cpu)
    return f"in its check {took}; the ladder's clock: {clock_given(found.clock)}"


def ladders_table(found: Iterable[arena_pb2.Ladder]) -> str:
    """Returns the output of `fudaba ladder list`."""
    rows = [
        [
            ladder.name,
            state(ladder),
            str(ladder.season),
            ", ".join(game.game for game in ladder.tournament.definition.games),
            str(ladder.entries_playing),
            str(ladder.tournament.progress.matches_counted),
        ]
        for ladder in found
    ]
    return table(("ladder", "state", "season", "games", "bots", "matches"), rows, "llrlrr") or "no ladders"


def ladder_lines(found: arena_pb2.Ladder) -> list[str]:
    """Returns the output of `fudaba ladder show`."""
    from fudaba.v1 import arena_pb2

    season, rules = found.tournament, found.definition
    several = len(season.definition.games) > 1
    authors = {
        arena_pb2.LADDER_ENTRY_ANYONE: f"every author, {counted(rules.entries_per_author, 'bot')} each",
        arena_pb2.LADDER_ENTRY_LISTED: f"some authors, {counted(rules.entries_per_author, 'bot')} each",
        arena_pb2.LADDER_ENTRY_ORGANISER: "only the organiser",
    }.get(rules.entry, "-")
    challengers = {
        arena_pb2.CHALLENGE_POLICY_ANYONE: "every author, unless the entry's author says otherwise",
        arena_pb2.CHALLENGE_POLICY_LISTED: f"{', '.join(rules.challengers)}, unless the entry's author says otherwise",
    }.get(rules.challenges, "nobody, unless the entry's author says otherwise")
    return [
        f"ladder {found.name}, season {found.season} ({season.tournament_id}): {state(found)}",
        *([f"stalled because: {season.stalled_because.splitlines()[0]}"] if season.stalled_because else []),
        *(f"description: {line}" for line in rules.description.splitlines() if line),
        f"{counted(found.entries_playing, 'bot')}; {of_tournaments.progress(season)}",
        f"who may enter bots: {authors}",
        f"who may challenge entries: {challengers}",
        *(["submitted bots may remember: each version may have a folder that lives on"] if rules.memory_kept else []),
        *_final(rules),
        *(["overall: by the shares that the ratings in all games predict"] if rules.overall_shares and several else []),
        *map(_zero, rules.panels),
        *_shares(rules),
        *(["names: hidden until a block is over"] if rules.names_hidden else []),
        *([_absence(rules.absence)] if rules.HasField("absence") else []),
        *([f"begins: {for_reader(rules.begin_time, rules.begin_zone)}"] if rules.HasField("begin_time") else []),
        *([f"ends: {for_reader(rules.end_time, rules.end_zone)}"] if rules.HasField("end_time") else []),
        *frozen_lines(season, rules),
        *(f"game {game.game}: {game.seats} seats" for game in season.definition.games),
        f"clock: {clock_given(season.definition.clock)}",
        *([NO_NETWORK_CREDIT] if season.definition.clock.no_network_credit else []),
        *of_tournaments.sittings(season.definition),
        *of_tournaments.cores_per_seat(season.definition),
        *map(_isolation, found.isolations),
        *of_tournaments.ponder(season.definition),
        f"commitment to the deals: {season.commitment.hex()}",
        *([f"the deals are open: master {season.master.hex()}"] if season.master else []),
    ]


def _final(rules: arena_pb2.LadderDefinition) -> list[str]:
    """Returns the number of blocks in the final, and what it is rated on; empty for a season of an earlier release."""
    if not rules.final_blocks or not rules.final_apart_blocks:
        return []
    blocks, apart = counted(rules.final_blocks, "block"), counted(rules.final_apart_blocks, "block")
    return [f"final: {blocks} of each game; rated apart from the season where every bot has {apart} in it"]


def _zero(panel: arena_pb2.RatingPanel) -> str:
    """Returns what fixes the ratings of a game."""
    bots = ", ".join(
        f"{bot.bot} {bot.rating:.0f}" + (f" ± {bot.half:.0f}" if bot.half else "")
        for bot in sorted(panel.bots, key=lambda bot: -bot.rating)
    )
    return f"zero of {panel.game}: the panel, which plays along with fixed ratings: {bots}"


def _shares(rules: arena_pb2.LadderDefinition) -> list[str]:
    """Returns the caps on the shares of opponents; empty where there are none."""
    caps = {"one bot": rules.pair_share, "the bots of one author": rules.author_share}
    shares = [f"{100 * share:g} % with {opponents}" for opponents, share in caps.items() if share]
    return [f"of a version's blocks: at most {', '.join(shares)}, unless too few bots are here"] if shares else []


def _absence(rule: arena_pb2.AbsenceRule) -> str:
    """Returns what absence in the middle of a block costs a bot."""
    grace = f"{rule.grace_seconds} s, {counted(rule.graces, 'time')} a block" if rule.graces else "no grace"
    return f"absence in the middle of a block: forfeits what is left of it ({grace})"


def _isolation(isolation: arena_pb2.Isolation) -> str:
    """Returns what isolates the bots that authors have entered."""
    known = {
        "bubblewrap": "bubblewrap, worker as root",
        "unsafe": "unsafe, no sandbox at all",
        "remote": "remote, bots run at their authors'",
        "": "not told by workers of an earlier release",
    }
    made = [safe_line(isolation.version)] if isolation.version else []
    workers = [counted(isolation.workers, "worker")] if isolation.workers else []
    beside = "; ".join(made + workers)
    mode = known.get(isolation.mode, safe_line(isolation.mode))
    return f"isolation: {mode}{f' ({beside})' if beside else ''}{_not_enforced(isolation)}"


def _not_enforced(isolation: arena_pb2.Isolation) -> str:
    """Returns which rules of the ladder are not enforced on its bots there, and why."""
    if not isolation.not_enforced:
        return ""
    why = "cannot there" if isolation.enforcement_told else "not told by workers of an earlier release"
    return f"; NOT ENFORCED ({why}): {safe_line(', '.join(isolation.not_enforced))}"


def entries_table(found: Collection[arena_pb2.Entry]) -> str:
    """Returns the output of `fudaba ladder entries`."""
    rows = [
        [
            entry.bot,
            entry.version,
            entry_state(entry),
            entry.author or "-",
            ", ".join(entry.games) or "all",
            str(entry.blocks),
            policy(entry),
            alike(entry),
        ]
        for entry in found
    ]
    head = ("bot", "version", "state", "author", "games", "blocks", "may challenge", "")
    why = [
        f"  {entry.bot}@{entry.version} is absent: {entry.absent_because}" for entry in found if entry.absent_because
    ]
    why += [
        f"  {entry.bot} is disqualified since {moment(entry.disqualify_time)} (UTC):"
        f" {safe_line(entry.disqualify_reason) or 'the organiser knows why'}"
        for entry in found
        if entry.HasField("disqualify_time")
    ]
    return "\n".join([table(head, rows, "lllllrll") or "nobody is entered", *why])


def standings_table(found: Iterable[arena_pb2.Standing]) -> str:
    """Writes the output of `fudaba ladder standings` for one game, or overall."""
    rows = list(found)
    expected = any(row.HasField("expected_share") for row in rows)
    shares = ["expected"] if expected else []
    head = ("rank", "version", "rating", "± 95%", *shares, "blocks", "wins", "draws", "losses")
    cells = [_cells(row, expected=expected) for row in rows]
    return table((*head, ""), cells, f"rl{'r' * (len(head) - 2)}l") or "nobody is entered"


def _cells(row: arena_pb2.Standing, *, expected: bool) -> list[str]:
    rated = row.HasField("low") and row.HasField("high")
    return [
        str(row.rank) if row.HasField("rank") else "-",
        row.bot,
        f"{row.rating:.0f}" if rated else "-",
        f"{(row.high - row.low) / 2:.0f}" if rated else "-",
        *([f"{100 * row.expected_share:.0f}%" if row.HasField("expected_share") else "-"] if expected else []),
        *(str(number) for number in (row.blocks, row.wins, row.draws, row.losses)),
        ", ".join(filter(None, (*_remarks(row), alike(row)))),
    ]


def _remarks(row: arena_pb2.Standing) -> Iterator[str]:
    """Returns the notes on a version beside its rating."""
    if row.HasField("disqualify_time"):
        yield f"disqualified {row.disqualify_time.ToDatetime():%Y-%m-%d}"
    if row.panel:
        yield "panel, fixed"
    if row.provisional:
        yield "provisional"
    if row.idle:
        yield f"idle since {row.last_played_time.ToDatetime():%Y-%m-%d}"
    if row.changes_with_time:
        yield "changes with time"
    if row.entered_versions > 1 and row.HasField("rank"):
        yield f"one of {counted(row.entered_versions, 'version')}"


def standings_notes(found: Sequence[arena_pb2.Standings], enough: int, rank_half: float = 0.0) -> list[str]:
    """Returns why versions in the first of these standings lack a rank or a rating, and what each needs.

    `enough` is the number of blocks of a game that a version must play, and `rank_half` the width that its interval
    must reach, if that matters. If the first standings cover all games, the others are those of the single games.
    """
    from fudaba.v1 import arena_pb2

    if not found:
        return []
    together, games = found[0], found[1:] or found[:1]
    blocks = {game_standings.game: {row.bot: row.blocks for row in game_standings.rows} for game_standings in games}
    finals = {entry.game for entry in games if entry.rated_on == arena_pb2.RATED_BLOCKS_FINAL}
    notes: list[str] = []
    for row in together.rows:
        if row.panel or row.HasField("disqualify_time") or any(not blocks[game].get(row.bot, 1) for game in finals):
            continue  # its row says so, or it has not played the final, on which it would be rated
        elsewhere = [game for game, bot_blocks in blocks.items() if row.bot not in bot_blocks]
        few = [
            f"{bot_blocks[row.bot]} of {enough} in {game}"
            for game, bot_blocks in blocks.items()
            if game not in finals and bot_blocks.get(row.bot, enough) < enough
        ]
        if elsewhere:
            notes.append(f"  {row.bot} has no rating over all games: it is not entered in {', '.join(elsewhere)}")
        elif row.provisional and few:
            notes.append(f"  {row.bot} is provisional; blocks so far: {', '.join(few)}")
        elif row.provisional and row.HasField("high") and (row.high - row.low) / 2 > rank_half > 0:
            half = (row.high - row.low) / 2
            notes.append(f"  {row.bot} is provisional: its interval is ± {half:.0f}, and a rank needs ± {rank_half:g}")
        elif few and not row.blocks:
            notes.append(
                f"  {row.bot} has no rating: it has played no block that counts; `fudaba ladder entries` says more"
            )
        elif not row.HasField("low") and not few:
            notes.append(f"  {row.bot} has no rating: nothing that was played compares it with another version")
    if len(games) > 1 and notes and not any(row.HasField("low") for row in together.rows):
        notes.insert(
            0, "nobody has a rating over all games yet: for that, two versions must have played in each of them"
        )
    return [*notes[:_MAX_NOTES], *([f"  and {len(notes) - _MAX_NOTES} more"] if len(notes) > _MAX_NOTES else [])]


def change_lines(message: arena_pb2.WatchLadderResponse) -> list[str]:
    """Returns a message of `fudaba ladder watch`: the changes, then the season's progress."""
    now = f"-- season {message.season}, {state(message.ladder)}, {of_tournaments.progress(message.ladder.tournament)}"
    return [*map(of_tournaments.change_line, message.changes), now]
