"""Submitted versions that remember: what one writes to its folder in a match, it finds there in the next."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.sandbox.leftovers import default_root
from tests.support.arena.api import challenges
from tests.support.arena.api.ladders import author, call, create, get, register, until
from tests.support.arena.nodes import Node, node
from tests.support.arena.programs.entered import ONE, counted, enter
from tests.support.arena.programs.uploads import bot_log, folder, in_sandbox_of, over, send
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import wait_until

Submit = Callable[..., pb.Submission]
MIN_BLOCKS = 2
REMEMBERS = """
import json, os, pathlib, fudaba

FOLDER = pathlib.Path(os.environ["FUDABA_KEPT"])
SEEN = FOLDER / "seen.json"

class Player(fudaba.Bot):
    def choose(self, decision):
        return 0

    def over(self, match):
        seen = json.loads(SEEN.read_text()) if SEEN.exists() else []
        seen.append(match.id)
        new = FOLDER / "new"
        new.write_text(json.dumps(seen))
        new.rename(SEEN)
        print("SEEN", json.dumps(seen), flush=True)

fudaba.run(Player)
"""


def ladder(name: str) -> str:
    """Returns a ladder in which submissions may remember; of one of them it would play two matches at once if that
    could be."""
    return 'memory = "kept"\n' + ONE.format(name=name, narrow=0).replace("concurrency = 1", "concurrency = 2")


def remembering(submit: Submit, bot: str, code: str = REMEMBERS) -> pb.Submission:
    """Returns a version that remembers, and was accepted."""
    submission = submit(folder({"bot.py": code}, memory='"kept"'), bot)
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    return submission


def seen(worker: Node, entrant: str) -> list[list[str]]:
    """Returns what a version remembered at the end of each match, from the fewest matches to the most."""
    logs = [log.read_text() for log in bot_log(worker).glob(f"{entrant.replace('@', '-')}/*.log")]
    return sorted((json.loads(line) for log in logs for line in re.findall(r"SEEN (.*)", log)), key=len)


def kept(arena: Arena, token: str, bot: str) -> list[pb.KeptFolder]:
    return list(call(arena, "ListKeptFolders", pb.ListKeptFoldersRequest(bot=bot), token).folders)


def leave(arena: Arena, token: str, name: str, bot: str) -> None:
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder=name, bot=bot), token)


def nothing_in_play(arena: Arena, name: str) -> None:
    """Returns when every match of it is over."""
    queue = arena_pb2.GetQueueRequest(tournament=name)
    until(arena, lambda: not call(arena, "GetQueue", queue, "").blocks, "nothing of it is played any more")


@pytest.fixture(scope="module")
def ada(arena: Arena, alice: str, worker: Node, hosted: Service) -> str:
    """Returns what has played blocks on a ladder, each of two matches, and has left it: its version."""
    create(arena, ladder("remembers"))
    register(hosted, alice, "ada")
    submission = over(arena, alice, send(arena, alice, folder({"bot.py": REMEMBERS}, memory='"kept"'), "ada"))
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    enter(arena, alice, "remembers", "ada")
    until(
        arena,
        lambda: len(counted(arena, "remembers", f"ada@{submission.version}")) >= MIN_BLOCKS,
        "it has played its blocks",
    )
    leave(arena, alice, "remembers", "ada")
    nothing_in_play(arena, "remembers")
    return submission.version


@pytest.mark.exhaustive
def test_each_match_finds_what_all_before_it_wrote(arena: Arena, worker: Node, alice: str, ada: str) -> None:
    found = seen(worker, f"ada@{ada}")
    # Each of them one match more than the one before, and none twice: no two matches were played at once. Its check's
    # match began with an empty folder.
    played = [history for history in found if not history[0].startswith("check-")]
    assert [len(history) for history in played] == [*range(1, len(played) + 1)]
    assert all(longer[:-1] == shorter for shorter, longer in pairwise(played))
    everything = {match.match_id for match in arena.matches("remembers.1") if f"ada@{ada}" in match.bots}
    assert everything <= set(played[-1])
    [kept_folder] = kept(arena, alice, "ada")
    assert (kept_folder.ladder, kept_folder.version, kept_folder.size, kept_folder.files) == (
        "remembers",
        ada,
        4_096,
        1,
    )


@pytest.mark.exhaustive
def test_it_meets_each_deal_once(arena: Arena, ada: str) -> None:
    deals = Counter((match.block, match.deal) for match in arena.matches("remembers.1") if f"ada@{ada}" in match.bots)
    assert len(deals) >= 2 * MIN_BLOCKS
    assert set(deals.values()) == {1}


@pytest.mark.exhaustive
def test_an_author_sees_how_large_a_folder_is_and_empties_it_and_nobody_else(
    arena: Arena, hosted: Service, alice: str, ada: str
) -> None:
    where = {"FUDABA_TOKEN": alice, "FUDABA_ARENA": arena.address}
    listed = arena.command("bot", "kept", "ada", **where).stdout
    assert re.search(rf"^remembers +{ada} +4,096 +1 +20", listed, re.MULTILINE), listed
    request = pb.EmptyKeptFolderRequest(bot="ada", version=ada, ladder="remembers")
    with pytest.raises(ServiceError, match="not one of your account's bots"):
        call(arena, "EmptyKeptFolder", request, author(hosted, "mallory"))
    assert len(kept(arena, alice, "ada")) == 1
    assert arena.command("bot", "kept", "ada", "--empty", "remembers", **where).stdout == "emptied\n"
    assert arena.command("bot", "kept", "ada", "--empty", "remembers", **where).stdout == "it was empty\n"
    assert arena.command("bot", "kept", "ada", **where).stdout == "ada keeps nothing\n"
    with pytest.raises(ServiceError, match="there is no ladder 'nowhere'"):
        call(arena, "EmptyKeptFolder", pb.EmptyKeptFolderRequest(bot="ada", ladder="nowhere"), alice)
    archives = arena.folder / "data" / "submissions" / "kept"
    wait_until(lambda: not list(archives.glob(f"ada@{ada}-*")), "its archives are removed")


@pytest.mark.exhaustive
def test_a_version_that_remembers_cannot_be_entered_where_that_is_not_allowed(
    arena: Arena, alice: str, ada: str
) -> None:
    create(arena, ONE.format(name="forgets", narrow=0))
    assert not get(arena, "forgets").definition.memory_kept
    assert get(arena, "remembers").definition.memory_kept
    with pytest.raises(ServiceError, match='submit it with memory = "nothing", or ask the organiser') as refusal:
        enter(arena, alice, "forgets", "ada", ada)
    assert refusal.value.reason == "MEMORY_NOT_ALLOWED"
    assert enter(arena, alice, "forgets", "ada", "1").entry.version == "1"  # one that its author runs


@pytest.mark.nightly("`test_keeping.py` keeps nothing of what a copy is changed to, and takes the folder from nobody")
def test_a_challenge_finds_the_folder_as_it_is_and_changes_nothing_in_it(
    arena: Arena, alice: str, worker: Node, submit: Submit
) -> None:
    create(arena, 'challenges = "anyone"\n' + ladder("challenged"))
    submission = remembering(submit, "dora")
    entrant = f"dora@{submission.version}"
    enter(arena, alice, "challenged", "dora")
    until(arena, lambda: counted(arena, "challenged", entrant), "it has played a block")
    call(arena, "PauseEntry", arena_pb2.PauseEntryRequest(ladder="challenged", bot="dora"), alice)
    nothing_in_play(arena, "challenged")
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="challenged"))  # first: no block begins in between
    call(arena, "ResumeEntry", arena_pb2.ResumeEntryRequest(ladder="challenged", bot="dora"), alice)
    before, known = kept(arena, alice, "dora"), seen(worker, entrant)[-1]
    made = challenges.ask(arena, alice, "first", 1, with_bot="dora", ladder="challenged")
    challenges.wait_for(arena, made)
    ours = [history for history in seen(worker, entrant) if history[-1].startswith("challenge.")]
    assert len(ours) == 2
    assert all(history[:-1] == known for history in ours)
    assert kept(arena, alice, "dora") == before
    challenges.ladder(arena, "no-memory")
    with pytest.raises(ServiceError, match="gives no bot a folder") as refusal:
        challenges.ask(arena, alice, "first", 1, with_bot="dora", with_version=submission.version, ladder="no-memory")
    assert refusal.value.reason == "MEMORY_NOT_ALLOWED"


@pytest.mark.nightly(
    "what is kept is kept by ladder and version (`test_keeping.py`), and a submitted bot plays in the"
    " next season (`test_playing.py`)"
)
def test_a_version_plays_on_in_the_next_season_with_what_it_remembers(
    arena: Arena, alice: str, worker: Node, submit: Submit
) -> None:
    create(arena, ladder("seasons"))
    submission = remembering(submit, "sue")
    enter(arena, alice, "seasons", "sue")
    until(arena, lambda: counted(arena, "seasons", f"sue@{submission.version}"), "it has played a block")
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="seasons"))
    until(arena, lambda: get(arena, "seasons").state == arena_pb2.LADDER_STATE_CLOSED, "the season is over")
    first = seen(worker, f"sue@{submission.version}")[-1]
    call(arena, "BeginSeason", arena_pb2.BeginSeasonRequest(ladder="seasons"))
    until(
        arena, lambda: counted(arena, "seasons", f"sue@{submission.version}"), "it has played a block of the next one"
    )
    leave(arena, alice, "seasons", "sue")
    assert seen(worker, f"sue@{submission.version}")[-1][: len(first)] == first


@pytest.mark.exhaustive
def test_of_a_deleted_account_nothing_is_kept(arena: Arena, hosted: Service, worker: Node) -> None:
    token = author(hosted, "bob")
    create(arena, ladder("deleted"))
    register(hosted, token, "bobs")
    submission = over(arena, token, send(arena, token, folder({"bot.py": REMEMBERS}, memory='"kept"'), "bobs"))
    enter(arena, token, "deleted", "bobs")
    until(arena, lambda: kept(arena, token, "bobs"), "it keeps something")
    with hosted.client() as client:
        client.accounts.DeleteAccount(accounts_pb2.DeleteAccountRequest(account="bob"))
    archives = arena.folder / "data" / "submissions" / "kept"
    until(arena, lambda: not kept(arena, hosted.token, "bobs"), "its folder is empty")
    until(arena, lambda: not list(archives.glob(f"bobs@{submission.version}-*")), "its archives are removed")


SLOW = """
import json, os, pathlib, time, fudaba

