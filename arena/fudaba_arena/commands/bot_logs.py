"""`fudaba bot logs` and `fudaba bot versions`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import submissions_pb2

__all__ = ["logs", "versions"]

_TIMEOUT_SECONDS: Final = 60.0


@click.command(short_help="Print what a submitted bot printed.")
@click.argument("bot")
@click.argument("match_id", metavar="[MATCH]", default="")
@click.option("--version", default="", metavar="LABEL", help="The version to show.  [default: the newest]")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def logs(bot: str, match_id: str, version: str, connection: Connection, as_json: bool) -> None:
    """Print what a submitted bot printed in a match, and how its processes ended; or list such matches.

    The newest 50 matches of a version are kept, for two weeks.

    Needs the bot's author's token, or the organiser's.

    \b
    Examples:
      fudaba bot logs careful
      fudaba bot logs careful@3 open.1-7-0-2
    """
    from fudaba.cli.naming import named_version
    from fudaba.safe_text import safe_output
    from fudaba.v1 import submissions_pb2

    bot, version = named_version(bot, version)
    with connection.client() as client:
        if match_id:
            asked = submissions_pb2.GetBotLogRequest(bot=bot, version=version, match_id=match_id)
            text = client.arena.GetBotLog(asked, timeout=_TIMEOUT_SECONDS).text
            if as_json:
                print_json({"text": text})
            else:
                say(*(safe_output(line) for line in text.splitlines()))
            return
        listed = client.arena.ListBotLogs(
            submissions_pb2.ListBotLogsRequest(bot=bot, version=version), timeout=_TIMEOUT_SECONDS
        )
    if as_json:
        print_json(as_dict(listed))
    elif not listed.logs:
        say(f"nothing is kept of {bot}@{listed.version}: it has played no match here lately")
    else:
        rows = [
            [log.match_id, moment(log.end_time), " ".join(log.opponents) or "-", log.ending or "-"]
            for log in listed.logs
        ]
        say_text(table(["match", "ended (UTC)", "against", "how"], rows))


@click.command(short_help="List what was submitted for a bot.")
@click.argument("bot")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def versions(bot: str, connection: Connection, as_json: bool) -> None:
    """List a bot's submissions, newest first, each with its version and its outcome.

    Needs the bot's author's token, or the organiser's.

    \b
    Examples:
      fudaba bot versions careful
    """
    with connection.client() as client:
        found = list(_submissions(client, bot))
    if as_json:
        from fudaba_arena.commands.submission_files import submission_json

        print_json([submission_json(submission) for submission in found])
        return
    rows = [
        [
            submission.version or "-",
            _state(submission),
            moment(submission.create_time),
            submission.submission_id,
            submission.message,
        ]
        for submission in found
    ]
    say_text(table(["version", "state", "created", "submission", "message"], rows))


def _submissions(client: Client, bot: str) -> Iterator[submissions_pb2.Submission]:
    from fudaba.cli.paging import every_page
    from fudaba.v1 import submissions_pb2

    request = submissions_pb2.ListSubmissionsRequest(bot=bot)
    for page in every_page(client.arena.ListSubmissions, request):
        yield from page.submissions


def _state(submission: submissions_pb2.Submission) -> str:
    from fudaba.v1 import submissions_pb2

    name = submissions_pb2.SubmissionState.DESCRIPTOR.values_by_number.get(submission.state)
    return f"state {submission.state}" if name is None else name.name.removeprefix("SUBMISSION_STATE_").lower()
