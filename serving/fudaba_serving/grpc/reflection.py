"""Server reflection: it shows the contract to tools such as grpcurl, under both names of the standard service.

grpcio-reflection only has `grpc.reflection.v1alpha`, and newer tools only ask for `grpc.reflection.v1`. The messages of
both are the same byte for byte, so one servicer answers both. Only the descriptor is made again, with the other name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc import aio
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.reflection import aio as reflection_aio

__all__ = ["REFLECTION", "REFLECTION_V1", "add_reflection"]

REFLECTION: Final[str] = reflection.SERVICE_NAME
REFLECTION_V1: Final = "grpc.reflection.v1.ServerReflection"
_add_v1alpha: Final[Any] = reflection_pb2_grpc.add_ServerReflectionServicer_to_server  # generated code without types
_FILE: Final = "grpc/reflection/v1/reflection.proto"


def add_reflection(services: Sequence[str], server: aio.Server) -> None:
    """Makes a server describe itself and these services, which are given by their full names."""
    _describe_v1()
    servicer: Any = reflection_aio.ReflectionServicer([*services, REFLECTION, REFLECTION_V1])
    _add_v1alpha(servicer, server)
    method = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    methods = {"ServerReflectionInfo": method}
    # Generated code makes both of these calls, too.
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(REFLECTION_V1, methods),))
    server.add_registered_method_handlers(REFLECTION_V1, methods)


def _describe_v1() -> None:
    """Adds the descriptor of v1 where the servicer looks for it: v1alpha's with the names of the other package."""
    pool = descriptor_pool.Default()
    try:
        pool.FindFileByName(_FILE)
        return
    except KeyError:
        pass
    file = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(file)
    old, new = f".{file.package}.", ".grpc.reflection.v1."
    file.name, file.package = _FILE, "grpc.reflection.v1"
    for message in file.message_type:
        for field in message.field:
            if not field.type_name:
                continue
            field.type_name = field.type_name.replace(old, new)
    for service in file.service:
        for method in service.method:
            method.input_type = method.input_type.replace(old, new)
            method.output_type = method.output_type.replace(old, new)
    pool.Add(file)
