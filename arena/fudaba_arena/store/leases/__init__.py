"""Blocks that are handed out to workers. Each is leased to one worker at a time."""
