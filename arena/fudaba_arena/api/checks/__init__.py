"""Finds what requests name, and refuses what is not allowed."""
