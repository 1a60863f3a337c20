"""Writes the pages of docs/values from the source of the games. Run by `generate`; it imports nothing.

python scripts/_values.py FOLDER
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
GAMES: Final = ROOT / "games" / "fudaba_games"
DECK: Final = "kamikisen"
DECK_MODULES: Final = ("cards", "melds", "text")
"""The modules with which a bot reads the cards of the Kamikisen games."""
RULES: Final = "../rules"
MADE: Final = "This page is made from the source, by `scripts/generate`."
MAX_VALUE_CHARS: Final = 60
"""The length above which a number or text is described instead of printed."""

Node = ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign


class Named(NamedTuple):
    """A public name, with its definition and the text under it."""

    name: str
    node: Node
    text: str


def parsed(path: Path) -> ast.Module:
    """Returns the syntax of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def in_one_line(text: str | None) -> str:
    """Returns a docstring without its line breaks."""
    return " ".join((text or "").split())


def named(body: Sequence[ast.stmt]) -> Iterator[Named]:
    """Yields the definitions of a module or a class, in order, with their docstrings, including those under
    assignments.
    """
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield Named(node.name, node, in_one_line(ast.get_docstring(node)))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            text = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                text = in_one_line(str(after.value.value))
            if isinstance(target, ast.Name):
                yield Named(target.id, node, text)


def game_pages() -> Iterator[str]:
    """Returns the ids of the games, by their folders."""
    return (path.parent.name for path in sorted(GAMES.glob("*/values.py")))


def exported(game: str) -> dict[str, list[Named]]:
    """Returns the exported names of a game's package, by the module that defines each."""
    found: dict[str, list[Named]] = {}
    for node in parsed(GAMES / game / "__init__.py").body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fudaba_games."):
            home = ROOT / "games" / Path(*str(node.module).split(".")).with_suffix(".py")
            wanted = {alias.name for alias in node.names}
            found[str(node.module)] = [entry for entry in named(parsed(home).body) if entry.name in wanted]
    return found


def code(text: str) -> str:
    """Returns source code as a cell of a table."""
    return f"`{text}`".replace("|", "\\|")


def cell(text: str) -> str:
    """Returns a sentence as a cell of a table."""
    return text.replace("|", "\\|")


def is_enum(node: Node) -> bool:
    """Returns whether a class is an enumeration of numbers."""
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "IntEnum" for base in node.bases)


def fields(node: ast.ClassDef) -> dict[str, str]:
    """Returns the fields of a class: the name and text of each, by its form in a signature."""
    found = {}
    for definition in named(node.body):
        if isinstance(definition.node, ast.AnnAssign):
            default = "" if definition.node.value is None else f" = {ast.unparse(definition.node.value)}"
            found[f"{definition.name}: {ast.unparse(definition.node.annotation)}{default}"] = definition.text
    return found


