"""A tournament for reports, read from a folder or from a standing arena."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any, Final, final

from fudaba.cli.connection import Connection
from fudaba.client import AsyncClient, translated
from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import block_messages, standing_messages
from fudaba_arena.api.messages.definition_messages import bracket_of
from fudaba_arena.api.messages.standing_messages import network_credits
from fudaba_arena.errors import ArenaError
from fudaba_arena.ladder.ladders import Ladder, Ladders, block_results, ladders_of
from fudaba_arena.ladder.lookalikes import lookalikes, marked
from fudaba_arena.ladder.ratings import Fit, SeatAdvantage
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.schedule.fault_counts import forfeit_counts, parked_causes, void_cause_counts
from fudaba_arena.schedule.state import NOBODY, ScheduledTournament
from fudaba_arena.schedule.wording import span, void_cause
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.usage.seat_use import SeatUse

__all__ = ["About", "ArenaReader", "Lists", "TournamentReport", "from_state", "ladders_from", "lists_of", "match_json"]

_TIMEOUT_SECONDS: Final = 60.0
_ROWS_PER_PAGE: Final = 1000
_VOID: Final = {number: word for word, number in block_messages.VOIDS.items()}
_COUNTS: Final = {
    arena_pb2.MATCH_COUNTING_COUNTED: "yes",
    arena_pb2.MATCH_COUNTING_VOID: "void",
    arena_pb2.MATCH_COUNTING_ANNULLED: "annulled",
    arena_pb2.MATCH_COUNTING_LEFT_OUT: "left out",
    arena_pb2.MATCH_COUNTING_OPEN: "not yet",
}
_RATED_ON: Final = {number: word for word, number in standing_messages.RATED_ON.items()}
_FORFEITS: Final = {number: word for word, number in block_messages.FORFEITS.items()}


About = dict[str, Any]
"""Facts about a tournament beside its standings, as JSON."""


@final
@dataclass(frozen=True, slots=True)
class TournamentReport:
    """The state of a tournament."""

    about: About
    ladders: Ladders
    blocks: int
    """The number of blocks that count at the end."""
    span: str
    """A text that says that blocks hold several groups, if they do."""
    swiss: tuple[arena_pb2.SwissStandings, ...] = ()
    """The standings in each game of a Swiss."""
    bracket: arena_pb2.Bracket | None = None
    """The bracket of a knockout."""


@final
@dataclass(frozen=True, slots=True)
class Lists:
    """The blocks and matches of a tournament."""

    blocks: list[arena_pb2.Block]
    """The blocks that have begun or are parked, in order of their numbers."""
    matches: list[dict[str, Any]]
    """The matches with a result, in the order of the schedule, as JSON values."""
    looks_like: Mapping[str, str]
    """By bot name without a version: the similar name of another bot that people could confuse with it."""

    @property
    def parked(self) -> set[int]:
        """The places in the schedule whose blocks are parked."""
        return {block.slot for block in self.blocks if block.state == arena_pb2.BLOCK_STATE_PARKED}

    @property
    def voids(self) -> list[dict[str, Any]]:
        """The void blocks as JSON values, grouped by place in the schedule."""
        parked = self.parked
        found = [
            {"game": block.game}
            | asdict(
                VoidBlock(
                    block.number,
                    block.slot,
                    _VOID.get(block.void_cause, ""),
                    block.void_match_id,
                    tuple(block.absent_bots),
                    block.void_time.ToMilliseconds(),
                )
            )
            | {"parked": block.slot in parked}
            for block in self.blocks
            if block.state == arena_pb2.BLOCK_STATE_VOID
        ]
        return sorted(found, key=lambda void: (void["slot"], void["block"]))


# --- from a folder


def from_state(state: ScheduledTournament) -> TournamentReport:
    """Returns the report of a stored tournament. It includes the master only if the deals are open."""
    about: About = {
        "tournament": state.tournament.name,
        "id": state.id,
        "games": list(state.schedule.games),
        "commitment": state.commitment,
        "master": state.stored.master.hex() if state.stored.closed else None,
        "matches": state.matches_counted,
        "planned": state.schedule.matches if state.schedule.whole else None,
        "complete": state.complete,
        "parked": [block.number for block in state.parked_blocks],
        "why_parked": {str(number): causes for number, causes in parked_causes(state).items()},
        "annulled": sorted(state.stored.blocks.annulled),
        "withdrawn": dict(sorted(state.stored.withdrawn.items())),
        "forfeits": dict(sorted(forfeit_counts(state).items())),
        "voids_by_cause": dict(sorted(void_cause_counts(state).items())),
        "network_credits": _credits(network_credits(state)),
    }
    ladders = marked(ladders_of(state, block_results(state)), state.tournament.bots)
    return TournamentReport(
        about,
        ladders,
        len(state.schedule),
        span(state.schedule),
        tuple(standing_messages.swiss(state)),
        bracket_of(state),
    )


def lists_of(state: ScheduledTournament) -> Lists:
    """Returns the blocks and matches of a stored tournament."""
    parked = {block.number for block in state.parked_blocks}
    playing = block_messages.begun(state)
    numbers = sorted({*state.stored.blocks.places, *parked, *playing})
    blocks = [block_messages.block(state, state.schedule.block(number), playing, parked) for number in numbers]
    found = [(closed, result) for closed in state.stored.blocks.blocks() for result in closed.results]
    results = [*found, *((None, result) for result in state.stored.results.values())]
    results.sort(key=lambda pair: (pair[1].block, pair[1].match_id))
    matches = [_match(state, closed, result) for closed, result in results]
    return Lists(blocks, matches, lookalikes(state.tournament.bots))


def _match(state: ScheduledTournament, closed: ClosedBlock | None, result: MatchResult) -> dict[str, Any]:
    counting = block_messages.counting(state, closed, result.match_id, result.bots)
    terms = state.terms(state.schedule.block(result.block).slot)
    result = replace(result, used=result.used_under(terms.limits))
    return {"game": state.schedule.game_of(result.block)} | _as_json(result) | {"counts": _COUNTS[counting]}


# --- from an arena


@final
class ArenaReader:
    """Reads a tournament from a standing arena. Raises `ServiceError`, and `ArenaError` if several could be meant."""

    def __init__(self, connection: Connection) -> None:
        self._address = connection.server
        self._client = AsyncClient(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.close()

    async def only(self) -> str:
        """Returns the name of the only tournament."""
        request = arena_pb2.ListTournamentsRequest(page_size=_ROWS_PER_PAGE)
        found = (await self._client.arena.ListTournaments(request, timeout=_TIMEOUT_SECONDS)).tournaments
        if len(found) != 1:
            names = ", ".join(tournament.name for tournament in found) or "there is none yet"
            raise ArenaError(f"name the tournament, with its FILE or --tournament: {names}")
        return found[0].name

    async def followed(self, name: str) -> TournamentReport:
        """Returns the tournament's report."""
        request = arena_pb2.GetStandingsRequest(tournament=name)
        answer = await self._client.arena.GetStandings(request, timeout=_TIMEOUT_SECONDS)
        tournament = answer.tournament
        parked: list[arena_pb2.Block] = []
        why: dict[str, list[str]] = {}
        if tournament.progress.blocks_parked:
            parked = await self._blocks(name, arena_pb2.BLOCK_STATE_PARKED)
            why = _why_parked(parked, await self._blocks(name, arena_pb2.BLOCK_STATE_VOID))
        about: About = {
            "tournament": tournament.name,
            "id": tournament.tournament_id,
            "games": [game.game for game in tournament.definition.games],
            "commitment": tournament.commitment.hex(),
            "master": tournament.master.hex() if tournament.master else None,
            "matches": tournament.progress.matches_counted,
            "planned": tournament.progress.matches_planned if tournament.progress.HasField("matches_planned") else None,
            "complete": tournament.progress.complete,
            "parked": [block.number for block in parked],
            "why_parked": why,
            "annulled": [block.number for block in await self._blocks(name, arena_pb2.BLOCK_STATE_ANNULLED)],
            "withdrawn": {
                withdrawal.bot: withdrawal.message or _cause(withdrawal.cause) for withdrawal in tournament.withdrawals
            },
            "forfeits": _forfeits(answer.forfeits),
            "voids_by_cause": _voids(answer.voids),
            "network_credits": _credits(answer.network_credits),
        }
        return TournamentReport(
            about,
            ladders_from(answer.standings),
            tournament.progress.blocks_planned,
            "",
            tuple(answer.swiss),
            answer.bracket if answer.HasField("bracket") else None,
        )

    async def lists(self, name: str) -> Lists:
        """Reads the tournament's blocks and matches."""
        matches: list[arena_pb2.TournamentMatch] = []
        looks_like: dict[str, str] = {}
        page = ""
        while True:
            request = arena_pb2.ListTournamentMatchesRequest(tournament=name, page_size=_ROWS_PER_PAGE, page_token=page)
            answer = await self._client.arena.ListTournamentMatches(request, timeout=_TIMEOUT_SECONDS)
            matches += answer.matches
            looks_like |= answer.looks_like
            page = answer.next_page_token
            if not page:
                break
        ended = [match_json(match) for match in matches if match.scores]
        blocks: list[arena_pb2.Block] = []
        async for block_page in self._block_pages(name):
            blocks += block_page.blocks
            looks_like |= block_page.looks_like
        return Lists(blocks, ended, looks_like)

    async def exported(self, name: str) -> AsyncIterator[str]:
        """Yields the lines of the tournament's export."""
        request = arena_pb2.ExportTournamentRequest(tournament=name)
        async for part in translated(self._client.arena.ExportTournament(request), self._address):
            for line in part.lines:
                yield line

    async def _blocks(
        self, name: str, state: arena_pb2.BlockState.ValueType = arena_pb2.BLOCK_STATE_UNSPECIFIED
    ) -> list[arena_pb2.Block]:
        return [block async for page in self._block_pages(name, state) for block in page.blocks]

    async def _block_pages(
        self, name: str, state: arena_pb2.BlockState.ValueType = arena_pb2.BLOCK_STATE_UNSPECIFIED
    ) -> AsyncIterator[arena_pb2.ListBlocksResponse]:
        page = ""
        while True:
            request = arena_pb2.ListBlocksRequest(
                tournament=name, state=state, page_size=_ROWS_PER_PAGE, page_token=page
            )
            answer = await self._client.arena.ListBlocks(request, timeout=_TIMEOUT_SECONDS)
            yield answer
            page = answer.next_page_token
            if not page:
                return


