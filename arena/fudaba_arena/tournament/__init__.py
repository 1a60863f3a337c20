"""Reads a tournament file into a definition, and reports every mistake in it with its line."""
