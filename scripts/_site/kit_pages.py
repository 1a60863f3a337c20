"""The reference page of the kit for authors: what `import fudaba` offers, from its docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import fudaba

__all__ = ["write_kit_pages"]

_HEAD: Final = """\
# The kit for Python

All that `import fudaba` offers to authors of bots, from its docstrings.
[Writing a bot in Python](../../docs/bots.md) is the guide.
"""


def write_kit_pages(folder: Path) -> list[Path]:
    """Writes the page. Returns it."""
    folder.mkdir(parents=True)
    page = folder / "README.md"
    page.write_text("\n".join([_HEAD, *_lines()]) + "\n", encoding="utf-8")
    return [page]


def _lines() -> Iterator[str]:
    for name in fudaba.__all__:
        offered = getattr(fudaba, name)
        if inspect.isclass(offered):
            yield from (f"## {name}", "", *_documented(f"class {name}", offered))
            for member, value in sorted(vars(offered).items()):
                if not member.startswith("_") and value.__doc__ and _is_part(value):
                    documented = value.fget if isinstance(value, property) else value
                    yield from (f"### {name}.{member}", "", *_documented(member, documented))
        elif callable(offered):
            yield from (f"## {name}", "", *_documented(name, offered))


def _is_part(value: object) -> bool:
    """Returns whether a member is a method or a property, and no field with the docstring of its type."""
    return inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)


def _documented(name: str, documented: object) -> Iterator[str]:
    """Yields a signature and its docstring. An object without a signature has its name alone."""
    function = getattr(documented, "__func__", documented)
    try:
        signature = str(inspect.signature(function)) if callable(function) else ""
    except ValueError:
        signature = ""
    shown = "\n".join(textwrap.wrap(f"{name}{signature}", 100, subsequent_indent="    "))
    yield from ("```python", shown, "```", "", inspect.getdoc(documented) or "", "")
