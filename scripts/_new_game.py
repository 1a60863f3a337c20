"""Copies games/starter as a new game and registers it. Run by `new-game`.

python scripts/_new_game.py ID NAME [LETTERS]
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
STARTER: Final = ROOT / "games" / "starter"
UNFIT: Final = '"\\|\n'
"""Characters that would end a name early in its place: a Python string, a row of a table."""
RULES: Final = re.compile(r"^- \*\*([A-Z]+)[0-9]+\.[0-9]+\*\* ", re.MULTILINE)


def places(game_id: str) -> dict[Path, Path]:
    """Returns the destination of each file of the starter."""
    games, kit = ROOT / "games" / "fudaba_games" / game_id, ROOT / "clients" / "python" / "fudaba"
    found = {path: games / path.name for path in (STARTER / "high_card").glob("*.py")}
    found |= {
        path: ROOT / "tests" / "games" / game_id / path.name.replace("high_card", game_id)
        for path in (STARTER / "tests").glob("*.py")
    }
    page = ROOT / "web" / "page" / "src"
    return found | {
        STARTER / "board" / "index.tsx": page / "boards" / game_id / "index.tsx",
        STARTER / "board" / "en.ts": page / "i18n" / "en" / "boards" / f"{game_id}.ts",
        STARTER / "board" / "ja.ts": page / "i18n" / "ja" / "boards" / f"{game_id}.ts",
        STARTER / "high_card.md": ROOT / "docs" / "rules" / f"{game_id}.md",
        STARTER / "high_card.proto": ROOT / "proto" / "fudaba" / "v1" / f"{game_id}.proto",
        STARTER / "high_card" / "kit" / "codec.py": kit / "codec" / f"{game_id}.py",
        STARTER / "high_card" / "kit" / "renderer.py": kit / "terminal" / "renderers" / f"{game_id}.py",
        STARTER / "high_card" / "kit" / "bot.py": kit / "bots" / f"{game_id}.py",
    }


def in_the_way(game_id: str) -> Path | None:
    """Returns what already has this name among the game's files: another game, or a module beside the games."""
    for place in places(game_id).values():
        own = place.parent if place.parent.name == game_id else place
        # A package and a module of one name hide each other.
        for path in (own, own.with_suffix(""), own.with_suffix(".py")):
            if path.exists():
                return path
    return None


def camel(game_id: str) -> str:
    """Returns the prefix of the game's classes."""
    return "".join(word.capitalize() for word in game_id.split("_"))


def renamed(text: str, game_id: str, name: str, letters: str) -> str:
    """Returns a file of the starter under the new name."""
    for old, new in (
        ("from high_card.kit.bot ", f"from fudaba.bots.{game_id} "),
        ("from high_card", f"from fudaba_games.{game_id}"),
        ("fudaba.starter", "fudaba.v1"),
        ("(rules page `high_card.md`", f"(rules page `docs/rules/{game_id}.md`"),
        ("Rules: `high_card.md`", f"Rules: `docs/rules/{game_id}.md`"),
        ("HighCard", camel(game_id)),
        ("highCard", camel(game_id)[0].lower() + camel(game_id)[1:]),
        ("HIGH_CARD", game_id.upper()),
        ("High Card", name),
        ("high_card", game_id),
    ):
        text = text.replace(old, new)
    return re.sub(r"\bHC([0-9])", rf"{letters}\1", text)


def registered(text: str, game_id: str) -> str:
    """Returns the registry with one more id."""
    ids = re.findall(r'^    "(\w+)",$', text, re.MULTILINE)
    lines = [f'    "{name}",\n' for name in ids]
    more = [f'    "{name}",\n' for name in sorted([*ids, game_id])]
    return text.replace("".join(lines), "".join(more))


