"""Summaries of stored lists, kept beside them for quick reading."""
