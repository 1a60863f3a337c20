"""Values are set in a TOML text, and everything else of it stays."""

from __future__ import annotations

import tomllib

import pytest

from fudaba.toml_setting import CannotSet, toml_text, with_value, without_value

TEXT = """\
# a ladder
name = "open"   # its name
accounts = [
  "alice",  # one
  "bob",
]

[clock]
move_ms = 1000
"""


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        (("name",), '"shut"', TEXT.replace('"open"   #', '"shut"   #')),
        (("accounts",), '["cay"]', TEXT.replace('[\n  "alice",  # one\n  "bob",\n]', '["cay"]')),
        (("clock", "move_ms"), "50", TEXT.replace("1000", "50")),
        (("clock", "bank_ms"), "0", TEXT.replace("[clock]\n", "[clock]\nbank_ms = 0\n")),
        (("concurrency",), "4", TEXT.replace("[clock]", "concurrency = 4\n\n[clock]")),
        (("season", "ends"), "2026-12-01T12:00:00Z", f"{TEXT}\n[season]\nends = 2026-12-01T12:00:00Z\n"),
    ],
)
def test_a_value_is_set_and_the_rest_of_the_text_stays(path: tuple[str, ...], value: str, changed: str) -> None:
    assert with_value(TEXT, path, value) == changed


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        (("accounts",), TEXT.replace('accounts = [\n  "alice",  # one\n  "bob",\n]\n', "")),
        (("clock", "move_ms"), TEXT.replace("move_ms = 1000\n", "")),
        (("nothing", "here"), TEXT),
    ],
)
def test_a_value_is_removed_and_the_rest_of_the_text_stays(path: tuple[str, ...], changed: str) -> None:
    assert without_value(TEXT, path) == changed


def test_what_cannot_be_set_where_it_stands_is_refused() -> None:
    inline = 'clock = { move_ms = 1000 }\nname = "a # b"\n'
    with pytest.raises(
        CannotSet, match=r"^clock\.move_ms cannot be set where the file has it; change it in an editor$"
    ):
        with_value(inline, ("clock", "move_ms"), "5")
    with pytest.raises(CannotSet):
        without_value(inline, ("clock", "move_ms"))
    with pytest.raises(CannotSet):
        with_value(inline, ("name", "first"), "5")
    assert with_value(inline, ("name",), '"b"') == 'clock = { move_ms = 1000 }\nname = "b"\n'


@pytest.mark.parametrize("value", ['it\'s "quoted"\n\\', True, 3, 2.5, ["a", "b"], []])
def test_a_value_is_written_as_toml(value: object) -> None:
    assert tomllib.loads(f"value = {toml_text(value)}")["value"] == value
