"""The commands for who is who, against the real service: teams, logins, guests, quotas, whose a bot is."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.kit.served import Served
from tests.support.service.bots import Stream


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"), "--guests")
    service.start()
    yield service
    service.kill()


def test_a_team_has_members_and_logins_that_are_shown_and_removed(served: Served) -> None:
    login = ("--issuer", "https://login.example", "--subject", "1234")
    token = served.ok("account", "create", "team", *login).strip()
    assert served.run("account", "create", "half", "--issuer", "https://login.example").exit_code == 2
    assert "has the members team, ida" in served.ok("account", "member", "add", "ida", token=token)
    idas = served.ok("token", "create", "--scope", "author", "--member", "ida", token=token).strip()
    shown = served.ok("account", "update", "--display-name", "The Team", token=idas)
    assert shown == "account team is shown as The Team\n"
    gateway = served.ok("token", "create", "--scope", "gateway").strip()
    more = ("--member", "ida", "--issuer", "https://login.example", "--subject", "5678")
    assert "ida as 5678 at https://login.example" in served.ok("account", "link", "add", "team", *more, token=gateway)
    exchanged = served.ok("token", "exchange", "--issuer", "https://login.example", "--subject", "5678", token=gateway)
    assert "of: account team, ida" in served.ok("token", "show", token=exchanged.strip())
    rows = served.ok("account", "show", token=token).splitlines()
    assert rows[:2] == ["account team", "display name: The Team"]
    assert rows[-2].split()[0] == "team"
    assert rows[-2].endswith("1234 at https://login.example")
    assert "team as 1234" not in served.ok("account", "link", "remove", *login, token=token)
    assert "ACCOUNT_NOT_FOUND" in served.refused("token", "exchange", *login, token=gateway)
    assert "--yes" in served.refused("account", "member", "remove", "ida", token=token)
    left = json.loads(served.ok("account", "member", "remove", "ida", "--yes", "--json", token=token))
    assert [member["name"] for member in left["members"]] == ["team"]
    assert "TOKEN_UNKNOWN" in served.refused("token", "show", token=idas)


def test_a_bot_is_shown_and_given_to_an_account(served: Served) -> None:
    token = served.bot("gift").token
    ann = served.ok("account", "create", "heir", "--display-name", "The Heir").strip()
    assert "NOT_YOURS" in served.refused("bot", "show", "gift", token=ann)
    assert served.ok("bot", "assign", "gift", "heir") == "bot gift belongs to account heir\n"
    rows = served.ok("bot", "show", "gift", token=ann).splitlines()
    assert rows[:3] == ["bot gift", "author: The Heir", "account: heir"]
    assert json.loads(served.ok("bot", "show", "--json", token=token))["account"] == "heir"
    assert served.ok("bot", "assign", "gift", "--nobody") == "bot gift belongs to no account\n"
    assert "NOT_YOURS" in served.refused("bot", "show", "gift", token=ann)
    for wrong in (["gift"], ["gift", "heir", "--nobody"]):
        assert served.run("bot", "assign", *wrong).exit_code == 2


def test_a_guest_is_made_without_a_token(served: Served) -> None:
    token = served.ok("guest", "create", token="").strip()
    assert "scope: guest" in served.ok("token", "show", token=token)
    made = json.loads(served.ok("guest", "create", "--json", token=""))
    assert re.fullmatch(r"guest-[a-z]+-[a-z]+-[0-9a-f]{8}", made["info"]["bot"])


def test_quotas_are_shown_and_changed_for_one_account_and_for_all(served: Served) -> None:
    def quotas(*words: str, token: str | None = None) -> dict[str, list[str]]:
        rows = [re.split(" {2,}", row) for row in served.ok("quota", "show", *words, token=token).splitlines()[1:]]
        return {row[0]: row[1:] for row in rows}

    token = served.ok("account", "create", "quentin").strip()
    served.ok("bot", "create", "quentin-bot", token=token)
    assert quotas(token=token)["bots"] == ["20", "1", "by default"]
    assert quotas()["bots"] == ["20", "by fudaba serve"]
    assert "may have 20 bots, 7 versions a day" in served.ok("quota", "set", "--defaults", "--versions-per-day", "7")
    assert "may have 1 bots, 7 versions" in served.ok("quota", "set", "quentin", "--bots", "1")
    assert quotas("quentin")["bots"] == ["1", "1", "for this account"]
    assert quotas("quentin")["versions a day"] == ["7", "0", "by default"]
    assert quotas()["versions a day"] == ["7", "as the default"]
    assert "QUOTA_EXCEEDED" in served.refused("bot", "create", "quentin-more", token=token)
    assert json.loads(served.ok("quota", "set", "quentin", "--reset", "--json"))["bots"] == 20
    served.ok("bot", "create", "quentin-more", token=token)
    served.ok("quota", "set", "--defaults", "--reset")
    assert "ORGANISER_ONLY" in served.refused("quota", "set", "quentin", "--bots", "9", token=token)
    assert "ACCOUNT_NOT_FOUND" in served.refused("quota", "set", "nobody", "--bots", "9")
    for wrong in (["quentin"], ["--bots", "3"], ["quentin", "--defaults", "--bots", "3"], ["quentin", "--bots", "0"]):
        assert served.run("quota", "set", *wrong).exit_code == 2
    assert "account=quentin, bots=1" in served.ok("account", "actions")


async def test_a_bot_resigns_a_match_from_the_command_line_also_with_a_match_token(served: Served) -> None:
    token = served.bot("rita").token
    for number, by_match in enumerate((False, True)):
        seats = ("--seat", "bot:rita", "--seat", "house-first")
        match_id = served.ok("match", "create", "naga", *seats, "--id", f"resigned-{number}").strip()
        mine = served.ok("token", "create", "--match", match_id, "--seat", "0").strip() if by_match else token
        assert "--yes" in served.refused("match", "resign", match_id, token=mine)
        assert "NOT_YOUR_DECISION" in served.refused("match", "resign", match_id, "--yes", token=mine)  # not begun yet
        async with Stream(served.address, mine) as stream:
            await stream.hello()
            await stream.decision()
            output = await asyncio.to_thread(served.ok, "match", "resign", match_id, "--yes", token=mine)
        assert output == f"{match_id}: finished\n"
        assert "it resigned" in served.ok("match", "show", match_id)
    assert served.run("token", "create", "--match", "resigned-0").exit_code == 2
    assert "MATCH_OVER" in served.refused("token", "create", "--match", "resigned-0", "--seat", "0")
    listed = json.loads(served.ok("token", "list", "--scope", "bot", "--bot", "rita", "--json"))
    assert [row["scope"] for row in listed] == ["TOKEN_SCOPE_BOT"]


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    file = tmp_path / "roster.csv"
    file.write_text("name,display_name,mail\nrosa,Rosa R.,r@example.org\nrolf,,f@example.org\n", encoding="utf-8")
    return file


def test_a_roster_makes_an_account_and_a_token_file_for_each_and_again_what_is_new(
    served: Served, roster: Path, tmp_path: Path
) -> None:
    words = ("account", "create", "--from", str(roster), "--tokens", str(tmp_path / "tokens"))
    assert "2 accounts would be created" in served.ok(*words, "--dry-run")
    assert not (tmp_path / "tokens").exists()
    assert "2 accounts are created" in served.ok(*words)
    files = {file.name: file for file in (tmp_path / "tokens").iterdir()}
    assert set(files) == {"rosa.token", "rolf.token"}
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o600}
    token = files["rosa.token"].read_text(encoding="utf-8").strip()
    assert "of: account rosa" in served.ok("token", "show", token=token)
    assert "display name: Rosa R." in served.ok("account", "show", token=token)
    with roster.open("a", encoding="utf-8") as file:
        file.write("ruth,,u@example.org\n")
    roster.write_text(roster.read_text(encoding="utf-8").replace("Rosa R.", "Rosa S."), encoding="utf-8")
    files["rolf.token"].unlink()
    again = json.loads(served.ok(*words, "--json"))
    assert (again["created"], again["existing"]) == (["ruth"], ["rosa", "rolf"])
    assert again["differing"] == [{"name": "rosa", "display_name": "Rosa R.", "in_roster": "Rosa S."}]
    assert again["without_token"] == ["rolf"]
    assert files["rosa.token"].read_text(encoding="utf-8").strip() == token
    # Another token takes the place of one that was lost, or that others have seen.
    assert "2 accounts have another token" in served.ok(*words, "--reissue", "rosa", "--reissue", "rolf")
    assert "TOKEN_UNKNOWN" in served.refused("token", "show", token=token)
    for name in ("rosa", "rolf"):
        fresh = (tmp_path / "tokens" / f"{name}.token").read_text(encoding="utf-8").strip()
        assert f"of: account {name}" in served.ok("token", "show", token=fresh)


SITE = "https://play.example.org"


def codes(sheets: Path) -> dict[str, str]:
    """Returns the sign-in codes of sheets by the accounts' names."""
    pages = re.findall("<section>.*?</section>", sheets.read_text(encoding="utf-8"), re.DOTALL)
    found = {}
    for page in pages:
        [name] = re.findall("Your account is <b>(.*?)</b>", page)
        [code] = re.findall("<code>(.*?)</code>", page)
        assert f"{SITE}/account#code={code}" in page
        assert page.count("<svg") == 1
        found[name] = code
    return found


