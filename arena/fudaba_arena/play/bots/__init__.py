"""The bots that the arena itself starts, one process for each version."""
