"""The gRPC API: parses, checks, asks a session, answers."""