def test_a_sheet_signs_each_author_of_a_roster_in_once_until_it_is_reissued(served: Served, tmp_path: Path) -> None:
    file = roster_of(tmp_path, "sheet-a,<Ann> & Co", "sheet-b,", head="name,display_name")
    sheets, again = tmp_path / "sheets.html", tmp_path / "again.html"
    words = ("account", "create", "--from", str(file), "--tokens", str(tmp_path / "tokens"), "--site", f"{SITE}/")
    assert "2 sign-up sheets are in" in served.ok(*words, "--sheets", str(sheets))
    assert sheets.stat().st_mode & 0o777 == 0o600
    assert "<h1>&lt;Ann&gt; &amp; Co</h1>" in sheets.read_text(encoding="utf-8")
    first = codes(sheets)
    assert set(first) == {"sheet-a", "sheet-b"}
    token = served.ok("account", "sign-in", first["sheet-a"]).strip()
    assert "of: account sheet-a" in served.ok("token", "show", token=token)
    served.refused("account", "sign-in", first["sheet-a"])
    reissue = ("account", "reissue", "sheet-b", "sheet-a", "sheet-b", "--site", SITE)
    assert "2 sign-up sheets" in served.ok(*reissue, "--sheets", str(again))
    served.refused("account", "sign-in", first["sheet-b"])
    assert "of: account sheet-b" in served.ok(
        "token", "show", token=served.ok("account", "sign-in", codes(again)["sheet-b"]).strip()
    )


