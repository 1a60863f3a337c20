"""Thousands of messages that nobody thought of: each is answered or refused, and none is a fault of the service."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fudaba.v1 import bots_pb2, catalog_pb2, matches_pb2, play_pb2
from tests.service.bots import bearer, reason_of
from tests.service.organiser import QUICK, Entrant, Organiser
from tests.service.processes import Service

METHODS = [
    method
    for module in (catalog_pb2, bots_pb2, matches_pb2, play_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if not method.client_streaming and not method.server_streaming
]
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}


class Known:
    """Names that exist, so that messages get past the first check."""

    def __init__(self, service: Service) -> None:
        self.texts: list[str] = ["naga", "deals", "first_dealer", "1", "0.0", "1.0", "designate 1"]
        self.tokens: list[str] = [service.token, ""]
        asyncio.run(self._make(service))

    async def _make(self, service: Service) -> None:
        async with Organiser(service.address, service.token) as organiser:
            entrants: list[Entrant] = [await organiser.entrant() for _ in range(2)]
            matches = [await organiser.match(*entrants, clock=QUICK) for _ in range(2)]
            over = matches_pb2.AbortMatchRequest(match_id=matches[0])
            await organiser.matches.AbortMatch(over, metadata=organiser.metadata)
        self.texts += [*matches, *[e.name for e in entrants]]
        self.tokens += [entrants[0].token]


@pytest.fixture(scope="module")
def known(service: Service) -> Known:
    return Known(service)


@pytest.fixture(scope="module")
def channel(service: Service) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(service.address) as one:
        yield one


class Builder:
    """Builds messages of any type by chance: sensible, at the limits, and beyond them."""

    def __init__(self, chance: random.Random, texts: list[str]) -> None:
        self.chance = chance
        self.texts = texts

    def build(self, descriptor: Descriptor, depth: int = 0) -> Message:
        message = message_factory.GetMessageClass(descriptor)()
        for field in descriptor.fields:
            if self.chance.random() < (0.75 if depth < 4 else 0.2):
                self.fill(message, field, depth)
        return message

    def fill(self, message: Any, field: FieldDescriptor, depth: int) -> None:
        entry = field.message_type
        count = self.chance.choice([1, 2, 2, 3, 40])
        if entry is not None and entry.GetOptions().map_entry:
            for _ in range(count):
                value = getattr(message, field.name)[self.text()]
                value.CopyFrom(self.build(value.DESCRIPTOR, depth + 1))
        elif field.is_repeated:
            target = getattr(message, field.name)
            for _ in range(count):
                if entry is not None:
                    target.add().CopyFrom(self.build(entry, depth + 1))
                else:
                    target.append(self.scalar(field))
        elif entry is not None:
            getattr(message, field.name).CopyFrom(self.build(entry, depth + 1))
        else:
            setattr(message, field.name, self.scalar(field))

    def scalar(self, field: FieldDescriptor) -> Any:
        if field.type == field.TYPE_STRING:
            return self.text()
        if field.type == field.TYPE_BYTES:
            return self.chance.randbytes(self.chance.choice([0, 1, 16, 32, 500]))
        if field.type == field.TYPE_BOOL:
            return self.chance.random() < 0.5
        if field.type == field.TYPE_ENUM:
            return self.chance.choice([0, 1, 2, 7, 50, 99, -1, 2**31 - 1])
        if field.name == "wait_ms":
            return self.chance.choice([0, 1, 5, 60_001, 2**32 - 1])
        signed = field.type in {field.TYPE_INT32, field.TYPE_INT64, field.TYPE_SINT32, field.TYPE_SINT64}
        bits = 32 if field.cpp_type in {field.CPPTYPE_INT32, field.CPPTYPE_UINT32} else 64
        lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return self.chance.choice([0, 1, 2, 3, 1000, 60_000, highest, lowest])

    def text(self) -> str:
        if self.chance.random() < 0.7:
            return self.chance.choice(self.texts)
        alphabet = "abcXYZ019-._/ \0\n%{}'\"é札🂡"
        length = self.chance.choice([0, 1, 5, 40, 41, 81, 201, 3000])
        return "".join(self.chance.choices(alphabet, k=length))


def check(call: grpc.UnaryUnaryMultiCallable[Any, Any], raw: bytes, token: str) -> None:
    """Calls; a refusal has a reason, and nothing is a fault."""
    refusal: Any = None
    try:
        call(raw, metadata=bearer(token) if token else (), timeout=20)
    except grpc.RpcError as error:
        refusal = error
    if refusal is not None:
        details = refusal.details() or ""
        assert refusal.code() not in FAULTS, details
        assert reason_of(refusal), details
        assert len(details) > 10
        assert "Traceback" not in details
        assert 'File "' not in details


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.full_name.removeprefix("fudaba.v1."))
def test_no_message_is_a_fault_of_the_service(method: Any, known: Known, channel: grpc.Channel) -> None:
    call: Any = channel.unary_unary(f"/{method.containing_service.full_name}/{method.name}")

    @settings(max_examples=250, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**64), st.sampled_from(known.tokens))
    def sweep(seed: int, token: str) -> None:
        chance = random.Random(seed)
        message = Builder(chance, known.texts).build(method.input_type)
        check(call, message.SerializeToString(), token)

    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**64), st.binary(max_size=60))
    def mutate(seed: int, noise: bytes) -> None:
        chance = random.Random(seed)
        raw = bytearray(Builder(chance, known.texts).build(method.input_type).SerializeToString())
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(raw) + 1)
            raw[at : at + chance.randrange(3)] = noise[: chance.randrange(len(noise) + 1)]
        check(call, bytes(raw), known.tokens[0])

    sweep()
    mutate()


async def test_the_service_is_as_well_after_the_sweep_as_before(service: Service, organiser: Organiser) -> None:
    from tests.service.bots import play_match

    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    await play_match(*organiser.by_chance(*entrants))
    await organiser.record(match_id)
    assert " fault " not in service.log
