"""The page for authors: its bot plays, and it names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fudaba._loading import load_bot
from fudaba.bot import Bot, Decision, MatchInfo
from fudaba.bots import First
from fudaba.local import play_local
from fudaba_games.registry import GAMES

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")


CODE = {
    re.findall(r"class (\w+)", code)[0]: code
    for code in re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
}
"""The examples, by the name of their class."""


def test_the_bot_of_the_page_plays_as_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mybot.py").write_text(CODE["Careful"], encoding="utf-8")
    result = play_local([load_bot(f"{tmp_path}/mybot.py:Careful"), First], "naga", {"deals": 3}, seed=bytes(32))
    assert (result.seats[0].refused, result.seats[0].errors) == (0, 0)
    assert capsys.readouterr().out.startswith(f"local {result.scores[0]} ")


@pytest.mark.parametrize("game", ["naga", "napoleon"])
def test_the_search_of_the_page_plays(tmp_path: Path, game: str) -> None:
    (tmp_path / "searcher.py").write_text(CODE["Searcher"].replace("range(20)", "range(1)"), encoding="utf-8")
    options = {"deals": 1} if any(option.name == "deals" for option in GAMES[game].options) else {}
    others = [First] * (GAMES[game].min_seats - 1)
    result = play_local([load_bot(f"{tmp_path}/searcher.py:Searcher"), *others], game, options, seed=bytes(32))
    assert (result.seats[0].refused, result.seats[0].errors) == (0, 0)


def documented(name: str) -> bool:
    return re.search(rf"`{name}[`( ]", TEXT) is not None


def test_the_page_names_every_field_and_hook() -> None:
    for kind in (Decision, MatchInfo, Bot):
        for name in [attribute for attribute in dir(kind) if not attribute.startswith("_")]:
            assert documented(name), name
