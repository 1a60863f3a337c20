"""Finds the bot named on a command line: a built-in one, `file.py:Class` or `package.module:Class`."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from fudaba._reports import BOT_ERRORS
from fudaba._watchdog import watched
from fudaba.bot import Bot, BotFactory
from fudaba.bots import BUILT_IN, built_in, is_built_in
from fudaba.codec import codec
from fudaba.errors import BotNotLoaded
from fudaba_games.registry import GAMES, game

__all__ = ["load_bot", "load_games"]

_DEFINES_ONLY: Final = "a file that is imported only defines its classes: it plays nothing itself"


def load_bot(spec: str, seed: int | None = None) -> BotFactory:
    """Loads the factory for the bots of `spec`. Raises `BotNotLoaded`, which says what to write instead.

    `seed` makes random built-in bots repeatable; other bots do not receive it.
    """
    if spec.partition(":")[0] in BUILT_IN:
        return built_in(spec, seed)
    home, colon, name = spec.rpartition(":")
    if not colon or not home or not name:
        raise BotNotLoaded(
            f"{spec!r} names no bot; write {', '.join(BUILT_IN)}, file.py:Class, or package.module:Class"
        )
    with watched(spec, "being loaded", hint=_DEFINES_ONLY):
        module = _from_file(Path(home)) if home.endswith(".py") or "/" in home else _from_module(home)
    return _bot_class(module, home, name)


def load_games(spec: str, names: Sequence[str] = ()) -> None:
    """Loads these games, or all if none is named, if `spec` is a built-in bot. Loading all of them takes half a second.

    Raises `UnknownGame`.

    A game that is loaded with its first match uses the time of the first decision if the other bots are already
    present, which is too much on a short clock. Authors' bots may know which games they play, and load these
    themselves.
    """
    if is_built_in(spec):
        for name in names or GAMES:
            game(name)
            codec(name)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BotNotLoaded(f"there is no file {path}")
    # The file's neighbours can be imported, as when it is run as a script.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # The module gets a name of its own: a file called random.py must not take the place of the standard library's.
    name = f"fudaba_bot_{zlib.crc32(str(path.resolve()).encode()):08x}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BotNotLoaded(f"{path} is not a Python file; write file.py:Class")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise _syntax(error) from None
    except BOT_ERRORS as error:  # the author's code may raise anything; it is told in one line
        raise BotNotLoaded(_failure(str(path), error)) from None
    return module


def _from_module(name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise BotNotLoaded(f"there is no module {name}; for a file write file.py:Class") from None
        raise BotNotLoaded(_failure(name, error)) from None
    except SyntaxError as error:
        raise _syntax(error) from None
    except BOT_ERRORS as error:  # the author's code may raise anything; it is told in one line
        raise BotNotLoaded(_failure(name, error)) from None


def _syntax(error: SyntaxError) -> BotNotLoaded:
    line = (error.text or "").strip()
    return BotNotLoaded(f"{error.filename}:{error.lineno}: {error.msg}{': ' + line if line else ''}")


def _failure(name: str, error: BaseException) -> str:
    """Returns the line at which the author's own code failed while it was loaded."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if len(frames) > 1 else ""
    return f"{name} cannot be loaded: {type(error).__name__}: {error}{where}"


def _bot_class(module: ModuleType, home: str, name: str) -> BotFactory:
    found: Any = getattr(module, name, None)
    if found is None:
        bots = [key for key, value in vars(module).items() if _is_bot(value) and value.__module__ == module.__name__]
        there = f"; it has: {', '.join(bots)}" if bots else ""
        raise BotNotLoaded(f"{home} has no class {name}{there}")
    if not _is_bot(found):
        raise BotNotLoaded(f"{home}:{name} is not a bot: make it `class {name}(fudaba.Bot)` with a method `choose`")
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise BotNotLoaded(f"{home}:{name} lacks {missing}: write `def choose(self, decision)`")
    try:
        inspect.signature(found).bind()
    except TypeError as error:
        raise BotNotLoaded(
            f"{home}:{name} cannot be made without arguments ({error}): a bot object is made for every match"
        ) from None
    factory: BotFactory = found
    return factory


def _is_bot(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Bot) and value is not Bot