def test_sheets_are_of_accounts_that_get_a_token_and_a_file_of_none_is_not_made(served: Served, tmp_path: Path) -> None:
    file, sheets = roster_of(tmp_path, "sheet-c"), tmp_path / "sheets.html"
    words = ("account", "create", "--from", str(file), "--tokens", str(tmp_path / "tokens"))
    served.ok(*words)
    made = (*words, "--site", SITE, "--sheets", str(sheets))
    assert "there are no sign-up sheets" in served.ok(*made)
    planned = served.ok(*made, "--reissue-all", "--dry-run")
    assert ("1 gets another token" in planned, "sheets" in planned) == (True, False)
    assert not sheets.exists()
    former = (tmp_path / "tokens" / "sheet-c.token").read_text(encoding="utf-8").strip()
    assert json.loads(served.ok(*made, "--reissue-all", "--json"))["sheets"] == ["sheet-c"]
    assert set(codes(sheets)) == {"sheet-c"}
    served.refused("token", "show", token=former)
    assert "exists already" in served.refused(*made, "--reissue-all")
    tokens = ("account", "reissue", "sheet-c", "--tokens", str(tmp_path / "tokens"))
    assert json.loads(served.ok(*tokens, "--json")) == {"reissued": ["sheet-c"], "sheets": [], "failed": []}


@pytest.mark.parametrize(
    "site", ["", "play.example.org", "ftp://play.example.org", "https://", f"{SITE}/?a=b", "https://["]
)
def test_sheets_want_the_address_of_the_page(served: Served, tmp_path: Path, site: str) -> None:
    sheets = tmp_path / "sheets.html"
    refused = served.run("account", "reissue", "ann", "--sheets", str(sheets), "--site", site)
    assert (refused.exit_code, "--site URL" in refused.stderr) == (2, True), refused.stderr
    assert not sheets.exists()


