"""Each method of the contract is there for whoever has HTTP/1.1, and answers as it does over gRPC."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf.descriptor import MethodDescriptor

from fudaba.client import Client, service_error
from fudaba.v1 import arena_pb2, catalog_pb2, matches_pb2
from fudaba_serving.grpc.policy import NOBODY, Reach, contract, policy_of
from fudaba_web.upstreams import needs_no_token
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.bots import BOT, register
from tests.support.web.gateways import Gateway, gateway, refusal_of

METHODS = {f"{service.name}/{method.name}": method for service in contract() for method in service.methods}
NEWCOMERS = {"CreateGuest", "CreateAccount", "ExchangeSignInCode"}
"""What those may do who have no token yet, each host so many times."""
UNARY = {name: method for name, method in METHODS.items() if not method.server_streaming}


def over_grpc(address: str, name: str) -> tuple[str, str]:
    """Returns the code and the reason of an empty call without a token, as Connect names them; empty if it succeeds."""
    with grpc.insecure_channel(address) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/fudaba.v1.{name}")
        try:
            call(b"", timeout=PATIENCE)
        except grpc.RpcError as error:
            refusal = service_error(error)
            return refusal.code.lower().replace("cancelled", "canceled"), refusal.reason
    return "", ""


@pytest.mark.parametrize("name", sorted(name for name in UNARY if name.rpartition("/")[2] not in NEWCOMERS))
def test_each_method_answers_as_over_grpc(web: Gateway, hosted: Service, arena: Arena, name: str) -> None:
    wanted = over_grpc(arena.address if name.startswith("ArenaService") else hosted.address, name)
    answer = web.call(name)
    assert (refusal_of(answer) if answer.status_code != 200 else ("", "")) == wanted


@pytest.mark.parametrize("name", sorted(UNARY))
def test_what_is_called_for_people_without_a_token_is_what_needs_none(hosted: Service, arena: Arena, name: str) -> None:
    refusal = over_grpc(arena.address if name.startswith("ArenaService") else hosted.address, name)
    assert (refusal[1] != "TOKEN_MISSING") == needs_no_token(UNARY[name])


def test_where_the_gateway_calls_for_people_without_a_token_its_own_rights_are_no_greater_but_for_newcomers() -> None:
    greater = set()
    for method in METHODS.values():
        reaches = policy_of(method).reaches
        if reaches[NOBODY] is not Reach.NONE and reaches["gateway"] is not reaches[NOBODY]:
            greater.add(method.name)
    assert greater == NEWCOMERS


def test_every_service_has_methods_and_play_alone_is_missing(web: Gateway) -> None:
    assert len(METHODS) > 90
    missing = {name for name, method in METHODS.items() if method.client_streaming}
    assert missing == {"PlayService/Play"}
    answer = web.call("PlayService/Play")
    assert answer.status_code == 501
    assert "use WatchSeat and SubmitMove" in answer.json()["message"]


def test_a_message_is_the_same_in_json_and_in_binary(web: Gateway, hosted: Service) -> None:
    binary = web.http.post(
        "/fudaba.v1.CatalogService/ListGames", content=b"", headers={"content-type": "application/proto"}
    )
    with Client(hosted.address) as client:
        wanted = client.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=PATIENCE)
    assert catalog_pb2.ListGamesResponse.FromString(binary.content) == wanted
    assert [game["id"] for game in web.answer("CatalogService/ListGames")["games"]] == [
        listed_game.id for listed_game in wanted.games
    ]


def test_what_only_reads_can_be_called_by_a_link(web: Gateway) -> None:
    link = "/fudaba.v1.CatalogService/GetGame?encoding=json&message=" + '{"game":"naga"}'
    assert web.http.get(link).json()["game"]["id"] == "naga"
    assert web.http.get("/fudaba.v1.AccountService/CreateGuest?encoding=json&message={}").status_code == 405


def test_a_link_calls_what_changes_nothing_and_nothing_else(web: Gateway) -> None:
    for name, method in UNARY.items():
        refused = web.http.get(f"/fudaba.v1.{name}?encoding=json&message={{}}").status_code == 405
        assert refused == policy_of(method).changes, name


def test_grpc_web_is_spoken_too(web: Gateway) -> None:
    body = matches_pb2.GetMatchRequest(match_id="none").SerializeToString()
    answer = web.http.post(
        "/fudaba.v1.MatchService/GetMatch",
        content=b"\0" + len(body).to_bytes(4, "big") + body,
        headers={"content-type": "application/grpc-web+proto", "x-grpc-web": "1"},
    )
    status = answer.headers.get("grpc-status") or answer.content.partition(b"grpc-status: ")[2][:1].decode()
    assert status == str(grpc.StatusCode.NOT_FOUND.value[0])


def test_a_bot_without_grpc_plays_a_match_with_json_alone(web: Gateway, hosted: Service) -> None:
    code = BOT.read_text(encoding="utf-8")
    assert not any(word in code for word in ("import grpc", "import fudaba", "from fudaba"))
    env = os.environ | {"FUDABA_WEB": web.url, "FUDABA_TOKEN": register(hosted, "jason")}
    done = subprocess.run([sys.executable, str(BOT)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)["outcome"]["placements"]) in ([1, 1], [1, 2])


def streamed(web: Gateway, name: str, message: Any) -> list[tuple[int, Any]]:
    """Returns the envelopes of a stream: their flags, and what is in them."""
    body = json.dumps(message).encode()
    answer = web.http.post(
        f"/fudaba.v1.{name}",
        content=b"\0" + len(body).to_bytes(4, "big") + body,
        headers={"content-type": "application/connect+json"},
    )
    assert answer.status_code == 200
    left, found = answer.content, []
    while left:
        size = int.from_bytes(left[1:5], "big")
        found.append((left[0], json.loads(left[5 : 5 + size])))
        left = left[5 + size :]
    return found


def test_a_stream_that_is_refused_says_why_at_its_end(web: Gateway) -> None:
    [(flags, end)] = streamed(web, "MatchService/WatchMatch", {"matchId": "none"})
    assert flags == 2
    assert end["error"]["code"] == "not_found"
    assert end["error"]["details"][0]["debug"]["reason"] == "MATCH_NOT_FOUND"


def test_where_there_is_no_arena_its_methods_say_so(hosted: Service, tmp_path: Path) -> None:
    with gateway(tmp_path, hosted.address) as alone:
        answer = alone.call("ArenaService/ListLadders")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "the arena cannot be reached" in answer.json()["message"]
        assert alone.answer("CatalogService/ListGames")["games"]


def test_who_is_away_is_named(tmp_path: Path, arena: Arena) -> None:
    with gateway(tmp_path, f"unix:{tmp_path}/nobody", arena.address) as cut:
        answer = cut.call("CatalogService/ListGames")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "the service cannot be reached" in answer.json()["message"]


def test_methods_are_found_by_descriptors_alone() -> None:
    assert all(isinstance(method, MethodDescriptor) for method in METHODS.values())
    assert {method.containing_service.full_name for method in METHODS.values()} == {
        f"fudaba.v1.{name}"
        for name in ("AccountService", "ArenaService", "BotService", "CatalogService", "MatchService", "PlayService")
    }
    assert arena_pb2.DESCRIPTOR.services_by_name["ArenaService"] in contract()


def test_the_url_is_for_this_machine_alone_by_default(web: Gateway) -> None:
    assert httpx.URL(web.url).host == "127.0.0.1"
