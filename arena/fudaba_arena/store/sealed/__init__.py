"""Summaries of stored lists, kept beside them so that they are read in a moment."""
