"""The store of an arena: its data folder, and its values in Redis, with each result stored once."""
