"""Matches of blocks: played by an executor, in this process or by workers, each result stored once."""
