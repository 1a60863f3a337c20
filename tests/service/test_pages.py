"""Long lists come in pages, by tokens that say nothing and are checked."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.v1 import bots_pb2, errors_pb2, matches_pb2
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.pages import Pages
from tests.support.service.organiser import Entrant, Organiser, refused

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)
GARBAGE = ["x", "garbage", "=", "AAAA", "x" * 201, "%", "\0", "ä", " ", "00000000000-m-1", "bot-1"]


@given(st.sets(NAMES), st.integers(1, 5))
def test_the_pages_of_a_list_are_the_list(names: set[str], size: int) -> None:
    everything, found, token = sorted(names), [], ""
    for _ in range(len(everything) + 1):
        page, token = Pages("things").page(everything, size, token)
        found += page
        if not token:
            break
    assert found == everything


@given(st.sets(NAMES, min_size=3), st.data())
def test_what_comes_or_goes_between_two_pages_hides_nothing_that_stays(names: set[str], data: st.DataObject) -> None:
    pages, everything = Pages("things"), sorted(names)
    first, token = pages.page(everything, 2, "")
    gone = data.draw(st.sets(st.sampled_from(everything)))
    now = sorted((names - gone) | data.draw(st.sets(NAMES)))
    rest, _ = pages.page(now, 1000, token)
    assert rest == [name for name in now if name > first[-1]]


@given(NAMES, st.data())
def test_a_token_that_was_changed_or_is_of_another_list_is_refused(name: str, data: st.DataObject) -> None:
    pages = Pages("things")
    token = pages.token(name)
    number = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from([c for c in string.ascii_letters + string.digits + "-_=" if c != token[number]]))
    changed = token[:number] + letter + token[number + 1 :]
    for wrong in (changed, token[:-1], token + "A", token + "=", Pages("others").token(name), *GARBAGE):
        with pytest.raises(Refused) as info:
            pages.page([name], 10, wrong)
        assert info.value.reason == errors_pb2.REASON_MALFORMED


async def test_every_list_refuses_tokens_that_it_did_not_give(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    for _ in range(2):
        await organiser.match(*pair)

    async def matches(**fields: Any) -> Any:
        return await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(**fields))

    async def bots(**fields: Any) -> Any:
        return await organiser.bots.ListBots(bots_pb2.ListBotsRequest(**fields), metadata=organiser.metadata)

    async def presences(**fields: Any) -> Any:
        return await organiser.bots.ListPresence(bots_pb2.ListPresenceRequest(**fields), metadata=organiser.metadata)

    async def casual_bots(**fields: Any) -> Any:
        return await organiser.bots.ListCasualBots(bots_pb2.ListCasualBotsRequest(**fields))

    for entrant in pair:
        allowed = bots_pb2.CasualPlay(games=["naga"], max_matches=1)
        request = bots_pb2.SetCasualPlayRequest(bot=entrant.name, casual_play=allowed)
        await organiser.bots.SetCasualPlay(request, metadata=organiser.metadata)
    lists: list[Callable[..., Coroutine[Any, Any, Any]]] = [matches, bots, presences, casual_bots]
    tokens = [(await list_call(page_size=1)).next_page_token for list_call in lists]
    assert all(tokens)
    for mine, other in itertools.permutations(range(len(lists)), 2):
        assert await lists[mine](page_token=tokens[mine])
        for wrong in (tokens[other], tokens[mine][:-1], tokens[mine].swapcase(), *GARBAGE):
            await refused(lists[mine](page_token=wrong), "MALFORMED", "page_token", "start again")


def test_every_paged_method_is_in_that_test() -> None:
    paged = {
        method.name
        for module in (bots_pb2, matches_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if "page_token" in method.input_type.fields_by_name
    }
    assert paged == {
        "ListBots",
        "ListCasualBots",
        "ListMatches",
        "ListPresence",
        "StreamRecords",
    }  # the last one: test_record_stream.py