def methods(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yields the properties and public methods of a class, in the form of a call, with their texts."""
    for definition in named(node.body):
        if isinstance(definition.node, ast.FunctionDef) and not definition.name.startswith("_"):
            if any(ast.unparse(decorator) == "property" for decorator in definition.node.decorator_list):
                yield (
                    f"{definition.name}: {ast.unparse(definition.node.returns)}"
                    if definition.node.returns
                    else definition.name,
                    definition.text,
                )
            else:
                yield signature(definition.node, "self"), definition.text


def signature(node: ast.FunctionDef, without: str = "") -> str:
    """Returns a function in the form of a call, with its parameters and result."""
    arguments = ast.unparse(node.args).removeprefix(f"{without}, ").removeprefix(without)
    return f"{node.name}({arguments})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def of_class(definition: Named, *, every_field: bool = False) -> Iterator[str]:
    """Yields a class with its fields, all or only those that have a text; or an enumeration with its numbers."""
    assert isinstance(definition.node, ast.ClassDef)  # noqa: S101 - the caller has looked
    if is_enum(definition.node):
        yield from (
            f"### {definition.name}",
            "",
            definition.text,
            "",
            "| name | number | what it is |",
            "| --- | --- | --- |",
        )
        for member in named(definition.node.body):
            if isinstance(member.node, ast.Assign):
                yield f"| `{member.name}` | {ast.unparse(member.node.value)} | {cell(member.text)} |"
        yield ""
        return
    found, more = fields(definition.node), list(methods(definition.node))
    rows = [*found.items(), *more] if every_field else [*((name, text) for name, text in found.items() if text), *more]
    made = f"`{definition.name}({', '.join(found)})`: " if found and not every_field else ""
    yield from (f"### {definition.name}", "", made + definition.text, "")
    if rows:
        yield from ("| field | what it is |", "| --- | --- |")
        yield from (f"| {code(name)} | {cell(text)} |" for name, text in rows)
        yield ""


def others(found: list[Named]) -> Iterator[str]:
    """Returns functions and constants in one table."""
    rows = []
    for definition in found:
        if isinstance(definition.node, ast.FunctionDef):
            rows.append((signature(definition.node), definition.text))
        elif isinstance(definition.node, ast.Assign | ast.AnnAssign) and definition.node.value is not None:
            value = ast.unparse(definition.node.value)
            short = (
                isinstance(definition.node.value, ast.Constant | ast.Tuple | ast.UnaryOp)
                and len(value) <= MAX_VALUE_CHARS
            )
            rows.append((f"{definition.name} = {value}" if short else definition.name, definition.text))
    if rows:
        yield from ("| name | what it is |", "| --- | --- |")
        yield from (f"| {code(name)} | {cell(text)} |" for name, text in rows)
        yield ""


def union(found: list[Named], name: str) -> list[str]:
    """Returns the members of a union of moves or events, in its order."""
    node = next((entry.node for entry in found if entry.name == name), None)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return []
    return [part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)]


def game_page(game: str) -> str:
    """Returns the page of one game."""
    camel = "".join(word.capitalize() for word in game.split("_"))
    homes = exported(game)
    own = homes[f"fudaba_games.{game}.values"]
    everything = [entry for found in homes.values() for entry in found]
    classes = {entry.name: entry for entry in everything if isinstance(entry.node, ast.ClassDef)}
    about = ast.get_docstring(parsed(GAMES / game / "__init__.py")) or ""
    title = about.partition(" (")[0]
    notes = (ast.get_docstring(parsed(GAMES / game / "values.py")) or "").partition("\n\n")[2]
    lines = [
        f"# {title}'s values",
        "",
        f"All are in `fudaba_games.{game}`. Seats and deals are numbers from 0. [The rules]({RULES}/{game}.md).",
        MADE,
        "",
        about.partition("\n\n")[2].strip(),
        *(["", notes.strip()] if notes.strip() else []),
        "",
    ]
    if "kamikisen" in about + notes:
        lines += [f"What reads the cards: [the Kamikisen deck]({DECK}.md).", ""]
    moves, events = union(own, f"{camel}Move"), union(own, f"{camel}Event")
    view = f"{camel}View"
    listed = {view, *moves, *events}
    parts = [entry for name, entry in classes.items() if name not in listed]
    for heading, group in (
        ("The view", [classes[view]]),
        ("Moves", [entry for name, entry in classes.items() if name in moves]),
        ("Events", [entry for name, entry in classes.items() if name in events]),
        ("Parts and numbers", parts),
    ):
        if group:
            lines += [f"## {heading}", ""]
            for definition in group:
                lines += of_class(definition, every_field=definition.name == view)
    unions = {f"{camel}Move", f"{camel}Event"}
    rest = list(others([entry for entry in everything if entry.name not in unions]))
    lines += ["## Functions and constants", "", *rest] if rest else []
    return "\n".join(lines).rstrip() + "\n"


def deck_page() -> str:
    """Returns the page of the deck that several games share."""
    lines = [
        "# The Kamikisen deck's values",
        "",
        f"What reads the cards and melds of the games that have [this deck]({RULES}/{DECK}.md).",
        MADE,
        "",
    ]
    for name in DECK_MODULES:
        module = parsed(GAMES / DECK / f"{name}.py")
        found = [entry for entry in named(module.body) if entry.text and not entry.name.startswith("_")]
        lines += [f"## `fudaba_games.{DECK}.{name}`", "", (ast.get_docstring(module) or "").strip(), ""]
        for definition in found:
            if isinstance(definition.node, ast.ClassDef):
                lines += of_class(definition)
        lines += others(found)
    return "\n".join(lines).rstrip() + "\n"


def index() -> str:
    """Returns the list of all pages, of rules and of values."""
    titles = {}
    for game in game_pages():
        about = ast.get_docstring(parsed(GAMES / game / "__init__.py")) or ""
        titles[game] = about.partition(" (")[0]
    titles[DECK] = "The Kamikisen deck, which several games share"
    return "\n".join(
        [
            "# Every game",
            "",
            f"Its rules, and what a bot in Python gets and returns in it. {MADE}",
            "",
            "| game | | |",
            "| --- | --- | --- |",
            *(f"| {title} | [rules]({RULES}/{game}.md) | [values]({game}.md) |" for game, title in titles.items()),
            "",
        ]
    )


def pages() -> dict[str, str]:
    """Returns the text of each page by its file's name."""
    games = {f"{game}.md": game_page(game) for game in game_pages()}
    return {"README.md": index(), f"{DECK}.md": deck_page()} | games


def main(folder: Path) -> None:
    """Writes the pages into a folder, and removes those of games that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    found = pages()
    for old in folder.glob("*.md"):
        if old.name not in found:
            old.unlink()
    for name, text in found.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
