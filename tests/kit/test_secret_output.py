"""Tokens and codes that commands write to files: new ones, for their owner only, made before the secret is."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.support.kit.examples import command
from tests.support.kit.served import Served
from tests.support.kit.trees import leaves

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("clients/*/README.md"),
    *ROOT.glob("deploy/**/*.md"),
]
MAKING: dict[tuple[str, ...], tuple[str, ...]] = {
    ("account", "create"): ("account", "create", "NAME"),
    ("account", "invite"): ("account", "invite"),
    ("account", "sign-in"): ("account", "sign-in", "CODE"),
    ("account", "sign-in-code"): ("account", "sign-in-code", "linked"),
    ("bot", "create"): ("bot", "create", "NAME"),
    ("bot", "token"): ("bot", "token", "owned"),
    ("guest", "create"): ("guest", "create"),
    ("token", "create"): ("token", "create", "--scope", "arena"),
    ("token", "exchange"): ("token", "exchange", "--issuer", "https://login", "--subject", "1"),
    ("token", "rotate"): ("token", "rotate", "ID"),
}
"""A call of each command that makes a secret."""
REDIRECTED = re.compile(
    r"fudaba (?:account (?:create|invite)|bot (?:create|token)|guest create|token (?:create|exchange|rotate))[^\n|)`]*>"
    r"|>\s*\S+\.(?:token|account)\b"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"), "--guests")
    service.start()
    service.ok("bot", "create", "owned")
    service.ok("account", "create", "linked", "--issuer", "https://login", "--subject", "1")
    yield service
    service.kill()


def words(served: Served, path: tuple[str, ...], name: str) -> tuple[tuple[str, ...], str]:
    """Returns a call of a command, and the token that it takes."""
    values = {"NAME": name}
    if path == ("account", "sign-in"):
        values["CODE"] = served.ok("account", "sign-in-code", "linked").strip()
    if path == ("token", "rotate"):
        made = json.loads(served.ok("token", "create", "--scope", "arena", "--label", name, "--json"))
        values["ID"] = made["info"]["token_id"]
    token = served.token
    if path == ("token", "exchange"):
        token = served.ok("token", "create", "--scope", "gateway").strip()
    return tuple(values.get(word, word) for word in MAKING[path]), token


def test_every_command_that_shows_a_secret_once_writes_it_to_a_file() -> None:
    showing = {path for path in leaves() if "shown only once" in " ".join((command(path).help or "").split())}
    with_output = {
        path for path in leaves() if any(o.name == "output" and "the secret" in (o.help or "") for o in options(path))
    }
    assert showing <= set(MAKING)
    assert with_output == set(MAKING)


def options(path: tuple[str, ...]) -> list[click.Option]:
    return [parameter for parameter in command(path).params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("path", MAKING, ids=" ".join)
def test_a_secret_is_written_to_a_new_file_that_only_its_owner_reads(
    served: Served, tmp_path: Path, path: tuple[str, ...]
) -> None:
    call, token = words(served, path, f"new-{path[0]}")
    file = tmp_path / "secret"
    shown = served.ok(*call, "--output", str(file), token=token)
    assert shown == ""
    assert re.fullmatch(r"[!-~]{8,}\n", file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("path", MAKING, ids=" ".join)
def test_a_secret_never_replaces_a_file_and_is_not_made_then(
    served: Served, tmp_path: Path, path: tuple[str, ...]
) -> None:
    call, token = words(served, path, f"old-{path[0]}")
    file = tmp_path / "secret"
    file.write_text("the old one\n")
    before = [served.ok(*listing) for listing in (("token", "list"), ("bot", "list"), ("account", "list"))]
    assert "exists already, so nothing was made" in served.refused(*call, "-o", str(file), token=token)
    assert file.read_text() == "the old one\n"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    assert "exists already" in served.refused(*call, "-o", str(link), token=token)
    assert not (tmp_path / "nowhere").exists()
    assert "cannot be written" in served.refused(*call, "-o", str(tmp_path / "no" / "folder"), token=token)
    after = [served.ok(*listing) for listing in (("token", "list"), ("bot", "list"), ("account", "list"))]
    assert [listing.count("\n") for listing in after] == [listing.count("\n") for listing in before]


def test_a_call_that_is_refused_leaves_no_file(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "alice.token"
    served.ok("bot", "create", "alice", "--output", str(file))
    kept = file.read_bytes()
    again = tmp_path / "again.token"
    assert "BOT_EXISTS" in served.refused("bot", "create", "alice", "--output", str(again))
    assert not again.exists()
    assert "exists already" in served.refused("bot", "create", "alice", "--output", str(file))
    assert file.read_bytes() == kept


def test_json_names_the_file_and_not_the_secret_in_it(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    report = json.loads(served.ok("account", "invite", "--json", "--output", str(file)))
    assert report["output"] == str(file)
    assert "code" not in report
    assert file.read_text().strip() not in json.dumps(report)


def test_no_page_and_no_help_redirects_a_secret_to_a_file() -> None:
    texts = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
    texts |= {" ".join(path): command(path).help or "" for path in leaves()}
    found = {
        name: line.strip() for name, text in texts.items() for line in text.splitlines() if REDIRECTED.search(line)
    }
    assert found == {}
    assert len(PAGES) > 20
