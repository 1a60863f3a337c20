"""The arenas that use a store, and the service that it belongs to."""