FOLDER = pathlib.Path(os.environ["FUDABA_KEPT"])
SEEN, HALF = FOLDER / "seen.json", FOLDER / "half"
print("FOUND", HALF.exists(), flush=True)

class Player(fudaba.Bot):
    def choose(self, decision):
        if len({player.bot for player in decision.match.players}) > 1:  # and so not in its check
            HALF.write_text("in mid-match")
            if HELD and SEEN.exists() and len(json.loads(SEEN.read_text())) >= 2: time.sleep(3600)
        return 0

    def over(self, match):
        seen = json.loads(SEEN.read_text()) if SEEN.exists() else []
        SEEN.write_text(json.dumps([*seen, match.id]))
        HALF.unlink(missing_ok=True)
        print("SEEN", SEEN.read_text(), flush=True)

fudaba.run(Player)
"""


def in_mid_match(worker: Node, matches: int) -> bool:
    """Returns whether a sandbox of a worker has a folder of this version, in a match after so many others."""
    for place in (default_root() / "owners").glob(f"{worker.process.pid}-*/*/kept"):
        with contextlib.suppress(OSError):
            if (place / "half").exists() and len(json.loads((place / "seen.json").read_text())) >= matches:
                return True
    return False


@pytest.mark.exhaustive
def test_a_worker_killed_in_mid_match_takes_nothing_that_was_kept_before(hosted: Service, need_sandbox: None) -> None:
    with standing(hosted, "--workers") as arena:
        place = "--submissions", str(arena.folder / "data" / "submissions")
        token = author(hosted, "carol")
        create(arena, ladder("dies"))
        register(hosted, token, "slow")
        with node(hosted, arena, "dead", *place) as dead:
            code = SLOW.replace("HELD", in_sandbox_of(dead.process.pid))  # it plays on with another worker only
            submission = over(arena, token, send(arena, token, folder({"bot.py": code}, memory='"kept"'), "slow"))
            assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
            enter(arena, token, "dies", "slow")
            until(arena, lambda: in_mid_match(dead, 2), "it is in a match after two others")
            dead.die()
            [before] = kept(arena, token, "slow")
        with node(hosted, arena, "heir", *place) as heir:
            until(arena, lambda: len(seen(heir, f"slow@{submission.version}")) >= 2, "it plays on")
            known, after = seen(dead, f"slow@{submission.version}"), seen(heir, f"slow@{submission.version}")
            assert len(known[-1]) >= 2
            # What the last whole match left is there, and nothing of the match in which the worker died.
            assert after[0][:-1] == known[-1]
            logs = [log.read_text() for log in bot_log(heir).glob(f"slow-{submission.version}/*.log")]
            assert not [log for log in logs if "FOUND True" in log]
            assert kept(arena, token, "slow")[0].update_time.ToNanoseconds() > before.update_time.ToNanoseconds()
