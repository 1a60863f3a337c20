"""`fudaba proto`."""

from __future__ import annotations

from pathlib import Path

import click

from fudaba.cli.output import say


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("fudaba-proto"),
              show_default=True, metavar="DIR", help="The folder to write to.")  # fmt: skip
def proto(output: Path) -> None:
    """Write the contract, for authors in other languages: .proto files, a descriptor set, and a README.

    The README says how to generate code for Python, Node, Go, Java, Rust and C++, and walks through the messages of a
    first bot.

    \b
    Example:
      fudaba proto -o contract && less contract/README.md
    """
    from fudaba.bundle import write_bundle

    for path in write_bundle(output):
        say(str(path))
