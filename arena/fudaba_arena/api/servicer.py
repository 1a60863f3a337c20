"""ArenaService, composed of parts: each method of the contract is implemented by the method of that name in one part.
See arena.proto.

A part is a class in `methods/`. `_servicer` in `api/server.py` lists the parts; add a new one there.
"""

from __future__ import annotations

from typing import cast

from fudaba.v1 import arena_pb2, arena_pb2_grpc

__all__ = ["arena_servicer"]


def arena_servicer(*parts: object) -> arena_pb2_grpc.ArenaServiceServicer:
    """Combines the methods of the parts into one servicer.

    Raises `TypeError` unless exactly one part implements each method of the contract.
    """
    handlers = {}
    for method in arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods:
        owners = [part for part in parts if hasattr(part, method.name)]
        if len(owners) != 1:
            raise TypeError(f"{len(owners)} parts of the arena's API have the method {method.name}; exactly 1 must")
        handlers[method.name] = getattr(owners[0], method.name)
    # The generated class has each method abstract, and no type checker sees that all of them are here.
    servicer = type("ArenaServicer", (arena_pb2_grpc.ArenaServiceServicer,), handlers)
    return cast("arena_pb2_grpc.ArenaServiceServicer", servicer())
