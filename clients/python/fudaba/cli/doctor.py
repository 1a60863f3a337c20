"""`fudaba doctor`."""

from __future__ import annotations

import sys

import click

from fudaba.cli._extended import ExtendedGroup
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import print_json, say


@click.group(
    cls=ExtendedGroup,
    later={},
    invoke_without_command=True,
    epilog="Exit codes: 0 everything works, 1 something fails, 2 wrong usage.",
)
@click.pass_context
@connection_options
@click.option("--web", default="", envvar="FUDABA_WEB", show_envvar=True, metavar="URL",
              help="Also check a gateway, such as https://play.example.org.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0.1, 600), default=5.0, show_default=True, metavar="SECONDS",
              help="How long each step may take.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(context: click.Context, connection: Connection, web: str, timeout: float, as_json: bool) -> None:
    """Check the way from this machine to a service, step by step, and say how to repair what fails.

    The steps are name, connection, TLS, gRPC, streams in both directions, and the token if one is given.
    Operators examine the machine of a service with `fudaba doctor installation`.

    \b
    Examples:
      fudaba doctor
      fudaba doctor --server play.example.org:7710 --tls
      fudaba doctor --web http://127.0.0.1:7712
    """
    if context.invoked_subcommand is not None:
        return
    from fudaba._channel import Endpoint
    from fudaba.diagnosis import diagnose, diagnose_web

    endpoint = Endpoint(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
    found = []
    for steps in (diagnose(endpoint, timeout), *([diagnose_web(web, timeout)] if web else [])):
        for step in steps:
            found.append(step)
            if not as_json:
                say(f"{'ok' if step.works else 'FAILED':7} {step.name}: {step.finding}")
                if step.remedy:
                    say(f"        {step.remedy}")
    if as_json:
        print_json([step.as_dict() for step in found])
    sys.exit(0 if all(step.works for step in found) else 1)
