"""An organiser reads long lists page by page, the newest first, and searches them on the server."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from fudaba.client import Client, ServiceError
from fudaba.v1 import accounts_pb2
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

pytestmark = pytest.mark.exhaustive
ACCOUNT_COUNT = 230
"""More than any page ever showed."""


@pytest.fixture(scope="module")
def organiser() -> Iterator[Client]:
    """Yields the organiser of a service with many accounts, which were made in the order of their numbers."""
    with short_folder() as place, Service(place) as service, Client(service.start().address, service.token) as client:
        for number in range(ACCOUNT_COUNT):
            name = f"{secrets.token_hex(2).translate(str.maketrans('0123456789', 'ghijklmnop'))}-{number:03}"
            request = accounts_pb2.CreateAccountRequest(name=name, display_name=f"Author No. {number}")
            client.accounts.CreateAccount(request, timeout=PATIENCE)
        yield client


def accounts(organiser: Client, **asked: object) -> list[str]:
    """Returns the numbers of the accounts on all pages."""
    found, token = [], ""
    while True:
        request = accounts_pb2.ListAccountsRequest(page_size=100, page_token=token, **asked)  # type: ignore[arg-type]
        page = organiser.accounts.ListAccounts(request, timeout=PATIENCE)
        found += [account.name.rpartition("-")[2] for account in page.accounts]
        token = page.next_page_token
        if not token:
            return found


def test_each_account_is_listed_once_the_newest_first(organiser: Client) -> None:
    found = accounts(organiser, newest_first=True)
    assert sorted(found) == [f"{number:03}" for number in range(ACCOUNT_COUNT)]
    assert len(found) == ACCOUNT_COUNT
    assert accounts(organiser) != found


def test_of_accounts_the_younger_come_first(organiser: Client) -> None:
    request = accounts_pb2.ListAccountsRequest(page_size=1000, newest_first=True)
    found = organiser.accounts.ListAccounts(request, timeout=PATIENCE).accounts
    made = [account.create_time.ToMilliseconds() for account in found]
    assert made == sorted(made, reverse=True)
    assert found[0].name.endswith(f"-{ACCOUNT_COUNT - 1:03}") or made[0] == made[1]


def test_an_account_is_found_by_a_part_of_its_name_or_of_its_display_name(organiser: Client) -> None:
    assert accounts(organiser, query="-227") == ["227"]
    assert accounts(organiser, query="AUTHOR no. 22", newest_first=True)[-1:] == ["022"]
    assert len(accounts(organiser, query="author")) == ACCOUNT_COUNT
    assert accounts(organiser, query="nobody") == []


def test_a_place_in_one_order_is_no_place_in_the_other(organiser: Client) -> None:
    request = accounts_pb2.ListAccountsRequest(page_size=10)
    token = organiser.accounts.ListAccounts(request, timeout=PATIENCE).next_page_token
    with pytest.raises(ServiceError, match="page_token is not one"):
        organiser.accounts.ListAccounts(
            accounts_pb2.ListAccountsRequest(page_token=token, newest_first=True), timeout=PATIENCE
        )


def actions(organiser: Client, **asked: object) -> list[accounts_pb2.Action]:
    """Returns all pages of what organisers did, the newest first."""
    found: list[accounts_pb2.Action] = []
    while True:
        before = found[-1].number if found else 0
        request = accounts_pb2.ListActionsRequest(page_size=100, newest_first=True, before=before, **asked)  # type: ignore[arg-type]
        page = organiser.accounts.ListActions(request, timeout=PATIENCE).actions
        if not page:
            return found
        found += page


def test_what_organisers_did_is_told_the_newest_first_to_its_beginning(organiser: Client) -> None:
    found = actions(organiser)
    assert [action.number for action in found] == list(range(len(found), 0, -1))
    assert len(found) >= ACCOUNT_COUNT
    oldest = organiser.accounts.ListActions(accounts_pb2.ListActionsRequest(page_size=1), timeout=PATIENCE).actions
    assert oldest[0] == found[-1]


def test_what_organisers_did_is_found_by_whom_it_concerned_however_long_ago(organiser: Client) -> None:
    [found] = actions(organiser, query="No. 3")[-1:]
    assert found.subject["display_name"] == "Author No. 3"
    assert [action.subject["display_name"] for action in actions(organiser, query="no. 227")] == ["Author No. 227"]
    assert actions(organiser, query="no. 227", after=found.number)[0].number > found.number
    assert actions(organiser, query="nothing like it") == []


def test_what_cannot_be_the_number_of_an_action_is_refused(organiser: Client) -> None:
    for field in ("after", "before"):
        request = accounts_pb2.ListActionsRequest(**{field: 2**63})  # type: ignore[arg-type]
        with pytest.raises(ServiceError, match=f"{field} is"):
            organiser.accounts.ListActions(request, timeout=PATIENCE)
