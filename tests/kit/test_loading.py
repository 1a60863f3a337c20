"""Naming the bot to run, and what is said when it cannot be run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fudaba._loading import load_bot
from fudaba.bots import First
from fudaba.errors import BotNotLoaded

GOOD = """
import neighbour
import fudaba

class Mine(fudaba.Bot):
    def choose(self, decision):
        return neighbour.ANSWER
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mybot.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_built_in_is_named_by_its_word() -> None:
    assert load_bot("first") is First


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("spec", "names", "loaded"),
    [
        ("search-flat:40", [], {"naga", "nerts"}),
        ("search-flat:40", ["nerts"], {"nerts"}),
        ("mybot.py:Mine", ["nerts"], set()),
    ],
)
def test_the_games_are_loaded_before_a_built_in_plays_and_not_for_bots_that_know_theirs(
    spec: str, names: list[str], loaded: set[str]
) -> None:
    code = f"""
import sys
from fudaba._loading import load_games
load_games({spec!r}, {names!r})
for game in ("naga", "nerts"):
    for name in (f"fudaba.codec.{{game}}", f"fudaba_games.{{game}}.rules"):
        assert (name in sys.modules) == (game in {loaded!r}), name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_may_import_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour.py").write_text("ANSWER = 0\n", encoding="utf-8")
    made = load_bot(f"{write(tmp_path, GOOD)}:Mine")()
    assert type(made).__name__ == "Mine"


def test_a_file_may_have_the_name_of_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "random.py").write_text(GOOD.replace("import neighbour", "").replace("neighbour.", ""))
    first, two = (load_bot(f"{tmp_path}/{folder}/random.py:Mine") for folder in ("one", "two"))
    assert first is not two
    assert sys.modules["random"].Random is not None


def test_a_module_is_found_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somebots.py").write_text(GOOD.replace("neighbour.ANSWER", "0").replace("import neighbour", ""))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    assert load_bot("somebots:Mine").__name__ == "Mine"
    assert load_bot("fudaba.bots:First") is First


@pytest.mark.parametrize(
    ("text", "name", "message_part"),
    [
        ("import fudaba\nclass Mine(fudaba.Bot): pass\n", "Mine", "lacks choose"),
        ("class Mine: pass\n", "Mine", "is not a bot: make it `class Mine(fudaba.Bot)`"),
        ("Mine = 3\n", "Mine", "is not a bot"),
        ("import fudaba\nclass Other(fudaba.Bot):\n  def choose(self, d): return 0\n", "Mine", "it has: Other"),
        ("x = 1\n", "Mine", "has no class Mine"),
        ("class Mine(:\n", "Mine", "mybot.py:1: invalid syntax"),
        ("x = 1\n1 / 0\n", "Mine", "ZeroDivisionError: division by zero"),
        ("import nowhere_to_be_found\n", "Mine", "No module named 'nowhere_to_be_found'"),
        (
            "import fudaba\nclass Mine(fudaba.Bot):\n  def __init__(self, a): pass\n  def choose(self, d): return 0\n",
            "Mine",
            "cannot be made without arguments",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str, message_part: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(BotNotLoaded) as caught:
        load_bot(f"{write(tmp_path, text)}:{name}")
    assert message_part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message_part"),
    [
        ("radnom", "write random, first, sensible, search-flat, search-tree, file.py:Class"),
        ("nothere.py:Bot", "there is no file nothere.py"),
        ("nowhere_to_be_found:Bot", "there is no module nowhere_to_be_found"),
        ("fudaba.nowhere:Bot", "there is no module fudaba.nowhere"),
        ("mybot.py", "file.py:Class"),
        (":Bot", "file.py:Class"),
        ("x:", "file.py:Class"),
    ],
)
def test_a_name_that_names_nothing_is_answered_with_what_to_write(spec: str, message_part: str) -> None:
    with pytest.raises(BotNotLoaded) as caught:
        load_bot(spec)
    assert message_part in str(caught.value)


def test_importing_the_kit_loads_neither_grpc_nor_protobuf() -> None:
    code = "import sys, fudaba; fudaba.Bot; print([m for m in ('grpc', 'google.protobuf') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.exhaustive
def test_no_module_of_the_kit_loads_what_only_servers_need() -> None:
    code = """if True:
        import importlib, pkgutil, sys, fudaba
        for module in pkgutil.walk_packages(fudaba.__path__, "fudaba."):
            # A bridge needs what it leads to, and the other one runs the command.
            if not module.name.startswith(("fudaba.bridges", "fudaba.__main__")):
                importlib.import_module(module.name)
        servers = ("fudaba_serving", "fudaba_service", "fudaba_arena", "fudaba_web")
        print([name for name in (*servers, "redis", "prometheus_client", "fsspec") if name in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_bot_that_is_to_play_loads_no_http_client() -> None:
    """Every bot that an arena starts would wait for it."""
    code = "import sys, fudaba; fudaba.run; print([m for m in ('http.client', 'urllib.request') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