def in_the_contract(text: str, game_id: str) -> str:
    """Returns `game.proto` with the game's place in each `oneof`."""
    number = max(int(found) for found in re.findall(r"View \w+ = ([0-9]+);", text)) + 1
    imports = sorted({*re.findall(r"^import .*;\n", text, re.MULTILINE), f'import "fudaba/v1/{game_id}.proto";\n'})
    text = re.sub(r"(^import .*;\n)+", "".join(imports), text, count=1, flags=re.MULTILINE)
    for kind, article in (("Move", "A move"), ("View", "A view"), ("Event", "An event")):
        place = f"    // {article} of `{game_id}`.\n    {camel(game_id)}{kind} {game_id} = {number};\n"
        text = re.sub(rf"(message {kind} {{\n.*?)(  }}\n}}\n)", rf"\1{place}\2", text, count=1, flags=re.DOTALL)
    return text


def in_the_page_catalogue(text: str, game_id: str) -> str:
    """Returns `i18n/keys.ts` with the texts of the game's board."""
    games = sorted({*re.findall(r"/boards/(\w+)\"", text), game_id})
    imports = "".join(f'import type {{ texts as {name} }} from "~/i18n/en/boards/{name}";\n' for name in games)
    text = re.sub(r"(^import [^\n]*/boards/\w+\";\n)+", imports, text, count=1, flags=re.MULTILINE)
    return text.replace("export type MessageKey =\n", f"export type MessageKey =\n  | keyof typeof {game_id}\n")


def on_the_front_page(text: str, game_id: str, name: str) -> str:
    """Returns `README.md` with the game's line in the table of games."""
    rows = re.findall(r"^\| \[[^\n]*\]\(docs/rules/[^\n]*\n", text, re.MULTILINE)
    row = f"| [{name}](docs/rules/{game_id}.md) | ハイカード | 2 | what it is like |\n"
    return text.replace(rows[-1], rows[-1] + row)


def mistake(game_id: str, name: str, letters: str) -> str:
    """Returns the mistake in the arguments; empty if there is none."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", game_id):
        return f"{game_id!r} is not an id: write small letters and digits, and _ between words"
    if keyword.iskeyword(game_id):
        return f"{game_id!r} is a keyword of Python, which cannot name a module; choose another id"
    taken = in_the_way(game_id)
    if taken is not None:
        return f"the id {game_id!r} is taken: there is {taken.relative_to(ROOT)}; choose another one"
    if wrong := mistake_in_name(name):
        return wrong
    pages = (ROOT / "docs" / "rules").glob("*.md")
    used = {found for page in pages for found in RULES.findall(page.read_text("utf-8"))}
    if not re.fullmatch(r"[A-Z]{1,3}", letters) or letters in used:
        others = ", ".join(sorted(used))
        return f"the rules' numbers cannot begin with {letters!r}: write one to three capitals, but not {others}"
    return ""


def mistake_in_name(name: str) -> str:
    """Returns the mistake in a game's name; empty if there is none."""
    if not name.strip():
        return "the name is empty; write what people call the game"
    unfit = "".join(sign for sign in UNFIT if sign in name)
    if unfit:
        return f"the name {name!r} does not fit in all files: write it without {unfit.replace(chr(10), 'line breaks')}"
    return ""


def main(arguments: list[str]) -> int:
    """Copies the starter, or prints the mistake and changes nothing."""
    if len(arguments) not in {2, 3}:
        sys.stderr.write("usage: scripts/new-game ID NAME [LETTERS]\n")
        return 2
    game_id, name = arguments[:2]
    letters = arguments[2] if len(arguments) == 3 else "".join(re.findall(r"\b[A-Za-z]", name)).upper()
    wrong = mistake(game_id, name, letters)
    if wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    for source, target in places(game_id).items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(renamed(source.read_text("utf-8"), game_id, name, letters), encoding="utf-8")
    for place, change in (
        ("games/fudaba_games/registry.py", registered),
        ("proto/fudaba/v1/game.proto", in_the_contract),
        ("web/page/src/i18n/keys.ts", in_the_page_catalogue),
    ):
        path = ROOT / place
        path.write_text(change(path.read_text("utf-8"), game_id), encoding="utf-8")
    front = ROOT / "README.md"
    front.write_text(on_the_front_page(front.read_text("utf-8"), game_id, name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