def test_what_cannot_be_reissued_is_refused_and_nothing_is_made(served: Served, tmp_path: Path) -> None:
    served.ok("account", "create", "sheet-d")
    sheets = tmp_path / "sheets.html"
    words = ("account", "reissue", "sheet-d", "nobody-d", "--sheets", str(sheets), "--site", SITE)
    assert "there is no account 'nobody-d', and nothing was made" in served.refused(*words)
    assert not sheets.exists()
    for options in ((), ("sheet-d",), ("sheet-d", "--site", SITE), ("--sheets", str(sheets), "--site", SITE)):
        assert served.run("account", "reissue", *options).exit_code == 2, options


def test_a_token_that_was_replaced_is_revoked_by_the_next_run_if_the_first_was_interrupted(
    served: Served, tmp_path: Path
) -> None:
    tokens, file = tmp_path / "tokens", roster_of(tmp_path, "iris")
    words = ("account", "create", "--from", str(file), "--tokens", str(tokens))
    served.ok(*words)
    former = (tokens / "iris.token").read_text(encoding="utf-8").strip()
    (tokens / "iris.token").rename(tokens / "iris.former")
    (tokens / "iris.new").write_text("", encoding="utf-8")
    assert "iris; --reissue NAME makes one" in served.ok(*words)
    served.ok(*words, "--reissue", "iris")
    assert "TOKEN_UNKNOWN" in served.refused("token", "show", token=former)
    assert [path.name for path in tokens.iterdir()] == ["iris.token"]


def test_a_roster_with_mistakes_or_of_another_service_makes_nothing(
    served: Served, roster: Path, tmp_path: Path
) -> None:
    words = ("account", "create", "--from", str(roster), "--tokens", str(tmp_path / "tokens"))
    (tmp_path / "tokens").mkdir()
    (tmp_path / "tokens" / "stranger.token").write_text("of another service\n")
    sound = roster.read_text(encoding="utf-8")
    roster.write_text(f"{sound}stranger,,\n", encoding="utf-8")
    assert "another service's folder?" in served.refused(*words)
    roster.write_text(f"{sound}Never Made,,\nnever-made,,\nnever-made,,\n", encoding="utf-8")
    refusal = served.refused(*words)
    assert "nothing was done" in refusal
    assert ["line 4: " in refusal, "line 6: " in refusal] == [True, True]
    assert "is not in" in served.refused(*words[:3], str(roster_of(tmp_path, "solo")), *words[4:], "--reissue", "else")
    assert "no accounts yet" not in served.ok("account", "list")
    assert served.ok("account", "list", "--search", "never-made").strip() == "no accounts yet"


def test_an_account_that_is_refused_is_told_and_the_others_are_made(served: Served, tmp_path: Path) -> None:
    served.ok("account", "create", "taken", "--display-name", "One and Only")
    file = roster_of(tmp_path, "alike,One and  Only", "unlike,Another", head="name,display_name")
    refused = served.run("account", "create", "--from", str(file), "--tokens", str(tmp_path / "tokens"))
    assert refused.exit_code == 1
    assert "error: alike: " in refused.stderr
    assert "1 of 2 accounts are not as the roster says" in refused.stderr
    assert [file.name for file in (tmp_path / "tokens").iterdir()] == ["unlike.token"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("ann", "--tokens", "t"), "leave 'ann' or --from out"),
        ((), "needs --tokens FOLDER"),
        (("--tokens", "t", "--code", "x"), "leave --code out"),
    ],
)
def test_what_does_not_go_with_a_roster_is_refused(
    served: Served, roster: Path, options: tuple[str, ...], words: str
) -> None:
    refused = served.run("account", "create", "--from", str(roster), *options)
    assert (refused.exit_code, words in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("option", [("--tokens", "t"), ("--reissue", "ann"), ("--reissue-all",), ("--dry-run",)])
def test_options_of_a_roster_want_one(served: Served, option: tuple[str, ...]) -> None:
    refused = served.run("account", "create", "ann", *option)
    assert (refused.exit_code, f"{option[0]} is for --from" in refused.stderr) == (2, True)


def roster_of(folder: Path, *lines: str, head: str = "name") -> Path:
    file = folder / "another.csv"
    file.write_text("\n".join((head, *lines)), encoding="utf-8")
    return file
