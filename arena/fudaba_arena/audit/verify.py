"""Verifies an export: checks every seed, deal, seat and result, and names each fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, final

from fudaba_arena.audit.annulment_faults import annulment_faults, disqualification_faults, point_faults
from fudaba_arena.audit.digests import match_digest, results_digest
from fudaba_arena.audit.export import annulled_line
from fudaba_arena.audit.faults import ExportFault, Report
from fudaba_arena.audit.lines import BadExport, read_lines
from fudaba_arena.audit.rebuilt import LADDER, annulled_bots, closed_blocks, left_bots, rebuilt
from fudaba_arena.audit.records import Planned, record_faults
from fudaba_arena.audit.schedule_check import scheduled
from fudaba_arena.audit.season_faults import sequence_faults
from fudaba_arena.audit.seed_faults import seed_faults
from fudaba_arena.audit.sorted_lines import LineKey, SortedLines
from fudaba_arena.audit.standings import published_faults, standings_faults
from fudaba_arena.audit.times import Times
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.drawn_schedule import Played
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.schedule.seeds import MASTER_BYTES, block_seed, commitment, deal_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import FREEZE

__all__ = ["BadExport", "Rate", "RateAt", "verify"]

Rate = Callable[[ScheduledTournament], Iterable[Mapping[str, Any]]]
"""Computes the standings of a state, in the form of an export."""
RateAt = Callable[[ScheduledTournament, int], Mapping[str, Any] | None]
"""Computes the ratings of a state at a point of its sequence, in the form of an export; None at a point at which
nothing is published.
"""


def verify(
    lines: Iterable[str],
    *,
    master: bytes | None = None,
    committed: bytes | None = None,
    records: Path | None = None,
    rate: Rate | None = None,
    rate_at: RateAt | None = None,
    season: Iterable[str] | None = None,
) -> Report:
    """Checks the lines of an export. Raises `BadExport` for lines that cannot be read.

    `master` overrides the export's own. Without either, the report lists what could not be checked. `committed` is the
    commitment that was public before the first match. `records` is a folder of match records, named `MATCH_ID.fudaba`;
    those that exist are replayed. `rate` recomputes the standings, and `rate_at` published ratings. `season` are the
    lines of the export, checked before, of the season from which the seeds of a knockout were taken.
    """
    check = _Check(read_lines(lines))
    check.run(master, committed, records)
    check.check_ratings(rate, rate_at)
    check.check_seeds(read_lines(season) if season is not None else None)
    return check.report


@final
class _Check:
    """A pass over an export."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.report = Report()
        self._head, *self._rest = lines
        self._lines = SortedLines(self._rest)
        self._master = b""
        definition = self._head["definition"]
        ladder = definition["format"] == LADDER
        self._resumable = {bot["bot"] for bot in definition["bots"] if ladder and bot.get("kind") != "remote"}
        """The bots that may have been withdrawn for a while: in a ladder, those that the arena or a worker starts."""
        self._resumable |= {f"{line['bot']}@{line['version']}" for line in self._rest if line.get("submission")}
        self._times = Times((), {}, ())
        self._planned: dict[LineKey, Planned | None] = {}
        """The subjects that the lines should have, in their order; for matches, the expected contents of their
        records."""

    def run(self, master: bytes | None, committed: bytes | None, records: Path | None) -> None:
        """Checks everything but ratings and seeds of a ladder."""
        self.report.faults += self._lines.faults
        self.report.blocks, self.report.deals = len(self._lines.blocks), len(self._lines.deals)
        self.report.matches = len(self._lines.matches)
        self._times = Times(self._lines.others["chosen"], self._lines.blocks, self._lines.matches.values())
        self._master = self._checked_master(master, committed)
        schedule, faults = scheduled(self._head, self._lines.others, self._played)
        self.report.faults += faults
        if schedule is None:
            return
        for number, line in sorted(self._lines.blocks.items()):
            try:
                block = schedule.block(number)
            except ValueError:
                self._wrong("BLOCK", "nobody was drawn or chosen for this block", block=number)
            else:
                self._check_block(block, line)
        self._check_strays()
        self._check_order()
        self._check_slots(schedule)
        self._check_end()
        self._check_annulments()
        if records is not None:
            planned = {line_key[-1]: planned for line_key, planned in self._planned.items() if planned is not None}
            for faults in record_faults(self._lines.matches.values(), planned, records):
                self.report.records += 1
                self.report.faults += faults

    def check_ratings(self, rate: Rate | None, rate_at: RateAt | None) -> None:
        """Computes the standings and the published ratings again. From wrong results nothing follows."""
        stated, published = self._lines.others["standings"], self._lines.others["published"]
        if self.report.faults or not (stated or published):
            return
        state = rebuilt(self._head, self._rest)
        if rate is not None and stated:
            right = [*rate(state)]
            self.report.faults += standings_faults(stated, right)
            self.report.rated = len(stated)
            self.report.rated_on = {line["ladder"]: line["rated_on"] for line in right if "rated_on" in line}
        if rate_at is not None:
            self.report.faults += published_faults(published, lambda point: rate_at(state, point))
            self.report.published = len(published)

    def check_seeds(self, season: list[dict[str, Any]] | None) -> None:
        """Checks the seeds that were taken from a ladder. Raises `BadExport` for a season that has nothing to do with
        it.
        """
        definition = self._head["definition"]
        if "seeded_from" not in definition:
            if season is not None:
                raise BadExport("its seeds are of no ladder; leave out the export of a season")
        elif season is not None:
            self.report.faults += seed_faults(definition, season)
        else:
            source = definition["seeded_from"]
            self.report.unchecked.append(
                f"its seeds: they are of season {source['season']} of {source['ladder']}; give its export with --seeds"
            )

    def _block_seed(self, block: Block) -> bytes:
        """Returns the seed of a block; empty while the master is unknown."""
        return block_seed(self._master, block.number, block.generation) if self._master else b""

    def _deal_seed(self, block: Block, deal: int) -> bytes:
        """Returns the seed of a deal; empty while the master is unknown."""
        return deal_seed(self._block_seed(block), deal) if self._master else b""

    def _wrong(self, code: str, text: str, **where: Any) -> None:
        self.report.faults.append(ExportFault(code, text, **where))

    def _checked_master(self, given: bytes | None, committed: bytes | None) -> bytes:
        head = self._head
        self.report.tournament, self.report.commitment = head["id"], head["commitment"]
        own = bytes.fromhex(head["master"] or "")
        master = given or own
        if given and own and given != own:
            self._wrong("MASTER", "the given master is not the export's")
        if committed is not None and committed.hex() != head["commitment"]:
            self._wrong("COMMITMENT", "the commitment is not the one that was public before the first match")
        if not master:
            self.report.unchecked.append(
                "seeds, deals and digests of results: its master is not open yet; give it with --master, or export it"
                " again when it is"
            )
        elif len(master) != MASTER_BYTES:
            self._wrong("MASTER", f"a master has {MASTER_BYTES} bytes, this one has {len(master)}")
            master = bytes(MASTER_BYTES)
        elif commitment(master).hex() != head["commitment"]:
            self._wrong("MASTER", "the master is not the one that was committed to")
        if head["id"] != f"{head['name']}-{head['commitment'][:8]}":
            self._wrong("DEFINITION", "the id is not made of the name and the commitment")
        return master

    def _played(self, slot: int) -> Played:
        """Returns the matches of a slot that counted when its block was closed."""
        numbers = {
            number for number, line in self._lines.blocks.items() if line["slot"] == slot and line["state"] != "void"
        }
        return [
            (line["bots"], line["result"]["scores"])
            for line in self._lines.matches.values()
            if line["block"] in numbers
            and line.get("counted", line["counts"])
            and line["result"] is not None
            and len(line["result"]["scores"]) == len(line["bots"])
        ]

    def _definition(self, slot: int) -> Mapping[str, Any]:
        """Returns the definition with the terms of a slot's blocks: an edit changes those of later slots."""
        definition: dict[str, Any] = self._head["definition"]
        chosen, edits = self._lines.others["chosen"], definition.get("edits", ())
        number = chosen[slot].get("edits", 0) if slot < len(chosen) else len(edits)
        return definition | edits[number] if number < len(edits) else definition

    # --- a block

    def _check_block(self, block: Block, line: Mapping[str, Any]) -> None:
        number = block.number
        self._planned["block", number] = None
        self._planned.update({("deal", number, deal): None for deal in range(block.deals)})
        for planned in block.matches:
            of_deal = self._deal_seed(block, planned.deal)
            self._planned["match", planned.match_id] = Planned(of_deal, block.game, self._definition(block.slot))
        for name in ("game", "slot", "attempt", "cycle", "round", "deals"):
            if line[name] != getattr(block, name):
                self._wrong("BLOCK", f"its {name} is {getattr(block, name)}, not {line[name]}", block=number)
        seed = self._block_seed(block)
        if not self._same(line["seed"], seed):
            self._wrong("BLOCK_SEED", f"its seed does not come from the master: {seed.hex()} does", block=number)
        for deal in range(block.deals):
            self._check_deal(number, deal, self._deal_seed(block, deal))
        if line["state"] not in {"counted", "void", "annulled"}:
            self._wrong("BLOCK", f"it is neither counted nor void nor annulled but {line['state']}", block=number)
        for text in _void_faults(line, block):
            self._wrong("BLOCK", text, block=number)
        for planned in block.matches:
            match = self._lines.matches.get(planned.match_id)
            if match is None:
                where: dict[str, Any] = {"block": number, "deal": planned.deal, "match_id": planned.match_id}
                self._wrong("MATCH_MISSING", "the block has this match, and the export does not", **where)
            else:
                self._check_match(block, planned, match, counted=line["state"] == "counted")

    def _check_deal(self, number: int, deal: int, seed: bytes) -> None:
        line = self._lines.deals.get((number, deal))
        if line is None:
            self._wrong("DEAL_MISSING", "the block has this deal, and the export does not", block=number, deal=deal)
        elif not self._same(line["seed"], seed):
            text = f"its seed does not come from the block's: {seed.hex()} does"
            self._wrong("DEAL_SEED", text, block=number, deal=deal)

    def _check_match(self, block: Block, planned: PlannedMatch, line: Mapping[str, Any], *, counted: bool) -> None:
        where: dict[str, Any] = {"block": block.number, "deal": planned.deal, "match_id": planned.match_id}
        if line["block"] != block.number or line["deal"] != planned.deal:
            at = f"block {line['block']}, deal {line['deal']}"
            self._wrong("MATCH", f"the export has it at {at}", **where)
        bots = tuple(line["bots"])
        if bots != planned.bots:
            self._wrong("SEATS", f"{', '.join(planned.bots)} sit there in this order, not {', '.join(bots)}", **where)
        withdrawn = any(bot in self._head["withdrawn"] or bot in self._resumable for bot in planned.bots)
        annulled = counted and not left_bots(self._lines.blocks[block.number], planned.bots)
        if line["counts"] and not (counted and line["result"] is not None):
            why = "has no result" if counted else "is of a void or annulled block"
            self._wrong("RESULT", f"it is said to count, and {why}", **where)
        if line["counts"] and annulled:
            self._wrong("RESULT", "it is said to count, and is of a group that is annulled", **where)
        if counted and not line["counts"] and not withdrawn and not annulled:
            self._wrong("RESULT", "its block counts, and it does not, though no bot of it is withdrawn", **where)
        result = line["result"] or {}
        if line["result"] is not None:
            for text in (
                *_result_faults(result, bots),
                *self._times.faults(block.slot, block.number, result["ended_ms"]),
            ):
                self._wrong("RESULT", text, **where)
        if self._master:
            self._check_digest(planned, line, self._deal_seed(block, planned.deal), where)

    def _check_digest(
        self, planned: PlannedMatch, line: Mapping[str, Any], seed: bytes, where: Mapping[str, Any]
    ) -> None:
        result = line["result"] or {}
        try:
            digest = match_digest(
                planned.match_id,
                seed,
                line["bots"],
                result.get("scores", ()),
                result.get("forfeited_by", ""),
                result.get("forfeit_cause", ""),
                result.get("ended_ms", 0),
            )
        except ValueError as error:
            self._wrong("DIGEST", str(error), **where)
            return
        if line["digest"] != digest.hex():
            self._wrong(
                "DIGEST", f"seed, seats or result are not those of its digest: {digest.hex()} is theirs", **where
            )

    # --- the whole

    def _check_strays(self) -> None:
        """Finds deals and matches that belong to no block of the export."""
        for number, deal in self._lines.deals:
            if ("deal", number, deal) not in self._planned:
                self._wrong("DEAL_SEED", "no block of the export has this deal", block=number, deal=deal)
        for match_id, line in self._lines.matches.items():
            if ("match", match_id) not in self._planned:
                text = "no block of the export has this match"
                self._wrong("MATCH", text, block=line["block"], match_id=match_id)

    def _check_order(self) -> None:
        """Checks that blocks come by number, each followed by its deals and then its matches, as planned."""
        there = [line_key for line_key in self._lines.keys if line_key in self._planned]
        planned = [line_key for line_key in self._planned if line_key in self._lines.keys]
        for found, wanted in zip(there, planned, strict=True):
            if found != wanted:
                self._wrong("ORDER", f"{_words(found)} stands where {_words(wanted)} should")
                return

    def _same(self, stated_seed: str | None, right: bytes) -> bool:
        """Checks a seed. Before the master is open, there must be none."""
        return stated_seed == right.hex() or (stated_seed is None and self._head["master"] is None)

    def _check_slots(self, schedule: Schedule) -> None:
        """Checks that one counting block fills each place in the schedule, after one void block for each earlier
        attempt.
        """
        of_slot: dict[int, list[int]] = {}
        for number in sorted(self._lines.blocks):
            of_slot.setdefault(schedule.numbers.slot(number), []).append(number)
        complete = schedule.whole
        if self._head["definition"]["format"] == LADDER:
            complete = any(line["change"] == FREEZE for line in self._lines.others["entry"])
            self.report.faults += sequence_faults([*self._lines.blocks.values()])
        for slot in range(len(schedule)):
            there, number = of_slot.get(slot, []), slot
            while number in there and self._lines.blocks[number]["state"] == "void":
                number += schedule.numbers.step
            later = [other for other in there if other > number]
            complete &= number in there
            if number not in there and (later or not self._may_lack(number)):
                self._wrong("BLOCK_MISSING", "it was played, and the export does not have it", block=number)
            elif later:
                self._wrong("BLOCK", f"it replaces block {number}, which counts", block=later[0])
        if self._head["complete"] is not complete:
            self._wrong("END", f"it is {'complete' if complete else 'not complete'}, and says otherwise")

    def _may_lack(self, number: int) -> bool:
        """Returns whether a block may lack a result because it is parked, left out, or still to be played."""
        head = self._head
        return head["master"] is None or number in head["parked"] or number in head.get("left_out", ())

    def _check_annulments(self) -> None:
        """Checks that the annulments agree with what the blocks say of themselves, and that the standings are based on
        all of them.
        """
        annulments = self._lines.others["annulment"]
        self.report.faults += annulment_faults(annulments, self._lines.blocks)
        self.report.faults += disqualification_faults(annulments, self._lines.others["entry"])
        self.report.faults += point_faults(self._lines.others["standings"], len(self._lines.blocks) + len(annulments))
        if not annulments and (self._lines.end is None or "annulments" not in self._lines.end):
            return  # an export of an earlier release has them in the blocks' lines only
        if self._lines.end is not None and self._lines.end.get("annulments") != len(annulments):
            text = f"it should have {self._lines.end.get('annulments')} annulments, and has {len(annulments)}"
            self._wrong("END", text)
        if self.report.faults:
            return  # what is wrong elsewhere may make no sense as a sequence
        closed = closed_blocks(self._lines.blocks.values(), self._lines.matches.values(), annulments)
        for number, line in self._lines.blocks.items():
            if line.get("annulled") != annulled_line(closed, number):
                self._wrong("ANNULMENT", "the annulments do not lead to what it says of being annulled", block=number)

    def _check_end(self) -> None:
        if self._lines.end is None:
            self._wrong("END", "the export has no end line: it was cut short")
            return
        for name in ("blocks", "deals", "matches"):
            there = getattr(self.report, name)
            if self._lines.end[name] != there:
                self._wrong("END", f"it should have {self._lines.end[name]} {name}, and has {there}")
        self.report.results_digest = results_digest(self._lines.digests).hex()
        if self._lines.end["results_digest"] != self.report.results_digest:
            text = f"the results digest is {self.report.results_digest}, not {self._lines.end['results_digest']}"
            self._wrong("END", text)


