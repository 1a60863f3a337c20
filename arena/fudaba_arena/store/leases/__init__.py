"""Blocks that are handed out to workers, each leased to one at a time."""
