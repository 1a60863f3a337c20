"""The files in deploy/, read the way the tests need them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from ruamel.yaml import YAML

from fudaba.cli import cli

ROOT: Final = Path(__file__).resolve().parents[3]
DEPLOY: Final = ROOT / "deploy"
COMPOSE: Final = DEPLOY / "compose.yaml"
COMPOSE_TLS: Final = DEPLOY / "compose.tls.yaml"
COMPOSE_FRONT: Final = DEPLOY / "compose.front.yaml"
CONTAINERFILE: Final = DEPLOY / "Containerfile"
PROMETHEUS: Final = DEPLOY / "prometheus" / "prometheus.yml"
ALERTS: Final = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD: Final = DEPLOY / "grafana" / "dashboards" / "fudaba.json"
METRICS: Final = ROOT / "docs" / "metrics.md"
RUNBOOKS: Final = ROOT / "docs" / "runbooks.md"

_VARIABLE: Final = re.compile(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}")


def read_yaml(path: Path) -> Any:
    """Returns a file's content as plain values."""
    return YAML(typ="safe", pure=True).load(path)


def variables(path: Path) -> set[tuple[str, str]]:
    """Returns the variables of a compose file with their defaults; a required one's, and one without, is empty."""
    found = _VARIABLE.findall(path.read_text())
    return {(name, default if kind == ":-" else "") for name, kind, default in found}


def filled(value: Any, given: Mapping[str, str]) -> Any:
    """Returns a value of a compose file with its variables filled in. Fails where a required one is not given."""
    if isinstance(value, dict):
        return {key: filled(inner, given) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, given) for inner in value]
    if not isinstance(value, str):
        return value

    def fill(match: re.Match[str]) -> str:
        name, kind, default = match.groups()
        if kind == ":-":
            return given.get(name) or default
        return given[name]

    return _VARIABLE.sub(fill, value)


def compose(path: Path = COMPOSE, **given: str) -> Any:
    """Returns a compose file, with its variables filled in."""
    return filled(read_yaml(path), {"GRAFANA_PASSWORD": "secret", **given})


class Instruction(NamedTuple):
    """An instruction of a container file."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """Its arguments, in either form."""
        if self.rest.startswith("["):
            found: list[str] = json.loads(self.rest)
            return found
        return shlex.split(self.rest)


def stages() -> list[list[Instruction]]:
    """Returns the container file's instructions by stage; what stands before the first stage is the first item."""
    found: list[list[Instruction]] = [[]]
    text = re.sub(r"^\s*#.*\n", "", CONTAINERFILE.read_text(), flags=re.MULTILINE)
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            if word == "FROM":
                found.append([])
            found[-1].append(Instruction(word, rest.strip()))
    return found


def stage(name: str) -> list[Instruction]:
    """Returns the instructions of the stage of a name."""
    [found] = [steps for steps in stages()[1:] if steps[0].rest.endswith(f" AS {name}")]
    return found


def image(name: str = "") -> dict[str, Instruction]:
    """Returns the last of each kind of instruction of the stage that becomes an image: the one of a name, or the usual
    one.
    """
    return {instruction.word: instruction for instruction in (stage(name) if name else stages()[-1])}


def image_environment(name: str = "") -> dict[str, str]:
    """Returns an image's variables for `fudaba`; without a name, the usual one's."""
    pairs = (word.partition("=") for word in image(name)["ENV"].words)
    return {name: value for name, _, value in pairs if name.startswith("FUDABA_")}


def parsed(words: Sequence[str]) -> click.Context:
    """Returns the context of the innermost command of a command line of `fudaba`.

    Raises what click raises at wrong usage.
    """
    context = cli.make_context("fudaba", list(words))
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    return context


def known_variables(*commands: Sequence[str]) -> set[str]:
    """Returns the environment variables that commands of `fudaba` listen to."""
    found: set[str] = set()
    for words in commands:
        command: click.Command = cli
        for word in words:
            assert isinstance(command, click.Group)
            inner = command.get_command(click.Context(command), word)
            assert inner is not None
            command = inner
        found |= {str(parameter.envvar) for parameter in command.params if parameter.envvar}
    return found


def alerts() -> list[dict[str, Any]]:
    """Returns the alert rules."""
    return [rule for group in read_yaml(ALERTS)["groups"] for rule in group["rules"]]


def panels() -> Iterator[dict[str, Any]]:
    """Yields the dashboard's panels, without rows."""
    board = json.loads(DASHBOARD.read_text())
    yield from (panel for panel in board["panels"] if panel["type"] != "row")


def queries() -> Iterator[tuple[str, str]]:
    """Yields every query of the dashboard: the panel's title, and the expression."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
