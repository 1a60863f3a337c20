"""The site of the documentation: its list of pages, its links, and what it asks of other hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from _site.__main__ import main
from _site.requests import foreign_requests
from _site.sections import BadSite, read_sections
from _site.source import copy_pages

ROOT = Path(__file__).resolve().parents[2]
LISTED = """\
[[section]]
title = "Do"
pages = ["docs/first.md", "docs/rules/*.md"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Returns a checkout with a list of pages that is right."""
    root = tmp_path / "checkout"
    for page in ("docs/first.md", "docs/rules/README.md", "docs/rules/a.md"):
        write(root / page, f"# {page}\n")
    write(root / "docs/site.toml", LISTED)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copied(checkout: Path, text: str) -> str:
    """Returns a page with this text as the site has it."""
    write(checkout / "docs/first.md", text)
    pages = [page for section in read_sections(checkout) for page in section.pages]
    site = checkout.parent / "site"
    copy_pages(checkout, pages, site, {Path("proto"): Path("reference/README.md")})
    return (site / "docs/first.md").read_text(encoding="utf-8")


def test_every_page_of_docs_is_in_one_section_of_this_checkout() -> None:
    assert {section.title for section in read_sections(ROOT)} >= {"Learn", "Do", "Look up", "Understand"}


def test_a_pattern_lists_the_readme_first(checkout: Path) -> None:
    [section] = read_sections(checkout)
    assert section.pages == tuple(map(Path, ("docs/first.md", "docs/rules/README.md", "docs/rules/a.md")))


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        (LISTED.replace("docs/first.md", "docs/second.md"), "there is no page docs/second.md"),
        (LISTED.replace('"docs/first.md", ', ""), "docs/first.md is in no section"),
        (LISTED.replace("docs/first.md", "docs/*.md") + LISTED, "docs/first.md stands in it more than once"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_the_page(checkout: Path, listed: str, problem: str) -> None:
    write(checkout / "docs/site.toml", listed)
    with pytest.raises(BadSite, match=problem):
        read_sections(checkout)


def test_a_link_to_a_page_or_elsewhere_stays_as_it_is(checkout: Path) -> None:
    text = "[a](rules/a.md#one) [b](https://example.org/x) [c](#here) [d](gone.md)\n"
    assert copied(checkout, text) == text


def test_a_link_to_a_folder_leads_to_its_readme_or_to_the_page_that_describes_it(checkout: Path) -> None:
    (checkout / "proto").mkdir()
    text = copied(checkout, "[rules](rules#two), [contract](../proto)\n")
    assert text == "[rules](rules/README.md#two), [contract](../reference/README.md)\n"


def test_a_link_to_a_folder_without_a_page_becomes_text(checkout: Path) -> None:
    write(checkout / "kit/README.md", "no page of the site")
    assert copied(checkout, "the [kit](../kit)\n") == "the kit\n"


def test_a_linked_file_is_part_of_the_site(checkout: Path) -> None:
    write(checkout / "deploy/pods.yaml", "kind: Pod\n")
    write(checkout / "docs/pictures/a.png", "a picture")
    copied(checkout, '[pods](../deploy/pods.yaml) <img src="pictures/a.png">\n')
    site = checkout.parent / "site"
    assert (site / "deploy/pods.yaml").read_text(encoding="utf-8") == "kind: Pod\n"
    assert (site / "docs/pictures/a.png").is_file()


def test_a_link_out_of_the_checkout_copies_nothing(checkout: Path) -> None:
    write(checkout.parent / "secret", "somebody's")
    copied(checkout, "[s](../../secret)\n")
    assert not list((checkout.parent / "site").rglob("secret"))


def test_a_site_of_its_own_files_asks_no_other_host(tmp_path: Path) -> None:
    write(tmp_path / "a.html", '<script src="x.js"></script><a href="https://example.org">there</a>')
    write(tmp_path / "a.css", "a { background: url(b.png) }")
    assert foreign_requests(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/x"></script>'),
        ("b/a.html", '<link rel="stylesheet" href="https://cdn.example/x">'),
        ("a.html", '<img src="//cdn.example/x">'),
        ("a.css", '@font-face { src: url("https://cdn.example/x") }'),
    ],
)
def test_what_a_page_loads_from_another_host_is_found(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    [address] = foreign_requests(tmp_path)
    assert address.endswith("//cdn.example/x")


def test_a_folder_with_anything_else_in_it_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "thesis.txt", "theirs")
    assert main(Path("no-builder"), tmp_path) == 1
    assert "nothing in it was changed" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
