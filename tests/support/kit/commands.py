"""Commands run in this process, that succeed or are refused."""

from __future__ import annotations

from click.testing import CliRunner, Result

from fudaba.cli import cli

BOT = """
import fudaba

class Mine(fudaba.Bot):
    instant = True
    def choose(self, decision):
        return decision.legal_moves[0]

class Wrong(fudaba.Bot):
    def choose(self, decision):
        return "designate 4"
"""


def run(*arguments: str, **env: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), env=env)


def ok(*arguments: str, **env: str) -> str:
    result = run(*arguments, **env)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str, code: int = 1, **env: str) -> str:
    """Returns what a refused command says: on standard error, in one line unless it is about usage."""
    result = run(*arguments, **env)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
    return result.stderr
