"""Printable sign-up sheets: a page for each account, with a link and a QR code that sign its author in once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import moment
from fudaba.cli.secret_output import secret_output
from fudaba.installing import how_to_install

if TYPE_CHECKING:
    from fudaba.client import Client

__all__ = ["Sheet", "check_sheet_options", "new_sheet", "sheet_options", "sheets_written"]

_TIMEOUT_SECONDS: Final = 30
_QR_MODULE_PIXELS: Final = 6
_STYLE: Final = """
@page { margin: 20mm; }
body { font-family: sans-serif; font-size: 14pt; line-height: 1.5; }
section { break-after: page; break-inside: avoid; }
section:last-child { break-after: auto; }
code { font-size: 16pt; }
.link { overflow-wrap: anywhere; }
svg { margin: 1em 0; }
"""


class Sheet(NamedTuple):
    """An account's sheet."""

    name: str
    """The account's name."""
    shown: str
    """The account's display name."""
    code: str
    """The sign-in code, which works once."""
    valid_until: str
    """The time in UTC when the code expires."""


def sheet_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--sheets` and `--site`. The command gets them as `sheets` and `site`, for `check_sheet_options`."""
    sheets = click.option("--sheets", type=click.Path(path_type=Path), metavar="FILE", help="Write a sign-up sheet for "
                          "each account that gets a token: a new HTML file with a page each, to print. Its link and QR "
                          "code work once, for a year.")  # fmt: skip
    site = click.option("--site", default="", metavar="URL", help="With --sheets: the address of the page, such as "
                        "https://play.example.org.")  # fmt: skip
    return sheets(site(function))


def check_sheet_options(sheets: Path | None, site: str) -> None:
    """Checks the two options. Raises a usage error, or `Failure` if the file exists or QR codes cannot be made."""
    if sheets is None:
        if site:
            raise click.UsageError("--site is for --sheets")
        return
    try:
        parts = urlsplit(site)
        host, query = parts.hostname, parts.query or parts.fragment or parts.username
    except ValueError:
        host = query = None
    if not host or query or parts.scheme not in {"http", "https"} or not site.isprintable() or " " in site:
        raise click.UsageError("--sheets needs --site URL, the address of the page, such as https://play.example.org")
    if sheets.exists():
        raise Failure(f"{sheets} exists already, so nothing was made; name another file, or move that one away")
    try:
        import segno  # noqa: F401 - only whether it is there
    except ImportError:
        raise Failure(f"QR codes need the package segno: {how_to_install('service')}; nothing was made") from None


def new_sheet(client: Client, name: str, shown: str) -> Sheet:
    """Makes an account's sign-in code for a sheet. The code of its former sheet is no longer valid."""
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.CreateSignInCodeRequest(account=name, kind=accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY)
    made = client.accounts.CreateSignInCode(request, timeout=_TIMEOUT_SECONDS)
    return Sheet(name, shown or name, made.code, moment(made.expire_time))


@contextmanager
def sheets_written(file: Path | None, site: str) -> Iterator[list[Sheet]]:
    """Yields a list for sheets. When the block is left, also by an error, those in it are written to the new file.

    Raises `Failure` if the file exists or cannot be made.
    """
    sheets: list[Sheet] = []
    if file is None:
        yield sheets
        return
    with secret_output(file) as output:
        try:
            yield sheets
        finally:
            if sheets:
                output.write(_document(sheets, site.rstrip("/")))


def _document(sheets: Sequence[Sheet], site: str) -> str:
    pages = "\n".join(_page(sheet, site) for sheet in sheets)
    head = f'<meta charset="utf-8"><title>{escape(site)}</title><style>{_STYLE}</style>'
    # The file has secrets: a browser that shows it loads nothing from elsewhere, and sends nothing there.
    guard = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">"""
    return f'<!doctype html>\n<html lang="en"><head>{guard}{head}</head><body>\n{pages}\n</body></html>'


def _page(sheet: Sheet, site: str) -> str:
    import segno

    link = f"{site}/account#code={sheet.code}"
    picture = segno.make(link, micro=False).svg_inline(scale=_QR_MODULE_PIXELS)
    return f"""<section>
<h1>{escape(sheet.shown)}</h1>
<p>Your account is <b>{escape(sheet.name)}</b> at <b>{escape(site)}</b>.</p>
<p>Scan this code, or open the link below it. It signs you in once, until {escape(sheet.valid_until)} (UTC). Keep this
sheet to yourself: whoever has it first is you.</p>
{picture}
<p class="link">{escape(link)}</p>
<p>Code: <code>{escape(sheet.code)}</code></p>
</section>"""
