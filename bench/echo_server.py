"""The yardstick: a bare bidirectional echo with grpc.aio. Run as `python -m bench.echo_server`, it prints its port."""

from __future__ import annotations

import asyncio

import grpc
from grpc import aio


async def _echo(_requests, context) -> None:  # type: ignore[no-untyped-def]  # grpc.aio's context has no useful type here
    """Answers each message with a message of the length in its first two bytes, as the measured service would."""
    replies: dict[int, bytes] = {}
    while (message := await context.read()) is not aio.EOF:
        size = int.from_bytes(message[:2], "big")
        reply = replies.get(size)
        if reply is None:
            reply = replies[size] = bytes(size)
        await context.write(reply)


async def _main() -> None:
    server = aio.server(options=[("grpc.so_reuseport", 0)])
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(_echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(_main())
