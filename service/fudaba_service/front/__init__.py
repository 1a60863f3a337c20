"""The gRPC front: parses, checks, asks a session, answers."""
