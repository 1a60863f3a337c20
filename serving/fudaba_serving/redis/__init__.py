"""Connections to a Redis, and the server that is embedded where there is none."""
