"""Finds what requests name, and refuses what may not be."""