def _cause(cause: arena_pb2.WithdrawalCause.ValueType) -> str:
    absent = cause == arena_pb2.WITHDRAWAL_CAUSE_NO_SHOW
    return "it did not connect" if absent else "its process cannot be kept running"


def _why_parked(parked: Iterable[arena_pb2.Block], void: Iterable[arena_pb2.Block]) -> dict[str, list[str]]:
    """Does the work of `ScheduledTournament.why_parked` with the answers of an arena."""
    causes: dict[int, list[str]] = {}
    for block in void:
        cause = _VOID.get(block.void_cause, "")
        if cause not in NOBODY:
            causes.setdefault(block.slot, []).append(void_cause(cause, block.absent_bots))
    return {str(block.number): causes.get(block.slot, []) for block in parked}


def _forfeits(counts: Iterable[arena_pb2.ForfeitCount]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for forfeit_count in counts:
        found.setdefault(forfeit_count.bot, {})[_FORFEITS.get(forfeit_count.cause, "")] = forfeit_count.matches
    return found


def _voids(counts: Iterable[arena_pb2.VoidCount]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for void_count in counts:
        found.setdefault(void_count.bot, {})[_VOID.get(void_count.cause, "")] = void_count.blocks
    return found


def _credits(credit_messages: Iterable[arena_pb2.NetworkCredit]) -> dict[str, dict[str, int]]:
    return {
        credit.bot: {
            "decisions": credit.decisions,
            "median_us": credit.median_us,
            "low_us": credit.low_us,
            "high_us": credit.high_us,
        }
        for credit in credit_messages
    }


def _as_json(result: MatchResult) -> dict[str, Any]:
    """Returns a result from an arena as JSON: it has only the sums of network credits and resource use, by entry."""
    result_fields = asdict(result)
    del result_fields["credited"], result_fields["time"], result_fields["rules"], result_fields["unknown"]
    return result_fields


def match_json(match: arena_pb2.TournamentMatch) -> dict[str, Any]:
    """Returns a match with a result as JSON."""
    result = MatchResult(
        match.match_id,
        match.block,
        match.deal,
        tuple(match.bots),
        tuple(match.scores),
        match.bots[match.forfeited_seat] if match.HasField("forfeited_seat") else "",
        _FORFEITS.get(match.forfeit_cause, ""),
        match.end_time.ToMilliseconds(),
        match.worker,
        tuple(map(_seat_use, match.seat_uses)),
    )
    return {"game": match.game} | _as_json(result) | {"counts": _COUNTS.get(match.counting, "")}


def _seat_use(seat_use: arena_pb2.SeatUse) -> SeatUse:
    return SeatUse(
        seat_use.seat,
        seat_use.runtime,
        seat_use.sandbox,
        tuple(seat_use.not_enforced),
        seat_use.memory_limit,
        seat_use.cpu.ToMilliseconds(),
        seat_use.wall.ToMilliseconds(),
        seat_use.memory,
        seat_use.starts,
        seat_use.own_cores,
    )


def ladders_from(game_standings: Iterable[arena_pb2.Standings]) -> Ladders:
    """Returns the ladders that an arena tells."""
    listed = list(game_standings)
    ladders, point = {standings.game: _ladder(standings) for standings in listed}, listed[0].point
    first = next(iter(ladders.values()))
    return Ladders(first, dict(list(ladders.items())[1:]) if len(ladders) > 1 else ladders, point=point)


def _ladder(standings: arena_pb2.Standings) -> Ladder:
    seats = tuple(
        SeatAdvantage(
            seat_advantage.seat,
            seat_advantage.advantage,
            seat_advantage.low if seat_advantage.HasField("low") else -inf,
            seat_advantage.high if seat_advantage.HasField("high") else inf,
        )
        for seat_advantage in standings.seat_advantages
    )
    fit = Fit((), seats, standings.deal_luck, standings.spread, standings.confidence)
    return Ladder(fit, tuple(map(_standing, standings.rows)), _RATED_ON.get(standings.rated_on, ""))


def _standing(row: arena_pb2.Standing) -> Standing:
    low = row.low if row.HasField("low") else -inf
    high = row.high if row.HasField("high") else inf
    return Standing(
        rank=row.rank if row.HasField("rank") else None,
        bot=row.bot,
        version=row.version,
        rating=row.rating,
        half=(high - low) / 2 if isfinite(high - low) else inf,
        low=low,
        high=high,
        points=row.points if row.HasField("points") else None,
        matches=row.matches,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        share=row.share if row.HasField("share") else None,
        blocks=row.blocks,
        voids=row.void_blocks,
        component=row.component,
        provisional=row.provisional,
        idle=row.idle,
        panel=row.panel,
        last_played_ms=row.last_played_time.ToMilliseconds(),
        entered_versions=row.entered_versions,
        looks_like=row.looks_like,
        changes=row.changes_with_time,
        expected_share=row.expected_share if row.HasField("expected_share") else None,
        expected_low=row.expected_low if row.HasField("expected_low") else None,
        expected_high=row.expected_high if row.HasField("expected_high") else None,
    )