def _words(line_key: LineKey) -> str:
    kind, *names = line_key
    return f"deal {names[1]} of block {names[0]}" if kind == "deal" else f"{kind} {names[0]}"


def _void_faults(line: Mapping[str, Any], block: Block) -> Iterable[str]:
    """Checks the causes of void blocks."""
    if (line["state"] == "void") != bool(line["void_cause"]):
        yield "it is void without a cause" if line["state"] == "void" else f"its void_cause is {line['void_cause']}"
    if line["state"] != "void" and line["void_bots"]:
        yield "it is not void, and has void_bots"
    strangers = [bot for bot in sorted(annulled_bots(line)) if bot not in block.bots]
    if strangers:
        yield f"the matches of {', '.join(strangers)} are annulled in it, and it has no such bot"
    strangers = [str(bot) for bot in line["void_bots"] if bot not in block.bots]
    if strangers:
        yield f"it is put down to {', '.join(strangers)}, and has no such bot"


def _result_faults(result: Mapping[str, Any], bots: tuple[str, ...]) -> Iterable[str]:
    """Checks a result by itself."""
    scores = result["scores"]
    if len(scores) != len(bots):
        yield f"it has {len(scores)} scores for {len(bots)} seats"
    if sum(scores) != 0:
        yield f"its scores add up to {sum(scores)}, not to zero"
    if result["forfeited_by"] and result["forfeited_by"] not in bots:
        yield f"{result['forfeited_by']} forfeited it, and does not sit there"
    if result["forfeit_cause"] and not result["forfeited_by"]:
        yield f"it has the cause {result['forfeit_cause']} of a forfeit, and nobody forfeited it"
