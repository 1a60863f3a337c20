"""Builds the site of the documentation into a folder.

python -m _site BUILDER FOLDER
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from _site.command_pages import write_command_pages
from _site.contract_pages import write_contract_pages
from _site.kit_pages import write_kit_pages
from _site.requests import foreign_requests
from _site.sections import BadSite, Section, read_sections
from _site.source import copy_pages

_ROOT: Final = Path(__file__).resolve().parents[2]
_HOME: Final = Path("README.md")
_GENERATED: Final[Mapping[str, Callable[[Path], list[Path]]]] = {
    "commands": write_command_pages,
    "contract": partial(write_contract_pages, _ROOT),
    "kit": write_kit_pages,
}
"""What writes each generated part into a folder."""
_MARK: Final = "search.json"
"""A file that every built site has."""
_REFERENCE: Final = Path("reference")
_DESCRIBED: Final = {Path("proto/fudaba/v1"): _REFERENCE / "contract" / "README.md"}
"""The generated pages that stand for folders of the checkout."""


def main(builder: Path, folder: Path) -> int:
    """Builds the site with the program `builder`. Returns the exit status; a former site is replaced only by a whole
    one.
    """
    try:
        _check_replaceable(folder)
        sections = read_sections(_ROOT)
        with tempfile.TemporaryDirectory(prefix="fudaba-site-") as work:
            built = _build(builder, sections, Path(work))
            if foreign := foreign_requests(built):
                raise BadSite("the pages would ask other hosts for: " + ", ".join(foreign))
            if folder.exists():
                shutil.rmtree(folder)
            shutil.copytree(built, folder)
    except BadSite as error:
        sys.stderr.write(f"{error}\n")
        return 1
    pages = len(list(folder.rglob("*.html")))
    sys.stdout.write(f"{pages} pages in {folder}: open {folder / 'index.html'}, or run `scripts/site --serve`\n")
    return 0


def _check_replaceable(folder: Path) -> None:
    """Raises `BadSite` if a folder has anything but a former site in it."""
    if folder.exists() and not (folder.is_dir() and ((folder / _MARK).is_file() or not any(folder.iterdir()))):
        raise BadSite(
            f"{folder} is neither empty nor a former site, and nothing in it was changed; name another folder"
        )


def _build(builder: Path, sections: Sequence[Section], work: Path) -> Path:
    """Returns the folder of the built site. Raises `BadSite` if the builder warns of anything."""
    source = work / "pages"
    copy_pages(_ROOT, [_HOME, *(page for section in sections for page in section.pages)], source, _DESCRIBED)
    navigation: list[dict[str, Any]] = [{"Fudaba": str(_HOME)}]
    for section in sections:
        entries: list[Any] = [str(page) for page in section.pages]
        for name in section.generated:
            pages = _GENERATED[name](source / _REFERENCE / name)
            shown = [str(page.relative_to(source)) for page in pages]
            entries += shown if len(shown) == 1 else [{_title(pages[0]): shown}]
        navigation.append({section.title: entries})
    settings = work / "mkdocs.yml"
    settings.write_text(json.dumps(_settings(navigation), ensure_ascii=False, indent=1), encoding="utf-8")
    done = subprocess.run(
        [builder, "build", "--strict", "--config-file", settings], cwd=work, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BadSite(done.stdout + done.stderr.partition("Traceback")[0])
    return work / "site"


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _settings(navigation: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the builder's settings. JSON is YAML, too."""
    schemes = [("default", "light"), ("slate", "dark")]
    return {
        "site_name": "Fudaba",
        "site_description": "A service that hosts card games for programs, and an arena with a rating ladder.",
        "docs_dir": "pages",
        "site_dir": "site",
        "nav": navigation,
        "theme": {
            "name": "material",
            "font": False,  # those of the reader's system, so that nothing is asked of another host
            "features": [
                "navigation.tabs",
                "navigation.indexes",
                "navigation.top",
                "content.code.copy",
                "search.highlight",
            ],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {mode})",
                    "scheme": scheme,
                    "toggle": {"icon": f"lucide/{'moon' if mode == 'light' else 'sun'}", "name": f"Switch from {mode}"},
                }
                for scheme, mode in schemes
            ],
        },
        "markdown_extensions": [
            "attr_list",
            "md_in_html",
            "tables",
            "pymdownx.superfences",
            "pymdownx.highlight",
            {"toc": {"permalink": True}},
        ],
        "validation": {
            "anchors": "warn",
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
