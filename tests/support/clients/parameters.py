"""The languages as parameters of tests: which of them run at the gate, and which only at night."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.support.clients.languages import LANGUAGES

QUICK: Final = "node"
"""Its project is built in seconds; those of the others are left to the exhaustive run."""
JAVA_AT_NIGHT: Final = pytest.mark.nightly(
    "the same with Node, Go, C++ and Rust; Java's own tests run, it plays every game at once, is cut off and killed"
)
"""A virtual machine that starts costs more than what most of these tests look at."""
CPP_AT_NIGHT: Final = pytest.mark.nightly(
    "the same with the others; C++'s own tests have a bot that fails and takes notes"
)
"""It takes longest to be compiled once more."""


def languages_but(at_night: Mapping[str, pytest.MarkDecorator]) -> list[Any]:
    """Returns all languages as parameters: the quick one always runs."""
    return [
        pytest.param(name, marks=[] if name == QUICK else at_night.get(name, pytest.mark.exhaustive))
        for name in LANGUAGES
    ]


every_language: Final = pytest.mark.parametrize("language", languages_but({}), indirect=True, scope="session")
failing_languages: Final = pytest.mark.parametrize(
    "language", languages_but({"cpp": CPP_AT_NIGHT}), indirect=True, scope="session"
)
