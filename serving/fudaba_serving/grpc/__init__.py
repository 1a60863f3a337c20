"""What all gRPC servers of Fudaba share: they identify callers, limit rates, refuse requests, listen and stop."""
