"""What `verify` finds in an export, as a function, as a command, and by a program that knows the page alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

from click.testing import CliRunner, Result

from fudaba_arena.audit.verify import verify
from fudaba_arena.commands.cli import arena
from tests.support.arena.audit.exports import Lines, texts

CHECKER = Path(__file__).with_name("check_export.mjs")


def by_node(node: Path, kind: str, file: Path) -> tuple[int, str]:
    done = subprocess.run([node, CHECKER, kind, file], capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def command(*arguments: str) -> Result:
    """Runs `fudaba arena verify`."""
    return CliRunner().invoke(arena, ["verify", *arguments])


def codes(lines: Lines, **more: bytes) -> set[str]:
    return {fault.code for fault in verify(texts(lines), **more).faults}  # type: ignore[arg-type]


def saved(lines: Lines, folder: Path) -> Path:
    file = folder / "export.jsonl"
    file.write_text("".join(texts(lines)), encoding="utf-8")
    return file
