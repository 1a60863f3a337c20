"""The arenas that use a store, and the service to which it belongs."""
