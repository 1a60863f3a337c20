"""The command `fudaba doctor installation`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.address import DEFAULT_ADDRESS
from fudaba.cli.output import print_json, say
from fudaba_serving.commands.data_folder import ARENA, SERVICE, part_of
from fudaba_serving.commands.folder_findings import STORE
from fudaba_serving.commands.installation import machine
from fudaba_serving.commands.installation.finding import Finding, State
from fudaba_serving.commands.installation.stores import embedded_store_findings, store_findings
from fudaba_serving.commands.installation.tls import certificate_of_address, certificate_of_files
from fudaba_serving.commands.up_settings import UpConfig, read_config

__all__ = ["installation"]

_URL: Final = "://"
_FOLDERS: Final = (("serve", "archive"), ("arena", "archive"), ("arena", "submissions"), ("worker", "programs"))
"""The tables and settings of a configuration file that may name a folder, besides data folders."""
_SIGNS: Final = {State.OK: "ok", State.WARNING: "WARNING", State.FAILED: "FAILED"}
_FILE: Final = click.Path(path_type=Path, dir_okay=False)


@final
@dataclass(frozen=True, slots=True)
class _Given:
    """The settings that the command line, the environment and the configuration file give."""

    data: Path | None
    tables: Mapping[str, Mapping[str, Any]]
    redis: str | None
    arena_redis: str | None
    certs: tuple[Path, ...]
    web: str

    def text(self, table: str, name: str) -> str:
        """Returns a text in the configuration file; empty if it is not there."""
        value = self.tables.get(table, {}).get(name, self.tables.get(table, {}).get(name.replace("-", "_"), ""))
        return value if isinstance(value, str) else ""

    def folders(self) -> Iterator[Path]:
        """Yields the folders that are written to."""
        data = [] if self.data is None else [self.data]
        data += [Path(folder) for table in ("serve", "arena") if (folder := self.text(table, "data"))]
        for place in data:
            yield from dict.fromkeys((part_of(place, SERVICE), part_of(place, ARENA)))
        for table, name in _FOLDERS:
            place_name = self.text(table, name)
            if place_name and _URL not in place_name:
                yield Path(place_name)
        yield Path(tempfile.gettempdir())

    def stores(self) -> Iterator[tuple[str, str]]:
        """Yields the parts whose store has a URL, and the URL."""
        for part, given, table in ((SERVICE, self.redis, "serve"), (ARENA, self.arena_redis, "arena")):
            if url := given or self.text(table, "redis"):
                yield part, url

    def embedded_stores(self) -> Iterator[tuple[str, Path]]:
        """Yields the parts that have an embedded store, and its folder."""
        of_url = {part for part, _ in self.stores()}
        for part, table in ((SERVICE, "serve"), (ARENA, "arena")):
            folder = self._folder_of(part, table)
            if part not in of_url and folder is not None and (folder / STORE).is_dir():
                yield part, folder / STORE

    def _folder_of(self, part: str, table: str) -> Path | None:
        """Returns the data folder of a part; None if none is named."""
        if named := self.text(table, "data"):
            return part_of(Path(named), part)
        if self.data is None or (part == ARENA and part_of(self.data, part) == self.data):
            return None
        return part_of(self.data, part)

    def pairs(self) -> Iterator[tuple[Path, Path | None]]:
        """Yields certificates, each with its key where that is known."""
        yield from ((cert, None) for cert in self.certs)
        for table in ("serve", "arena", "web"):
            cert, key = self.text(table, "tls-cert"), self.text(table, "tls-key")
            if cert:
                yield Path(cert), Path(key) if key else None


@click.command(
    epilog="Exit codes: 0 nothing has failed, though there may be warnings; 1 something has failed; 2 wrong usage."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), envvar=["FUDABA_UP_DATA", "FUDABA_DATA"],
              show_envvar=True, help="The data folder of `fudaba up`, or of `fudaba serve`.")  # fmt: skip
@click.option("--config", type=_FILE, callback=read_config, envvar=["FUDABA_UP_CONFIG", "FUDABA_CONFIG"],
              show_envvar=True, help="The file of settings that `fudaba up` or `fudaba serve` reads: folders, stores "
              "and certificates that it names are examined.")  # fmt: skip
@click.option("--redis", envvar="FUDABA_REDIS", show_envvar=True, metavar="URL",
              help="The Redis of the service.")  # fmt: skip
@click.option("--arena-redis", envvar="FUDABA_ARENA_REDIS", show_envvar=True, metavar="URL",
              help="The Redis of the arena.")  # fmt: skip
@click.option("--cert", "certs", type=_FILE, multiple=True, metavar="FILE",
              help="A certificate that a server shows; may be repeated.")  # fmt: skip
@click.option("--address", "addresses", multiple=True, metavar="HOST:PORT",
              help=f"Also an address that speaks TLS, of a server or a front, such as {DEFAULT_ADDRESS}; may be "
              "repeated.")  # fmt: skip
@click.option("--web", default="", envvar="FUDABA_WEB", show_envvar=True, metavar="URL",
              help="A web server that sends the date, such as a front: its clock is compared with this machine's."
              )  # fmt: skip
@click.option("--no-sandbox", is_flag=True, help="Do not try the sandbox, which takes half a minute.")
@click.option("--timeout", type=click.FloatRange(0.1, 600), default=5.0, show_default=True, metavar="SECONDS",
              help="How long each answer may take.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def installation(
    data: Path | None,
    config: UpConfig,
    redis: str | None,
    arena_redis: str | None,
    certs: tuple[Path, ...],
    addresses: tuple[str, ...],
    web: str,
    no_sandbox: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Examine an installation on this machine, and say what may hurt it and what to do.

    It looks at clocks, at the disk and inodes of each folder, at the limit of open files, at the persistence, eviction
    and memory of each Redis, at the dates of certificates, at the sandbox, and at the versions of all parts. It changes
    nothing, and runs beside the servers. Run it as their user.

    \b
    Examples:
      fudaba doctor installation --data ~/fudaba
      fudaba doctor installation --config fudaba.toml --no-sandbox --json
      fudaba doctor installation --redis redis://127.0.0.1:6379/0 --cert /etc/fudaba/cert.pem
    """
    given = _Given(data, config.tables, redis, arena_redis, certs, web)
    found = []
    for finding in _findings(given, addresses, timeout, tries_sandbox=not no_sandbox):
        found.append(finding)
        if not as_json:
            say(f"{_SIGNS[finding.state]:7} {finding.name}: {finding.text}")
            if finding.remedy:
                say(f"        {finding.remedy}")
    if as_json:
        print_json([finding.as_dict() for finding in found])
    sys.exit(1 if any(finding.state == State.FAILED for finding in found) else 0)


def _findings(given: _Given, addresses: tuple[str, ...], seconds: float, *, tries_sandbox: bool) -> Iterator[Finding]:
    yield from machine.versions()
    yield from machine.clock()
    if given.web:
        yield from machine.clock_of_web(given.web, seconds)
    yield machine.files()
    yield from machine.disks(given.folders())
    for part, url in given.stores():
        yield from store_findings(part, url, seconds)
    for part, store in given.embedded_stores():
        yield from embedded_store_findings(part, store, seconds)
    for cert, key in given.pairs():
        yield certificate_of_files(cert, key)
    for address in addresses:
        yield certificate_of_address(address, seconds)
    if tries_sandbox:
        yield machine.sandbox()
