"""The arena: tournaments, pairing, match runs and ratings."""
