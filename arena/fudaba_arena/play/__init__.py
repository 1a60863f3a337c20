"""Plays the matches of blocks on the service, with the bots that the arena itself starts."""
