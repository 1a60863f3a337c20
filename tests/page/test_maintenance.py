"""Maintenance is said above every page, from when until when, and is gone by itself when it is over."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import catalog_pb2
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway

TEXT = "New disks <b>"


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    """Yields a service of its own: in maintenance others could play nothing there."""
    with short_folder() as place, Service(place) as running:
        yield running.start()


@pytest.fixture(scope="module")
def web(hosted: Service) -> Iterator[Gateway]:
    with gateway(hosted.folder, hosted.address) as running:
        yield running


def test_maintenance_is_said_in_each_language_and_ends_by_its_time(page: Page, organiser: Client) -> None:
    request = catalog_pb2.BeginMaintenanceRequest(text=TEXT)
    request.duration.FromSeconds(3600)
    begun = organiser.catalog.BeginMaintenance(request, timeout=PATIENCE).maintenance
    said = page.get_by_role("status").filter(has_text=TEXT)
    for path in ("/", "/games/naga"):
        page.goto(path)
        expect(said).to_contain_text("Maintenance until")
    page.get_by_label("Language").select_option("ja")
    expect(said).to_contain_text("メンテナンス中")
    end_soon(organiser, begun)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # it is asked for again
    expect(said).to_have_count(0)


def end_soon(organiser: Client, begun: catalog_pb2.Maintenance) -> None:
    """Shortens maintenance that is under way to some seconds from now."""
    request = catalog_pb2.BeginMaintenanceRequest(text=begun.text, begin_time=begun.begin_time, replaces=begun.id)
    for left_ms in itertools.count(2_000, 2_000):
        now = organiser.catalog.GetMaintenance(catalog_pb2.GetMaintenanceRequest(), timeout=PATIENCE).now
        request.duration.FromMilliseconds(now.ToMilliseconds() - begun.begin_time.ToMilliseconds() + left_ms)
        try:
            organiser.catalog.BeginMaintenance(request, timeout=PATIENCE)
            return
        except ServiceError as error:
            if error.reason != "MALFORMED":  # which it is where the calls took longer: it would be over already
                raise
