"""The start of a process of the service: its stores, its tokens, its gRPC server."""
