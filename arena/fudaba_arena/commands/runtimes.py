"""`fudaba arena runtimes`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, print_json, say, say_text, table

if TYPE_CHECKING:
    from fudaba.v1 import submissions_pb2

__all__ = ["runtimes"]

_DAY: Final = timedelta(days=1)


@click.command(epilog="Exit codes: 0 done; 1 failed, or no runtime has that name; 2 wrong usage.",
               short_help="List the runtimes for submitted bots.")  # fmt: skip
@click.argument("name", default="")
@arena_options
@click.option("--language", default="", help="List only runtimes of this language.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the packages of each runtime.")
def runtimes(name: str, connection: Connection, language: str, as_json: bool) -> None:
    """List the runtimes of an arena's workers, or the packages of the runtime NAME with their versions.

    `runtime` in a bot.toml selects one by its name. After a runtime's last day new submissions may not select it, and
    entries that use it are absent. Needs no token.

    \b
    Examples:
      fudaba arena runtimes
      fudaba arena runtimes python-3.11
    """
    from fudaba.cli.failures import Failure
    from fudaba.cli.paging import every_page
    from fudaba.safe_text import safe_line
    from fudaba.v1 import submissions_pb2

    request = submissions_pb2.ListRuntimesRequest(language=language)
    with connection.client() as client:
        found = [
            runtime
            for page in every_page(client.arena.ListRuntimes, request)
            for runtime in page.runtimes
            if name in {"", runtime.name}
        ]
    if name and not found:
        raise Failure(f"no worker has a runtime {name}; `fudaba arena runtimes` lists all runtimes")
    if as_json:
        print_json({"runtimes": [as_dict(runtime) for runtime in found]})
        return
    rows = [
        [safe_line(runtime.name), runtime.language, safe_line(runtime.version), _until(runtime), str(runtime.workers),
         str(len(runtime.packages))] for runtime in found
    ]  # fmt: skip
    say_text(table(["runtime", "language", "version", "until", "workers", "packages"], rows, "llllrr"))
    if not found:
        say("no worker runs submitted bots", err=True)
    for named_runtime in found if name else ():
        say("")
        packages = [[safe_line(each.name), safe_line(each.version)] for each in named_runtime.packages]
        say_text(table(["package", "version"], packages))


def _until(runtime: submissions_pb2.Runtime) -> str:
    if not runtime.HasField("end_time"):
        return "-"
    last = f"{runtime.end_time.ToDatetime() - _DAY:%Y-%m-%d}"
    return f"{last}, over" if runtime.ended else last
