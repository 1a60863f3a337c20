"""The service: sessions whose log is the state, a store, and the gRPC API."""
