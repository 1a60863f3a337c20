"""Matches between an author's own bots on one machine: on a service of their own, or in process."""
