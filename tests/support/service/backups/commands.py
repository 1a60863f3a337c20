"""The commands that make and restore backups, and what they leave."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from fudaba.cli import cli


def fudaba(*arguments: object, status: int = 0) -> str:
    """Returns what a command says, all of it, once it has ended as it should."""
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.output


def everything(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
