"""The kit's commands against the real service."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba import records
from fudaba._stream import play
from fudaba.bot import Answer, Bot, Decision
from fudaba.bots import First
from fudaba.cli import cli
from tests.support.patience import PATIENCE

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.kit.served import Served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"))
    service.start()
    yield service
    service.kill()


async def test_matches_are_created_played_shown_watched_and_recorded(served: Served, tmp_path: Path) -> None:
    a, b = served.bot("anna"), served.bot("bert")
    created = [
        served.ok("match", "create", "naga", "anna", "bert@1", "--option", "deals=2", "--id", f"whole-{number}").strip()
        for number in range(3)
    ]
    assert created == ["whole-0", "whole-1", "whole-2"]
    assert "waiting" in served.ok("match", "show", "whole-0")
    tallies = await served.plays(a, b, 3)
    assert [tally.finished for tally in tallies] == [3, 3]
    assert sum(tallies[0].scores) == -sum(tallies[1].scores)

    listed = json.loads(served.ok("match", "list", "--state", "finished", "--json"))
    assert set(created) <= {match["header"]["match_id"] for match in listed}
    of_version = [json.loads(served.ok("match", "list", "--bot", f"bert@{label}", "--json")) for label in ("1", "2")]
    assert [{match["header"]["match_id"] for match in matches} for matches in of_version] == [set(created), set()]
    shown = served.ok("match", "show", "whole-0")
    assert "deals=2" in shown
    assert "state: finished" in shown
    assert "seat 0 (anna 1): score" in shown
    watched = served.ok("match", "watch", "whole-0").splitlines()
    assert any(line.startswith("Battle for ") for line in watched)
    assert watched[-2:] == shown.splitlines()[-2:]
    lines = [json.loads(line) for line in served.ok("match", "watch", "whole-0", "--json").splitlines()]
    assert sum(len(line.get("events", [])) for line in lines) == lines[-1]["seen"]

    path = tmp_path / "m.fudaba"
    served.ok("record", "get", "whole-1", "-o", str(path))
    assert served.ok("record", "verify", str(path)) == f"{path}: valid: commitment, every move, result\n"
    assert "seat 0 (anna 1): score" in served.ok("record", "show", str(path))
    assert "--force" in served.refused("record", "get", "whole-1", "-o", str(path))
    served.ok("record", "get", "whole-1", "-o", str(path), "--force")

    folder = tmp_path / "records"
    chosen = ("--bot", "anna", "--since", "2026-01-01", "--to", str(folder))
    assert "3 records fetched" in served.ok("record", "get", *chosen)
    (folder / "whole-1.fudaba").unlink()
    (folder / "whole-0.fudaba").write_bytes(b"mine")
    fetched = json.loads(served.ok("record", "get", *chosen, "--json"))
    assert fetched == {"fetched": ["whole-1"], "there": ["whole-2", "whole-0"], "not_sent": []}
    assert (folder / "whole-0.fudaba").read_bytes() == b"mine"
    assert json.loads(served.ok("record", "get", *chosen, "--force", "--json"))["fetched"] == created[::-1]
    assert {path.name for path in folder.iterdir()} == {f"{match_id}.fudaba" for match_id in created}
    assert served.ok("record", "verify", *map(str, folder.iterdir())).count("valid") == 3
    assert "0 records" in served.ok("record", "get", "--before", "2026-01-01", "--to", str(folder))


def test_a_match_is_tagged_found_by_its_tags_and_untagged(served: Served) -> None:
    own, other = served.bot("tessa"), served.bot("tilo")
    served.ok("match", "create", "naga", "tessa", "tilo", "--id", "tagged")

    def tags(*words: str, token: str = own.token) -> str:
        return served.ok("match", "tag", "tagged", *words, token=token)

    assert tags() == "tagged: no tags\n"
    assert tags("loss", "endgame") == "tagged: endgame, loss\n"
    assert tags("again", "loss") == "tagged: again, endgame, loss\n"
    assert json.loads(tags("endgame", "unknown", "--remove", "--json"))["tags"] == ["again", "loss"]
    assert "your tags: again, loss" in served.ok("match", "show", "tagged", token=own.token)
    assert "tags" not in served.ok("match", "show", "tagged", token=other.token)
    assert tags(token=other.token) == "tagged: no tags\n"
    table = served.ok("match", "list", "--tag", "loss", token=own.token)
    assert "your tags" in table
    assert "again, loss" in table
    assert served.ok("match", "list", "--tag", "loss", token=other.token) == "no matches\n"
    assert "your tags" not in served.ok("match", "list", "--bot", "tessa", token=other.token)
    assert tags("--remove") == "tagged: no tags\n"
    assert "author" in served.refused("match", "tag", "tagged", "x")


class Noting(Bot):
    """Says why, at more length than is kept."""

    instant = True

    def choose(self, decision: Decision) -> Answer:
        return Answer(decision.legal_moves[0], f"札 of {decision.legal_count}\n" + "札" * 1000)


async def test_a_bots_notes_are_fetched_beside_its_record_and_shown_below_its_moves(
    served: Served, tmp_path: Path
) -> None:
    own, other = served.bot("thea"), served.bot("timo")
    served.ok("match", "create", "naga", "thea", "timo", "--id", "noted")
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(
            *[
                play(factory, dataclasses.replace(options, matches=1))
                for factory, options in ((Noting, own), (First, other))
            ]
        )
    for name, token in (("mine", own.token), ("theirs", other.token)):
        path = tmp_path / f"{name}.fudaba"
        served.ok("record", "get", "noted", "-o", str(path), "--notes", token=token)
    moves = sum(entry.HasField("move") and entry.seat == 0 for entry in records.read(tmp_path / "mine.fudaba").log)
    shown = served.ok("record", "show", str(tmp_path / "mine.fudaba")).splitlines()
    note_lines = [line.strip() for line in shown if line.strip().startswith("note: ")]
    assert len(note_lines) == 2 * moves > 0
    assert all(len(line.encode()) < 1024 for line in note_lines)
    first = next(number for number, line in enumerate(shown) if "note: 札 of" in line)
    assert "seat 0" in shown[first - 1]
    assert "note: " not in served.ok("record", "show", str(tmp_path / "theirs.fudaba"))
    assert not (tmp_path / "theirs.fudaba.notes.json").exists()
    served.ok("record", "get", "--bot", "thea", "--to", str(tmp_path / "all"), "--notes", token=own.token)
    notes = (tmp_path / "all" / "noted.fudaba.notes.json").read_text(encoding="utf-8")
    assert notes == (tmp_path / "mine.fudaba.notes.json").read_text(encoding="utf-8")
    assert "this call takes: author" in served.refused("record", "get", "noted", "-o", str(tmp_path / "m"), "--notes")
    (tmp_path / "theirs.fudaba.notes.json").write_text('{"match_id": "another"}')
    assert "the notes of match another" in served.refused("record", "show", str(tmp_path / "theirs.fudaba"))


def test_a_bot_has_versions_and_tokens(served: Served) -> None:
    made = json.loads(served.ok("bot", "create", "carl", "--author", "C.", "--version", "a", "--json"))
    assert (made["bot"]["name"], made["bot"]["author"], made["version"]) == ("carl", "C.", "a")
    assert "a, b" in served.ok("bot", "version", "add", "carl", "b")
    token = served.ok("bot", "token", "carl").strip()
    assert token not in {"", made["token"]}
    row = next(line for line in served.ok("bot", "list").splitlines() if line.startswith("carl"))
    assert row.split()[1:3] == ["b", "2"]
    assert served.ok("bot", "token", "carl@a").strip()
    assert "1 token of" in served.ok("bot", "revoke", "carl@b", "--yes")
    assert "2 tokens" in served.ok("bot", "revoke", "carl", "--yes")
    assert "names version a, and --version b" in served.run("bot", "token", "carl@a", "--version", "b").stderr
    assert "names no version" in served.run("bot", "pause", "carl@").stderr
    assert "version a, is paused" in served.ok("bot", "pause", "carl@a")
    assert "versions a, b, are paused" in served.ok("bot", "pause", "carl")
    resumed = json.loads(served.ok("bot", "resume", "carl@b", "--json"))
    assert [(version["version"], version.get("paused", False)) for version in resumed] == [("b", False)]
    assert "versions a, b, are not paused" in served.ok("bot", "resume", "carl")
    assert "BOT_NOT_FOUND" in served.refused("bot", "pause", "nobody")
    assert "BOT_EXISTS" in served.refused("bot", "create", "carl")
    assert "BOT_NOT_FOUND" in served.refused("bot", "token", "nobody")


def test_an_account_is_made_listed_suspended_resumed_and_deleted(served: Served) -> None:
    token = served.ok("account", "create", "greta", "--display-name", "Greta G.").strip()
    made = json.loads(served.ok("bot", "create", "greta-bot", "--json", token=token))
    assert (made["bot"]["account"], made["bot"]["author"]) == ("greta", "Greta G.")
    assert "NOT_YOURS" in served.refused("bot", "create", "other-bot", "--account", "someone", token=token)
    rows = served.ok("token", "list", token=token).splitlines()
    assert sorted(row.split()[1] for row in rows[1:]) == ["author", "bot"]
    assert "account greta: suspended: enough" in served.ok("account", "suspend", "greta", "--message", "enough")
    assert "ACCOUNT_SUSPENDED" in served.refused("token", "show", token=token)
    assert "account greta: open" in served.ok("account", "resume", "greta")
    row = next(line for line in served.ok("account", "list").splitlines() if line.startswith("greta"))
    assert row.split()[1:4] == ["Greta", "G.", "1"]
    assert re.fullmatch(r"[0-9A-Z-]{14}\n", served.ok("account", "invite"))
    assert "REGISTRATION_CLOSED" in served.refused("account", "create", "hugo", token="")
    assert "--yes" in served.refused("account", "delete", "greta")
    assert "deleted-" in served.ok("account", "delete", "greta", "--yes", token=token)
    assert "ACCOUNT_NOT_FOUND" in served.refused("account", "suspend", "greta")
    output = served.ok("account", "actions")
    assert "AccountService.SuspendAccount" in output
    assert "account=greta, message=enough" in output


def test_a_code_signs_in_whatever_token_the_variables_hold_and_revoked_codes_do_not(
    served: Served, tmp_path: Path
) -> None:
    ann = served.ok("account", "create", "coder").strip()
    code = served.ok("account", "sign-in-code", "--kind", "recovery", token=ann).strip()
    assert len(code) == 24
    env = {"FUDABA_SERVER": served.address, "FUDABA_TOKEN": "lost", "FUDABA_TOKEN_FILE": str(tmp_path / "lost.token")}
    entered = CliRunner().invoke(cli, ["account", "sign-in", code], env=env)
    assert entered.exit_code == 0, entered.output
    assert json.loads(served.ok("token", "show", "--json", token=entered.stdout.strip()))["account"] == "coder"
    left = served.ok("account", "sign-in-code", token=ann).strip()
    assert "1 sign-in code of the account coder revoked" in served.ok("account", "sign-in-code", "--revoke", token=ann)
    assert "INVITATION_NOT_FOUND" in served.refused("account", "sign-in", left)
    assert served.run("account", "sign-in-code", "--revoke", "--kind", "link").exit_code == 2


def test_who_is_asked_before_something_is_lost_is_told_first_that_it_is_not_there(served: Served) -> None:
    served.ok("account", "create", "asked")
    served.ok("bot", "create", "asked-bot")
    assert "there is no token 'nosuch'" in served.refused("token", "revoke", "nosuch")
    assert "BOT_NOT_FOUND" in served.refused("bot", "revoke", "nosuch")
    assert "has no version '9'; it has: 1; nothing was revoked" in served.refused("bot", "revoke", "asked-bot@9")
    assert "ACCOUNT_NOT_FOUND" in served.refused("account", "delete", "nosuch")
    assert "has no member 'nosuch'; it has: asked" in served.refused(
        "account", "member", "remove", "nosuch", "--account", "asked"
    )
    assert "MATCH_NOT_FOUND" in served.refused("match", "resign", "m-0000000000000000")
    for known in (("bot", "revoke", "asked-bot"), ("account", "delete", "asked")):
        assert "without a terminal nobody can confirm; add --yes" in served.refused(*known)


def test_a_token_is_made_shown_rotated_and_revoked(served: Served) -> None:
    bot = served.bot("tilda").token
    made = json.loads(
        served.ok("token", "create", "--scope", "arena", "--label", "spring", "--lifetime", "1h", "--json")
    )
    shown = served.ok("token", "show", token=made["token"])
    assert "scope: arena" in shown
    assert "label: spring" in shown
    assert served.ok("token", "create", "--bot", "tilda").startswith("fudaba-bot-")
    new = served.ok("token", "rotate", token=bot).strip()
    assert "TOKEN_UNKNOWN" in served.refused("token", "show", token=bot)
    assert "of: tilda 1" in served.ok("token", "show", token=new)
    assert "--yes" in served.refused("token", "revoke", made["info"]["token_id"])
    assert "was revoked" in served.ok("token", "revoke", made["info"]["token_id"], "--yes")
    assert "TOKEN_NOT_FOUND" in served.refused("token", "revoke", made["info"]["token_id"], "--yes")
    for wrong in (["--bot", "tilda", "--scope", "arena"], [], ["--scope", "arena", "--lifetime", "soon"]):
        assert served.run("token", "create", *wrong).exit_code == 2


def test_refusals_tell_what_to_do_and_give_exit_code_1(served: Served) -> None:
    bot = served.bot("dora").token
    assert "FUDABA_TOKEN" in served.refused("bot", "list", token="")
    assert "TOKEN_UNKNOWN" in served.refused("bot", "list", token="wrong")
    assert "WRONG_SCOPE" in served.refused("bot", "list", token=bot)
    assert "MATCH_NOT_FOUND" in served.refused("match", "show", "nothere")
    assert "MATCH_NOT_FOUND" in served.refused("match", "watch", "nothere")
    assert "MATCH_NOT_FOUND" in served.refused("record", "get", "nothere")
    assert "BAD_PLAYERS" in served.refused("match", "create", "naga", "dora")
    assert "BOT_NOT_FOUND" in served.refused("match", "create", "naga", "dora", "nobody")
    assert "GAME_NOT_FOUND" in served.refused("match", "create", "chess", "dora", "nobody")
    assert "BOT_ONLY" in served.refused("bot", "run", "first")
    assert "TOKEN_UNKNOWN" in served.refused("bot", "run", "first", token="wrong")


def test_a_match_is_aborted_released_and_waited_for(served: Served) -> None:
    served.bot("emil")
    served.bot("fritz")
    match_id = served.ok("match", "create", "naga", "emil", "fritz", "--hidden", "--label", "a test").strip()
    assert "hidden" in served.ok("match", "show", match_id)
    assert "MATCH_HIDDEN" in served.refused("match", "watch", match_id, token="")
    assert "1 match released" in served.ok("match", "release", match_id)
    assert "aborted" in served.ok("match", "abort", match_id, "--message", "enough")
    shown = served.ok("match", "show", match_id)
    assert "label: a test" in shown
    assert "aborted by an organiser" in shown
    waited = served.run("match", "create", "naga", "emil", "fritz", "--clock", "move=1s,start=200ms", "--wait")
    assert waited.exit_code == 1
    assert re.fullmatch(r"m-[0-9a-f]+\n", waited.stdout)  # a script gets the id, however the wait ends
    assert "did not connect in time" in waited.stderr


def test_a_match_is_released_with_a_premiere(served: Served) -> None:
    served.bot("gerda")
    match_id = served.ok("match", "create", "naga", "gerda", "house-first", "--hidden", "--show-delay", "1h").strip()
    assert json.loads(served.ok("match", "show", match_id, "--json"))["show_delay_ms"] == 3_600_000
    assert "--premiere-from, too" in served.run("match", "release", match_id, "--lead", "30s").output
    assert (
        "from 0 ms to 1 h" in served.run("match", "release", match_id, "--premiere-from", "1m", "--lead", "2h").output
    )
    assert "from 1 ms to 24 h" in served.run("match", "release", match_id, "--premiere-from", "0s").output
    assert "hidden" in served.ok("match", "show", match_id)
    other = served.ok(
        "match", "create", "naga", "--seat", "house-first", "--seat", "house-first", "--hidden", "--wait"
    ).strip()
    assert "1 match released" in served.ok("match", "release", other, "--premiere-from", "1ms", "--lead", "1h")
    assert re.search(r"hidden; shown from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC on", served.ok("match", "show", other))
    assert "MATCH_HIDDEN" in served.refused("record", "get", other, token="")
    assert "1 match released" in served.ok("match", "release", match_id, "--premiere-from", "24h")


def test_the_catalogue_of_a_service_is_the_registry(served: Served) -> None:
    assert served.ok("games", "--server", served.address) == served.ok("games")
    assert served.ok("games", "naga", "--rules", "--server", served.address) == served.ok("games", "naga", "--rules")
    # What a service has, and an installation has not, is house bots.
    asked = json.loads(served.ok("games", "naga", "--json", "--server", served.address))
    assert [house_bot["name"] for house_bot in asked.pop("house_bots")] == [
        "house-sensible",
        "house-random",
        "house-first",
    ]
    assert asked == json.loads(served.ok("games", "naga", "--json"))
    shown = served.ok("games", "naga", "--server", served.address)
    assert shown.startswith(served.ok("games", "naga"))
    assert "house bots: house-sensible, house-random, house-first" in shown


def test_matches_of_a_bot_that_there_is_not_are_no_empty_list(served: Served, tmp_path: Path) -> None:
    own = served.bot("cunning").token
    assert served.ok("match", "list", "--bot", "cunning") == "no matches\n"
    assert served.ok("match", "list", "--bot", "house-random") == "no matches\n"
    error = "error: there is no bot 'cuning'; did you mean 'cunning'?\n"
    assert served.refused("match", "list", "--bot", "cuning") == error
    assert served.refused("record", "get", "--bot", "cuning", "--to", str(tmp_path)) == error
    assert served.refused("match", "list", "--bot", "cuning", token=own) == "error: there is no bot 'cuning'\n"
