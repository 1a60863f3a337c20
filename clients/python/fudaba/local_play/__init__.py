"""Matches between an author's own bots on one machine: on a private service, or in process."""
