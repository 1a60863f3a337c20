"""What a worker is refused, and what it is told to do instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba_arena.commands.cli import arena as command_line
from tests.support.arena.running import service


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(command_line, ["worker", *arguments], prog_name="fudaba arena")
    assert done.exit_code in {1, 2}, done.output
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        (["--redis", "unix:///tmp/store"], "can be reached on its own machine only"),
        ([], "name the arena's store: give --redis URL"),
        (["--redis", "redis://x", "--data", "here"], "fudaba token create --scope arena"),
        (["--redis", "redis://x"], "fudaba token create --scope arena"),
        (["--pod-claim", "c"], "--pod-claim, --pod-service-label and --pod-server go with --pod-image"),
        (["--pod-image", "i"], "give --pod-claim and --programs"),
        (["--pod-image", "i", "--pod-claim", "c", "--programs", "p"], "no pod reaches a service at 127.0.0.1"),
        (["--pod-service-label", "app"], "write KEY=VALUE, each key once"),
    ],
)
def test_a_worker_is_told_what_it_lacks(arguments: list[str], message_part: str) -> None:
    assert message_part in refused(*arguments)


def test_a_worker_has_no_organisers_token_and_an_arena_to_work_for(tmp_path: Path) -> None:
    with service() as hosted:
        where = ["--server", hosted.address, "--data", str(tmp_path)]
        assert "no arena with a store of its own runs in" in refused(*where, "--token", hosted.arena_token)
        (tmp_path / "store.url").write_text("redis://127.0.0.1:1/0\n")
        assert "create --scope arena" in refused(*where, "--token", hosted.token)
        unreached = refused(*where, "--token", hosted.arena_token)
        assert "cannot be reached" in unreached
        assert "with --redis, the one that the arena uses" in unreached
