"""The page of the site's status works while the service is away, and says so by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.folders import short_folder
from tests.support.page.readable import check_readable
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway


@pytest.fixture
def hosted() -> Iterator[Service]:
    """Yields a service of its own, which the test stops."""
    with short_folder() as place, Service(place) as running:
        yield running.start()


@pytest.fixture
def web(hosted: Service) -> Iterator[Gateway]:
    """Yields a gateway before that service, and before an arena that is not there."""
    with gateway(hosted.folder, hosted.address, "127.0.0.1:1") as running:
        yield running


def test_the_foot_of_the_page_leads_to_what_is_here_and_what_is_not(hosted: Service, page: Page) -> None:
    page.goto("/games")
    page.get_by_role("contentinfo").get_by_role("link", name="Status").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Status")
    expect(page.get_by_role("row", name="Service").get_by_text("here", exact=True)).to_be_visible()
    expect(page.get_by_role("row", name="Arena").get_by_text("not here", exact=True)).to_be_visible()
    expect(page.get_by_text("The arena does not answer now.")).to_be_visible()
    check_readable(page)
    hosted.terminate()
    expect(page.get_by_text("The service does not answer now.")).to_be_visible()
    page.reload()
    page.get_by_label("Language").select_option("ja")
    expect(page.get_by_text("サービスが応答していません。")).to_be_visible()
    hosted.start()
    expect(page.get_by_text("アリーナが応答していません。")).to_be_visible()
