"""`fudaba bot check`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say
from fudaba.installing import how_to_install
from fudaba_arena.commands.prepare_option import prepare_option

if TYPE_CHECKING:
    from fudaba_arena.commands.checking_here import CheckRun
    from fudaba_arena.submissions.manifest import Manifest
    from fudaba_arena.submissions.stages import Outcome

__all__ = ["check"]

_NOT_RUN: Final = "whether it builds, starts, connects and plays: nothing of it was run"
_INSTALL: Final = f"; for that, {how_to_install('service')}"
_LIMITS: Final = "limits that the arena's organiser has set: here {} apply"
_NEEDED: Final = ("redis", "prometheus_client", "grpc_health", "grpc_reflection")
"""The modules that the service needs and some installations lack."""


@click.command(
    epilog="Exit codes: 0 nothing is wrong; 1 an arena would refuse it, or it cannot be checked here; 130 interrupted.",
    short_help="Check a bot before you submit it.",
)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@prepare_option
@click.option(
    "--no-run",
    is_flag=True,
    help="Only read and unpack the submission, and look for its runtime; run none of its code.",
)
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False, exists=True),
              envvar="FUDABA_ARENA_WORKER_CONFIG", show_envvar=True, metavar="FILE",
              help="A worker's file, which sets the runtimes and the limits of the check; see docs/workers.md."
              )  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(path: Path, prepared: bool, no_run: bool, config: Path | None, as_json: bool) -> None:
    """Check a folder, an archive or a source file as an arena does, without sending it.

    The bot is unpacked and built, and plays a match of each of its games against itself, on a service of its own and
    within an arena's limits. On Linux with bubblewrap, as root, it runs in the sandbox that an arena's workers use.
    Elsewhere it runs like any of your programs, without enforced limits. Check only a bot that you would also run
    yourself; --no-run runs nothing.

    The command lists what it could not check. Playing needs the extra `service`: in a clone, FUDABA_PAGE=none pip
    install '.[service]'.

    \b
    Examples:
      fudaba bot check .
      fudaba bot check mybot.tar.gz
      fudaba bot check . --no-run
    """
    from fudaba_arena.commands.submission_files import check_here, given, say_begun, say_stage
    from fudaba_arena.submissions.limits import SubmissionLimits

    def tell(outcome: Outcome) -> None:
        if not as_json:
            say_stage(outcome.stage, outcome.took_ms, outcome.output, passed=outcome.passed)

    def begins(stage: str, game: str) -> None:
        if not as_json:
            say_begun(stage, game)

    missing = [name for name in _NEEDED if find_spec(name) is None]
    ran: CheckRun | None = None
    with given(path, prepared=prepared) as submitted_file:
        outcome, manifest = check_here(submitted_file, SubmissionLimits())
        if manifest is None or missing or (no_run and not manifest.runtime):
            tell(outcome)
        else:
            from fudaba_arena.commands.checking_here import check_runtime, run_stages

            with _said_of_this_machine():
                if no_run:
                    outcome = check_runtime((outcome, manifest), config)
                    tell(outcome)
                else:
                    ran = run_stages(submitted_file, (outcome, manifest), config, tell, begins)
    outcomes = ran.outcomes if ran is not None else [outcome]
    not_checked = _not_checked(ran, config, missing=bool(missing) and not no_run)
    if as_json:
        print_json(_values(outcomes, manifest, not_checked))
    else:
        say(*(f"not checked: {unchecked}" for unchecked in not_checked))
    sys.exit(0 if all(stage_outcome.passed for stage_outcome in outcomes) else 1)


@contextmanager
def _said_of_this_machine() -> Iterator[None]:
    """Attributes a failure to this machine, not to the bot."""
    from fudaba_arena.errors import ArenaError

    try:
        yield
    except ArenaError as error:
        raise Failure(f"this machine cannot check the bot, which says nothing about the bot itself: {error}") from error


def _values(outcomes: Sequence[Outcome], manifest: Manifest | None, not_checked: Sequence[str]) -> dict[str, Any]:
    """Returns the findings as JSON values."""
    stages = [outcome.values() for outcome in outcomes]
    values = manifest.values() if manifest is not None else None
    return {"stages": stages, "manifest": values, "not_checked": not_checked}


def _not_checked(ran: CheckRun | None, config: Path | None, *, missing: bool) -> Sequence[str]:
    if ran is None:
        return [f"{_NOT_RUN}{_INSTALL if missing else ''}", _LIMITS.format("the defaults")]
    found = [_LIMITS.format("the defaults" if config is None else f"those of {config}")]
    if ran.runtime:
        found.append(f"whether the arena has what it needs: here it ran with {ran.runtime}")
    if ran.why_no_sandbox:
        found.insert(0, f"whether it works in a sandbox, within its limits: there is none here: {ran.why_no_sandbox}")
    return found
