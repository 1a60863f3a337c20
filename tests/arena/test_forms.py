"""Stored values of another release: what a form does not know is left or kept, and a higher form is refused."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from fudaba_arena.forms import BadStored
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.programs.passed_before import PassedBefore, passed_before
from fudaba_arena.store.announcements.announcements import Announcement
from fudaba_arena.store.arenas.actions import Action
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.bots.bot_logs import KeptLog
from fudaba_arena.store.bots.kept_folders import KeptFolder
from fudaba_arena.store.challenges.challenge_store import ChallengeEnd
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import ENTER, EntryChange
from fudaba_arena.store.tournaments.published_ratings import PublishedPoint, RatedVersion
from fudaba_arena.store.tournaments.rounds import DrawnBlock, DrawnRound
from fudaba_arena.store.tournaments.season_archive import Moved
from fudaba_arena.store.usage.time_use import MatchTime
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.stages import Outcome, Stage
from fudaba_arena.submissions.submission_forms import CHECKING, Announced, CheckProgress
from fudaba_arena.tournament.definition import Owned
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from fudaba_serving.redis.valkey import EmbeddedValkey

ENTERED = EntryChange(ENTER, 1, "ann", "1", games=("naga",))
SUBMISSION = Announced("s-1", "ann", "of-ann", "bot.tar.gz", 3, "00" * 32, "", 1, 2)
BLOCK: dict[str, Any] = {
    "tournament": "cup", "number": 0, "slot": 0, "attempt": 0, "game": "naga", "options": {}, "connect_seconds": 30,
    "clock": {"move_ms": 1_000}, "matches": [{"match_id": "cup-b0-a", "deal": 0, "bots": ["ann", "ben"]}],
    "seeds": ["00" * 32], "bots": {name: {"name": name, "cwd": "."} for name in ("ann", "ben")},
}  # fmt: skip
DRAWN = DrawnRound((DrawnBlock("naga", (("ann", "ben"),), shared=False),), {"naga": ("cy",)}, (), (1,))
MOVED = b'{"place": "", "files": [{"name": "s/1.blocks.zst", "entries": 3, "sha256": "00"}]}'
BUILT = Outcome(Stage.BUILD, True, 1, 2, "made")
OVER = CheckProgress(CHECKING, (BUILT,), Manifest("ann", ("naga",), "python", ("python", "bot.py")))
PLAYED = MatchResult("cup-b3-a", 3, 0, ("ann", "ben"), (1, -1), ended_ms=9, time=MatchTime((10, 20)))
NO_SHOW = VoidBlock(3, 1, "no_show", "cup-b3-a", ("ben",), 9)
PUBLISHED = PublishedPoint(9, 8, (8, 5), (0, 0), {"naga": (RatedVersion("ann", 1500.25, 1400.0, 1600.5),)})
CLOSED = {
    "one that counts": ClosedBlock(3, 1, "naga", (PLAYED,), 1, None, 9),
    "a void one": ClosedBlock(3, 1, "naga", (PLAYED,), 0, NO_SHOW, 9),
}
Read = Callable[[bytes], object]
STORED: dict[str, tuple[Read, dict[str, Any]]] = {
    "an entry": (EntryChange.from_line, json.loads(ENTERED.line())),
    "a submission": (Announced.read, json.loads(SUBMISSION.line())),
    "a chosen block": (ChosenBlock.from_line, json.loads(ChosenBlock("naga", (("ann", "ben"),), shared=False).line())),
    "a block": (BlockSpec.read, BLOCK),
    "an end": (ChallengeEnd.from_line, json.loads(ChallengeEnd("finished").line())),
    "a kept folder": (KeptFolder.read, json.loads(KeptFolder("a", "00", 1, 1, 1).line())),
    "an announcement": (Announcement.from_line, json.loads(Announcement("a", "open", "text", 1).line())),
    "an action": (Action.from_line, json.loads(Action(1, "pause").line())),
    "a game": (lambda raw: TournamentGame.from_definition(json.loads(raw)), {"game": "naga", "options.deals": 1}),
    "a season": (lambda raw: Season.from_definition(json.loads(raw)), Season("open").definition()),
    "an annulment": (Annulment.from_line, json.loads(Annulment((0, 1), "why", 5, ("ann",)).line())),
    "a drawn round": (lambda raw: DrawnRound.from_values(json.loads(raw)), DRAWN.values()),
    "a season's files": (Moved.from_stored, json.loads(MOVED)),
    "the end of a submission": (CheckProgress.read, json.loads(OVER.line())),
    "published ratings": (
        lambda raw: PublishedPoint.from_packed(zlib.compress(raw)),
        PUBLISHED.values(),
    ),
    "a stage that was passed": (lambda raw: PassedBefore.read(raw.decode()), json.loads(PassedBefore(BUILT).line())),
}


NEWEST_FORMS = {"an entry": 4, "a season": 2, "a drawn round": 2}
"""The newest form of each kind of which this release writes another than the first."""


def packed(values: object) -> bytes:
    return json.dumps(values).encode()


@pytest.mark.parametrize("kind", STORED)
def test_a_field_that_a_later_release_has_added_keeps_nobody_from_reading(kind: str) -> None:
    read, values = STORED[kind]
    assert read(packed(values | {"added_later": 1})) == read(packed(values))


@pytest.mark.parametrize("kind", STORED)
def test_a_higher_form_is_refused_with_a_sentence(kind: str) -> None:
    read, values = STORED[kind]
    newest = NEWEST_FORMS.get(kind, 1)
    later = f"is stored in form {newest + 1}, and this release reads forms up to {newest}: a later release"
    with pytest.raises(BadStored, match=later):
        read(packed(values | {"form": newest + 1}))


@pytest.mark.parametrize("kind", STORED)
def test_a_value_that_lacks_what_it_needs_is_refused_with_its_name(kind: str) -> None:
    read, _ = STORED[kind]
    with pytest.raises(BadStored, match=r"is stored without \w+|KeyError: 'files'"):
        read(b"{}")


@pytest.mark.parametrize("part", ["clock", "bots"])
def test_what_is_in_a_block_may_have_more_fields_too(part: str) -> None:
    more = {"added_later": 1}
    changed = {"clock": BLOCK["clock"] | more} if part == "clock" else {
        "bots": {name: bot | more for name, bot in BLOCK["bots"].items()}
    }  # fmt: skip
    assert BlockSpec.read(packed(BLOCK | changed)) == BlockSpec.read(packed(BLOCK))


def test_published_ratings_are_read_as_they_were_written() -> None:
    assert PublishedPoint.from_packed(PUBLISHED.packed()) == PUBLISHED


def test_what_is_written_again_keeps_what_this_release_does_not_know() -> None:
    later = json.loads(ENTERED.line()) | {"added_later": [1, 2]}
    again = EntryChange.from_line(packed(later)).of_owner(Owned("Ann", "of-ann"))
    assert json.loads(again.line()) == later | {"author": "Ann", "account": "of-ann"}
    submission = json.loads(SUBMISSION.line()) | {"added_later": 1}
    assert json.loads(Announced.read(packed(submission)).line()) == submission


def test_the_end_of_a_submission_keeps_what_this_release_does_not_know_wherever_it_stands() -> None:
    later = json.loads(OVER.line()) | {"added_later": 1}
    later["outcomes"][0]["added_later"], later["manifest"]["added_later"] = 2, 3
    over = CheckProgress.read(packed(later))
    again = replace(over, outcomes=(replace(over.outcomes[0], took_ms=7),))
    later["outcomes"][0]["took_ms"] = 7
    assert json.loads(again.line()) == later


def test_the_list_of_the_files_of_a_season_keeps_what_this_release_does_not_know() -> None:
    later = json.loads(MOVED) | {"added_later": 1}
    later["files"][0]["added_later"] = 2
    assert json.loads(Moved.from_stored(packed(later)).stored()) == later


def test_a_stage_that_was_passed_in_a_form_that_this_release_does_not_read_is_run_again() -> None:
    passed = PassedBefore(BUILT).line()
    known = passed_before({"build": passed}, ("build",))
    assert known is not None
    assert [of_stage.outcome for of_stage in known] == [BUILT]
    later = json.dumps(json.loads(passed) | {"form": 2})
    assert passed_before({"build": passed, "start": later}, ("build", "start")) is None
    assert passed_before({"build": passed}, ("build", "start")) is None


def test_how_a_block_ended_at_a_worker_is_refused_in_a_higher_form() -> None:
    failed = {"failed": {"match_id": "m", "cause": "lost", "bots": [], "said": {}, "added_later": 1}, "added_later": 2}
    assert read_end(json.dumps(failed)) == read_end('{"failed": {"match_id": "m", "cause": "lost"}}')
    with pytest.raises(BadStored, match="the end of a block is stored in form 2"):
        read_end('{"form": 2}')


def with_fields(line: bytes, *, of_result: dict[str, Any], of_block: dict[str, Any]) -> bytes:
    """Returns an entry with more fields in the objects that may have more: that of its result, and its own."""
    kind, slot, number, about, rest = line.split(b"\t")
    noted = json.loads(about)
    noted[0][-1] |= of_result
    return b"\t".join([kind, slot, number, packed(noted), packed(json.loads(rest) | of_block)])


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_block_is_read_and_written_with_the_fields_of_a_later_release(name: str) -> None:
    closed = CLOSED[name]
    later = with_fields(closed.line(), of_result={"added_later": [1]}, of_block={"added_later": {"a": 1}})
    assert ClosedBlock.from_line(later) == closed
    assert json.loads(ClosedBlock.from_line(later).line().split(b"\t")[3]) == json.loads(later.split(b"\t")[3])
    assert json.loads(ClosedBlock.from_line(later).line().split(b"\t")[4]) == json.loads(later.split(b"\t")[4])
    added, known = ClosedBlocks(), ClosedBlocks()
    added.add([later])
    known.add([closed.line()])
    assert (added.counted, added.void, added.noted(0), added.kinds(), list(added.time_use.rows())) == (
        known.counted, known.void, known.noted(0), known.kinds(), list(known.time_use.rows())
    )  # fmt: skip


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize(
    ("of_result", "of_block", "said"),
    [({"form": 2}, {}, "the result of match cup-b3-a"), ({}, {"form": 2}, "closed block 3")],
)
def test_a_closed_block_of_a_higher_form_is_refused_with_a_sentence(
    name: str, of_result: dict[str, int], of_block: dict[str, int], said: str
) -> None:
    later = with_fields(CLOSED[name].line(), of_result=of_result, of_block=of_block)
    for read in (ClosedBlock.from_line, lambda line: ClosedBlocks().add([line])):
        with pytest.raises(BadStored, match=f"{said} is stored in form 2, and this release reads forms up to 1"):
            read(later)


def test_a_result_of_an_open_block_is_refused_in_a_higher_form_and_keeps_what_was_added() -> None:
    went, about = PLAYED.stored().split("\n")
    for more in ({"added_later": 1}, {"form": 2}):
        noted = json.loads(about)
        noted[-1] |= more
        stored = f"{went}\n{json.dumps(noted, separators=(',', ':'))}"
        if "form" not in more:
            read = MatchResult.of_open(3, stored.encode())
            assert read == PLAYED
            assert json.loads(read.stored().split("\n")[1])[-1] == noted[-1]
        else:
            with pytest.raises(BadStored, match="the result of match cup-b3-a is stored in form 2"):
                MatchResult.of_open(3, stored.encode())


@pytest.mark.parametrize(
    "line", [b"", b"counted naga 1 []", b"counted naga 1 [\t1\t3\t[]\t{}", CLOSED["a void one"].line()[:-1]]
)
def test_a_closed_block_that_is_no_entry_is_refused_and_no_fault(line: bytes) -> None:
    for read in (ClosedBlock.from_line, lambda line: ClosedBlocks().add([line])):
        with pytest.raises(BadStored, match="this release cannot read a closed block as it is stored"):
            read(line)


def test_how_a_match_ended_for_a_bot_may_say_more_and_what_cannot_be_read_leaves_the_log(store: Store) -> None:
    kept = [KeptLog(f"m-{number}", number, ["ben@1"], "it won") for number in range(3)]

    async def listed() -> list[KeptLog]:
        await store.connect()
        for log in kept:
            await store.bot_logs.keep("ann", "1", log, "text")
        with Redis.from_url(store.url) as raw:
            raw.hset("fudaba-arena:{.bot-logs}:ends:ann@1", "m-0", '[["ben@1"], "it won", {"added_later": 1}]')
            raw.hset("fudaba-arena:{.bot-logs}:ends:ann@1", "m-1", "{")
        found = await store.bot_logs.matches("ann", "1")
        await store.close()
        return found

    assert asyncio.run(listed()) == [kept[2], KeptLog("m-1", 1), kept[0]]


def test_what_is_in_a_runtime_may_say_more() -> None:
    runtime = KnownRuntime.with_contents("py", "python", "3.12", "", [("numpy", "2.0")])
    text = json.dumps([[*part, "added later"] for part in json.loads(runtime.contents_text())])
    assert KnownRuntime.read(runtime.fields(), {runtime.digest: text}).contents == [("numpy", "2.0")]


def test_a_store_whose_service_a_later_release_has_noted_is_refused_with_a_sentence(store: Store) -> None:
    async def noted(value: str) -> str:
        opened = Store(store.url)  # one for each event loop
        await opened.connect()
        with Redis.from_url(store.url) as raw:
            raw.set("fudaba-arena:service", value)
        try:
            return await opened.service.noted()
        finally:
            await opened.close()

    assert asyncio.run(noted("abc")) == "abc"
    assert asyncio.run(noted('{"id": "abc", "added_later": 1}')) == "abc"
    with pytest.raises(BadStored, match="the service of the arena's store is stored in form 2"):
        asyncio.run(noted('{"form": 2}'))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with EmbeddedValkey(tmp_path / "store") as server:
        yield Store(server.url)
