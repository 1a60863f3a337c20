"""A server reads who may call its methods from the contract, and does not start with one that does not say it."""

from __future__ import annotations

import itertools
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import MethodDescriptor
from grpc import aio

from fudaba.refusals import Refused
from fudaba.v1 import catalog_pb2, policy_pb2
from fudaba_serving.grpc.listener import listener
from fudaba_serving.grpc.permissions import admit
from fudaba_serving.grpc.policy import ROLES, PolicyMissing, Reach, policy_of
from fudaba_serving.grpc.reflection import add_reflection

NUMBERS = itertools.count()
READS = policy_pb2.Policy(everybody=policy_pb2.REACH_PUBLIC, base_cost=1, changes=False)


def scripted(policy: policy_pb2.Policy | None) -> MethodDescriptor:
    """Returns the one method of a new service, with this policy, as a `.proto` file would declare it."""
    name = f"scripted_{next(NUMBERS)}"
    file = descriptor_pb2.FileDescriptorProto(name=f"{name}.proto", package=name, syntax="proto3")
    file.dependency.extend(["fudaba/v1/catalog.proto", "fudaba/v1/policy.proto"])
    method = file.service.add(name="Scripted").method.add(name="Call")
    method.input_type, method.output_type = ".fudaba.v1.ListGamesRequest", ".fudaba.v1.ListGamesResponse"
    if policy is not None:
        method.options.Extensions[policy_pb2.policy].CopyFrom(policy)
    pool = descriptor_pool.Default()
    pool.Add(file)
    return pool.FindServiceByName(f"{name}.Scripted").methods_by_name["Call"]


def serve(method: MethodDescriptor, server: aio.Server) -> None:
    """Registers the method's service, as generated code does."""

    async def answer(_: Any, __: Any) -> catalog_pb2.ListGamesResponse:
        return catalog_pb2.ListGamesResponse()

    handler = grpc.unary_unary_rpc_method_handler(
        answer, catalog_pb2.ListGamesRequest.FromString, catalog_pb2.ListGamesResponse.SerializeToString
    )
    service = method.containing_service.full_name
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method.name: handler}),))
    server.add_registered_method_handlers(service, {method.name: handler})


@pytest.fixture
async def server() -> aio.Server:
    """Returns a server that has not started."""
    return listener([], [])


PUBLIC = policy_pb2.REACH_PUBLIC
INCOMPLETE = [
    ("no policy", None),
    ("no base_cost", policy_pb2.Policy()),
    ("no base_cost", policy_pb2.Policy(everybody=PUBLIC, changes=False)),
    ("does not say whether it changes", policy_pb2.Policy(everybody=PUBLIC, base_cost=1)),
    ("`audited`", policy_pb2.Policy(everybody=PUBLIC, base_cost=1, changes=True)),
    ("`audited`", policy_pb2.Policy(everybody=PUBLIC, base_cost=1, changes=False, audited=True)),
]
"""Policies with which a server must not start, each with words of the refusal."""


@pytest.mark.parametrize(("word", "policy"), INCOMPLETE)
async def test_a_server_with_a_method_without_a_whole_policy_does_not_start(
    server: aio.Server, word: str, policy: policy_pb2.Policy | None
) -> None:
    method = scripted(policy)
    with pytest.raises(PolicyMissing, match=word) as info:
        serve(method, server)
    assert method.full_name in str(info.value)
    assert str(method.containing_service.file.name) in str(info.value)


async def test_a_service_that_no_proto_file_describes_is_not_served(server: aio.Server) -> None:
    handler = grpc.method_handlers_generic_handler("nowhere.Unknown", {})
    with pytest.raises(PolicyMissing, match=r"nowhere\.Unknown"):
        server.add_generic_rpc_handlers((handler,))


async def test_a_handler_that_hides_what_it_serves_is_not_served(server: aio.Server) -> None:
    class Everything(grpc.GenericRpcHandler):
        def service(self, handler_call_details: grpc.HandlerCallDetails) -> None:
            """Serves nothing."""

    with pytest.raises(PolicyMissing, match="Everything"):
        server.add_generic_rpc_handlers((Everything(),))


async def test_what_the_contract_declares_is_served_and_so_are_grpc_s_own_services(server: aio.Server) -> None:
    serve(catalog_pb2.DESCRIPTOR.services_by_name["CatalogService"].methods_by_name["ListGames"], server)
    add_reflection(["fudaba.v1.CatalogService"], server)
    serve(scripted(READS), server)
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await server.stop(None)


def test_a_role_that_a_policy_does_not_name_may_not_call() -> None:
    method = scripted(policy_pb2.Policy(bot=policy_pb2.REACH_OWN, base_cost=1, changes=False))
    policy = policy_of(method)
    assert policy.reaches == {role: Reach.OWN if role == "bot" else Reach.NONE for role in ROLES}
    assert not policy.open_to_all
    admit(policy, "bot")
    for role in set(ROLES) - {"bot"}:
        with pytest.raises(Refused):
            admit(policy, role)


def test_what_everybody_may_do_each_role_may_and_some_may_do_more() -> None:
    declared = policy_pb2.Policy(
        everybody=policy_pb2.REACH_PUBLIC, organiser=policy_pb2.REACH_ALL, base_cost=5, changes=False
    )
    policy = policy_of(scripted(declared))
    assert policy.open_to_all
    assert policy.reaches == {role: Reach.ALL if role == "organiser" else Reach.PUBLIC for role in ROLES}
    assert policy.base_cost == 5
