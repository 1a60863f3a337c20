"""Which arenas use a store, and of which service it is."""
