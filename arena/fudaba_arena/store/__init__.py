"""The store of an arena: its data folder, and in Redis each result once."""
