"""The common part of Fudaba's gRPC servers: they identify callers, limit rates, refuse requests, listen and stop."""
